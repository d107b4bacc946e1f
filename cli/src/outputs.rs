//! What `plan` and `run` write and print.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use lineside_line::Line;
use lineside_line::trace::{self, Extra, ExtraValue};
use lineside_report::{Entry, Record, What};

use crate::arguments::Outputs;
use crate::{Refusal, terminal};

/// Writes the files that were asked for, each of them even if another can't be written. A path of
/// "-" is stdout.
pub(crate) fn write(line: &Line, record: &Record, outputs: &Outputs) -> Result<(), Refusal> {
    let Outputs { trace, gantt, report, perfetto, metrics, .. } = outputs;
    let text = |path: &Option<PathBuf>, make: &dyn Fn() -> String| {
        path.as_ref().map_or(Ok(()), |path| write_text(path, &make()))
    };
    let trace = trace.as_ref();
    all([
        trace.map_or(Ok(()), |path| write_trace(line, record, path, Reasons::Without)),
        text(gantt, &|| lineside_report::gantt_svg(line, record)),
        text(report, &|| lineside_report::report_html(line, record, None)),
        text(perfetto, &|| lineside_report::perfetto(line, record)),
        metrics
            .as_ref()
            .map_or(Ok(()), |path| replace_text(path, &lineside_report::metrics(line, record))),
    ])
}

/// What went wrong with several writes, together.
pub(crate) fn all<const N: usize>(written: [Result<(), Refusal>; N]) -> Result<(), Refusal> {
    let errors: Vec<String> =
        written.into_iter().filter_map(|result| result.err().map(|error| error.0)).collect();
    if errors.is_empty() { Ok(()) } else { Err(Refusal(errors.join("\n"))) }
}

/// Prints what was asked for on stdout, and the summary for people on stderr.
pub(crate) fn tell(line: &Line, record: &Record, outputs: &Outputs) -> Result<(), Refusal> {
    let (width, colour) = (terminal::width(), terminal::colours_on_stderr());
    terminal::talk(&lineside_report::terminal(line, record, width, colour));
    if outputs.json {
        let summary = lineside_report::summary(line, record);
        let json = serde_json::to_string_pretty(&summary).unwrap_or_default();
        terminal::print(&format!("{json}\n"))?;
    }
    if outputs.dot {
        terminal::print(&lineside_report::dot(line))?;
    }
    if outputs.mermaid {
        match lineside_report::mermaid(line, record) {
            Ok(chart) => terminal::print(&format!("{chart}\n"))?,
            Err(too_large) => terminal::talk(&format!("warning: {too_large}\n")),
        }
    }
    Ok(())
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
        // Whoever reads it may stop when he has enough.
        match trace_to(line, record, reasons, io::stdout().lock()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
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

/// The SHA-256 of the trace of the rules.
pub(crate) fn hash(line: &Line, record: &Record) -> String {
    let mut hash = trace::Hash::default();
    for entry in &record.entries {
        hash.take(line, &event(entry));
    }
    hash.hex()
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
    if path == Path::new("-") {
        return terminal::print(text);
    }
    fs::write(path, text).map_err(|error| cannot_write(path, &error))
}

/// Writes a text file so that whoever reads it sees the old one or the new one, whole.
fn replace_text(path: &Path, text: &str) -> Result<(), Refusal> {
    if path == Path::new("-") {
        return terminal::print(text);
    }
    // Beside it, since only there it can be put in its place at once; collectors take `.prom` only.
    let mut new = path.as_os_str().to_owned();
    new.push(format!(".{}.new", std::process::id()));
    let written = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
    written.map_err(|error| {
        // What can't be put in its place is of no use.
        let _ = fs::remove_file(&new);
        cannot_write(path, &error)
    })
}

fn cannot_write(path: &Path, error: &io::Error) -> Refusal {
    Refusal(format!("error: can't write {}: {error}", path.display()))
}
