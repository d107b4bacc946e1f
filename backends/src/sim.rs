//! Virtual time (semantics, section 6): work takes as long as the line file says.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use lineside_core::{LeaseId, Nanos, Place, Scheduler};

use crate::backend::{Backend, News, Start, Stop};
use crate::tables::most_leases;
use crate::workload::Workload;

/// The backend that only pretends.
///
/// Time is counted in rounds: a start that takes no time ends in the next round, at the same
/// instant.
///
/// ```
/// use lineside_backends::{Backend, Sim, Workload};
/// let workload = Workload::default();
/// let mut sim = Sim::new(&workload);
/// assert_eq!(sim.wait(Some(7)), Some(7));
/// assert_eq!(sim.wait(None), None);
/// ```
#[derive(Debug)]
pub struct Sim<'w> {
    workload: &'w Workload,
    now: Nanos,
    /// Counts rounds at the same instant.
    round: u32,
    /// As many as leases, and as many again that were stopped: never more.
    pending: BinaryHeap<Reverse<Pending>>,
    /// The number of the lease that runs in each slot of the table of leases.
    running: Vec<u64>,
    /// Failures still to come: job, image, times; by job.
    inject: Vec<(u32, u32, u32)>,
}

/// The end of a start. Sorted by time, round, lowest unit, then grant order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    at: Nanos,
    /// The round, then the unit, in one word: most ends are at an instant with others.
    round_and_unit: u64,
    number: u64,
    lease: LeaseId,
    fails: bool,
}

impl Pending {
    fn round(&self) -> u32 {
        (self.round_and_unit >> 32) as u32
    }
}

/// Nothing runs in this slot.
const IDLE: u64 = u64::MAX;

impl<'w> Sim<'w> {
    /// A simulation of this workload, at time 0.
    pub fn new(workload: &'w Workload) -> Self {
        let injected = |job: u32| {
            let entries = workload.class_of(job).inject.iter();
            entries.map(move |entry| (job, entry.image, entry.times))
        };
        let any = workload.classes.iter().any(|class| !class.inject.is_empty());
        let jobs = if any { workload.jobs.len() as u32 } else { 0 };
        let leases = most_leases(workload);
        Sim {
            workload,
            now: 0,
            round: 0,
            pending: BinaryHeap::with_capacity(2 * leases),
            running: alloc::vec![IDLE; leases],
            inject: (0..jobs).flat_map(injected).collect(),
        }
    }

    fn duration(&self, scheduler: &Scheduler<'_>, start: &Start) -> (Nanos, u32) {
        let units = || scheduler.units_of(start.lease).into_iter().flatten();
        let lowest = units().map(|unit| unit.0).min().unwrap_or(u32::MAX);
        let on_cpu = units().any(|u| self.workload.units[u.0 as usize].place == Place::Cpu);
        let mut time = self.workload.duration(start.job, start.first, start.count, on_cpu);
        if start.opens {
            let class = self.workload.class_of(start.job);
            time = time.saturating_add(class.startup);
            if let (true, Some(model)) = (start.cold, class.spec.model) {
                time = time.saturating_add(self.workload.cold[model.0 as usize]);
            }
        }
        (time, lowest)
    }

    /// Uses up what was put in for images of this start.
    fn takes_failure(&mut self, start: &Start) -> bool {
        let from = self.inject.partition_point(|entry| entry.0 < start.job);
        let mut fails = false;
        for (job, image, times) in &mut self.inject[from..] {
            if *job != start.job {
                break;
            }
            if start.images().contains(image) && *times > 0 {
                *times -= 1;
                fails = true;
            }
        }
        fails
    }

    fn is_running(&self, pending: &Pending) -> bool {
        self.running[pending.lease.index as usize] == pending.number
    }

    /// When the next start that was not stopped ends.
    fn next_end(&mut self) -> Option<Nanos> {
        while let Some(Reverse(next)) = self.pending.peek() {
            if self.is_running(next) {
                return Some(next.at);
            }
            self.pending.pop();
        }
        None
    }
}

impl Backend for Sim<'_> {
    fn start(&mut self, scheduler: &Scheduler<'_>, start: Start) {
        let (time, unit) = self.duration(scheduler, &start);
        let fails = self.takes_failure(&start);
        let at = self.now.saturating_add(time);
        let round = if at == self.now { self.round + 1 } else { 0 };
        let Start { lease, number, .. } = start;
        if self.pending.len() == self.pending.capacity() {
            // Half of it or more were stopped, so there is room again.
            let running = &self.running;
            self.pending.retain(|Reverse(it)| running[it.lease.index as usize] == it.number);
        }
        self.running[lease.index as usize] = number;
        let round_and_unit = u64::from(round) << 32 | u64::from(unit);
        self.pending.push(Reverse(Pending { at, round_and_unit, number, lease, fails }));
    }

    fn stop(&mut self, lease: LeaseId) -> Stop {
        if let Some(running) = self.running.get_mut(lease.index as usize) {
            *running = IDLE;
        }
        Stop::Now
    }

    fn wait(&mut self, until: Option<Nanos>) -> Option<Nanos> {
        let next = match (self.next_end(), until) {
            (Some(end), Some(until)) => end.min(until),
            (end, until) => end.or(until)?,
        };
        if next > self.now {
            (self.now, self.round) = (next, 0);
        } else {
            self.round += 1;
        }
        Some(self.now)
    }

    fn poll(&mut self) -> Option<News> {
        loop {
            let &Reverse(next) = self.pending.peek()?;
            if (next.at, next.round()) > (self.now, self.round) {
                return None;
            }
            self.pending.pop();
            if self.is_running(&next) {
                self.running[next.lease.index as usize] = IDLE;
                let news = if next.fails { News::Failed } else { News::Finished };
                return Some(news(next.lease));
            }
        }
    }
}
