//! Whether every image of a line can be reached: the check for lines that could never be drained.
//!
//! Images wait for images: image k of w for image k of u over a stream edge u→w; every image of w
//! for the last of u over a barrier edge; image k ≥ D of u for image k − D of w where a stream
//! edge has a depth D > 0. The line can be drained if no image waits, over any number of steps,
//! for itself. A line may have 2^32 images a job, so images are not looked at one by one:
//!
//! - A wait over a stream edge keeps k; a wait for room in a queue lowers it by D; only a barrier
//!   raises it, to the last image of u, whatever it was. Edges between jobs make no cycle, so
//!   every cycle of images goes over a barrier, and starts afresh there: at a *last image*.
//! - From the last image of u the higher k is the more can be reached. So it reaches some image of
//!   w, without a barrier, exactly if the cheapest way from u to w, counting D for each wait for
//!   room and 0 for others, costs at most the last k. (All jobs on such a way have equal images.)
//! - So u *drains* if each job in its reach waits, over barriers, only for jobs that drain.
//!
//! A job without images is treated as if its end were one image: it too waits for its upstreams,
//! and those behind a barrier wait for it.
//!
//! Nearly all lines are settled by the first step: where no barrier edge joins two jobs that wait
//! for one another when all depths are taken as 0, there is no cycle. Only the strongly connected
//! parts that fail this are searched, in topological order, so that a search stops at whatever is
//! already known to drain. The cost is linear but for contrived lines.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::graph::Graph;

/// An edge as far as waiting goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wait {
    pub(crate) up: u32,
    pub(crate) down: u32,
    pub(crate) kind: WaitKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitKind {
    Barrier,
    /// A stream edge; its depth, 0 for none.
    Stream(u32),
}

/// One step along a circle of waits: image `image` of `job` waits by edge `wait` for the image of
/// the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) job: u32,
    pub(crate) image: u64,
    /// Index into the waits.
    pub(crate) wait: u32,
}

/// Circles of waits, one for each part of the line that has any.
///
/// `last` is the last image of each job, 0 if it has none; `order` are the jobs in topological
/// order. Jobs at both ends of a stream edge have equal `last`.
pub(crate) fn circles(last: &[u64], waits: &[Wait], order: &[u32]) -> Vec<Vec<Step>> {
    let line = Waits::new(last, waits);
    let component = line.graph.components();
    let mut suspicious: Vec<u32> = waits
        .iter()
        .filter(|wait| wait.kind == WaitKind::Barrier)
        .filter(|wait| component[wait.up as usize] == component[wait.down as usize])
        .map(|wait| component[wait.up as usize])
        .collect();
    suspicious.sort_unstable();
    suspicious.dedup();
    let mut members: HashMap<u32, Vec<u32>> = HashMap::new();
    for job in order {
        let of = component[*job as usize];
        if suspicious.binary_search(&of).is_ok() {
            members.entry(of).or_default().push(*job);
        }
    }
    let mut search = Search { line: &line, component: &component, drains: vec![false; last.len()] };
    let mut circles: Vec<Vec<Step>> = suspicious
        .iter()
        .filter_map(|part| members.get(part).and_then(|jobs| search.part(jobs)))
        .collect();
    circles.sort_unstable_by_key(|steps| steps.iter().map(|step| step.job).min());
    circles
}

/// The line as a graph: an arc from each job to those that its images wait for.
struct Waits<'w> {
    last: &'w [u64],
    waits: &'w [Wait],
    /// Labels are indexes into `waits`.
    graph: Graph,
}

impl<'w> Waits<'w> {
    fn new(last: &'w [u64], waits: &'w [Wait]) -> Self {
        let numbered = (0_u32..).zip(waits);
        let back = numbered.clone().map(|(label, wait)| (wait.down, wait.up, label));
        // A depth beyond the last image never holds anything back.
        let room = numbered.filter_map(|(label, wait)| match wait.kind {
            WaitKind::Stream(depth) if depth > 0 && u64::from(depth) <= last[wait.up as usize] => {
                Some((wait.up, wait.down, label))
            }
            WaitKind::Stream(_) | WaitKind::Barrier => None,
        });
        let graph = Graph::new(last.len(), back.chain(room));
        Waits { last, waits, graph }
    }

    /// What the wait `label` of an image of `job` costs; none over a barrier.
    fn cost(&self, job: u32, label: u32) -> Option<u64> {
        let wait = self.waits[label as usize];
        match wait.kind {
            WaitKind::Barrier => None,
            WaitKind::Stream(depth) if wait.up == job => Some(u64::from(depth)),
            WaitKind::Stream(_) => Some(0),
        }
    }
}

