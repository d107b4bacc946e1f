//! `[[face]]`: jobs that are there once for each face, before anything else is looked at.
//!
//! A job with `face` is a pattern. In the tree it is replaced, where it stands, by a job for each
//! of its faces, in the order of the faces: `find` becomes `front-find`, `side-find` and so on.
//! What is read behind this knows of no patterns, and neither do the rules.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::fields::{self, Fields, Given, cut, refuse, wrong_type};
use crate::line::{Face, Match};
use crate::problem::Code;
use crate::report::{Finding, Report};
use crate::tree::{Bytes, Entry, Node, Table, Value};
use crate::vocabulary;

use super::names::Names;

/// Jobs at most that faces may make: a short text must not become a long line.
const JOBS_MAX: usize = 50_000;

/// The faces of a file.
pub(crate) struct Faces<'t> {
    pub(crate) faces: Vec<Face>,
    pub(crate) names: Names<'t>,
    /// Something about them was refused: names may be missing that are meant.
    pub(crate) lost: bool,
    /// What each says of itself.
    tables: Vec<Table<'t>>,
}

impl<'t> Faces<'t> {
    /// Reads the faces, and puts jobs in the place of patterns.
    pub(super) fn expand(root: &mut Table<'t>, report: &mut Report) -> Faces<'t> {
        let mut faces = read(root, report);
        let Some(jobs) = root.entries.iter_mut().find(|entry| entry.key == "job") else {
            return faces;
        };
        let Value::List(items) = &mut jobs.node.value else { return faces };
        if !items.iter().any(|item| key(item, "face").is_some()) {
            return faces;
        }
        let patterns = faces.patterns(items, report);
        let made: usize = patterns.of_item.iter().flatten().map(Vec::len).sum();
        if made > JOBS_MAX {
            let message = format!("faces make {made} jobs here; {JOBS_MAX} are allowed");
            let help = "have fewer faces, or fewer jobs with `face`";
            report.add(Finding::error(Code::TooLarge, jobs.node.at, message).help(help));
            faces.lost = true;
            return faces;
        }
        let mut expanded = Vec::with_capacity(items.len() + made);
        for (item, chosen) in std::mem::take(items).into_iter().zip(&patterns.of_item) {
            match chosen {
                None => expanded.push(faces.beside_patterns(item, &patterns)),
                Some(chosen) => {
                    for &face in chosen {
                        expanded.push(faces.job(&item, face, &patterns, report));
                    }
                }
            }
        }
        *items = expanded;
        faces
    }

    /// Which items are patterns, and for which faces.
    fn patterns(&mut self, items: &[Node<'t>], report: &mut Report) -> Patterns {
        let mut patterns = Patterns { of_item: Vec::new(), of_name: HashMap::new() };
        for item in items {
            let Some(entry) = key(item, "face") else {
                patterns.of_item.push(None);
                continue;
            };
            let chosen = self.chosen(&entry.node, report);
            if let Some(Value::Text(name)) = key(item, "name").map(|entry| &entry.node.value) {
                patterns.of_name.insert(name.to_string(), chosen.clone());
            }
            patterns.of_item.push(Some(chosen));
        }
        patterns
    }

    /// The faces that `face` names: `"*"`, one, or a list.
    fn chosen(&mut self, node: &Node<'t>, report: &mut Report) -> Vec<usize> {
        let items = match &node.value {
            Value::Text(all) if all == "*" => return (0..self.faces.len()).collect(),
            Value::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let mut chosen = Vec::new();
        for item in items {
            let Some(name) = fields::text(item, "face", report) else {
                self.lost = true;
                continue;
            };
            match self.names.find(&name) {
                Some(face) => chosen.push(face as usize),
                None => {
                    let help = self.names.help(&name, report);
                    let message = format!("there is no face named `{}`", cut(&name));
                    let finding = Finding::error(Code::UnknownFace, item.at, message);
                    refuse::<()>(item, report, || finding.help(help));
                    self.lost = true;
                }
            }
        }
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    /// A job that is no pattern: it waits for all that a pattern has become.
    fn beside_patterns(&self, mut item: Node<'t>, patterns: &Patterns) -> Node<'t> {
        let Some(Value::List(after)) =
            key_mut(&mut item, "after").map(|entry| &mut entry.node.value)
        else {
            return item;
        };
        let edges = std::mem::take(after);
        for edge in edges {
            match upstream(&edge).and_then(|name| patterns.of_name.get(name)) {
                Some(chosen) => after.extend(chosen.iter().map(|&face| {
                    let mut edge = edge.clone();
                    self.rename(&mut edge, face);
                    edge
                })),
                None => after.push(edge),
            }
        }
        item
    }

    /// The job that a pattern is for a face.
    fn job(
        &mut self,
        pattern: &Node<'t>,
        face: usize,
        patterns: &Patterns,
        report: &mut Report,
    ) -> Node<'t> {
        let mut job = pattern.clone();
        let Value::Table(table) = &mut job.value else { return job };
        for entry in &mut table.entries {
            match entry.key.as_ref() {
                "name" => self.put_before(&mut entry.node, face),
                "face" => entry.node.value = Value::Text(self.faces[face].name.clone().into()),
                "after" => self.edges(&mut entry.node, face, patterns, report),
                _ => self.fill(&mut entry.node, face, patterns, report),
            }
        }
        let given = |key: &str| table.entries.iter().any(|entry| entry.key == key);
        if !given("images")
            && !given("after")
            && let Some(entry) = self.images(face)
        {
            table.entries.push(entry);
        }
        job
    }

    /// Within a face a pattern's name means the job of the same face.
    fn edges(
        &mut self,
        node: &mut Node<'t>,
        face: usize,
        patterns: &Patterns,
        report: &mut Report,
    ) {
        let Value::List(items) = &mut node.value else { return };
        for edge in items {
            let chosen = upstream(edge).and_then(|name| patterns.of_name.get(name));
            if chosen.is_some_and(|chosen| chosen.contains(&face)) {
                self.rename(edge, face);
            }
            self.fill(edge, face, patterns, report);
        }
    }

    /// Renames the upstream of an edge.
    fn rename(&self, edge: &mut Node<'t>, face: usize) {
        match &mut edge.value {
            Value::Text(_) => self.put_before(edge, face),
            Value::Table(table) => {
                if let Some(entry) = table.entries.iter_mut().find(|entry| entry.key == "job") {
                    self.put_before(&mut entry.node, face);
                }
            }
            _ => {}
        }
    }

    fn put_before(&self, node: &mut Node<'t>, face: usize) {
        if let Value::Text(name) = &mut node.value
            && !name.is_empty()
        {
            *name = Cow::Owned(format!("{}-{name}", self.faces[face].name));
        }
    }

    /// The images of a face: its key `images`, else the files that it matches.
    fn images(&self, face: usize) -> Option<Entry<'t>> {
        let table = &self.tables[face];
        let own = |key: &str| table.entries.iter().find(|entry| entry.key == key);
        let entry = own("images")
            .or_else(|| own("match").filter(|entry| matches!(entry.node.value, Value::Text(_))))?;
        Some(Entry { key: "images".into(), ..entry.clone() })
    }

    /// Puts the face's own values in the place of `{face}` and `{face.KEY}`.
    fn fill(&mut self, node: &mut Node<'t>, face: usize, patterns: &Patterns, report: &mut Report) {
        match &mut node.value {
            Value::Text(text) if text.contains('{') => {
                if let Some(key) = whole(text)
                    && let Some(value) = self.value(face, &key, node.at, report)
                {
                    *node = value;
                    return;
                }
                let text = text.clone();
                node.value = Value::Text(self.filled(text, face, patterns, node.at, report));
            }
            Value::List(items) => {
                for item in items {
                    self.fill(item, face, patterns, report);
                }
            }
            Value::Table(table) => {
                for entry in &mut table.entries {
                    self.fill(&mut entry.node, face, patterns, report);
                }
            }
            Value::Text(_) | Value::Integer(_) | Value::Float(_) | Value::Bool(_) | Value::Date => {
            }
        }
    }

    /// A text with its placeholders filled.
    fn filled(
        &mut self,
        text: Cow<'t, str>,
        face: usize,
        patterns: &Patterns,
        at: Bytes,
        report: &mut Report,
    ) -> Cow<'t, str> {
        let mut out = String::new();
        let mut rest = text.as_ref();
        while let Some(open) = rest.find('{') {
            let (before, behind) = rest.split_at(open);
            out += before;
            // Two braces are text.
            if let Some(behind) = behind.strip_prefix("{{") {
                out += "{{";
                rest = behind;
                continue;
            }
            let Some(close) = behind.find('}') else {
                rest = behind;
                break;
            };
            let inside = &behind[1..close];
            match (own_key(inside), inside.strip_prefix("in.")) {
                (Some(key), _) => match self.value(face, key, at, report).map(|node| node.value) {
                    Some(Value::Text(value)) => out += &value,
                    Some(Value::Integer(Some(number))) => out += &number.to_string(),
                    Some(_) => {
                        let message = format!("`{}` of a face is not text", cut(key));
                        let finding = Finding::error(Code::UnknownFaceKey, at, message);
                        report.add(finding.help("write text there, or this placeholder alone"));
                    }
                    None => {}
                },
                (None, Some(job)) if patterns.has(job, face) => {
                    out += &format!("{{in.{}-{job}}}", self.faces[face].name);
                }
                (None, _) => out += &behind[..=close],
            }
            rest = &behind[close + 1..];
        }
        out += rest;
        Cow::Owned(out)
    }

    /// What a face says under a key.
    fn value(
        &mut self,
        face: usize,
        key: &str,
        at: Bytes,
        report: &mut Report,
    ) -> Option<Node<'t>> {
        let table = &self.tables[face];
        if let Some(entry) = table.entries.iter().find(|entry| entry.key == key) {
            return Some(entry.node.clone());
        }
        let name = &self.faces[face].name;
        let message = format!("the face `{}` has no `{}`", cut(name), cut(key));
        let known = table.entries.iter().map(|entry| entry.key.as_ref()).collect::<Vec<_>>();
        report.add(
            Finding::error(Code::UnknownFaceKey, at, message)
                .related(table.at, format!("it has `{}`", known.join("`, `")))
                .help("write it in each `[[face]]`"),
        );
        self.lost = true;
        None
    }
}

/// Which jobs are patterns.
struct Patterns {
    /// Of each `[[job]]` the faces that it is for; none if it is no pattern.
    of_item: Vec<Option<Vec<usize>>>,
    of_name: HashMap<String, Vec<usize>>,
}

impl Patterns {
    fn has(&self, job: &str, face: usize) -> bool {
        self.of_name.get(job).is_some_and(|chosen| chosen.contains(&face))
    }
}

/// The key that a placeholder of faces names.
fn own_key(inside: &str) -> Option<&str> {
    match inside {
        "face" => Some("name"),
        _ => inside.strip_prefix("face."),
    }
}

/// The key that a text is a placeholder for, if it is nothing else.
fn whole(text: &str) -> Option<String> {
    let inside = text.strip_prefix('{')?.strip_suffix('}')?;
    let plain = !inside.contains(['{', '}']);
    own_key(inside).filter(|_| plain).map(str::to_owned)
}

fn key<'n, 't>(item: &'n Node<'t>, key: &str) -> Option<&'n Entry<'t>> {
    match &item.value {
        Value::Table(table) => table.entries.iter().find(|entry| entry.key == key),
        _ => None,
    }
}

fn key_mut<'n, 't>(item: &'n mut Node<'t>, key: &str) -> Option<&'n mut Entry<'t>> {
    match &mut item.value {
        Value::Table(table) => table.entries.iter_mut().find(|entry| entry.key == key),
        _ => None,
    }
}

/// The name of the job that an edge comes from.
fn upstream<'n>(edge: &'n Node<'_>) -> Option<&'n str> {
    match &edge.value {
        Value::Text(name) => Some(name),
        Value::Table(_) => match &key(edge, "job")?.node.value {
            Value::Text(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// All `[[face]]`; what they say besides is kept for their jobs.
fn read<'t>(root: &Table<'t>, report: &mut Report) -> Faces<'t> {
    let fields = Fields::lenient(root, &vocabulary::ROOT);
    let tables = fields.tables("face", report);
    let names = Names::new("face", tables.len());
    let mut faces = Faces { faces: Vec::new(), names, lost: false, tables: Vec::new() };
    for table in tables {
        let fields = Fields::new(table, &vocabulary::FACE, report);
        let name = fields.name(report);
        faces.lost |= name.is_bad();
        faces.names.add(&name, faces.faces.len(), report);
        let matching = match fields.read("match", |node| matching(node, report)) {
            Given::Good(matching, _) => matching,
            Given::Absent | Given::Bad => Match::Nothing,
        };
        let name = name.good().map(|name| name.to_string()).unwrap_or_default();
        faces.faces.push(Face { name, matching });
        faces.tables.push(table.clone());
    }
    faces
}

/// A glob of paths, or a table of globs of fields.
fn matching(node: &Node<'_>, report: &mut Report) -> Option<Match> {
    let table = match &node.value {
        Value::Text(glob) => return Some(Match::Path(glob.to_string())),
        Value::Table(table) => table,
        _ => return wrong_type(node, "match", "a glob or a table of globs", report, None),
    };
    let mut globs = Vec::new();
    for entry in &table.entries {
        let glob = fields::text(&entry.node, &entry.key, report)?;
        globs.push((entry.key.to_string(), glob.into_owned()));
    }
    Some(Match::Fields(globs))
}
