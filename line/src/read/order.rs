//! The order of the jobs, and lines that have none or could never be drained.

use crate::drain::{self, Step, Wait, WaitKind};
use crate::graph::Graph;
use crate::line::Mode;
use crate::problem::Code;
use crate::report::{Finding, Report};

use super::{EdgeDraft, Jobs};

/// Jobs named along a circle at most.
const NAMED_MAX: usize = 8;

/// Puts the jobs in topological order, at each step the one declared first among those whose
/// upstreams are all placed. Jobs on and behind a cycle are left out, and the cycles reported.
pub(super) fn order(jobs: &Jobs<'_>, report: &mut Report) -> Vec<u32> {
    let numbered = (0_u32..).zip(&jobs.edges);
    let resolved = numbered.filter_map(|(label, edge)| Some((edge.up?, edge.down, label)));
    let graph = Graph::new(jobs.drafts.len(), resolved);
    let order = graph.topological();
    if order.len() < jobs.drafts.len() {
        report_cycles(jobs, &graph, report);
    }
    order
}

/// One finding for each group of jobs that wait for one another.
fn report_cycles(jobs: &Jobs<'_>, graph: &Graph, report: &mut Report) {
    let component = graph.components();
    let mut seen = vec![false; jobs.drafts.len()];
    for job in 0..jobs.drafts.len() as u32 {
        let of = component[job as usize] as usize;
        if std::mem::replace(&mut seen[of], true) {
            continue;
        }
        if let Some(cycle) = graph.cycle(job, &component) {
            let cycle: Vec<&EdgeDraft<'_>> =
                cycle.iter().map(|label| &jobs.edges[*label as usize]).collect();
            report.add(cycle_finding(jobs, cycle));
        }
    }
}

/// Edges in the direction of work, each from where the last one leads.
fn cycle_finding(jobs: &Jobs<'_>, mut cycle: Vec<&EdgeDraft<'_>>) -> Finding {
    // The edge that closes it is the one written last.
    let closing = cycle.iter().enumerate().max_by_key(|(_, edge)| edge.at).map_or(0, |(at, _)| at);
    cycle.rotate_left(closing);
    let closing = cycle[0];
    // From the job that waits, back along what it waits for.
    let names: Vec<String> = cycle
        .iter()
        .enumerate()
        // The first edge leads to the job; the others, last to first, to those before it.
        .map(|(at, _)| jobs.label(cycle[(cycle.len() - at) % cycle.len()].down))
        .chain([jobs.label(closing.down)])
        .collect();
    let message = match cycle.len() {
        1 => format!("{} waits for itself", names[0]),
        _ => format!("a cycle: {}", waits_for(&names)),
    };
    let mut finding = Finding::error(Code::Cycle, closing.at, message);
    for edge in cycle[1..].iter().rev().take(NAMED_MAX) {
        let (down, up) = (jobs.label(edge.down), edge.up.map(|up| jobs.label(up)));
        finding = finding.related(edge.at, format!("{down} waits for {}", up.unwrap_or_default()));
    }
    finding.help("take this edge away, or another one of the cycle")
}

/// `a waits for b, which waits for c`, cut in the middle if it is long.
fn waits_for(names: &[String]) -> String {
    let link = ", which waits for ";
    let shown = match names.len() > NAMED_MAX {
        true => {
            let (half, left) = (NAMED_MAX / 2, names.len() - NAMED_MAX);
            let (first, last) = (&names[..half], &names[names.len() - half..]);
            format!("{}{link}{left} more, down to {}", first.join(link), last.join(link))
        }
        false => names.join(link),
    };
    shown.replacen(link, " waits for ", 1)
}

/// Reports images that would wait for themselves.
pub(super) fn drain(jobs: &Jobs<'_>, order: &[u32], report: &mut Report) {
    let mut ordered = vec![false; jobs.drafts.len()];
    for job in order {
        ordered[*job as usize] = true;
    }
    let mut waits = Vec::new();
    // The edge of each wait.
    let mut edges = Vec::new();
    for edge in &jobs.edges {
        if let Some(wait) = wait(jobs, &ordered, edge) {
            waits.push(wait);
            edges.push(edge);
        }
    }
    let deep = |wait: &Wait| matches!(wait.kind, WaitKind::Stream(depth) if depth > 0);
    if !waits.iter().any(deep) {
        // Without room to wait for, everything waits for earlier jobs alone.
        return;
    }
    let last = |count: Option<u32>| u64::from(count.unwrap_or(0).max(1) - 1);
    let lasts: Vec<u64> = jobs.drafts.iter().map(|draft| last(draft.count)).collect();
    for circle in drain::circles(&lasts, &waits, order) {
        report.add(circle_finding(jobs, &lasts, &edges, &circle));
    }
}

/// The wait that an edge means, if all is known that matters.
fn wait(jobs: &Jobs<'_>, ordered: &[bool], edge: &EdgeDraft<'_>) -> Option<Wait> {
    let up = edge.up?;
    if !ordered[up as usize] || !ordered[edge.down as usize] {
        return None;
    }
    jobs.drafts[up as usize].count?;
    jobs.drafts[edge.down as usize].count?;
    let kind = match edge.settled? {
        Mode::Barrier => WaitKind::Barrier,
        Mode::Stream => WaitKind::Stream(edge.depth()?),
    };
    Some(Wait { up, down: edge.down, kind })
}

fn circle_finding(
    jobs: &Jobs<'_>,
    lasts: &[u64],
    edges: &[&EdgeDraft<'_>],
    circle: &[Step],
) -> Finding {
    // Steps that wait for room; there is one, since edges make no cycle.
    let waits_for_room = |step: &&Step| edges[step.wait as usize].up == Some(step.job);
    let room: Vec<&Step> = circle.iter().filter(waits_for_room).collect();
    let edge_of = |step: &Step| edges[step.wait as usize];
    let deepest = room.iter().map(|step| edge_of(step)).max_by_key(|edge| edge.at);
    let at = deepest.map_or(jobs.drafts[0].header, |edge| edge.depth_key.unwrap_or(edge.at));
    let steps: Vec<String> = circle
        .iter()
        .chain(circle.first())
        .map(|step| match jobs.drafts[step.job as usize].count {
            Some(0) => format!("the end of {}", jobs.label(step.job)),
            Some(_) | None => format!("image {} of {}", step.image, jobs.label(step.job)),
        })
        .collect();
    let message = format!("this line could never be drained: {}", waits_for(&steps));
    let mut finding = Finding::error(Code::Undrainable, at, message);
    for step in circle.iter().filter(|step| deepest.is_none_or(|deep| deep.at != edge_of(step).at))
    {
        let edge = edge_of(step);
        let note = match waits_for_room(&step) {
            true => "it waits for room in this queue too",
            false if edge.settled == Some(Mode::Barrier) => "it waits for all images here",
            false => continue,
        };
        finding = finding.related(edge.at, note);
    }
    finding.help(match room.as_slice() {
        // One queue: its depth must go beyond the last image.
        [step] => format!(
            "write `depth = {}` or more, or leave `depth` out, or take a barrier away",
            lasts[step.job as usize] + 1
        ),
        _ => "leave a `depth` out or make it larger, or take a barrier away".to_owned(),
    })
}
