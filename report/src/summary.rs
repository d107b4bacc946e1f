//! A record in numbers: the object that `--json` prints.

use std::ops::Range;

use lineside_line::trace::End;
use lineside_line::{Line, Place};
use serde::Serialize;

use crate::record::Record;
use crate::timeline::{JobTrack, Lease, Timeline};

/// A plan or a run in numbers. Serialised, it is the object of `lineside plan --json`.
///
/// ```
/// use lineside_line::Line;
/// use lineside_report::{Record, summary};
/// let nothing = summary(&Line::default(), &Record::default());
/// assert_eq!(nothing.makespan_ns, 0);
/// assert!(nothing.jobs.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The time of the last event.
    pub makespan_ns: u64,
    /// In the order of the line.
    pub units: Vec<UnitSummary>,
    /// In the order of the line.
    pub jobs: Vec<JobSummary>,
    /// Over all entries of the queue.
    pub wait_ns: WaitSummary,
    /// The most leases at once: on units that are GPUs or slices, where the line has any.
    pub leases_max: u64,
    /// Jobs that have not ended.
    pub stuck: Vec<StuckJob>,
}

/// What a unit did.
///
/// A unit with several slots counts once, not once a slot: it is held while it has at least one
/// lease, and busy while at least one of them has something in flight. So `busy_ns` + `starved_ns`
/// = `held_ns` ≤ the makespan on every unit, and `utilization` is never above 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnitSummary {
    /// Its name.
    pub name: String,
    /// Time in which it computed.
    pub busy_ns: u64,
    /// Time in which it was leased.
    pub held_ns: u64,
    /// Time in which it was leased with nothing in flight.
    pub starved_ns: u64,
    /// Busy time as a share of the makespan, 0 to 1.
    pub utilization: f64,
}

/// What a job came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JobSummary {
    /// Its name.
    pub name: String,
    /// How it ended, if it did.
    pub state: JobState,
    /// None if it is done or has not ended; the upstream's name if it was skipped; else `error`,
    /// `timeout`, `device` or `cancel`.
    pub cause: Option<String>,
    /// Images done.
    pub images: u64,
    /// Leases.
    pub grants: u64,
    /// Time in the queue, all entries together.
    pub wait_ns: u64,
    /// The longest time in the queue of one entry.
    pub wait_max_ns: u64,
    /// When its first images were started.
    pub first_start_ns: Option<u64>,
    /// When it ended.
    pub end_ns: Option<u64>,
    /// How many of its leases were cold: its model had to be loaded.
    pub cold: u64,
}

/// How a job ended, or that it did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// All its images are done.
    Done,
    /// It failed, timed out or lost its device too often.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// An upstream ended otherwise than done.
    Skipped,
    /// It has not ended.
    Stuck,
}

impl JobState {
    /// The word of the trace and of `--json`.
    ///
    /// ```
    /// assert_eq!(lineside_report::JobState::Stuck.word(), "stuck");
    /// ```
    pub fn word(self) -> &'static str {
        match self {
            JobState::Done => "done",
            JobState::Failed => "failed",
            JobState::Cancelled => "cancelled",
            JobState::Skipped => "skipped",
            JobState::Stuck => "stuck",
        }
    }
}

/// How long the entries of the queue waited.
///
/// An entry waits from the `ready` that entered it to its grant, or to when it leaves the queue;
/// one that is still there waits to the end of the record. Percentiles are of the nearest rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct WaitSummary {
    /// The mean, rounded down.
    pub mean: u64,
    /// Half of them waited no longer.
    pub p50: u64,
    /// 95 % of them waited no longer.
    pub p95: u64,
    /// The longest.
    pub max: u64,
}

/// A job that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StuckJob {
    /// Its name.
    pub job: String,
    /// Whom or what it waits for.
    pub reason: String,
}

impl Summary {
    /// The jobs that a list of at most `most` names, in their order: all of them, or those that
    /// are not done and those that waited longest.
    pub(crate) fn notable(&self, most: usize) -> Vec<usize> {
        let mut jobs: Vec<usize> = (0..self.jobs.len()).collect();
        if jobs.len() > most {
            jobs.sort_by_cached_key(|&at| {
                let job = &self.jobs[at];
                let bad = matches!(job.state, JobState::Failed | JobState::Stuck);
                std::cmp::Reverse((bad, job.state != JobState::Done, job.wait_ns))
            });
            jobs.truncate(most);
            jobs.sort_unstable();
        }
        jobs
    }
}

/// Sums a record up. Linear in its entries.
pub fn summary(line: &Line, record: &Record) -> Summary {
    of(&Timeline::read(line, record))
}

