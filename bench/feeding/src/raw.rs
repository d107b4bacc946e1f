//! The same dispatches by a raw loop over Vulkan: one queue, one command buffer at a time, memory
//! that the host sees, and nothing besides. It is as short as it may be, not as careful as it
//! should be: what fails ends the program.

use std::fs;
use std::path::Path;
use std::time::Instant;

use ash::vk;
use lineside_devices::kernels::{self, Form, Pcb};
use lineside_vision::detect::passes::Size;
use lineside_vision::detect::{DIFFERENCE_MIN, FELLOWS_MIN, Golden, fit, regions};
use lineside_vision::picture::Grey;

use crate::line::BOARDS;

/// Images a second.
pub(crate) fn run(folder: &Path) -> Result<f64, String> {
    let grey = |path: std::path::PathBuf| {
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        Grey::from_png(&bytes).map_err(|error| error.to_string())
    };
    let golden = Golden::new(grey(folder.join("golden.png"))?);
    let boards =
        (1..=BOARDS).map(|board| grey(folder.join(format!("boards/board-{board:02}.png"))));
    let boards = boards.collect::<Result<Vec<Grey>, String>>()?;
    // SAFETY: the loop waits for each submission before it touches what it uses, and buffers are as
    // large as the kernels want them.
    unsafe { Raw::new(&golden)?.run(&golden, &boards) }
}

struct Buffer {
    buffer: vk::Buffer,
    memory: *mut u8,
}

struct Kernel {
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    sets: vk::DescriptorSetLayout,
}

struct Step {
    kernel: usize,
    set: vk::DescriptorSet,
    groups: u32,
    own: [i32; 6],
}

struct Raw {
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
    descriptors: vk::DescriptorPool,
    memory_type: u32,
    size: Size,
    buffers: Vec<Buffer>,
    kernels: Vec<Kernel>,
}

/// Buffers, by number.
const GOLDEN: [usize; 3] = [0, 1, 2];
const GOLDEN_SUMS: usize = 3;
const BOARD: usize = 4;
const BOARD_SUMS: usize = 5;
const WARPED_SUMS: usize = 6;
const GAINS: usize = 7;
const EVEN: usize = 8;
const COSTS: usize = 9;
const WARPED: [usize; 3] = [10, 11, 12];
const MARKS: usize = 13;
const KEPT: usize = 14;
const COUNTS: usize = 15;

/// Kernels, by number.
const KERNELS: [Pcb; 8] = [
    kernels::TILE_SUMS,
    kernels::LIGHT_GAINS,
    kernels::EVEN_LIGHT,
    kernels::BLOCK_COSTS,
    kernels::WARP,
    kernels::MARK,
    kernels::KEEP_CLUSTERED,
    kernels::TILE_COUNTS,
];

