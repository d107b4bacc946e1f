//! `lineside run`.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lineside_backends::devices::{Gpus, with_gpus};
use lineside_backends::host::{self, Host, HostUnit, Tool, Trouble};
use lineside_backends::{Driver, Tables, Workload};
use lineside_core::{Policy, Scheduler, UnitId};
use lineside_line::{Line, Place};
use lineside_report::Record;

use crate::arguments::Run;
use crate::machine::{self, Machine};
use crate::outputs::{Reasons, write, write_text, write_trace};
use crate::plan::{EVENTS, close, simulate};
use crate::progress::Progress;
use crate::recorder::Recorder;
use crate::words::{Words, printable};
use crate::{INTERRUPTED, NOT_DONE, Refusal, file, outputs, terminal};

pub(crate) fn run(arguments: &Run) -> Result<u8, Refusal> {
    let machine = Machine::new(arguments);
    let mut file = file::open_to_run(&arguments.file, &arguments.trust, &machine)?;
    let (units, gpus) = machine::gpus(machine.bind(&mut file.checked.line)?);
    let (line, gpus) = (&file.checked.line, Arc::new(gpus));
    let absent = absent_units(&units);
    check_fits(line, &absent)?;
    let out = make_out_folder(arguments)?;
    let tools = host::tools(line, &file.folder, &out.join("results"));
    let tools = tools.and_then(|tools| with_gpus(line, &file.folder, tools, &gpus));
    let tools = tools.map_err(|faults| {
        // A line that can't run leaves nothing behind.
        let _ = fs::remove_dir(out.join("results")).and_then(|()| fs::remove_dir(&out));
        Refusal(faults.iter().map(|fault| format!("error: {fault}\n")).collect())
    })?;
    tell_what_is_left_out(line, &absent);
    let ran = work(line, tools, units, &gpus);
    machine::tell(&gpus);
    finish(arguments, line, ran, &out)
}

/// What came of a run.
struct Ran {
    record: Record,
    code: u8,
    troubles: Vec<Trouble>,
    notes: Vec<String>,
}

/// Runs the line to its end, or until Ctrl-C.
fn work(line: &Line, tools: Vec<Box<dyn Tool>>, units: Vec<HostUnit>, gpus: &Arc<Gpus>) -> Ran {
    let mut workload = Workload::from_line(line);
    // They are for plans: real faults come by themselves.
    workload.faults.clear();
    let mut tables = Tables::for_workload(&workload);
    let mut watcher = Progress::new(line, Recorder::new(Some(Words::new(line))));
    let host = Host::new(line, tools, units);
    gpus.report_to(host.unit_news());
    let interrupted = listen(&host);
    let mut driver = Driver::new(&workload, tables.storage(), host, &mut watcher)
        .expect("a checked line fits the tables that were made for it");
    while !interrupted.load(Ordering::Relaxed) && driver.round(&mut watcher) {}
    let mut record = watcher.finish().record;
    let mut code = close(line, driver.scheduler_mut(), &mut record);
    if interrupted.load(Ordering::Relaxed) {
        terminal::talk("interrupted: what was running is lost, what was done is written down\n");
        record.stuck.iter_mut().for_each(|(_, why)| *why = "the run was interrupted".to_owned());
        code = INTERRUPTED;
    }
    let host = driver.backend_mut();
    host.close();
    Ran { record, code, troubles: host.take_troubles(), notes: host.take_notes() }
}

/// Ctrl-C ends the run after this round; a second one ends the program.
fn listen(host: &Host) -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let (flag, waker) = (interrupted.clone(), host.waker());
    // Without a handler Ctrl-C just ends the program.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
        waker.wake();
    });
    interrupted
}

/// Writes and tells all that can be, and only then what could not.
fn finish(arguments: &Run, line: &Line, ran: Ran, out: &Path) -> Result<u8, Refusal> {
    let Ran { record, code, troubles, notes } = ran;
    tell_troubles(line, &troubles);
    // Without a plan beside it the report is still whole.
    let planned = simulate(line, false, EVENTS).ok().map(|planned| planned.record);
    let report = lineside_report::report_html(line, &record, planned.as_ref());
    let written = outputs::all([
        write_trace(line, &record, &out.join("trace.jsonl"), Reasons::With),
        write_text(&out.join("gantt.svg"), &lineside_report::gantt_svg(line, &record)),
        write_text(&out.join("report.html"), &report),
        write(line, &record, &arguments.outputs),
    ]);
    let told = outputs::tell(line, &record, &arguments.outputs);
    tell_results(out);
    notes.iter().for_each(|note| terminal::talk(&format!("{note}\n")));
    match outputs::all([written, told]) {
        Ok(()) => Ok(code),
        Err(Refusal(text)) => {
            terminal::talk(&format!("{text}\n"));
            Ok(code.max(NOT_DONE))
        }
    }
}

