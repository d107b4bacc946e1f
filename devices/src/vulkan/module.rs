//! From WGSL or SPIR-V to a pipeline.

use ash::vk;
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::dispatch::{Shared, fault};
use crate::fault::{Blame, Fault};
use crate::gpu::{Code, Module};

/// A compiled kernel.
pub(super) struct Pipeline {
    pub(super) layout: vk::PipelineLayout,
    pub(super) sets: vk::DescriptorSetLayout,
    pub(super) pipeline: vk::Pipeline,
    pub(super) buffers: u32,
    pub(super) arguments: u32,
    pub(super) workgroup: [u32; 3],
}

/// Code that Vulkan takes.
struct Spirv {
    words: Vec<u32>,
    workgroup: [u32; 3],
}

impl Pipeline {
    pub(super) fn new(shared: &Shared, module: &Module) -> Result<Self, Fault> {
        let spirv = match &module.code {
            Code::Wgsl(source) => from_wgsl(module, source),
            Code::Spirv(words) => from_spirv(module, words),
            Code::CudaC(_) | Code::Ptx(_) => {
                Err(format!("{} is for CUDA; a Vulkan device takes .wgsl or .spv", module.file))
            }
        };
        let spirv = spirv.map_err(|text| Fault::new(Blame::Job, text))?;
        shared.check_workgroup(&module.file, spirv.workgroup)?;
        build(shared, module, &spirv).map_err(|result| {
            fault(shared, result, &format!("{}: the pipeline of `{}`", module.file, module.entry))
        })
    }

    pub(super) fn destroy(&self, device: &ash::Device) {
        // SAFETY: nothing runs any more that uses it.
        unsafe {
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.sets, None);
        }
    }
}

fn build(shared: &Shared, module: &Module, spirv: &Spirv) -> Result<Pipeline, vk::Result> {
    let device = &shared.device;
    let bindings: Vec<_> = (0..module.buffers)
        .map(|binding| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        })
        .collect();
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    // SAFETY: here and below all that the infos point to lives until the calls return.
    let sets = unsafe { device.create_descriptor_set_layout(&info, None) }?;
    let ranges = [vk::PushConstantRange::default()
        .stage_flags(vk::ShaderStageFlags::COMPUTE)
        .size(module.arguments * 4)];
    let ranges = if module.arguments == 0 { &[][..] } else { &ranges[..] };
    let layouts = [sets];
    let info =
        vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(ranges);
    let made = unsafe { device.create_pipeline_layout(&info, None) };
    let layout =
        made.inspect_err(|_| unsafe { device.destroy_descriptor_set_layout(sets, None) })?;
    let made = pipeline(shared, module, spirv, layout).inspect_err(|_| unsafe {
        device.destroy_pipeline_layout(layout, None);
        device.destroy_descriptor_set_layout(sets, None);
    });
    Ok(Pipeline {
        layout,
        sets,
        pipeline: made?,
        buffers: module.buffers,
        arguments: module.arguments,
        workgroup: spirv.workgroup,
    })
}

fn pipeline(
    shared: &Shared,
    module: &Module,
    spirv: &Spirv,
    layout: vk::PipelineLayout,
) -> Result<vk::Pipeline, vk::Result> {
    let device = &shared.device;
    let info = vk::ShaderModuleCreateInfo::default().code(&spirv.words);
    // SAFETY: the words are SPIR-V that naga has written, or that looks like it.
    let shader = unsafe { device.create_shader_module(&info, None) }?;
    let entry = std::ffi::CString::new(module.entry.as_str()).unwrap_or_default();
    let stage = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(shader)
        .name(&entry);
    let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
    // SAFETY: as in `build`.
    let made = unsafe { device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) };
    // SAFETY: a pipeline does not need its shader module any more.
    unsafe { device.destroy_shader_module(shader, None) };
    made.map(|pipelines| pipelines[0]).map_err(|(_, result)| result)
}

/// Every fault of a WGSL source, with file, line and column; none if there is none.
pub fn wgsl_faults(module: &Module, source: &str) -> Option<String> {
    from_wgsl(module, source).err()
}

/// WGSL as SPIR-V.
///
/// # Errors
///
/// What is wrong with it, with file, line and column; or that it is not WGSL.
pub fn spirv(module: &Module) -> Result<Vec<u32>, String> {
    match &module.code {
        Code::Wgsl(source) => Ok(from_wgsl(module, source)?.words),
        Code::Spirv(_) | Code::CudaC(_) | Code::Ptx(_) => Err(format!("{}: no WGSL", module.file)),
    }
}

