//! `lineside plan`.

use lineside_backends::{Driver, Sim, Tables, Workload};
use lineside_core::{Outcome, Scheduler};
use lineside_line::Line;
use lineside_report::Record;

use crate::arguments::Plan;
use crate::recorder::Recorder;
use crate::words::Words;
use crate::{DONE, NOT_DONE, Refusal, STUCK, file, outputs, terminal};

pub(crate) fn plan(arguments: &Plan) -> Result<u8, Refusal> {
    let file = file::open_trusted(&arguments.file, &arguments.trust)?;
    let line = &file.checked.line;
    // Reasons are for charts that show them.
    let outputs = &arguments.outputs;
    let reasons = outputs.report.is_some() || outputs.gantt.is_some();
    let planned = simulate(line, reasons, EVENTS)?;
    let written = outputs::write(line, &planned.record, outputs);
    outputs::tell(line, &planned.record, outputs)?;
    if arguments.hash {
        terminal::print(&format!("{}\n", outputs::hash(line, &planned.record)))?;
    }
    written?;
    Ok(planned.code)
}

/// A line, planned.
pub(crate) struct Planned {
    pub(crate) record: Record,
    pub(crate) code: u8,
}

/// More events than this are more than a plan can be read for; they would take gigabytes.
pub(crate) const EVENTS: usize = 20_000_000;

/// Plans a line in virtual time, if it has at most so many events.
pub(crate) fn simulate(line: &Line, reasons: bool, most: usize) -> Result<Planned, Refusal> {
    let words = Words::new(line);
    let workload = Workload::from_line(line);
    let mut tables = Tables::for_workload(&workload);
    let mut recorder = Recorder::new(reasons.then_some(words));
    let sim = Sim::new(&workload);
    let mut driver = Driver::new(&workload, tables.storage(), sim, &mut recorder)
        .expect("a checked line fits the tables that were made for it");
    while driver.round(&mut recorder) {
        if recorder.record.entries.len() > most {
            return Err(Refusal(format!(
                "error: the plan has more than {most} events\n\
                 help: plan fewer images at once, or larger batches"
            )));
        }
    }
    let mut record = recorder.record;
    let code = close(line, driver.scheduler_mut(), &mut record);
    Ok(Planned { record, code })
}

/// Adds who is stuck, and why; says the exit code.
pub(crate) fn close(line: &Line, scheduler: &mut Scheduler<'_>, record: &mut Record) -> u8 {
    let words = Words::new(line);
    let mut code = DONE;
    for at in 0..line.jobs.len() as u32 {
        let job = lineside_core::JobId { index: at, generation: 0 };
        match scheduler.outcome(job) {
            Ok(Some(Outcome::Done)) | Err(_) => {}
            Ok(Some(_)) => code = code.max(NOT_DONE),
            Ok(None) => {
                code = STUCK;
                let now = scheduler.now();
                // The job was looked up a moment ago.
                let Ok(wait) = scheduler.why(now, job) else { continue };
                record.stuck.push((at, words.wait_in_full(scheduler, job, &wait)));
            }
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use lineside_line::{NoFiles, read};

    use super::*;

    #[test]
    fn a_plan_without_end_is_refused_before_memory_is_full() {
        let text = "[[device]]\nname = \"g\"\n[[job]]\nname = \"a\"\nimages = 4294967295\n";
        let line = read(text, &NoFiles).expect("the line is legal").line;
        assert!(simulate(&line, false, 1_000).is_err());
    }
}
