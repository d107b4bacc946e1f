//! What the scripts of the page draw: the record in columns, as small as it can be.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::colour;
use crate::svg::steps;
use crate::timeline::{Bar, How, Lane, Lease, Timeline, Wait, WaitOutcome, merge};
use crate::{summary, words};
use lineside_line::trace::UnitState;

/// Up to so many bars the page has all of them.
const BARS: usize = 40_000;

/// Beyond that, so many merged ones over all rows,
const SEGMENTS: usize = 40_000;

/// and so many grants for the list.
const GRANTS: usize = 5000;

/// Rows of jobs at most.
const JOBS: usize = 2000;

/// Steps of the queue's length at most.
const QUEUE_STEPS: u64 = 4000;

#[derive(Serialize)]
struct Data<'a> {
    end: u64,
    /// The names of the jobs that occur.
    jobs: BTreeMap<u32, &'a str>,
    /// The colour of job j is that at j modulo length.
    palette: [&'static str; 14],
    /// Jobs that have a row, in order.
    rows: Vec<usize>,
    units: Vec<&'a str>,
    /// Lanes as unit, slot, slots.
    lanes: Vec<[u32; 3]>,
    leases: Leases,
    whys: Vec<&'a str>,
    /// Waits that no grant ended: job, from, to.
    left: Vec<[u64; 3]>,
    /// Outages: unit, 1 if down, from, to.
    outages: Vec<[u64; 4]>,
    /// Evictions: lane, time, model.
    evictions: Vec<(usize, u64, &'a str)>,
    /// The queue: time, length, and so on.
    queue: Vec<u64>,
    /// How long the model of a job takes to load.
    cold: BTreeMap<u32, u64>,
    /// How those of the rows ended that are not done.
    ends: BTreeMap<usize, String>,
    /// All grants there were.
    grants: usize,
    merged: Option<Merged>,
}

/// Leases in columns; times are differences from the one before.
#[derive(Serialize, Default)]
struct Leases {
    job: Vec<u32>,
    from: Vec<u64>,
    length: Vec<u64>,
    waited: Vec<u64>,
    /// 1 cold, 2 fallback, 4 failed, 8 revoked, 16 not released.
    flags: Vec<u32>,
    /// 1 + the place of the reason, or 0.
    why: Vec<usize>,
    first: Vec<u32>,
    count: Vec<u32>,
    lanes: Vec<Lanes>,
    /// Leases that are not one start from end to end: place, then offset, length, first, count.
    starts: Vec<Vec<u64>>,
    /// Revoked leases: place, time, cause.
    revoked: Vec<(usize, u64, &'static str)>,
}

/// Most leases are on one lane.
#[derive(Serialize)]
#[serde(untagged)]
enum Lanes {
    One(usize),
    More(Vec<usize>),
}

/// Rows of merged bars.
#[derive(Serialize)]
struct Merged {
    columns: u32,
    /// By lane: first column, columns, job, kind (0 busy, 1 starved, 2 waiting), level.
    lanes: Vec<Vec<u32>>,
    /// Waits and leases of each row's job, likewise.
    jobs: Vec<[Vec<u32>; 2]>,
    /// Marks: lane, time, 0 failed or 1 revoked, how many.
    marks: Vec<[u64; 4]>,
}

pub(super) fn json(timeline: &Timeline<'_>) -> String {
    let lanes = timeline.lanes();
    let bars = timeline.starts.len() + timeline.leases.len();
    let rows = summary::of(timeline).notable(JOBS);
    let merged = (bars > BARS).then(|| merged(timeline, &lanes, &rows));
    let listed = if merged.is_some() { GRANTS.min(timeline.leases.len()) } else { usize::MAX };
    let mut whys = Whys::default();
    let leases = leases(timeline, &lanes, listed, &mut whys);
    let first_lane = first_lanes(&lanes, timeline.units.len());
    let ungranted = |wait: &&Wait| !matches!(wait.outcome, WaitOutcome::Granted(_));
    let left = timeline.waits.iter().filter(ungranted).take(GRANTS);
    let outages = timeline.outages.iter().take(GRANTS);
    let evictions = timeline.evictions.iter().take(GRANTS);
    let model = |model: u32| timeline.line.models[model as usize].name.as_str();
    let data = Data {
        end: timeline.end,
        jobs: names(timeline, &rows, &leases, merged.as_ref()),
        cold: cold(timeline, &leases),
        palette: colour::JOBS,
        units: timeline.line.units.iter().map(|unit| unit.name.as_str()).collect(),
        lanes: lanes.iter().map(|lane| [lane.unit, lane.lane, lane.of]).collect(),
        leases,
        whys: whys.texts,
        left: left.map(|wait| [u64::from(wait.job), wait.from, wait.to]).collect(),
        outages: outages
            .map(|it| [it.unit.into(), (it.state == UnitState::Down).into(), it.from, it.to])
            .collect(),
        evictions: evictions
            .map(|it| (first_lane[it.unit as usize], it.t, model(it.model)))
            .collect(),
        queue: steps(&timeline.queue, timeline.end, QUEUE_STEPS)
            .into_iter()
            .flat_map(|(t, length)| [t, length.into()])
            .collect(),
        ends: rows
            .iter()
            .map(|&job| (job, words::end(timeline.line, &timeline.jobs[job])))
            .filter(|(_, end)| end != "done")
            .collect(),
        rows,
        grants: timeline.leases.len(),
        merged,
    };
    serde_json::to_string(&data).expect("numbers and text always serialise")
}

/// The names of the jobs of rows, leases and merged bars.
fn names<'a>(
    timeline: &Timeline<'a>,
    rows: &[usize],
    leases: &Leases,
    merged: Option<&Merged>,
) -> BTreeMap<u32, &'a str> {
    let in_lanes = merged.into_iter().flat_map(|merged| &merged.lanes);
    let in_lanes = in_lanes.flat_map(|row| row.chunks(5).map(|segment| segment[2]));
    let in_rows = rows.iter().map(|&job| job as u32);
    let jobs = in_rows.chain(leases.job.iter().copied()).chain(in_lanes);
    jobs.map(|job| (job, timeline.job_name(job))).collect()
}

