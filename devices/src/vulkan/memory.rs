//! Buffers: each has memory of its own, and tracks keep theirs from image to image.

use std::sync::Arc;

use ash::vk;

use super::dispatch::{Shared, fault};
use crate::fault::{Blame, Fault};

/// A buffer and its memory, counted in the budget of the unit.
pub(super) struct Memory {
    shared: Arc<Shared>,
    pub(super) buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    /// Where the host sees it, if it does.
    mapped: Option<*mut u8>,
    bytes: u64,
    counted: bool,
}

// SAFETY: the pointer is into memory that belongs to this value alone.
unsafe impl Send for Memory {}

/// What a buffer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Kernels.
    Kernels,
    /// On the way to the device.
    Up,
    /// On the way back.
    Down,
}

impl Memory {
    pub(super) fn new(shared: &Arc<Shared>, bytes: u64, what: Use) -> Result<Self, Fault> {
        // A storage buffer is not empty, and WGSL sees whole words.
        let bytes = bytes.max(4).next_multiple_of(4);
        let counted = what == Use::Kernels;
        if counted {
            shared.budget.take(bytes)?;
        }
        let mut memory = Memory {
            shared: shared.clone(),
            buffer: vk::Buffer::null(),
            memory: vk::DeviceMemory::null(),
            mapped: None,
            bytes,
            counted,
        };
        // What has been made so far goes with `memory`.
        match memory.allocate(what) {
            Ok(()) => Ok(memory),
            Err(result) => Err(fault(shared, result, &format!("{bytes} bytes of memory"))),
        }
    }

    fn allocate(&mut self, what: Use) -> Result<(), vk::Result> {
        let device = &self.shared.device;
        let usage = match what {
            Use::Kernels => {
                vk::BufferUsageFlags::STORAGE_BUFFER
                    | vk::BufferUsageFlags::TRANSFER_DST
                    | vk::BufferUsageFlags::TRANSFER_SRC
            }
            Use::Up => vk::BufferUsageFlags::TRANSFER_SRC,
            Use::Down => vk::BufferUsageFlags::TRANSFER_DST,
        };
        let info = vk::BufferCreateInfo::default()
            .size(self.bytes)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: here and below the device is alive, and what is freed in `drop` is made here.
        self.buffer = unsafe { device.create_buffer(&info, None) }?;
        let needs = unsafe { device.get_buffer_memory_requirements(self.buffer) };
        let (kind, visible) = self.shared.memory_type(needs.memory_type_bits, what)?;
        let info =
            vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
        self.memory = unsafe { device.allocate_memory(&info, None) }?;
        unsafe { device.bind_buffer_memory(self.buffer, self.memory, 0) }?;
        if visible {
            let flags = vk::MemoryMapFlags::empty();
            let mapped = unsafe { device.map_memory(self.memory, 0, vk::WHOLE_SIZE, flags) }?;
            self.mapped = Some(mapped.cast());
        }
        Ok(())
    }

    /// Whether the host sees it without a copy.
    pub(super) fn is_visible(&self) -> bool {
        self.mapped.is_some()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Copies bytes in, where the host sees it. The device must not be using it.
    pub(super) fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), Fault> {
        let end = at.checked_add(bytes.len() as u64).filter(|&end| end <= self.bytes);
        let (Some(mapped), Some(_)) = (self.mapped, end) else { return Err(beyond()) };
        // SAFETY: the range is within the memory, which only we touch.
        unsafe { mapped.add(at as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    /// Copies bytes out, where the host sees it. The device must be done with it.
    pub(super) fn read(&self, at: u64, bytes: u64) -> Result<Vec<u8>, Fault> {
        let end = at.checked_add(bytes).filter(|&end| end <= self.bytes);
        let (Some(mapped), Some(_)) = (self.mapped, end) else { return Err(beyond()) };
        // SAFETY: as in `write`; all of the memory has been written or is what it was.
        let seen = unsafe { std::slice::from_raw_parts(mapped.add(at as usize), bytes as usize) };
        Ok(seen.to_vec())
    }
}

fn beyond() -> Fault {
    Fault::new(Blame::Job, "more bytes than the buffer has")
}

impl Drop for Memory {
    fn drop(&mut self) {
        let device = &self.shared.device;
        // SAFETY: nothing runs any more that uses it: a track waits for its work before it goes.
        unsafe {
            device.destroy_buffer(self.buffer, None);
            device.free_memory(self.memory, None);
        }
        if self.counted {
            self.shared.budget.give_back(self.bytes);
        }
    }
}

impl Shared {
    /// The type of memory for a use, and whether the host sees it.
    fn memory_type(&self, bits: u32, what: Use) -> Result<(u32, bool), vk::Result> {
        use vk::MemoryPropertyFlags as Flags;
        let seen = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let wishes: &[Flags] = match what {
            Use::Kernels if self.staged => &[Flags::DEVICE_LOCAL, Flags::empty()],
            // Where the device shares the memory of the host, no copy is needed.
            Use::Kernels => &[
                Flags::DEVICE_LOCAL | seen | Flags::HOST_CACHED,
                Flags::DEVICE_LOCAL,
                Flags::empty(),
            ],
            Use::Up => &[seen],
            Use::Down => &[seen | Flags::HOST_CACHED, seen],
        };
        let count = self.memory_types.memory_type_count as usize;
        let types = || (0..).zip(&self.memory_types.memory_types[..count]);
        let kind = wishes.iter().find_map(|&wish| {
            types().find(|(at, kind)| bits >> at & 1 == 1 && kind.property_flags.contains(wish))
        });
        let (at, kind) = kind.ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
        let visible = kind.property_flags.contains(seen) && !(what == Use::Kernels && self.staged);
        Ok((at, visible))
    }
}
