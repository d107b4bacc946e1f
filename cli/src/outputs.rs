//! What `plan` and `run` write and print.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use lineside_line::Line;
use lineside_line::trace::{self, Extra, ExtraValue};
use lineside_report::{Entry, Record, What};

use crate::arguments::Outputs;
use crate::{Refusal, terminal};

/// Writes the files that were asked for. A path of "-" is stdout.
pub(crate) fn write(line: &Line, record: &Record, outputs: &Outputs) -> Result<(), Refusal> {
    if let Some(path) = &outputs.trace {
        write_trace(line, record, path, Reasons::Without)?;
    }
    if let Some(path) = &outputs.gantt {
        write_text(path, &lineside_report::gantt_svg(line, record))?;
    }
    if let Some(path) = &outputs.report {
        write_text(path, &lineside_report::report_html(line, record, None))?;
    }
    if let Some(path) = &outputs.perfetto {
        write_text(path, &lineside_report::perfetto(line, record))?;
    }
    Ok(())
}

/// Prints what was asked for on stdout, and the summary for people on stderr.
pub(crate) fn tell(line: &Line, record: &Record, outputs: &Outputs) {
    if outputs.json {
        let summary = lineside_report::summary(line, record);
        println!("{}", serde_json::to_string_pretty(&summary).unwrap_or_default());
    }
    if outputs.mermaid {
        match lineside_report::mermaid(line, record) {
            Ok(chart) => println!("{chart}"),
            Err(too_large) => eprintln!("warning: {too_large}"),
        }
    }
    let (width, colour) = (terminal::width(), terminal::colours_on_stderr());
    eprint!("{}", lineside_report::terminal(line, record, width, colour));
}

/// Does a trace carry the reasons, as a further key?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reasons {
    /// Each grant has a key `why`.
    With,
    /// Exactly the keys of the rules.
    Without,
}

/// Writes the trace of the rules.
pub(crate) fn write_trace(
    line: &Line,
    record: &Record,
    path: &Path,
    reasons: Reasons,
) -> Result<(), Refusal> {
    let written = if path == Path::new("-") {
        trace_to(line, record, reasons, io::stdout().lock())
    } else {
        File::create(path).and_then(|file| trace_to(line, record, reasons, file))
    };
    written.map_err(|error| cannot_write(path, &error))
}

fn trace_to(line: &Line, record: &Record, reasons: Reasons, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let mut text = String::new();
    for entry in &record.entries {
        text.clear();
        let why = match &entry.what {
            What::Grant { why: Some(why), .. } if reasons == Reasons::With => why,
            _ => "",
        };
        let extra = [Extra { key: "why", value: ExtraValue::Text(why) }];
        let extras = if why.is_empty() { &extra[..0] } else { &extra };
        // Writing to a string can't fail.
        let _ = trace::write_event(&mut text, line, &event(entry), extras);
        text.push('\n');
        out.write_all(text.as_bytes())?;
    }
    out.flush()
}

fn event(entry: &Entry) -> trace::Event<'_> {
    let images = |&job: &u32, &lease: &u64, &first: &u32, &count: &u32| trace::Images {
        job,
        lease,
        first,
        count,
    };
    let what = match &entry.what {
        &What::Ready { job, ticket } => trace::What::Ready { job, ticket },
        &What::Evict { unit, model } => trace::What::Evict { unit, model },
        What::Grant { job, lease, units, ticket, cold, fallback, .. } => trace::What::Grant {
            job: *job,
            lease: *lease,
            units,
            ticket: *ticket,
            cold: *cold,
            fallback: *fallback,
        },
        What::Start { job, lease, first, count } => {
            trace::What::Start(images(job, lease, first, count))
        }
        What::Done { job, lease, first, count } => {
            trace::What::Done(images(job, lease, first, count))
        }
        What::Fail { job, lease, first, count } => {
            trace::What::Fail(images(job, lease, first, count))
        }
        &What::Revoke { job, lease, cause } => trace::What::Revoke { job, lease, cause },
        What::Release { job, lease, units } => {
            trace::What::Release { job: *job, lease: *lease, units }
        }
        &What::End { job, end } => trace::What::End { job, end },
        &What::Unit { unit, state } => trace::What::Unit { unit, state },
    };
    trace::Event { t: entry.t, what }
}

/// Writes a text file, or to stdout for "-".
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Refusal> {
    let written = if path == Path::new("-") {
        io::stdout().lock().write_all(text.as_bytes())
    } else {
        fs::write(path, text)
    };
    written.map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &io::Error) -> Refusal {
    Refusal(format!("error: can't write {}: {error}", path.display()))
}