/// The search in suspicious parts.
struct Search<'w> {
    line: &'w Waits<'w>,
    component: &'w [u32],
    /// Jobs all of whose reach is known to drain.
    drains: Vec<bool>,
}

/// A job whose last image is being followed.
struct Frame {
    job: u32,
    /// Barriers that images in its reach wait at: the job, and the wait.
    barriers: Vec<(u32, u32)>,
    /// Jobs in its reach at no cost: they reach no more than it does.
    free: Vec<u32>,
}

impl Search<'_> {
    /// A circle among jobs of one part, given in topological order.
    fn part(&mut self, jobs: &[u32]) -> Option<Vec<Step>> {
        let mut on_path: HashMap<u32, usize> = HashMap::new();
        let mut path: Vec<Frame> = Vec::new();
        for root in jobs {
            if self.drains[*root as usize] {
                continue;
            }
            on_path.insert(*root, 0);
            path.push(self.frame(*root));
            while let Some(frame) = path.last_mut() {
                let Some((_, wait)) = frame.barriers.last() else {
                    on_path.remove(&frame.job);
                    for job in &frame.free {
                        self.drains[*job as usize] = true;
                    }
                    path.pop();
                    continue;
                };
                let up = self.line.waits[*wait as usize].up;
                if let Some(start) = on_path.get(&up) {
                    return Some(self.steps(&path[*start..]));
                }
                if self.drains[up as usize] {
                    frame.barriers.pop();
                    continue;
                }
                on_path.insert(up, path.len());
                let next = self.frame(up);
                path.push(next);
            }
        }
        None
    }

    /// Everything that the last image of a job reaches without a barrier.
    fn frame(&self, job: u32) -> Frame {
        let mut frame = Frame { job, barriers: Vec::new(), free: Vec::new() };
        let part = self.component[job as usize];
        self.walk(job, |reached, cost| {
            if self.drains[reached as usize] {
                return Visit::Skip;
            }
            if cost == 0 {
                frame.free.push(reached);
            }
            for arc in self.line.graph.arcs(reached) {
                let barrier = self.line.waits[arc.label as usize].kind == WaitKind::Barrier;
                if barrier
                    && self.component[arc.to as usize] == part
                    && !self.drains[arc.to as usize]
                {
                    frame.barriers.push((reached, arc.label));
                }
            }
            Visit::Expand
        });
        frame
    }

    /// Visits the jobs in reach of a job's last image, cheapest first (Dijkstra's algorithm).
    /// Returns how each was reached: from which job, by which wait.
    fn walk(
        &self,
        start: u32,
        mut visit: impl FnMut(u32, u64) -> Visit,
    ) -> HashMap<u32, (u32, u32)> {
        let budget = self.line.last[start as usize];
        let part = self.component[start as usize];
        let mut best: HashMap<u32, u64> = HashMap::from([(start, 0)]);
        let mut from: HashMap<u32, (u32, u32)> = HashMap::new();
        let mut queue = BinaryHeap::from([Reverse((0_u64, start))]);
        while let Some(Reverse((cost, job))) = queue.pop() {
            if best[&job] < cost {
                continue;
            }
            match visit(job, cost) {
                Visit::Skip => continue,
                Visit::Stop => break,
                Visit::Expand => {}
            }
            for arc in self.line.graph.arcs(job) {
                let Some(step) = self.line.cost(job, arc.label) else {
                    continue;
                };
                let total = cost + step;
                let better = best.get(&arc.to).is_none_or(|known| total < *known);
                if self.component[arc.to as usize] == part && total <= budget && better {
                    best.insert(arc.to, total);
                    from.insert(arc.to, (job, arc.label));
                    queue.push(Reverse((total, arc.to)));
                }
            }
        }
        from
    }

    /// The circle that the frames close, image by image.
    fn steps(&self, frames: &[Frame]) -> Vec<Step> {
        let mut steps = Vec::new();
        for frame in frames {
            // Each frame of the path has the barrier that leads to the next on top.
            let Some((exit, barrier)) = frame.barriers.last().copied() else {
                continue;
            };
            let from = self.walk(frame.job, |job, _| match job == exit {
                true => Visit::Stop,
                false => Visit::Expand,
            });
            let mut way = Vec::new();
            let mut at = exit;
            while at != frame.job {
                let (previous, label) = from[&at];
                way.push((previous, label));
                at = previous;
            }
            let mut image = self.line.last[frame.job as usize];
            for (job, wait) in way.into_iter().rev() {
                steps.push(Step { job, image, wait });
                image -= self.line.cost(job, wait).unwrap_or(0);
            }
            steps.push(Step { job: exit, image, wait: barrier });
        }
        steps
    }
}

/// What to do with a job that a walk has reached.
enum Visit {
    Expand,
    Skip,
    Stop,
}