/// How long the models of the jobs take to load that had a cold lease.
fn cold(timeline: &Timeline<'_>, leases: &Leases) -> BTreeMap<u32, u64> {
    let jobs = leases.job.iter().zip(&leases.flags).filter(|(_, flags)| **flags & 1 == 1);
    let model = |job: u32| timeline.line.jobs[job as usize].model;
    let time = |job: u32| timeline.line.models.get(model(job)? as usize).map(|model| model.cold);
    jobs.filter_map(|(&job, _)| Some((job, time(job)?))).collect()
}

/// The row of the first lane of each unit.
fn first_lanes(lanes: &[Lane], units: usize) -> Vec<usize> {
    let mut first = vec![0; units];
    for (row, lane) in lanes.iter().enumerate().filter(|(_, lane)| lane.lane == 0) {
        first[lane.unit as usize] = row;
    }
    first
}

/// Reasons, each once.
#[derive(Default)]
struct Whys<'a> {
    texts: Vec<&'a str>,
    places: HashMap<&'a str, usize>,
}

impl<'a> Whys<'a> {
    fn place(&mut self, why: Option<&'a str>) -> usize {
        let Some(why) = why else { return 0 };
        *self.places.entry(why).or_insert_with(|| {
            self.texts.push(why);
            self.texts.len()
        })
    }
}