impl Raw {
    unsafe fn new(golden: &Golden) -> Result<Self, String> {
        let text = |error: vk::Result| error.to_string();
        // SAFETY: as in `run`.
        unsafe {
            let entry = ash::Entry::load().map_err(|error| error.to_string())?;
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None).map_err(text)?;
            let physical = instance.enumerate_physical_devices().map_err(text)?[0];
            let families = instance.get_physical_device_queue_family_properties(physical);
            let family = families
                .iter()
                .position(|family| family.queue_flags.contains(vk::QueueFlags::COMPUTE));
            let family = family.ok_or("no queue for compute")? as u32;
            let queues = [vk::DeviceQueueCreateInfo::default()
                .queue_family_index(family)
                .queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            let device = instance.create_device(physical, &info, None).map_err(text)?;
            let queue = device.get_device_queue(family, 0);
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
            let pool = device.create_command_pool(&info, None).map_err(text)?;
            let info =
                vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info).map_err(text)?[0];
            let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).map_err(text)?;
            let sizes = [vk::DescriptorPoolSize {
                ty: vk::DescriptorType::STORAGE_BUFFER,
                descriptor_count: 128,
            }];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(32).pool_sizes(&sizes);
            let descriptors = device.create_descriptor_pool(&info, None).map_err(text)?;
            let types = instance.get_physical_device_memory_properties(physical);
            let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE
                | vk::MemoryPropertyFlags::HOST_COHERENT
                | vk::MemoryPropertyFlags::HOST_CACHED;
            let memory_type = types.memory_types[..types.memory_type_count as usize]
                .iter()
                .position(|kind| kind.property_flags.contains(wanted));
            let memory_type = memory_type.ok_or("no memory that the host sees")? as u32;
            let size = Size { width: golden.picture.width(), height: golden.picture.height() };
            let mut raw = Raw {
                _entry: entry,
                instance,
                device,
                queue,
                pool,
                commands,
                fence,
                descriptors,
                memory_type,
                size,
                buffers: Vec::new(),
                kernels: Vec::new(),
            };
            raw.set_up().map_err(text)?;
            for pcb in KERNELS {
                let kernel = raw.kernel(pcb)?;
                raw.kernels.push(kernel);
            }
            Ok(raw)
        }
    }

    unsafe fn set_up(&mut self) -> Result<(), vk::Result> {
        let plane = (self.size.pixels() as u64).next_multiple_of(4) + 4;
        let [tiles_x, tiles_y] = self.size.tiles();
        let tiles = u64::from(tiles_x * tiles_y) * 4;
        for at in 0..=COUNTS {
            let bytes = match at {
                GOLDEN_SUMS | BOARD_SUMS | WARPED_SUMS | GAINS | COUNTS => tiles,
                COSTS => self.size.places() as u64 * 4,
                _ => plane,
            };
            let info = vk::BufferCreateInfo::default()
                .size(bytes)
                .usage(vk::BufferUsageFlags::STORAGE_BUFFER);
            // SAFETY: as in `run`.
            unsafe {
                let buffer = self.device.create_buffer(&info, None)?;
                let needs = self.device.get_buffer_memory_requirements(buffer);
                let info = vk::MemoryAllocateInfo::default()
                    .allocation_size(needs.size)
                    .memory_type_index(self.memory_type);
                let memory = self.device.allocate_memory(&info, None)?;
                self.device.bind_buffer_memory(buffer, memory, 0)?;
                let flags = vk::MemoryMapFlags::empty();
                let mapped = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags)?;
                self.buffers.push(Buffer { buffer, memory: mapped.cast() });
            }
        }
        Ok(())
    }

    unsafe fn kernel(&self, pcb: Pcb) -> Result<Kernel, String> {
        let text = |error: vk::Result| error.to_string();
        let module = pcb.module(Form::Wgsl);
        let words = lineside_devices::vulkan::spirv(&module)?;
        let bindings: Vec<_> = (0..pcb.buffers)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        // SAFETY: as in `run`.
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let sets = self.device.create_descriptor_set_layout(&info, None).map_err(text)?;
            let ranges = [vk::PushConstantRange {
                stage_flags: vk::ShaderStageFlags::COMPUTE,
                offset: 0,
                size: 32,
            }];
            let layouts = [sets];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&layouts)
                .push_constant_ranges(&ranges);
            let layout = self.device.create_pipeline_layout(&info, None).map_err(text)?;
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            let shader = self.device.create_shader_module(&info, None).map_err(text)?;
            let entry = std::ffi::CString::new(pcb.entry).unwrap_or_default();
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(shader)
                .name(&entry);
            let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
            let cache = vk::PipelineCache::null();
            let made = self.device.create_compute_pipelines(cache, &info, None);
            let pipeline = made.map_err(|(_, error)| error.to_string())?[0];
            self.device.destroy_shader_module(shader, None);
            Ok(Kernel { layout, pipeline, sets })
        }
    }

    unsafe fn step(
        &self,
        kernel: usize,
        buffers: &[usize],
        threads: usize,
    ) -> Result<Step, String> {
        let text = |error: vk::Result| error.to_string();
        let layouts = [self.kernels[kernel].sets];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.descriptors)
            .set_layouts(&layouts);
        // SAFETY: as in `run`.
        unsafe {
            let set = self.device.allocate_descriptor_sets(&info).map_err(text)?[0];
            for (binding, &buffer) in (0..).zip(buffers) {
                let info = [vk::DescriptorBufferInfo {
                    buffer: self.buffers[buffer].buffer,
                    offset: 0,
                    range: vk::WHOLE_SIZE,
                }];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .buffer_info(&info);
                self.device.update_descriptor_sets(&[write], &[]);
            }
            Ok(Step { kernel, set, groups: threads.div_ceil(64) as u32, own: [0; 6] })
        }
    }

    unsafe fn submit(&self, steps: &[Step]) -> Result<(), vk::Result> {
        let (device, commands) = (&self.device, self.commands);
        // SAFETY: as in `run`.
        unsafe {
            device.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())?;
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            for step in steps {
                let kernel = &self.kernels[step.kernel];
                let compute = vk::PipelineBindPoint::COMPUTE;
                let words = [self.size.width, self.size.height]
                    .into_iter()
                    .chain(step.own.iter().map(|&own| own as u32));
                let arguments: Vec<u8> = words.flat_map(u32::to_ne_bytes).collect();
                let (layout, stage) = (kernel.layout, vk::ShaderStageFlags::COMPUTE);
                device.cmd_bind_pipeline(commands, compute, kernel.pipeline);
                device.cmd_bind_descriptor_sets(commands, compute, layout, 0, &[step.set], &[]);
                device.cmd_push_constants(commands, layout, stage, 0, &arguments);
                device.cmd_dispatch(commands, step.groups, 1, 1);
                let barrier = [vk::MemoryBarrier::default()
                    .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                    .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::HOST_READ)];
                let from = vk::PipelineStageFlags::COMPUTE_SHADER;
                let to = from | vk::PipelineStageFlags::HOST;
                let flags = vk::DependencyFlags::empty();
                device.cmd_pipeline_barrier(commands, from, to, flags, &barrier, &[], &[]);
            }
            device.end_command_buffer(commands)?;
            let buffers = [commands];
            let info = [vk::SubmitInfo::default().command_buffers(&buffers)];
            device.queue_submit(self.queue, &info, self.fence)?;
            device.wait_for_fences(&[self.fence], true, u64::MAX)?;
            device.reset_fences(&[self.fence])
        }
    }

    unsafe fn run(&self, golden: &Golden, boards: &[Grey]) -> Result<f64, String> {
        let text = |error: vk::Result| error.to_string();
        let (size, [tiles_x, tiles_y]) = (self.size, self.size.tiles());
        let (tiles, words) = ((tiles_x * tiles_y) as usize, size.pixels().div_ceil(4));
        // SAFETY: as in the function `run` above.
        unsafe {
            let [low, high] = golden.envelope();
            for (at, plane) in GOLDEN.into_iter().zip([golden.picture.pixels(), low, high]) {
                self.buffers[at].memory.copy_from_nonoverlapping(plane.as_ptr(), plane.len());
            }
            self.submit(&[self.step(0, &[GOLDEN[0], GOLDEN_SUMS], tiles)?]).map_err(text)?;
            let first = [
                self.step(0, &[BOARD, BOARD_SUMS], tiles)?,
                self.step(1, &[GOLDEN_SUMS, BOARD_SUMS, GAINS], tiles)?,
                self.step(2, &[BOARD, GAINS, EVEN], words)?,
                self.step(3, &[GOLDEN[0], EVEN, COSTS], size.places())?,
            ];
            let mut second = [
                self.step(4, &[GOLDEN[0], WARPED[0]], words)?,
                self.step(0, &[WARPED[0], WARPED_SUMS], tiles)?,
                self.step(1, &[WARPED_SUMS, BOARD_SUMS, GAINS], tiles)?,
                self.step(2, &[BOARD, GAINS, EVEN], words)?,
                self.step(4, &[GOLDEN[1], WARPED[1]], words)?,
                self.step(4, &[GOLDEN[2], WARPED[2]], words)?,
                self.step(5, &[WARPED[1], WARPED[2], EVEN, MARKS], words)?,
                self.step(6, &[MARKS, KEPT], words)?,
                self.step(7, &[KEPT, COUNTS], tiles)?,
            ];
            let read = |at: usize, bytes: usize| {
                std::slice::from_raw_parts(self.buffers[at].memory.cast_const(), bytes).to_vec()
            };
            let read_words = |at: usize, count: usize| -> Vec<u32> {
                let bytes = read(at, count * 4);
                let words = bytes.chunks_exact(4);
                words.map(|it| u32::from_ne_bytes([it[0], it[1], it[2], it[3]])).collect()
            };
            let began = Instant::now();
            let mut found = 0;
            for board in boards {
                let pixels = board.pixels();
                self.buffers[BOARD].memory.copy_from_nonoverlapping(pixels.as_ptr(), pixels.len());
                self.submit(&first).map_err(text)?;
                let affine = fit(&read_words(COSTS, size.places()), size).ok_or("not alike")?;
                let place = [affine.x0, affine.xx, affine.xy, affine.y0, affine.yx, affine.yy];
                [0, 4, 5].into_iter().for_each(|at| second[at].own = place);
                second[6].own[0] = DIFFERENCE_MIN.into();
                second[7].own[0] = FELLOWS_MIN as i32;
                self.submit(&second).map_err(text)?;
                let planes = (read(WARPED[0], size.pixels()), read(EVEN, size.pixels()));
                let kept = read(KEPT, size.pixels());
                found += regions(&kept, &read_words(COUNTS, tiles), size).len();
                drop(planes);
            }
            let seconds = began.elapsed().as_secs_f64();
            if found == 0 {
                return Err("the raw loop finds nothing".into());
            }
            let descriptors = vk::DescriptorPoolResetFlags::empty();
            self.device.reset_descriptor_pool(self.descriptors, descriptors).map_err(text)?;
            Ok(f64::from(BOARDS) / seconds)
        }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // What is on the device goes with it, and the program ends soon.
        // SAFETY: nothing runs.
        unsafe {
            let _ = self.device.device_wait_idle();
            self.device.destroy_fence(self.fence, None);
            self.device.destroy_descriptor_pool(self.descriptors, None);
            self.device.destroy_command_pool(self.pool, None);
            let _ = &self.instance;
        }
    }
}
