//! `[[hardware]]` into a line file, which otherwise stays as it is.

use std::fs;
use std::path::Path;

use lineside_line::Line;
use lineside_line::quantity::show_memory;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use super::search::Tuned;
use super::settings::Settings;
use crate::Refusal;
use crate::file::{self, folder_of};

/// Writes what was found for this box in place of what was there for it. The file is the old one or
/// the new one, whatever happens.
pub(super) fn write(path: &Path, line: &Line, here: &str, tuned: &Tuned) -> Result<(), Refusal> {
    let cannot = |error: &dyn std::fmt::Display| {
        Refusal(format!("error: can't write {}: {error}", path.display()))
    };
    let first = tuned.rows.first().map_or(f64::NAN, |row| row.mean.time);
    let best = tuned.rows.iter().rfind(|row| row.settings == tuned.best);
    let factor = best.map_or(1.0, |row| first / row.mean.time);
    let comment = match factor > 1.0 {
        true => format!("\n# Found by `lineside tune`: {factor:.2} times as fast as without.\n"),
        false => "\n# Found by `lineside tune`: nothing was faster than the jobs as they are.\n"
            .to_owned(),
    };
    let text = with_settings(&file::read_text(path)?, line, here, &tuned.best, &comment)
        .map_err(|error| cannot(&error))?;
    let temporary = tempfile::Builder::new().prefix(".lineside-").tempfile_in(folder_of(path));
    let temporary = temporary.map_err(|error| cannot(&error))?;
    fs::write(temporary.path(), text).map_err(|error| cannot(&error))?;
    if let Ok(metadata) = fs::metadata(path) {
        let _ = fs::set_permissions(temporary.path(), metadata.permissions());
    }
    temporary.persist(path).map(|_| ()).map_err(|error| cannot(&error.error))
}

/// The text of a line file with these settings for this box. What differs from the line as it was
/// read for this box is written, and what was there for it before.
pub(super) fn with_settings(
    text: &str,
    line: &Line,
    here: &str,
    settings: &Settings,
    comment: &str,
) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let mut jobs = Vec::new();
    let sections = document.entry("hardware").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let Item::ArrayOfTables(sections) = sections else {
        return Err("`hardware` is not written as `[[hardware]]`".to_owned());
    };
    let is_here = |table: &Table| table.get("box").and_then(Item::as_str) == Some(here);
    let at = sections.iter().position(is_here);
    if let Some(at) = at {
        let old = sections.get(at).and_then(|table| table.get("jobs")).and_then(Item::as_array);
        jobs.extend(old.into_iter().flatten().filter_map(Value::as_inline_table).cloned());
        sections.remove(at);
    }
    let base = Settings::of(line);
    for (job, (new, old)) in line.jobs.iter().zip(settings.jobs.iter().zip(&base.jobs)) {
        if new == old {
            continue;
        }
        let named = |table: &InlineTable| {
            table.get("job").and_then(Value::as_str) == Some(job.name.as_str())
        };
        let at = jobs.iter().position(named).unwrap_or_else(|| {
            jobs.push(InlineTable::from_iter([("job", job.name.as_str())]));
            jobs.len() - 1
        });
        let mut set = |key: &str, new: Value, differs: bool| {
            if differs {
                jobs[at].insert(key, new);
            }
        };
        let count = |count: u32| Value::from(i64::from(count));
        set("batch", count(new.batch), new.batch != old.batch);
        set("inflight", count(new.inflight), new.inflight != old.inflight);
        set("threads", count(new.threads), new.threads != old.threads);
        set("depth", count(new.depth.unwrap_or(0)), new.depth != old.depth);
        set("memory", Value::from(exact(new.memory)), new.memory != old.memory);
    }
    let mut section = Table::new();
    section.decor_mut().set_prefix(comment);
    section.insert("box", toml_edit::value(here));
    section.insert("jobs", Item::Value(Value::Array(list(jobs))));
    sections.push(section);
    Ok(document.to_string())
}

/// One entry a row.
fn list(jobs: Vec<InlineTable>) -> Array {
    let mut list = Array::new();
    for mut job in jobs {
        job.fmt();
        let mut job = Value::InlineTable(job);
        job.decor_mut().set_prefix("\n    ");
        list.push_formatted(job);
    }
    if !list.is_empty() {
        list.set_trailing("\n");
        list.set_trailing_comma(true);
    }
    list
}

/// Memory as a line file takes it: in the largest unit that is exact.
fn exact(bytes: u64) -> String {
    let shown = show_memory(bytes).replace(' ', "");
    match lineside_line::quantity::memory(&shown) {
        Ok(same) if same == bytes => shown,
        Ok(_) | Err(_) => format!("{bytes}B"),
    }
}