fn leases<'a>(timeline: &Timeline<'a>, lanes: &[Lane], most: usize, whys: &mut Whys<'a>) -> Leases {
    let first = first_lanes(lanes, timeline.units.len());
    let mut out = Leases::default();
    let mut before = 0;
    for (at, lease) in timeline.leases.iter().take(most).enumerate() {
        out.job.push(lease.job);
        out.from.push(lease.from - before);
        before = lease.from;
        out.length.push(lease.to - lease.from);
        out.waited.push(lease.wait.map_or(0, |wait| timeline.waits[wait as usize].length()));
        out.flags.push(flags(timeline, lease));
        out.why.push(whys.place(lease.why));
        let rows = timeline.places_of(lease).iter();
        let rows: Vec<usize> =
            rows.map(|place| first[place.unit as usize] + place.lane as usize).collect();
        out.lanes.push(match rows[..] {
            [row] => Lanes::One(row),
            _ => Lanes::More(rows),
        });
        out.starts(timeline, at, lease);
        if let Some((t, cause)) = lease.revoked {
            out.revoked.push((at, t, words::revoke_cause(cause)));
        }
    }
    out
}

impl Leases {
    fn starts(&mut self, timeline: &Timeline<'_>, at: usize, lease: &Lease<'_>) {
        let starts = timeline.starts_of(lease);
        let first = starts.first();
        self.first.push(first.map_or(0, |start| start.first));
        self.count.push(first.map_or(0, |start| start.count));
        if let [start] = starts
            && (start.from, start.to) == (lease.from, lease.to)
        {
            return;
        }
        let mut row = vec![at as u64];
        for start in starts {
            row.extend([start.from - lease.from, start.to - start.from]);
            row.extend([u64::from(start.first), u64::from(start.count)]);
        }
        self.starts.push(row);
    }
}

fn flags(timeline: &Timeline<'_>, lease: &Lease<'_>) -> u32 {
    let failed = timeline.starts_of(lease).iter().any(|start| start.how == How::Failed);
    let flags = [lease.cold, lease.fallback, failed, lease.revoked.is_some(), !lease.released];
    flags.iter().enumerate().map(|(bit, &set)| u32::from(set) << bit).sum()
}

fn merged(timeline: &Timeline<'_>, lanes: &[Lane], rows: &[usize]) -> Merged {
    let all = lanes.len() + 2 * rows.len();
    let columns = (SEGMENTS / all.max(1)).clamp(50, 4000) as u32;
    let row = |bars: &mut dyn Iterator<Item = Bar>| -> Vec<u32> {
        let segments = merge(bars, timeline.end, columns).into_iter();
        let flat = segments.flat_map(|it| {
            [it.first, it.last - it.first, it.job, it.kind as u32, u32::from(it.level)]
        });
        flat.collect()
    };
    let lane_rows = lanes.iter().map(|lane| {
        let leases = lane.leases.iter().map(|&at| &timeline.leases[at as usize]);
        row(&mut leases.flat_map(|lease| timeline.bars_of(lease)))
    });
    let bars = timeline.job_bars();
    let job_rows = rows
        .iter()
        .map(|&job| [&bars[job].waits, &bars[job].held].map(|bars| row(&mut bars.iter().copied())));
    Merged {
        columns,
        lanes: lane_rows.collect(),
        jobs: job_rows.collect(),
        marks: marks(timeline, lanes, columns),
    }
}

/// One mark a column, kind and lane; it says how many it stands for.
fn marks(timeline: &Timeline<'_>, lanes: &[Lane], columns: u32) -> Vec<[u64; 4]> {
    let width = timeline.end.div_ceil(u64::from(columns)).max(1);
    let mut out: Vec<[u64; 4]> = Vec::new();
    for (row, lane) in lanes.iter().enumerate() {
        for kind in [0, 1] {
            let begin = out.len();
            for &at in &lane.leases {
                let lease = &timeline.leases[at as usize];
                let mut starts = timeline.starts_of(lease).iter();
                let t = match kind {
                    0 => starts.find(|start| start.how == How::Failed).map(|start| start.to),
                    _ => lease.revoked.map(|(t, _)| t),
                };
                let Some(t) = t else { continue };
                match out[begin..].last_mut() {
                    Some(last) if last[1] / width == t / width => last[3] += 1,
                    _ => out.push([row as u64, t, kind, 1]),
                }
            }
        }
    }
    out
}
