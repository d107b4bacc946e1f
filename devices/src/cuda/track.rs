//! A track: a stream, and an event that says when all is done.

use std::ffi::c_void;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::dispatch::{Shared, checked};
use super::driver::{Code, Handle};
use super::memory::{Memory, Pinned};
use crate::fault::{Blame, Fault};
use crate::gpu::{Buffer, Track, Work};

pub(super) struct CudaTrack {
    shared: Arc<Shared>,
    stream: Handle,
    done: Handle,
    /// What comes back from what was begun: how much of each.
    pending: Option<Vec<u64>>,
    buffers: Vec<Memory>,
    up: Option<Pinned>,
    down: Option<Pinned>,
}

// SAFETY: handles of the driver may be used from any thread that has the context.
unsafe impl Send for CudaTrack {}

/// A stream that does not wait for the default one.
const NON_BLOCKING: u32 = 1;
/// An event that measures no time.
const NO_TIMING: u32 = 2;
const NOT_READY: Code = 600;
/// The device is asked at once for so long, and then now and then.
const EAGER: Duration = Duration::from_micros(100);

impl CudaTrack {
    pub(super) fn new(shared: &Arc<Shared>) -> Result<Self, Fault> {
        let _entered = shared.enter()?;
        let mut track = CudaTrack {
            shared: shared.clone(),
            stream: std::ptr::null_mut(),
            done: std::ptr::null_mut(),
            pending: None,
            buffers: Vec::new(),
            up: None,
            down: None,
        };
        let calls = &shared.driver.calls;
        // SAFETY: here and below the context is entered, and pointers are valid. What has been
        // made so far goes with `track`.
        let code = unsafe { (calls.stream_create)(&mut track.stream, NON_BLOCKING) };
        checked(code).map_err(|code| shared.fault(code, "a stream"))?;
        let code = unsafe { (calls.event_create)(&mut track.done, NO_TIMING) };
        checked(code).map_err(|code| shared.fault(code, "an event"))?;
        Ok(track)
    }

    /// Checks all that the caller could have got wrong, so that CUDA never sees it.
    fn check(&self, work: &Work<'_>) -> Result<(), Fault> {
        let job = |text: &str| Err(Fault::new(Blame::Job, text));
        if self.pending.is_some() {
            return job("the work before this has not been waited for");
        }
        let fits = |buffer: &Buffer, bytes: u64| {
            self.buffers.get(buffer.index).is_some_and(|memory| bytes <= memory.bytes)
        };
        let up = work.uploads.iter().all(|(to, bytes)| fits(to, bytes.len() as u64));
        let down = work.downloads.iter().all(|(from, bytes)| fits(from, *bytes));
        if !up || !down || !work.zeros.iter().all(|buffer| fits(buffer, 0)) {
            return job("more bytes than the buffer has");
        }
        for dispatch in &work.dispatches {
            let Some(function) = self.shared.function(&dispatch.kernel) else {
                return job("a kernel of another device");
            };
            if function.buffers as usize != dispatch.buffers.len()
                || function.arguments as usize != dispatch.arguments.len()
                || !dispatch.buffers.iter().all(|buffer| fits(buffer, 0))
            {
                return job("other buffers or arguments than the kernel has");
            }
        }
        Ok(())
    }

