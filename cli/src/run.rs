//! `lineside run`.

use std::fs;
use std::path::{Path, PathBuf};

use lineside_backends::host::{self, Host, Trouble};
use lineside_backends::{Driver, Tables, Workload};
use lineside_core::{Policy, Scheduler, UnitId};
use lineside_line::{Line, Place};

use crate::arguments::{self, Run};
use crate::outputs::{Reasons, write, write_text, write_trace};
use crate::plan::{EVENTS, close, simulate};
use crate::progress::Progress;
use crate::recorder::Recorder;
use crate::words::Words;
use crate::{Refusal, file, outputs};

pub(crate) fn run(arguments: &Run) -> Result<u8, Refusal> {
    check_place(arguments)?;
    let file = file::open(&arguments.file)?;
    let line = &file.checked.line;
    let absent = absent_units(line);
    check_fits(line, &absent)?;
    let out = out_folder(arguments)?;
    let results = out.join("results");
    let tools = host::tools(line, &file.folder, &results).map_err(|faults| {
        Refusal(faults.iter().map(|fault| format!("error: {fault}\n")).collect())
    })?;
    make_folder(&results)?;
    tell_absent(line, &absent);

    let workload = Workload::from_line(line);
    let mut tables = Tables::for_workload(&workload);
    let mut watcher = Progress::new(line, Recorder::new(Some(Words::new(line))));
    let host = Host::new(line, tools, &absent);
    let mut driver = Driver::new(&workload, tables.storage(), host, &mut watcher)
        .expect("a checked line fits the tables that were made for it");
    driver.run(&mut watcher);
    let mut record = watcher.finish().record;
    let code = close(line, driver.scheduler_mut(), &mut record);
    tell_troubles(line, &driver.backend_mut().take_troubles());
    let notes = driver.backend_mut().take_notes();

    // Without a plan beside it the report is still whole.
    let planned = simulate(line, false, EVENTS).ok().map(|planned| planned.record);
    write_trace(line, &record, &out.join("trace.jsonl"), Reasons::With)?;
    write_text(&out.join("gantt.svg"), &lineside_report::gantt_svg(line, &record))?;
    let report = lineside_report::report_html(line, &record, planned.as_ref());
    write_text(&out.join("report.html"), &report)?;
    write(line, &record, &arguments.outputs)?;
    outputs::tell(line, &record, &arguments.outputs);
    tell_results(&out, &results);
    notes.iter().for_each(|note| eprintln!("{note}"));
    Ok(code)
}

/// What this version can't do is said when it is asked for.
fn check_place(arguments: &Run) -> Result<(), Refusal> {
    let place = match arguments.place {
        None | Some(arguments::Place::Cpu) => return Ok(()),
        Some(arguments::Place::Cuda) => "CUDA",
        Some(arguments::Place::Vulkan) => "Vulkan",
    };
    Err(Refusal(format!(
        "error: this version runs on the CPU only, not through {place}; leave `--place` out, and \
         set `fallback = \"allow\"` where a job may run on the CPU instead"
    )))
}

/// Units that are not on this machine: all but the CPU.
fn absent_units(line: &Line) -> Vec<UnitId> {
    let absent = line.units.iter().enumerate().filter(|(_, unit)| unit.place != Place::Cpu);
    absent.map(|(at, _)| UnitId(at as u32)).collect()
}

/// A job that needs what isn't here is refused before anything starts.
fn check_fits(line: &Line, absent: &[UnitId]) -> Result<(), Refusal> {
    let mut here = Workload::from_line(line);
    let mut index = 0;
    here.units.retain(|_| {
        index += 1;
        !absent.contains(&UnitId(index - 1))
    });
    let mut tables = Tables::for_workload(&here);
    let mut scheduler = Scheduler::new(Policy::default(), tables.storage());
    for model in &here.models {
        let _ = scheduler.add_model(*model);
    }
    for unit in &here.units {
        let _ = scheduler.add_unit(unit);
    }
    let unfit = (0..line.jobs.len() as u32)
        .filter(|&job| !scheduler.fits(&here.class_of(job).spec))
        .map(|job| format!("`{}`", line.jobs[job as usize].name));
    let unfit: Vec<String> = unfit.collect();
    if unfit.is_empty() {
        return Ok(());
    }
    let names = |place: fn(Place) -> bool| {
        let units = line.units.iter().filter(|unit| place(unit.place));
        let names: Vec<&str> = units.map(|unit| unit.name.as_str()).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    };
    Err(Refusal(format!(
        "error: {} can't run here: of the line's units this machine has {}, and not {}\n\
         help: set `fallback = \"allow\"` where a job may run on a CPU place instead, and see that \
         one is large enough",
        unfit.join(", "),
        names(|place| place == Place::Cpu),
        names(|place| place != Place::Cpu),
    )))
}

/// The folder that was asked for, or a new one that is not there yet.
fn out_folder(arguments: &Run) -> Result<PathBuf, Refusal> {
    if let Some(out) = &arguments.out {
        return Ok(out.clone());
    }
    let stem = arguments.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = match arguments.file.parent().and_then(Path::file_name) {
        Some(folder) if stem == "line" => folder.to_string_lossy().into_owned(),
        _ => stem,
    };
    let runs = Path::new("lineside-runs");
    let free = (1..=99_999).map(|run| runs.join(format!("{folder}-{run:03}")));
    let mut free = free.filter(|path| !path.exists());
    free.next().ok_or_else(|| Refusal(format!("error: {} is full of runs", runs.display())))
}

fn make_folder(path: &Path) -> Result<(), Refusal> {
    fs::create_dir_all(path)
        .map_err(|error| Refusal(format!("error: can't make {}: {error}", path.display())))
}

fn tell_absent(line: &Line, absent: &[UnitId]) {
    for unit in absent {
        let unit = &line.units[unit.0 as usize];
        eprintln!("note: {} is not on this machine; it counts as down", unit.name);
    }
}

fn tell_troubles(line: &Line, troubles: &[Trouble]) {
    for trouble in troubles.iter().take(20) {
        let job = &line.jobs[trouble.job as usize];
        let file = job.files.get(trouble.image as usize);
        let file = file.map_or(String::new(), |file| format!(" ({file})"));
        eprintln!("error: {}, image {}{file}: {}", job.name, trouble.image, trouble.text);
    }
    if let Some(more) = troubles.len().checked_sub(21) {
        eprintln!("… and {} more", more + 1);
    }
}

fn tell_results(out: &Path, results: &Path) {
    eprintln!("\n{}/", out.display());
    eprintln!("  report.html  gantt.svg  trace.jsonl");
    let files = fs::read_dir(results).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    if !names.is_empty() {
        eprintln!("  results/{}", names.join("  results/"));
    }
}