pub(crate) fn of(timeline: &Timeline<'_>) -> Summary {
    let line = timeline.line;
    let unit = |at: usize| {
        let track = &timeline.units[at];
        UnitSummary {
            name: line.units[at].name.clone(),
            busy_ns: track.busy,
            held_ns: track.held,
            starved_ns: track.held - track.busy,
            utilization: share(track.busy, timeline.end),
        }
    };
    let mut waits = vec![(0_u64, 0_u64); line.jobs.len()];
    for wait in &timeline.waits {
        let (total, longest) = &mut waits[wait.job as usize];
        *total = total.saturating_add(wait.length());
        *longest = wait.length().max(*longest);
    }
    let jobs = timeline.jobs.iter().zip(waits).enumerate();
    Summary {
        makespan_ns: timeline.end,
        units: (0..line.units.len()).map(unit).collect(),
        jobs: jobs.map(|(at, (track, waits))| job(line, at, track, waits)).collect(),
        wait_ns: wait_summary(timeline.waits.iter().map(|wait| wait.length()).collect()),
        leases_max: leases_max(timeline),
        stuck: timeline.stuck.iter().filter_map(|stuck| stuck_job(line, stuck)).collect(),
    }
}

fn job(line: &Line, at: usize, track: &JobTrack, (total, longest): (u64, u64)) -> JobSummary {
    let (state, cause) = match track.end {
        None => (JobState::Stuck, None),
        Some((_, end)) => (job_state(end), cause_word(line, end)),
    };
    JobSummary {
        name: line.jobs[at].name.clone(),
        state,
        cause,
        images: track.images,
        grants: track.grants,
        wait_ns: total,
        wait_max_ns: longest,
        first_start_ns: track.first_start,
        end_ns: track.end.map(|(t, _)| t),
        cold: track.cold,
    }
}

pub(crate) fn job_state(end: End) -> JobState {
    match end {
        End::Done => JobState::Done,
        End::Failed(_) => JobState::Failed,
        End::Cancelled => JobState::Cancelled,
        End::Skipped { .. } => JobState::Skipped,
    }
}

fn cause_word(line: &Line, end: End) -> Option<String> {
    match end {
        End::Done => None,
        End::Failed(cause) => Some(cause.name().to_string()),
        End::Cancelled => Some("cancel".to_string()),
        End::Skipped { upstream } => line.jobs.get(upstream as usize).map(|job| job.name.clone()),
    }
}

fn stuck_job(line: &Line, (job, reason): &(u32, String)) -> Option<StuckJob> {
    let job = line.jobs.get(*job as usize)?.name.clone();
    Some(StuckJob { job, reason: reason.clone() })
}

/// At one instant what ends comes before what begins: a unit that is handed on counts once.
fn leases_max(timeline: &Timeline<'_>) -> u64 {
    let units = &timeline.line.units;
    let gpus = units.iter().any(|unit| unit.place != Place::Cpu);
    let counts = |lease: &&Lease<'_>| {
        let mut places = timeline.places[index(&lease.places)].iter();
        !gpus || places.any(|place| units[place.unit as usize].place != Place::Cpu)
    };
    let leases = timeline.leases.iter().filter(counts);
    let mut steps: Vec<(u64, i64)> = leases
        .filter(|lease| lease.from < lease.to)
        .flat_map(|lease| [(lease.from, 1), (lease.to, -1)])
        .collect();
    steps.sort_unstable();
    let running = steps.iter().scan(0, |now, (_, step)| {
        *now += step;
        Some(*now)
    });
    running.max().unwrap_or(0).unsigned_abs()
}

fn index(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

fn wait_summary(mut waits: Vec<u64>) -> WaitSummary {
    if waits.is_empty() {
        return WaitSummary::default();
    }
    let total: u128 = waits.iter().map(|&wait| u128::from(wait)).sum();
    let count = waits.len();
    let mut rank = |percent: usize| {
        let at = (count * percent).div_ceil(100) - 1;
        *waits.select_nth_unstable(at).1
    };
    WaitSummary {
        mean: (total / count as u128) as u64,
        p50: rank(50),
        p95: rank(95),
        max: rank(100),
    }
}

/// A part of a whole, 0 where there is no whole.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let waits = wait_summary((1..=20).rev().collect());
        assert_eq!(waits, WaitSummary { mean: 10, p50: 10, p95: 19, max: 20 });
        assert_eq!(wait_summary(vec![7]), WaitSummary { mean: 7, p50: 7, p95: 7, max: 7 });
        assert_eq!(wait_summary(vec![]), WaitSummary::default());
    }
}
