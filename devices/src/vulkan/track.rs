//! A track: one command buffer at a time, and a timeline that says how far it has come.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ash::vk;

use super::dispatch::{Shared, fault, locked};
use super::memory::{Memory, Use};
use super::module::Pipeline;
use crate::fault::{Blame, Fault};
use crate::gpu::{Buffer, Track, Work};

pub(super) struct VulkanTrack {
    shared: Arc<Shared>,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    /// For this many sets and buffers.
    descriptors: (vk::DescriptorPool, u32, u32),
    timeline: vk::Semaphore,
    /// The value that the timeline has once all is done that was begun.
    value: u64,
    /// What comes back from what was begun: from where, and how much.
    pending: Option<Vec<(usize, u64)>>,
    buffers: Vec<Memory>,
    up: Option<Memory>,
    down: Option<Memory>,
    /// What runs may use them until it is done.
    pipelines: Vec<Arc<Pipeline>>,
}

impl VulkanTrack {
    pub(super) fn new(shared: &Arc<Shared>) -> Result<Self, Fault> {
        let mut track = VulkanTrack {
            shared: shared.clone(),
            pool: vk::CommandPool::null(),
            commands: vk::CommandBuffer::null(),
            descriptors: (vk::DescriptorPool::null(), 0, 0),
            timeline: vk::Semaphore::null(),
            value: 0,
            pending: None,
            buffers: Vec::new(),
            up: None,
            down: None,
            pipelines: Vec::new(),
        };
        // What has been made so far goes with `track`.
        track.set_up().map_err(|result| fault(shared, result, "a track"))?;
        Ok(track)
    }

