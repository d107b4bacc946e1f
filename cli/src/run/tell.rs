//! What a run writes and tells once it is over.

use std::fs;
use std::path::Path;

use lineside_backends::host::Trouble;
use lineside_core::UnitId;
use lineside_line::Line;

use super::work::Ran;
use crate::arguments::Run;
use crate::outputs::{Reasons, write, write_text, write_trace};
use crate::plan::{EVENTS, simulate};
use crate::words::printable;
use crate::{NOT_DONE, Refusal, outputs, terminal};

/// Writes and tells all that can be, and only then what could not.
pub(crate) fn finish(arguments: &Run, line: &Line, ran: Ran, out: &Path) -> Result<u8, Refusal> {
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

pub(crate) fn tell_what_is_left_out(line: &Line, absent: &[UnitId]) {
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
