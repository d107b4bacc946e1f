//! `[[hardware]]`: what jobs are set to on one kind of box, put into their tables before they are
//! read. So whatever is checked of a job is checked of what it is set to here.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::fields::{Fields, Given, cut, wrong_type};
use crate::line::Hardware;
use crate::problem::Code;
use crate::report::{Finding, Report};
use crate::tree::{Bytes, Entry, Node, Table, Value};
use crate::vocabulary;

use super::Surroundings;
use super::names::Names;

/// Keys of a job that a box may set.
const KEYS: [&str; 4] = ["batch", "inflight", "threads", "memory"];

/// What one entry of `jobs` sets.
struct Setting<'t> {
    job: Cow<'t, str>,
    at: Bytes,
    keys: Vec<Entry<'t>>,
    depth: Option<Node<'t>>,
}

/// Reads the sections, and applies that of the box that is here, if there is one.
pub(super) fn apply(
    root: &mut Table<'_>,
    surroundings: &dyn Surroundings,
    lost: bool,
    report: &mut Report,
) -> Vec<Hardware> {
    let (mut sections, mut chosen) = (Vec::new(), Vec::new());
    let fields = Fields::lenient(root, &vocabulary::ROOT);
    let tables = fields.tables("hardware", report);
    let mut names = Names::new("hardware", tables.len());
    let here = if tables.is_empty() { None } else { surroundings.hardware() };
    for table in tables {
        let fields = Fields::new(table, &vocabulary::HARDWARE, report);
        let given = fields.text("box", report);
        let given = fields.required("box", given, report);
        names.add(&given, sections.len(), report);
        let settings = settings(&fields, report);
        let name = given.good().map(|name| name.to_string()).unwrap_or_default();
        let is_here = given.good().is_some_and(|name| Some(name.as_ref()) == here.as_deref());
        if is_here && chosen.is_empty() {
            chosen = settings;
        }
        sections.push(Hardware { name, is_here });
    }
    put(root, chosen, lost, report);
    sections
}

/// The entries of `jobs`. Their values are checked here, whether they are for this box or not.
fn settings<'t>(fields: &Fields<'_, 't>, report: &mut Report) -> Vec<Setting<'t>> {
    let mut settings = Vec::new();
    for node in fields.items("jobs", report) {
        let Value::Table(table) = &node.value else {
            let help = Some("write `{ job = \"name\", batch = 4 }`".to_owned());
            wrong_type::<()>(node, "jobs", "a list of tables", report, help);
            continue;
        };
        let entry = Fields::new(table, &vocabulary::HARDWARE_JOB, report);
        let job = entry.text("job", report);
        let job = entry.required("job", job, report);
        let mut sound = true;
        for key in ["batch", "inflight", "threads", "depth"] {
            sound &= !entry.count(key, 1, report).is_bad();
        }
        sound &= !entry.memory("memory", report).is_bad();
        let Given::Good(job, at) = job else { continue };
        if sound {
            let has = |entry: &&Entry<'_>| KEYS.contains(&entry.key.as_ref());
            let keys = table.entries.iter().filter(has).cloned().collect();
            let depth = entry.find("depth").map(|entry| entry.node.clone());
            settings.push(Setting { job, at, keys, depth });
        }
    }
    settings
}

/// Puts what is set into the tables of the jobs.
fn put<'t>(root: &mut Table<'t>, settings: Vec<Setting<'t>>, lost: bool, report: &mut Report) {
    let jobs = root.entries.iter_mut().find(|entry| entry.key == "job");
    let mut tables: HashMap<String, &mut Table<'t>> = HashMap::new();
    if let Some(Value::List(items)) = jobs.map(|entry| &mut entry.node.value) {
        for item in items {
            let Value::Table(table) = &mut item.value else { continue };
            let name = table.entries.iter().find(|entry| entry.key == "name");
            if let Some(Value::Text(name)) = name.map(|entry| &entry.node.value) {
                let name = name.to_string();
                tables.entry(name).or_insert(table);
            }
        }
    }
    for setting in settings {
        match tables.get_mut(setting.job.as_ref()) {
            Some(table) => put_into(table, setting),
            None if lost => {}
            None => {
                let message = format!("there is no job named `{}`", cut(&setting.job));
                report.add(
                    Finding::error(Code::UnknownJob, setting.at, message)
                        .help("jobs of faces are named with their face: \"front-find\""),
                );
            }
        }
    }
}

fn put_into<'t>(job: &mut Table<'t>, setting: Setting<'t>) {
    for entry in setting.keys {
        match job.entries.iter_mut().find(|other| other.key == entry.key) {
            Some(other) => other.node = entry.node,
            None => job.entries.push(entry),
        }
    }
    let after = job.entries.iter_mut().find(|entry| entry.key == "after");
    let (Some(depth), Some(Value::List(edges))) =
        (setting.depth, after.map(|entry| &mut entry.node.value))
    else {
        return;
    };
    // Edges without a depth are not bounded: there is nothing to set.
    for edge in edges {
        let Value::Table(edge) = &mut edge.value else { continue };
        if let Some(entry) = edge.entries.iter_mut().find(|entry| entry.key == "depth") {
            entry.node = depth.clone();
        }
    }
}
