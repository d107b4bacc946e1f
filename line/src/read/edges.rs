//! `after`: edges between jobs, their names resolved and their modes settled.

use std::borrow::Cow;

use crate::fields::{Fields, Given, cut, wrong_type};
use crate::line::{Mode, On};
use crate::problem::Code;
use crate::report::{Finding, Report};
use crate::tree::{Bytes, Node, Value};
use crate::vocabulary::{self, MODES, ONS};

use super::Jobs;

/// One entry of `after` as far as it can be read.
pub(crate) struct EdgeDraft<'t> {
    /// The job that waits.
    pub(crate) down: u32,
    /// The whole entry.
    pub(crate) at: Bytes,
    /// The upstream's name; not given where a fault of syntax left it.
    job: Given<Cow<'t, str>>,
    mode: Given<Mode>,
    depth: Given<u32>,
    /// Where the key `depth` stands.
    pub(crate) depth_key: Option<Bytes>,
    on: Given<On>,
    /// Index of the upstream, once resolved.
    pub(crate) up: Option<u32>,
    /// The mode, once settled; none if it cannot be known or does not go.
    pub(crate) settled: Option<Mode>,
}

impl EdgeDraft<'_> {
    /// The depth of a stream edge; 0 on others.
    pub(crate) fn depth(&self) -> Option<u32> {
        self.depth.or(0)
    }

    pub(crate) fn on(&self) -> Option<On> {
        self.on.or(On::Success)
    }
}

pub(super) fn read<'t>(
    fields: &Fields<'_, 't>,
    down: u32,
    edges: &mut Vec<EdgeDraft<'t>>,
    report: &mut Report,
) {
    let items = fields.items("after", report);
    edges.extend(items.iter().map(|node| edge(node, down, report)));
    if let Some(entry) = fields.find("after")
        && items.is_empty()
        && !matches!(entry.node.value, Value::List(_))
    {
        // Refused; which edge it was meant to be is not known.
        edges.push(edge(&entry.node, down, &mut Report::default()));
    }
}

/// Reads an edge; one that is refused stands for an edge of which nothing is known.
fn edge<'t>(node: &Node<'t>, down: u32, report: &mut Report) -> EdgeDraft<'t> {
    let plain = EdgeDraft {
        down,
        at: node.at,
        job: Given::Bad,
        mode: Given::Absent,
        depth: Given::Absent,
        depth_key: None,
        on: Given::Absent,
        up: None,
        settled: None,
    };
    match &node.value {
        Value::Text(_) if node.broken => plain,
        Value::Text(name) => EdgeDraft { job: Given::Good(name.clone(), node.at), ..plain },
        Value::Table(table) => {
            let fields = Fields::new(table, &vocabulary::EDGE, report);
            let job = fields.text("job", report);
            EdgeDraft {
                job: fields.required("job", job, report),
                mode: fields.word("mode", MODES, report),
                depth: fields.count("depth", 0, report),
                depth_key: fields.find("depth").map(|entry| entry.key_at),
                on: fields.word("on", ONS, report),
                ..plain
            }
        }
        Value::Integer(_) | Value::Float(_) | Value::Bool(_) | Value::Date | Value::List(_) => {
            let help = Some("write \"name\" or `{ job = \"name\", mode = \"stream\" }`".into());
            wrong_type::<()>(node, "after", "a list of jobs", report, help);
            plain
        }
    }
}

/// Resolves the names of all edges and settles their modes.
pub(super) fn settle(jobs: &mut Jobs<'_>, lost: bool, report: &mut Report) {
    let mut edges = std::mem::take(&mut jobs.edges);
    for edge in &mut edges {
        edge.up = upstream(jobs, edge, lost, report);
        edge.settled = mode(jobs, edge);
        check(edge, report);
    }
    jobs.edges = edges;
}

fn upstream(jobs: &Jobs<'_>, edge: &EdgeDraft<'_>, lost: bool, report: &mut Report) -> Option<u32> {
    let Given::Good(name, at) = &edge.job else {
        return None;
    };
    let found = jobs.names.find(name);
    if found.is_none() && !lost {
        let help = jobs.names.help(name, report);
        let message = format!("there is no job named `{}`", cut(name));
        report.add(Finding::error(Code::UnknownJob, *at, message).help(help));
    }
    found
}

fn mode(jobs: &Jobs<'_>, edge: &EdgeDraft<'_>) -> Option<Mode> {
    match edge.mode {
        Given::Good(mode, _) => return Some(mode),
        Given::Bad => return None,
        Given::Absent => {}
    }
    let grain = |job: u32| jobs.drafts[job as usize].image_grain();
    let on = edge.on().map(|on| on == On::Success);
    match (edge.up.and_then(grain), grain(edge.down), on) {
        (Some(false), _, _) | (_, Some(false), _) | (_, _, Some(false)) => Some(Mode::Barrier),
        (Some(true), Some(true), Some(true)) => Some(Mode::Stream),
        (None, _, _) | (_, None, _) | (_, _, None) => None,
    }
}

/// What goes with which mode.
fn check(edge: &mut EdgeDraft<'_>, report: &mut Report) {
    match edge.settled {
        Some(Mode::Barrier) => {
            let Some(at) = edge.depth_key else {
                return;
            };
            let finding = Finding::error(Code::DepthOnBarrier, at, "a `depth` on a barrier edge");
            report.add(match edge.mode.at() {
                Some(mode) => finding
                    .related(mode, "a barrier waits for all images")
                    .help("leave `depth` out, or write `mode = \"stream\"`"),
                None => finding.help(
                    "leave `depth` out, or write `mode = \"stream\"`: \
                     that is the default only between two legacy jobs that process",
                ),
            });
        }
        Some(Mode::Stream) => {
            if let Given::Good(On::End, at) = edge.on {
                let finding =
                    Finding::error(Code::StreamOnEnd, at, "a stream edge with `on = \"end\"`");
                report.add(finding.help("leave `on` out, or write `mode = \"barrier\"`"));
                edge.settled = None;
            }
        }
        None => {}
    }
}
