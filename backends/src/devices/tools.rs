//! Tools that run on a GPU where their lease has one, and on the CPU where not.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use std::path::Path;

use lineside_core::UnitId;
use lineside_devices::kernels::Form;
use lineside_line::{Action, Job, Line, Place, Setting};

use super::classify::ClassifyRecipe;
use super::conveyor::{self, Idle, Recipe};
use super::detect::DetectRecipe;
use super::gpus::{Gpus, Keeper};
use super::module::{Declared, MODULE, Slot, declared, files, place_of};
use super::user::UserRecipe;
use crate::host::pcb::Detect;
use crate::host::{Failure, Product, Tool, Work};

/// The built-in tools that have a form for GPUs.
const ON_GPUS: [&str; 2] = ["detect", "classify"];

/// The tools of a line, those with a form for GPUs wrapped: where a lease has a GPU, it is used.
///
/// # Errors
///
/// In words: a file that is needed can't be read.
pub fn with_gpus(
    line: &Line,
    folder: &Path,
    tools: Vec<Box<dyn Tool>>,
    gpus: &Arc<Gpus>,
) -> Result<Vec<Box<dyn Tool>>, Vec<String>> {
    let (mut wrapped, mut faults) = (Vec::with_capacity(tools.len()), Vec::new());
    let names: Vec<(String, u32)> =
        (0..).zip(&line.jobs).map(|(at, job)| (job.name.clone(), at)).collect();
    for (job, tool) in line.jobs.iter().zip(tools) {
        let upstreams = job.after.iter().map(|edge| names[edge.upstream as usize].clone());
        match wrap(job, upstreams.collect(), folder, tool, gpus) {
            Ok(tool) => wrapped.push(tool),
            Err(fault) => faults.push(alloc::format!("job `{}`: {fault}", job.name)),
        }
    }
    if faults.is_empty() { Ok(wrapped) } else { Err(faults) }
}

/// Whether a job can run on a place.
pub fn runs_on(job: &Job, place: Place) -> bool {
    match &job.action {
        Action::Kernel { tool, .. } if ON_GPUS.contains(&tool.as_str()) => true,
        Action::Kernel { tool, settings } if tool == MODULE => {
            files(settings).into_iter().any(|path| place_of(path) == Some(place))
        }
        Action::Kernel { .. } => place == Place::Cpu,
        // Nothing, or a program that gets what its lease has.
        _ => true,
    }
}

fn wrap(
    job: &Job,
    upstreams: Vec<(String, u32)>,
    folder: &Path,
    tool: Box<dyn Tool>,
    gpus: &Arc<Gpus>,
) -> Result<Box<dyn Tool>, String> {
    let Action::Kernel { tool: name, settings } = &job.action else { return Ok(tool) };
    Ok(match name.as_str() {
        "detect" => {
            let Some(Setting::Text(path)) = settings.get("golden") else { return Ok(tool) };
            let golden = Arc::new(Detect::new(&folder.join(path))?.golden);
            let recipe = move |form| DetectRecipe { golden: golden.clone(), form };
            boxed(tool, gpus, recipe)
        }
        "classify" => boxed(tool, gpus, |form| ClassifyRecipe { form }),
        MODULE => {
            let declared = declared(settings, folder).map_err(|faults| {
                faults.into_iter().map(|fault| fault.message).collect::<Vec<_>>().join("; ")
            })?;
            check_inputs(&declared, &upstreams)?;
            boxed(tool, gpus, |form| {
                let module = declared.forms.iter().find(|(other, _)| *other == form);
                let module = module.map(|(_, module)| module.clone());
                UserRecipe { declared: declared.clone(), module, jobs: upstreams.clone() }
            })
        }
        _ => tool,
    })
}

/// What a kernel takes must come from a job in `after`.
fn check_inputs(declared: &Declared, upstreams: &[(String, u32)]) -> Result<(), String> {
    for slot in &declared.buffers {
        if let Slot::From(name) = slot
            && !upstreams.iter().any(|(upstream, _)| upstream == name)
        {
            return Err(alloc::format!("a buffer is from `{name}`, which is not in `after`"));
        }
    }
    Ok(())
}

fn boxed<R: Recipe<State: 'static> + 'static>(
    tool: Box<dyn Tool>,
    gpus: &Arc<Gpus>,
    recipe: impl Fn(Form) -> R,
) -> Box<dyn Tool> {
    let idle = Arc::new(Idle::default());
    let keeper: Weak<Idle<R::State>> = Arc::downgrade(&idle);
    gpus.ask_back_from(keeper);
    let recipes = [recipe(Form::Wgsl), recipe(Form::Ptx)];
    Box::new(OnGpu { on_cpu: tool, gpus: gpus.clone(), recipes, idle })
}

/// A tool in both forms.
struct OnGpu<R: Recipe> {
    on_cpu: Box<dyn Tool>,
    gpus: Arc<Gpus>,
    /// For Vulkan, and for CUDA.
    recipes: [R; 2],
    idle: Arc<Idle<R::State>>,
}

impl<R: Recipe> Tool for OnGpu<R> {
    fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure> {
        let api = work.units.first().and_then(|unit| self.gpus.api(unit.id));
        let Some(api) = api else { return self.on_cpu.start(work) };
        let recipe = match api.form() {
            Form::Wgsl => &self.recipes[0],
            Form::Ptx => &self.recipes[1],
        };
        conveyor::run(recipe, &self.idle, &self.gpus, work)
    }

    fn stays(&self) -> bool {
        true
    }

    fn leave(&self, unit: UnitId) -> Result<(), String> {
        self.idle.leave(unit);
        self.on_cpu.leave(unit)
    }
}
