//! Arrows from the images of an upstream to those of its downstreams.

use lineside_line::{Edge, Mode};

use super::{Trace, json, micros};
use crate::timeline::{How, Start, Timeline};

/// The starts of a job that are done, by their first image.
type Landed = Vec<(u32, u32)>;

/// Writes an arrow for each edge: over a stream edge to each start, over a barrier to the first.
pub(super) fn write(trace: &mut Trace<'_, '_>) {
    let timeline = trace.timeline;
    let landed = landed(timeline);
    let last = last(timeline);
    let mut begun = vec![false; timeline.jobs.len()];
    let mut order: Vec<u32> = (0..timeline.starts.len() as u32).collect();
    order.sort_by_key(|&start| timeline.starts[start as usize].from);
    let mut id = 0;
    for at in order {
        let start = &timeline.starts[at as usize];
        let job = timeline.leases[start.lease as usize].job as usize;
        let first = !std::mem::replace(&mut begun[job], true);
        for edge in &timeline.line.jobs[job].after {
            let Some(&from) = source(edge, start, &landed, &last).filter(|_| {
                // A barrier holds back the first start alone.
                first || edge.mode == Mode::Stream
            }) else {
                continue;
            };
            let from = &timeline.starts[from as usize];
            if from.to <= start.from {
                id += 1;
                arrow(trace, id, from, start);
            }
        }
    }
}

/// Which start of the upstream a start waited for.
fn source<'l>(
    edge: &Edge,
    start: &Start,
    landed: &'l [Landed],
    last: &'l [Option<u32>],
) -> Option<&'l u32> {
    let upstream = edge.upstream as usize;
    match edge.mode {
        Mode::Barrier => last.get(upstream)?.as_ref(),
        Mode::Stream => {
            let needed = start.first + start.count.saturating_sub(1);
            let landed = landed.get(upstream)?;
            let after = landed.partition_point(|(first, _)| *first <= needed);
            landed[..after].last().map(|(_, start)| start)
        }
    }
}

fn landed(timeline: &Timeline<'_>) -> Vec<Landed> {
    let mut landed: Vec<Landed> = timeline.jobs.iter().map(|_| Vec::new()).collect();
    for (at, start) in timeline.starts.iter().enumerate().filter(|(_, it)| it.how == How::Done) {
        let job = timeline.leases[start.lease as usize].job;
        landed[job as usize].push((start.first, at as u32));
    }
    landed.iter_mut().for_each(|starts| starts.sort_unstable());
    landed
}

/// The start of each job that ended last.
fn last(timeline: &Timeline<'_>) -> Vec<Option<u32>> {
    let mut last: Vec<Option<u32>> = vec![None; timeline.jobs.len()];
    for (at, start) in timeline.starts.iter().enumerate() {
        let job = timeline.leases[start.lease as usize].job;
        let held = &mut last[job as usize];
        if held.is_none_or(|held| timeline.starts[held as usize].to <= start.to) {
            *held = Some(at as u32);
        }
    }
    last
}

fn arrow(trace: &mut Trace<'_, '_>, id: u64, from: &Start, to: &Start) {
    let timeline = trace.timeline;
    // An arrow is tied to the slice around its time: the end of a slice is no longer in it.
    let leave = from.to.saturating_sub(1).max(from.from);
    let name = json(timeline.job_name(timeline.leases[from.lease as usize].job));
    for (phase, start, t) in [(r#""ph":"s""#, from, leave), (r#""ph":"f","bp":"e""#, to, to.from)] {
        let lease = &timeline.leases[start.lease as usize];
        let Some(&(pid, tid)) = trace.threads_of(lease).first() else { return };
        let ts = micros(t);
        trace.event(format_args!(
            r#"{phase},"cat":"after","name":{name},"id":{id},"pid":{pid},"tid":{tid},"ts":{ts}"#
        ));
    }
}