    fn set_up(&mut self) -> Result<(), vk::Result> {
        let device = &self.shared.device;
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::TRANSIENT)
            .queue_family_index(self.shared.family);
        // SAFETY: here and below the device is alive, and infos live until the calls return.
        self.pool = unsafe { device.create_command_pool(&info, None) }?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        self.commands = unsafe { device.allocate_command_buffers(&info) }?[0];
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(0);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        self.timeline = unsafe { device.create_semaphore(&info, None) }?;
        Ok(())
    }

    /// Checks all that the caller could have got wrong, so that Vulkan never sees it.
    fn check(&self, work: &Work<'_>) -> Result<(), Fault> {
        let job = |text: &str| Err(Fault::new(Blame::Job, text));
        if self.pending.is_some() {
            return job("the work before this has not been waited for");
        }
        let fits = |buffer: &Buffer, bytes: u64| {
            self.buffers.get(buffer.index).is_some_and(|memory| bytes <= memory.bytes())
        };
        let up = work.uploads.iter().all(|(to, bytes)| fits(to, bytes.len() as u64));
        let down = work.downloads.iter().all(|(from, bytes)| fits(from, *bytes));
        if !up || !down || !work.zeros.iter().all(|buffer| fits(buffer, 0)) {
            return job("more bytes than the buffer has");
        }
        for dispatch in &work.dispatches {
            let Some(pipeline) = self.shared.pipeline(&dispatch.kernel) else {
                return job("a kernel of another device");
            };
            if pipeline.buffers as usize != dispatch.buffers.len()
                || pipeline.arguments as usize != dispatch.arguments.len()
                || !dispatch.buffers.iter().all(|buffer| fits(buffer, 0))
            {
                return job("other buffers or arguments than the kernel has");
            }
            self.shared.check_groups(dispatch.groups)?;
        }
        Ok(())
    }

    /// Brings the bytes to where the device will find them.
    fn fill(&mut self, work: &Work<'_>) -> Result<(), Fault> {
        let staged = |track: &Self, buffer: Buffer| !track.buffers[buffer.index].is_visible();
        let place = |bytes: u64| bytes.next_multiple_of(4);
        let up: u64 = work
            .uploads
            .iter()
            .filter(|(to, _)| staged(self, *to))
            .map(|(_, bytes)| place(bytes.len() as u64))
            .sum();
        let down: u64 = work
            .downloads
            .iter()
            .filter(|(from, _)| staged(self, *from))
            .map(|(_, bytes)| place(*bytes))
            .sum();
        grow(&mut self.up, &self.shared, up, Use::Up)?;
        grow(&mut self.down, &self.shared, down, Use::Down)?;
        let mut at = 0;
        for (to, bytes) in &work.uploads {
            match (&mut self.up, self.buffers[to.index].is_visible()) {
                (_, true) => self.buffers[to.index].write(0, bytes)?,
                (Some(up), false) => {
                    up.write(at, bytes)?;
                    at += place(bytes.len() as u64);
                }
                (None, false) => {}
            }
        }
        Ok(())
    }

    fn record(&mut self, work: &Work<'_>) -> Result<(), vk::Result> {
        let shared = self.shared.clone();
        let (device, commands) = (&shared.device, self.commands);
        let sets = self.sets(work)?;
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: here and below nothing of this track runs: `check` has seen to it. Buffers, sets
        // and pipelines live until what is recorded has run.
        unsafe {
            device.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())?;
            device.begin_command_buffer(commands, &begin)?;
        }
        self.record_uploads(work);
        for (dispatch, set) in work.dispatches.iter().zip(sets) {
            let Some(pipeline) = shared.pipeline(&dispatch.kernel) else { continue };
            let arguments: Vec<u8> =
                dispatch.arguments.iter().flat_map(|word| word.to_ne_bytes()).collect();
            let [x, y, z] = dispatch.groups;
            let (compute, layout) = (vk::PipelineBindPoint::COMPUTE, pipeline.layout);
            unsafe {
                device.cmd_bind_pipeline(commands, compute, pipeline.pipeline);
                device.cmd_bind_descriptor_sets(commands, compute, layout, 0, &[set], &[]);
                if !arguments.is_empty() {
                    let stages = vk::ShaderStageFlags::COMPUTE;
                    device.cmd_push_constants(commands, layout, stages, 0, &arguments);
                }
                device.cmd_dispatch(commands, x, y, z);
            }
            self.barrier(
                (vk::PipelineStageFlags::COMPUTE_SHADER, vk::AccessFlags::SHADER_WRITE),
                (
                    vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER,
                    vk::AccessFlags::SHADER_READ
                        | vk::AccessFlags::SHADER_WRITE
                        | vk::AccessFlags::TRANSFER_READ,
                ),
            );
            self.pipelines.push(pipeline);
        }
        self.record_downloads(work);
        unsafe { device.end_command_buffer(commands) }
    }

    fn record_uploads(&self, work: &Work<'_>) {
        let (device, commands) = (&self.shared.device, self.commands);
        let mut from = 0;
        for (to, bytes) in &work.uploads {
            let memory = &self.buffers[to.index];
            if let (false, Some(up)) = (memory.is_visible(), &self.up) {
                let size = bytes.len() as u64;
                if size > 0 {
                    let copy = vk::BufferCopy { src_offset: from, dst_offset: 0, size };
                    // SAFETY: as in `record`; `fill` has made room.
                    unsafe { device.cmd_copy_buffer(commands, up.buffer, memory.buffer, &[copy]) };
                }
                from += size.next_multiple_of(4);
            }
        }
        for buffer in &work.zeros {
            let memory = &self.buffers[buffer.index];
            // SAFETY: as in `record`.
            unsafe { device.cmd_fill_buffer(commands, memory.buffer, 0, vk::WHOLE_SIZE, 0) };
        }
        self.barrier(
            (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE),
            (
                vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER,
                vk::AccessFlags::SHADER_READ
                    | vk::AccessFlags::SHADER_WRITE
                    | vk::AccessFlags::TRANSFER_READ,
            ),
        );
    }

    fn record_downloads(&self, work: &Work<'_>) {
        let (device, commands) = (&self.shared.device, self.commands);
        let mut to = 0;
        for (from, bytes) in &work.downloads {
            let memory = &self.buffers[from.index];
            if let (false, Some(down)) = (memory.is_visible(), &self.down) {
                if *bytes > 0 {
                    let copy = vk::BufferCopy { src_offset: 0, dst_offset: to, size: *bytes };
                    // SAFETY: as in `record_uploads`.
                    unsafe {
                        device.cmd_copy_buffer(commands, memory.buffer, down.buffer, &[copy])
                    };
                }
                to += bytes.next_multiple_of(4);
            }
        }
        self.barrier(
            (
                vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER,
                vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE,
            ),
            (vk::PipelineStageFlags::HOST, vk::AccessFlags::HOST_READ),
        );
    }

    fn barrier(
        &self,
        (from, written): (vk::PipelineStageFlags, vk::AccessFlags),
        (to, read): (vk::PipelineStageFlags, vk::AccessFlags),
    ) {
        let memory = [vk::MemoryBarrier::default().src_access_mask(written).dst_access_mask(read)];
        let flags = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is being recorded.
        unsafe {
            self.shared.device.cmd_pipeline_barrier(
                self.commands,
                from,
                to,
                flags,
                &memory,
                &[],
                &[],
            );
        }
    }

    /// A set of descriptors for each dispatch.
    fn sets(&mut self, work: &Work<'_>) -> Result<Vec<vk::DescriptorSet>, vk::Result> {
        let shared = self.shared.clone();
        let device = &shared.device;
        let count = work.dispatches.len() as u32;
        let buffers: usize = work.dispatches.iter().map(|dispatch| dispatch.buffers.len()).sum();
        let buffers = buffers as u32;
        let (pool, sets_max, buffers_max) = self.descriptors;
        // SAFETY: as in `record`.
        if count > sets_max || buffers > buffers_max || pool == vk::DescriptorPool::null() {
            unsafe { device.destroy_descriptor_pool(pool, None) };
            self.descriptors = (vk::DescriptorPool::null(), 0, 0);
            let (count, buffers) = (count.max(16), buffers.max(64));
            let sizes = [vk::DescriptorPoolSize::default()
                .ty(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(buffers)];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(count).pool_sizes(&sizes);
            let pool = unsafe { device.create_descriptor_pool(&info, None) }?;
            self.descriptors = (pool, count, buffers);
        } else {
            let flags = vk::DescriptorPoolResetFlags::empty();
            unsafe { device.reset_descriptor_pool(pool, flags) }?;
        }
        let mut sets = Vec::with_capacity(work.dispatches.len());
        for dispatch in &work.dispatches {
            let Some(pipeline) = shared.pipeline(&dispatch.kernel) else { continue };
            let layouts = [pipeline.sets];
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(self.descriptors.0)
                .set_layouts(&layouts);
            let set = unsafe { device.allocate_descriptor_sets(&info) }?[0];
            let infos: Vec<[vk::DescriptorBufferInfo; 1]> = dispatch
                .buffers
                .iter()
                .map(|buffer| {
                    let buffer = self.buffers[buffer.index].buffer;
                    [vk::DescriptorBufferInfo { buffer, offset: 0, range: vk::WHOLE_SIZE }]
                })
                .collect();
            let writes: Vec<_> = (0..)
                .zip(&infos)
                .map(|(binding, info)| {
                    vk::WriteDescriptorSet::default()
                        .dst_set(set)
                        .dst_binding(binding)
                        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                        .buffer_info(info)
                })
                .collect();
            unsafe { device.update_descriptor_sets(&writes, &[]) };
            sets.push(set);
        }
        Ok(sets)
    }

    fn submit(&mut self) -> Result<(), vk::Result> {
        let (commands, timelines) = ([self.commands], [self.timeline]);
        let values = [self.value + 1];
        let mut timeline =
            vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
        let info = vk::SubmitInfo::default()
            .command_buffers(&commands)
            .signal_semaphores(&timelines)
            .push_next(&mut timeline);
        let queue = locked(&self.shared.queue);
        // SAFETY: the queue is ours while it is locked; what is submitted has been recorded.
        unsafe { self.shared.device.queue_submit(*queue, &[info], vk::Fence::null()) }?;
        self.value += 1;
        Ok(())
    }

    /// Whether all is done that was begun.
    fn is_done(&self, at_most: Duration) -> Result<bool, vk::Result> {
        let (semaphores, values) = ([self.timeline], [self.value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        let nanos = u64::try_from(at_most.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the semaphore lives as long as the track.
        match unsafe { self.shared.device.wait_semaphores(&info, nanos) } {
            Ok(()) => Ok(true),
            Err(vk::Result::TIMEOUT) => Ok(false),
            Err(result) => Err(result),
        }
    }

    fn gather(&self, downloads: &[(usize, u64)]) -> Result<Vec<Vec<u8>>, Fault> {
        let mut at = 0;
        let mut all = Vec::with_capacity(downloads.len());
        for &(from, bytes) in downloads {
            let memory = &self.buffers[from];
            all.push(match (&self.down, memory.is_visible()) {
                (Some(down), false) => {
                    let seen = down.read(at, bytes)?;
                    at += bytes.next_multiple_of(4);
                    seen
                }
                (_, _) => memory.read(0, bytes)?,
            });
        }
        Ok(all)
    }
}

impl Track for VulkanTrack {
    fn buffer(&mut self, bytes: u64) -> Result<Buffer, Fault> {
        let memory = Memory::new(&self.shared, bytes, Use::Kernels)?;
        let buffer = Buffer { index: self.buffers.len(), bytes: memory.bytes() };
        self.buffers.push(memory);
        Ok(buffer)
    }

    fn begin(&mut self, work: &Work<'_>) -> Result<(), Fault> {
        if self.shared.lost.load(Ordering::SeqCst) {
            return Err(Fault::new(Blame::Lost, "the device is lost"));
        }
        self.check(work)?;
        self.fill(work)?;
        self.pipelines.clear();
        let done = self.record(work).and_then(|()| self.submit());
        done.map_err(|result| fault(&self.shared, result, "the work is not taken"))?;
        self.pending =
            Some(work.downloads.iter().map(|(from, bytes)| (from.index, *bytes)).collect());
        Ok(())
    }

    fn wait(&mut self, at_most: Duration) -> Result<Option<Vec<Vec<u8>>>, Fault> {
        let Some(downloads) = self.pending.take() else {
            return Err(Fault::new(Blame::Job, "nothing was begun"));
        };
        match self.is_done(at_most) {
            Ok(true) => self.gather(&downloads).map(Some),
            Ok(false) => {
                self.pending = Some(downloads);
                Ok(None)
            }
            Err(result) => Err(fault(&self.shared, result, "the work came to a bad end")),
        }
    }
}

impl Drop for VulkanTrack {
    fn drop(&mut self) {
        let device = self.shared.device.clone();
        // SAFETY: what a device still works on must not be freed. A lost one works no more.
        let lost = self.shared.lost.load(Ordering::SeqCst);
        while !lost && matches!(self.is_done(Duration::from_secs(1)), Ok(false)) {}
        unsafe {
            device.destroy_semaphore(self.timeline, None);
            device.destroy_descriptor_pool(self.descriptors.0, None);
            device.destroy_command_pool(self.pool, None);
        }
    }
}

fn grow(
    memory: &mut Option<Memory>,
    shared: &Arc<Shared>,
    bytes: u64,
    what: Use,
) -> Result<(), Fault> {
    if memory.as_ref().map_or(0, Memory::bytes) < bytes {
        *memory = None;
        *memory = Some(Memory::new(shared, bytes, what)?);
    }
    Ok(())
}
