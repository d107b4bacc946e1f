//! Two peers of our own: the least that any scheduler must do, and what people write.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, VecDeque};
use std::hint::black_box;

use crate::stopwatch::Stopwatch;

/// Decisions a run.
pub(crate) const DECISIONS: u64 = 1_000_000;

/// When starts end: spread a little, the same in every run.
pub(crate) struct Ends(u64);

impl Ends {
    pub(crate) fn new() -> Self {
        Ends(1)
    }

    pub(crate) fn next(&mut self, now: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        now + 900 + (self.0 >> 56)
    }
}

/// A queue of jobs, an array of leases, a heap of ends: nothing is decided.
pub(crate) fn floor(jobs: usize, units: usize, decisions: u64) -> f64 {
    let mut queue: VecDeque<u32> = (0..jobs as u32).collect();
    let mut leases = vec![(0u32, 0u64); units];
    let mut ends = BinaryHeap::new();
    let mut spread = Ends::new();
    for (unit, lease) in leases.iter_mut().enumerate() {
        let Some(job) = queue.pop_front() else { break };
        *lease = (job, 0);
        ends.push(Reverse((spread.next(0), unit as u32)));
    }
    let began = Stopwatch::start();
    for _ in 0..decisions {
        let Some(Reverse((now, unit))) = ends.pop() else { break };
        queue.push_back(leases[unit as usize].0);
        let Some(job) = queue.pop_front() else { break };
        leases[unit as usize] = (job, now);
        ends.push(Reverse((spread.next(now), unit)));
    }
    black_box(&leases);
    began.nanos() / decisions as f64
}

/// Makes so many decisions with 1,000 jobs on 64 units, for a counter of instructions.
pub(crate) fn only(decisions: u64) -> u8 {
    black_box(floor(1_000, 64, decisions));
    0
}

/// A job as people write it.
struct PlainJob {
    priority: i32,
    legacy: bool,
    memory: u64,
    done: u64,
}

/// A set ordered by priority, kind and ticket, and maps by id.
pub(crate) fn plain(jobs: usize, units: usize, decisions: u64) -> f64 {
    let job = |id: u64| (id, PlainJob { priority: 0, legacy: true, memory: 1 << 30, done: 0 });
    let mut by_id: HashMap<u64, PlainJob> = (0..jobs as u64).map(job).collect();
    let mut queue: BTreeSet<(i32, bool, u64, u64)> =
        (0..jobs as u64).map(|id| (0, true, id, id)).collect();
    let mut ticket = jobs as u64;
    let mut free: BTreeSet<u32> = (0..units as u32).collect();
    let mut room: HashMap<u32, u64> = (0..units as u32).map(|unit| (unit, 8 << 30)).collect();
    let mut leases: HashMap<u64, (u64, u32)> = HashMap::new();
    let mut ends = BinaryHeap::new();
    let mut spread = Ends::new();
    let mut now = 0;
    let mut began = Stopwatch::start();
    for decision in 0..decisions + units as u64 {
        if decision == units as u64 {
            began = Stopwatch::start();
        }
        if decision >= units as u64 {
            let Some(Reverse((end, lease))) = ends.pop() else { break };
            now = end;
            let Some((id, unit)) = leases.remove(&lease) else { break };
            let Some(job) = by_id.get_mut(&id) else { break };
            job.done += 1;
            *room.entry(unit).or_default() += job.memory;
            free.insert(unit);
            queue.insert((-job.priority, job.legacy, ticket, id));
            ticket += 1;
        }
        let Some((_, _, _, id)) = queue.pop_first() else { break };
        let memory = by_id.get(&id).map_or(0, |job| job.memory);
        let Some(&unit) = free.iter().find(|unit| room[unit] >= memory) else { break };
        free.remove(&unit);
        *room.entry(unit).or_default() -= memory;
        // One lease a decision.
        leases.insert(decision, (id, unit));
        ends.push(Reverse((spread.next(now), decision)));
    }
    black_box(&by_id);
    began.nanos() / decisions as f64
}