fn from_wgsl(module: &Module, source: &str) -> Result<Spirv, String> {
    let file = &module.file;
    let at = |location: Option<naga::SourceLocation>| match location {
        Some(place) => format!("{file}:{}:{}", place.line_number, place.line_position),
        None => file.clone(),
    };
    let parsed = naga::front::wgsl::parse_str(source)
        .map_err(|error| format!("{}: {}", at(error.location(source)), error.message()))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::IMMEDIATES);
    let info = validator.validate(&parsed).map_err(|error| {
        let mut text = error.as_inner().to_string();
        let mut cause = std::error::Error::source(error.as_inner());
        while let Some(inner) = cause {
            text += &format!(": {inner}");
            cause = inner.source();
        }
        format!("{}: {text}", at(error.location(source)))
    })?;
    let Some(entry) = parsed.entry_points.iter().find(|entry| entry.name == module.entry) else {
        let names: Vec<String> =
            parsed.entry_points.iter().map(|entry| format!("`{}`", entry.name)).collect();
        let has = if names.is_empty() { "none".into() } else { names.join(", ") };
        return Err(format!("{file}: no entry point `{}`; it has {has}", module.entry));
    };
    if entry.stage != naga::ShaderStage::Compute {
        return Err(format!("{file}: `{}` is not a compute shader", module.entry));
    }
    check_globals(module, &parsed, &info)?;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::empty(),
        // A kernel that reads beside its buffers gets zeros, and hurts nobody.
        bounds_check_policies: match module.trusted {
            true => BoundsCheckPolicies::default(),
            false => BoundsCheckPolicies {
                index: BoundsCheckPolicy::ReadZeroSkipWrite,
                buffer: BoundsCheckPolicy::ReadZeroSkipWrite,
                ..BoundsCheckPolicies::default()
            },
        },
        force_loop_bounding: false,
        emit_int_div_checks: !module.trusted,
        ..spv::Options::default()
    };
    let pipeline = spv::PipelineOptions {
        shader_stage: naga::ShaderStage::Compute,
        entry_point: module.entry.clone(),
    };
    let words = spv::write_vec(&parsed, &info, &options, Some(&pipeline))
        .map_err(|error| format!("{file}: {error}"))?;
    Ok(Spirv { words, workgroup: entry.workgroup_size })
}

/// What the entry point uses must be what the line file declares.
fn check_globals(
    module: &Module,
    parsed: &naga::Module,
    info: &naga::valid::ModuleInfo,
) -> Result<(), String> {
    let file = &module.file;
    let at = parsed.entry_points.iter().position(|entry| entry.name == module.entry).unwrap_or(0);
    let used = info.get_entry_point(at);
    for (handle, variable) in parsed.global_variables.iter() {
        if used[handle].is_empty() {
            continue;
        }
        let name = variable.name.as_deref().unwrap_or("without a name");
        if let Some(binding) = &variable.binding {
            let storage = matches!(variable.space, naga::AddressSpace::Storage { .. });
            if binding.group != 0 || !storage || binding.binding >= module.buffers {
                return Err(format!(
                    "{file}: `{name}` is @group({}) @binding({}); declared are {} storage buffers, \
                     @group(0) @binding(0) and on",
                    binding.group, binding.binding, module.buffers
                ));
            }
        }
        if variable.space == naga::AddressSpace::Immediate {
            let mut layouter = naga::proc::Layouter::default();
            let _ = layouter.update(parsed.to_ctx());
            let bytes = layouter[variable.ty].size;
            if bytes > module.arguments * 4 {
                return Err(format!(
                    "{file}: `{name}` has {bytes} bytes; the arguments that are declared have {}",
                    module.arguments * 4
                ));
            }
        }
    }
    Ok(())
}

/// Looks the entry point and its workgroup up. The rest is the driver's affair.
fn from_spirv(module: &Module, words: &[u32]) -> Result<Spirv, String> {
    const MAGIC: u32 = 0x0723_0203;
    let file = &module.file;
    if words.len() < 5 || words[0] != MAGIC {
        return Err(format!("{file}: not a SPIR-V module"));
    }
    let (mut at, mut entry, mut workgroup) = (5, None, None);
    let mut names = Vec::new();
    while at < words.len() {
        let (count, code) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        let Some(instruction) = words.get(at..at + count).filter(|it| !it.is_empty()) else {
            return Err(format!("{file}: SPIR-V that is cut off at word {at}"));
        };
        match (code, instruction) {
            // OpEntryPoint GLCompute function name
            (15, [_, 5, function, name @ ..]) => {
                let bytes = name.iter().flat_map(|word| word.to_le_bytes());
                let name: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
                let name = String::from_utf8_lossy(&name).into_owned();
                if name == module.entry {
                    entry = Some(*function);
                }
                names.push(format!("`{name}`"));
            }
            // OpExecutionMode function LocalSize x y z
            (16, [_, function, 17, x, y, z]) if entry == Some(*function) => {
                workgroup = Some([*x, *y, *z]);
            }
            _ => {}
        }
        at += count;
    }
    match (entry, workgroup) {
        (Some(_), Some(workgroup)) => Ok(Spirv { words: words.to_vec(), workgroup }),
        (Some(_), None) => Err(format!("{file}: `{}` says no size of a workgroup", module.entry)),
        (None, _) => Err(format!(
            "{file}: no compute entry point `{}`; it has {}",
            module.entry,
            if names.is_empty() { "none".into() } else { names.join(", ") }
        )),
    }
}