    /// Hands the work to the stream. The context is entered.
    fn send(&mut self, work: &Work<'_>) -> Result<(), Fault> {
        let room = |sizes: &mut dyn Iterator<Item = u64>| sizes.map(place_of).sum::<u64>();
        let up = room(&mut work.uploads.iter().map(|(_, bytes)| bytes.len() as u64));
        let down = room(&mut work.downloads.iter().map(|(_, bytes)| *bytes));
        grow(&mut self.up, &self.shared, up)?;
        grow(&mut self.down, &self.shared, down)?;
        let shared = self.shared.clone();
        let calls = &shared.driver.calls;
        let mut at = 0;
        for (to, bytes) in work.uploads.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            let Some(up) = &mut self.up else { continue };
            let (from, to) = (up.write(at, bytes)?, self.buffers[to.index].address);
            at += place_of(bytes.len() as u64);
            // SAFETY: here and below both ends are as long as that, and live until it is done.
            let code = unsafe { (calls.upload)(to, from, bytes.len(), self.stream) };
            checked(code).map_err(|code| shared.fault(code, "an upload"))?;
        }
        for buffer in &work.zeros {
            let Memory { address, bytes } = self.buffers[buffer.index];
            let code = unsafe { (calls.fill)(address, 0, bytes as usize, self.stream) };
            checked(code).map_err(|code| shared.fault(code, "a buffer of zeros"))?;
        }
        for dispatch in &work.dispatches {
            let Some(function) = shared.function(&dispatch.kernel) else { continue };
            let mut addresses: Vec<u64> =
                dispatch.buffers.iter().map(|buffer| self.buffers[buffer.index].address).collect();
            let mut arguments = dispatch.arguments.clone();
            let pointers = addresses.iter_mut().map(|it| std::ptr::from_mut(it).cast::<c_void>());
            let words = arguments.iter_mut().map(|it| std::ptr::from_mut(it).cast::<c_void>());
            let mut parameters: Vec<*mut c_void> = pointers.chain(words).collect();
            let ([x, y, z], [threads_x, threads_y, threads_z]) =
                (dispatch.groups, function.workgroup);
            // SAFETY: the parameters are copied during the call.
            let code = unsafe {
                (calls.launch)(
                    function.function,
                    x,
                    y,
                    z,
                    threads_x,
                    threads_y,
                    threads_z,
                    0,
                    self.stream,
                    parameters.as_mut_ptr(),
                    std::ptr::null_mut(),
                )
            };
            checked(code).map_err(|code| shared.fault(code, "a kernel does not start"))?;
        }
        let mut at = 0;
        for (from, bytes) in work.downloads.iter().filter(|(_, bytes)| *bytes > 0) {
            let Some(down) = &self.down else { continue };
            let (to, from) = (down.place(at, *bytes)?, self.buffers[from.index].address);
            at += place_of(*bytes);
            let code = unsafe { (calls.download)(to.cast(), from, *bytes as usize, self.stream) };
            checked(code).map_err(|code| shared.fault(code, "a download"))?;
        }
        let code = unsafe { (calls.event_record)(self.done, self.stream) };
        checked(code).map_err(|code| shared.fault(code, "an event"))
    }

    fn is_done(&self) -> Result<bool, Fault> {
        let _entered = self.shared.enter()?;
        // SAFETY: the context is entered, and the event is of it.
        match unsafe { (self.shared.driver.calls.event_query)(self.done) } {
            0 => Ok(true),
            NOT_READY => Ok(false),
            code => Err(self.shared.fault(code, "the work came to a bad end")),
        }
    }

    fn gather(&self, downloads: &[u64]) -> Result<Vec<Vec<u8>>, Fault> {
        // Pinned memory goes with the context.
        let _entered = self.shared.enter()?;
        let mut at = 0;
        let mut all = Vec::with_capacity(downloads.len());
        for &bytes in downloads {
            all.push(match &self.down {
                Some(down) => down.read(at, bytes)?,
                None => Vec::new(),
            });
            at += place_of(bytes);
        }
        Ok(all)
    }
}

impl Track for CudaTrack {
    fn buffer(&mut self, bytes: u64) -> Result<Buffer, Fault> {
        let _entered = self.shared.enter()?;
        let memory = Memory::new(&self.shared, bytes, self.stream)?;
        let buffer = Buffer { index: self.buffers.len(), bytes: memory.bytes };
        self.buffers.push(memory);
        Ok(buffer)
    }

    fn begin(&mut self, work: &Work<'_>) -> Result<(), Fault> {
        let shared = self.shared.clone();
        let _entered = shared.enter()?;
        self.check(work)?;
        self.send(work)?;
        self.pending = Some(work.downloads.iter().map(|(_, bytes)| *bytes).collect());
        Ok(())
    }

    fn wait(&mut self, at_most: Duration) -> Result<Option<Vec<Vec<u8>>>, Fault> {
        let Some(downloads) = self.pending.take() else {
            return Err(Fault::new(Blame::Job, "nothing was begun"));
        };
        let began = Instant::now();
        loop {
            if self.is_done()? {
                return self.gather(&downloads).map(Some);
            }
            let waited = began.elapsed();
            if waited >= at_most {
                self.pending = Some(downloads);
                return Ok(None);
            }
            match waited < EAGER {
                true => thread::yield_now(),
                // A twentieth of what it has taken so far, and half a millisecond at most.
                false => thread::sleep((waited / 20).min(Duration::from_micros(500))),
            }
        }
    }
}

impl Drop for CudaTrack {
    fn drop(&mut self) {
        let held: u64 = self.buffers.iter().map(|memory| memory.bytes).sum();
        let calls = &self.shared.driver.calls;
        // A context that is lost takes all that is in it along.
        if let Ok(_entered) = self.shared.enter() {
            // SAFETY: the context is entered; what the stream works on must not be freed.
            unsafe {
                (calls.stream_synchronize)(self.stream);
                self.buffers.iter().for_each(|memory| memory.free(&self.shared, self.stream));
                (calls.stream_synchronize)(self.stream);
                (calls.event_destroy)(self.done);
                (calls.stream_destroy)(self.stream);
            }
        }
        self.shared.budget.give_back(held);
    }
}

/// How much room a copy takes: the next begins where the GPU likes it.
fn place_of(bytes: u64) -> u64 {
    bytes.next_multiple_of(256)
}

fn grow(pinned: &mut Option<Pinned>, shared: &Arc<Shared>, bytes: u64) -> Result<(), Fault> {
    if pinned.as_ref().map_or(0, Pinned::bytes) < bytes {
        *pinned = None;
        *pinned = Some(Pinned::new(shared, bytes)?);
    }
    Ok(())
}
