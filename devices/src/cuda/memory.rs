//! Memory on the device, in the order of a stream, and pinned memory of the host.

use std::ffi::c_void;
use std::sync::Arc;

use super::dispatch::{Shared, checked};
use super::driver::{Address, Handle};
use crate::fault::{Blame, Fault};

/// Memory on the device, counted in the budget of the unit.
pub(super) struct Memory {
    pub(super) address: Address,
    pub(super) bytes: u64,
}

impl Memory {
    /// The context must be entered.
    pub(super) fn new(shared: &Shared, bytes: u64, stream: Handle) -> Result<Self, Fault> {
        let bytes = bytes.max(4).next_multiple_of(4);
        shared.budget.take(bytes)?;
        let mut address = 0;
        let calls = &shared.driver.calls;
        // SAFETY: the pointer is valid, and the stream lives as long as what is in its order.
        let code = unsafe {
            match shared.pools {
                true => (calls.allocate)(&mut address, bytes as usize, stream),
                false => (calls.allocate_at_once)(&mut address, bytes as usize),
            }
        };
        checked(code).map_err(|code| {
            shared.budget.give_back(bytes);
            shared.fault(code, &format!("{bytes} bytes of memory"))
        })?;
        Ok(Memory { address, bytes })
    }

    /// The context must be entered, and nothing use it any more.
    pub(super) fn free(&self, shared: &Shared, stream: Handle) {
        let calls = &shared.driver.calls;
        // SAFETY: it was allocated in the same way.
        unsafe {
            match shared.pools {
                true => (calls.free)(self.address, stream),
                false => (calls.free_at_once)(self.address),
            };
        }
    }
}

/// Memory of the host that the device copies from and to.
pub(super) struct Pinned {
    shared: Arc<Shared>,
    start: *mut u8,
    bytes: u64,
}

// SAFETY: the pointer is into memory that belongs to this value alone.
unsafe impl Send for Pinned {}

impl Pinned {
    pub(super) fn new(shared: &Arc<Shared>, bytes: u64) -> Result<Self, Fault> {
        let mut start = std::ptr::null_mut::<c_void>();
        // SAFETY: the pointer is valid.
        let code = unsafe { (shared.driver.calls.host_allocate)(&mut start, bytes as usize, 0) };
        checked(code).map_err(|code| shared.fault(code, "pinned memory of the host"))?;
        // SAFETY: it was allocated just now, and so large.
        unsafe { start.cast::<u8>().write_bytes(0, bytes as usize) };
        Ok(Pinned { shared: shared.clone(), start: start.cast(), bytes })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A place in it, for a copy of so many bytes.
    pub(super) fn place(&self, at: u64, bytes: u64) -> Result<*mut u8, Fault> {
        match at.checked_add(bytes).filter(|&end| end <= self.bytes) {
            // SAFETY: it is within the memory.
            Some(_) => Ok(unsafe { self.start.add(at as usize) }),
            None => Err(Fault::new(Blame::Job, "more bytes than the buffer has")),
        }
    }

    pub(super) fn write(&mut self, at: u64, bytes: &[u8]) -> Result<*const c_void, Fault> {
        let place = self.place(at, bytes.len() as u64)?;
        // SAFETY: `place` has seen to it that there is room; the device is done with it.
        unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(place.cast_const().cast())
    }

    pub(super) fn read(&self, at: u64, bytes: u64) -> Result<Vec<u8>, Fault> {
        let place = self.place(at, bytes)?;
        // SAFETY: as in `write`.
        Ok(unsafe { std::slice::from_raw_parts(place, bytes as usize) }.to_vec())
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // A context that is lost takes its memory along.
        if let Ok(_entered) = self.shared.enter() {
            // SAFETY: it was allocated in this context, and nothing uses it any more.
            unsafe { (self.shared.driver.calls.host_free)(self.start.cast()) };
        }
    }
}
