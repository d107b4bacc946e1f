//! The run itself: rounds of the driver, until the line is over or somebody asks to stop.

use std::path::Path;

use lineside_backends::devices::Gpus;
use lineside_backends::host::{self, Host, HostUnit, Tool, Trouble};
use lineside_backends::journal::Record;
use lineside_backends::{Driver, Tables, Workload};
use lineside_line::Line;
use lineside_report::Record as Report;

use super::interrupt::Interrupts;
use super::journal::Journaled;
use super::session::Session;
use crate::hardware::Cores;
use crate::plan::close;
use crate::progress::Progress;
use crate::recorder::Recorder;
use crate::words::Words;
use crate::{INTERRUPTED, NOT_DONE, terminal};

/// What came of a run.
pub(crate) struct Ran {
    pub(crate) record: Report,
    pub(crate) code: u8,
    pub(crate) troubles: Vec<Trouble>,
    pub(crate) notes: Vec<String>,
}

/// Runs the line to its end, or until it is asked to stop.
pub(crate) fn work(
    line: &Line,
    tools: Vec<Box<dyn Tool>>,
    units: Vec<HostUnit>,
    gpus: &Gpus,
    session: &Session,
    out: &Path,
) -> Ran {
    let mut workload = Workload::from_line(line);
    // They are for plans: real faults come by themselves.
    workload.faults.clear();
    let mut tables = Tables::for_workload(&workload);
    let recorder = Progress::new(line, Recorder::new(Some(Words::new(line))));
    let mut watcher = Journaled::new(recorder, session.journal.clone());
    host::watch_over_orphans();
    let mut host = Host::new(line, tools, units);
    gpus.report_to(host.unit_news());
    host.go_on(session.earlier.clone());
    session.journal.stop_with(host.stopper());
    let waker = host.waker();
    let interrupts = Interrupts::listen(waker.clone());
    #[cfg(target_os = "linux")]
    let control = super::control::Control::open(out, waker);
    let mut driver = Driver::new(&workload, tables.storage(), host, &mut watcher)
        .expect("a checked line fits the tables that were made for it");
    let before = Cores::now();
    let mut why_stopped: Option<String> = None;
    loop {
        if let (None, Some(why)) = (&why_stopped, session.journal.failed()) {
            terminal::talk(&format!("error: {why}\nnothing more is started\n"));
            why_stopped = Some(why);
        }
        let count = interrupts.count();
        if count > 0 || why_stopped.is_some() {
            driver.stop_granting();
            driver.backend_mut().stop_starting();
            if count > 1 {
                driver.backend_mut().recall_all();
            }
            if driver.backend_mut().is_idle() {
                break;
            }
        }
        let more = driver.round(&mut watcher);
        session.journal.flush();
        #[cfg(target_os = "linux")]
        let served = control.serve(line, &mut driver, &mut watcher);
        #[cfg(not(target_os = "linux"))]
        let served = false;
        if !more && !served {
            break;
        }
    }
    #[cfg(target_os = "linux")]
    drop(control);
    let cpu = before.zip(Cores::now()).and_then(|(then, now)| now.since(&then));
    driver.backend_mut().close();
    session.journal.add(&Record::Closed { t: driver.scheduler().now() });
    session.journal.sync();
    let mut record = watcher.inner.finish().record;
    record.cpu = cpu;
    let mut code = close(line, driver.scheduler_mut(), &mut record);
    if let Some((why, stopped)) = reason_to_stop(interrupts.count(), why_stopped.as_deref()) {
        tell_how_to_go_on(out);
        record.stuck.iter_mut().for_each(|(_, reason)| why.clone_into(reason));
        code = stopped;
    }
    let host = driver.backend_mut();
    Ran { record, code, troubles: host.take_troubles(), notes: host.take_notes() }
}

/// Why the run ended early, if it did, and with which exit code.
fn reason_to_stop(interrupts: u32, failed: Option<&str>) -> Option<(&str, u8)> {
    match (interrupts, failed) {
        (0, None) => None,
        (0, Some(why)) => Some((why, NOT_DONE)),
        _ => Some(("the run was interrupted", INTERRUPTED)),
    }
}

fn tell_how_to_go_on(out: &Path) {
    let out = out.display();
    terminal::talk(&format!("stopped; `--out {out} --resume` goes on with what is not done\n"));
}
