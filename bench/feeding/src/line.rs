//! The boards through a line.

use std::path::Path;
use std::sync::Arc;

use lineside_backends::devices::{self, Gpus};
use lineside_backends::host::{self, Host, Register, Site};
use lineside_backends::{Driver, Tables, Workload};
use lineside_core::{Event, Nanos, Scheduler};
use lineside_devices::{Opener, Wishes, discover};
use lineside_line::{Line, Place, Surroundings, read};

/// How many boards there are.
pub(crate) const BOARDS: u32 = 24;

/// One way to run them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trial {
    pub(crate) place: Place,
    pub(crate) edge: Edge,
    pub(crate) batch: u32,
}

/// How loading and detecting hang together.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Edge {
    /// Board after board, so many ahead.
    Depth(u32),
    /// All are loaded first.
    Barrier,
}

/// Images a second, from the first start of what is measured to its last end: of the whole line,
/// or of the detector alone behind a barrier.
pub(crate) fn run(boards: &Path, trial: Trial) -> Result<f64, String> {
    let mut line = line(trial)?;
    let bound = devices::bind(&mut line, &discover(Wishes { allow_software: true }))
        .map_err(|faults| faults.join("\n"))?;
    if trial.place != Place::Cpu && bound.gpus.iter().all(Option::is_none) {
        return Err(format!("nothing here is reached through {:?}", trial.place));
    }
    let gpus = Arc::new(Gpus::new(bound.gpus, Opener::new(false)));
    let site = Arc::new(Site::new(boards.to_owned(), boards.to_owned(), String::new()));
    let register: Arc<Register> = Arc::new(|_, _| {});
    let tools = host::tools(&line, &site, &register)
        .and_then(|tools| devices::with_gpus(&line, boards, tools, &gpus))
        .map_err(|faults| faults.join("\n"))?;
    let workload = Workload::from_line(&line);
    let mut tables = Tables::for_workload(&workload);
    let mut times = Times { measured: line.jobs.len() as u32 - 1, first: None, last: 0, done: 0 };
    times.measured = if let Edge::Barrier = trial.edge { times.measured } else { 0 };
    let mut look = |core: &Scheduler<'_>, event: Event| times.note(core, event);
    let host = Host::new(&line, tools, bound.units);
    gpus.report_to(host.unit_news());
    let mut driver = Driver::new(&workload, tables.storage(), host, &mut look)
        .map_err(|error| format!("{error:?}"))?;
    driver.run(&mut look);
    driver.backend_mut().close();
    let troubles = driver.backend_mut().take_troubles();
    drop(driver);
    gpus.close();
    if let Some(trouble) = troubles.first() {
        return Err(trouble.text.clone());
    }
    if times.done != BOARDS {
        return Err(format!("{} of {BOARDS} boards were detected", times.done));
    }
    let nanos = times.last.saturating_sub(times.first.unwrap_or(0)).max(1);
    Ok(f64::from(BOARDS) * 1e9 / nanos as f64)
}

/// When what is measured began and ended.
struct Times {
    /// The first job whose starts count.
    measured: u32,
    first: Option<Nanos>,
    last: Nanos,
    done: u32,
}

impl Times {
    fn note(&mut self, core: &Scheduler<'_>, event: Event) {
        match event {
            Event::Start { job, .. } if job.index >= self.measured => {
                self.first.get_or_insert(core.now());
            }
            Event::Done { job, count, .. } if job.index == 1 => {
                self.last = core.now();
                self.done += count;
            }
            _ => {}
        }
    }
}

fn line(trial: Trial) -> Result<Line, String> {
    let Trial { place, edge, batch } = trial;
    let (needs, gpu) = match place {
        Place::Cpu => ("cpu", ""),
        Place::Vulkan => {
            ("vulkan", "[[device]]\nname = \"gpu\"\nplace = \"vulkan\"\nmemory = \"2GiB\"\n")
        }
        Place::Cuda => ("cuda", "[[device]]\nname = \"gpu\"\nmemory = \"2GiB\"\n"),
    };
    let edge = match edge {
        Edge::Depth(depth) => format!("mode = \"stream\", depth = {depth}"),
        Edge::Barrier => "mode = \"barrier\"".to_owned(),
    };
    let text = format!(
        "[[device]]\nname = \"cpu\"\nplace = \"cpu\"\nmemory = \"4GiB\"\nslots = 4\n{gpu}\
         [[job]]\nname = \"load\"\nkind = \"legacy\"\nneeds = \"cpu\"\nimages = \"boards/*.png\"\n\
         inflight = 2\nthreads = 2\nkernel = {{ tool = \"load\" }}\n\
         [[job]]\nname = \"detect\"\nkind = \"legacy\"\nneeds = \"{needs}\"\nimages = {BOARDS}\nbatch = {batch}\n\
         after = [{{ job = \"load\", {edge} }}]\n\
         kernel = {{ tool = \"detect\", golden = \"golden.png\" }}\n"
    );
    let checked = read(&text, &Boards).map_err(|problems| {
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    })?;
    Ok(checked.line)
}

struct Boards;

impl Surroundings for Boards {
    fn files(&self, _: &str) -> Result<Vec<String>, String> {
        Ok((1..=BOARDS).map(|board| format!("boards/board-{board:02}.png")).collect())
    }
}