/// Units that are not on this machine.
fn absent_units(units: &[HostUnit]) -> Vec<UnitId> {
    units.iter().filter(|unit| !unit.here).map(|unit| unit.id).collect()
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
        .map(|job| format!("`{}`", printable(&line.jobs[job as usize].name)));
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
        "error: {} can't run here: of the line's units, here are: {}; not here: {}\n\
         help: set `fallback = \"allow\"` where a job may run on a CPU place instead, and see that \
         one is large enough",
        unfit.join(", "),
        names(|place| place == Place::Cpu),
        names(|place| place != Place::Cpu),
    )))
}

/// Makes the folder that was asked for, which must be empty, or a new one. No other run gets the
/// same, even at the same moment.
fn make_out_folder(arguments: &Run) -> Result<PathBuf, Refusal> {
    let out = match &arguments.out {
        Some(out) => {
            let kept = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
            if kept {
                let out = out.display();
                return Err(Refusal(format!(
                    "error: {out} is not empty\n\
                     help: name another folder, or remove what an earlier run has left there"
                )));
            }
            make_folder(out)?;
            out.clone()
        }
        None => make_numbered_folder(&arguments.file)?,
    };
    make_folder(&out.join("results"))?;
    Ok(out)
}

fn make_numbered_folder(file: &Path) -> Result<PathBuf, Refusal> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = match file.parent().and_then(Path::file_name) {
        Some(folder) if stem == "line" => folder.to_string_lossy().into_owned(),
        _ => stem,
    };
    let runs = Path::new("lineside-runs");
    make_folder(runs)?;
    for run in 1..=99_999 {
        let out = runs.join(format!("{folder}-{run:03}"));
        match fs::create_dir(&out) {
            Ok(()) => return Ok(out),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(cannot_make(&out, &error)),
        }
    }
    Err(Refusal(format!("error: {} is full of runs", runs.display())))
}

fn make_folder(path: &Path) -> Result<(), Refusal> {
    fs::create_dir_all(path).map_err(|error| cannot_make(path, &error))
}

fn cannot_make(path: &Path, error: &Error) -> Refusal {
    Refusal(format!("error: can't make {}: {error}", path.display()))
}

fn tell_what_is_left_out(line: &Line, absent: &[UnitId]) {
    for unit in absent {
        let name = printable(&line.units[unit.0 as usize].name);
        terminal::talk(&format!("note: {name} is not on this machine; it counts as down\n"));
    }
    if !line.faults.is_empty() || line.jobs.iter().any(|job| !job.inject.is_empty()) {
        terminal::talk("note: `[[fault]]` and `inject` are for plans; a run leaves them out\n");
    }
}

fn tell_troubles(line: &Line, troubles: &[Trouble]) {
    for trouble in troubles.iter().take(20) {
        let place = trouble.job.map_or(String::new(), |job| {
            let job = &line.jobs[job as usize];
            let image = trouble.image.map_or(String::new(), |image| {
                let file = job.files.get(image as usize);
                format!(
                    ", image {image}{}",
                    file.map_or(String::new(), |file| format!(" ({file})"))
                )
            });
            format!("{}{image}: ", printable(&job.name))
        });
        terminal::talk(&format!("error: {place}{}\n", trouble.text));
    }
    if let Some(more) = troubles.len().checked_sub(21) {
        terminal::talk(&format!("… and {} more\n", more + 1));
    }
}

fn tell_results(out: &Path) {
    let mut text = format!("\n{}/\n  report.html  gantt.svg  trace.jsonl\n", out.display());
    let files = fs::read_dir(out.join("results")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    if !names.is_empty() {
        text += &format!("  results/{}\n", names.join("  results/"));
    }
    terminal::talk(&text);
}
