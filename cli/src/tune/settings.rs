//! What is tuned: the settings of each job.

use lineside_line::{Fallback, Job, Line, Mode, Needs, Place, Unit};

/// The settings of every job, in the order of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) jobs: Vec<JobSettings>,
}

/// The settings of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JobSettings {
    pub(super) batch: u32,
    pub(super) inflight: u32,
    pub(super) threads: u32,
    /// Of its stream edges that have one.
    pub(super) depth: Option<u32>,
    /// Bytes; they grow with `batch`.
    pub(super) memory: u64,
}

/// Something that can be turned, at one job. The order is that in which it is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Knob {
    /// Images a start.
    Batch,
    /// Images ahead.
    Depth,
    /// Leases at once; and what that takes: leases on one unit, and images ahead.
    Leases,
}

/// A depth beyond which nothing is tried.
const DEPTH_MAX: u32 = 8;

/// Images that an image-grain job may have in flight.
const WINDOW: u32 = 64;

impl Settings {
    pub(super) fn of(line: &Line) -> Settings {
        let jobs = line.jobs.iter().map(|job| JobSettings {
            batch: job.batch,
            inflight: job.inflight,
            threads: job.threads,
            depth: job.after.iter().map(|edge| edge.depth).find(|depth| *depth > 0),
            memory: job.memory,
        });
        Settings { jobs: jobs.collect() }
    }

    /// The line with these settings.
    pub(super) fn applied(&self, line: &Line) -> Line {
        let mut line = line.clone();
        for (job, settings) in line.jobs.iter_mut().zip(&self.jobs) {
            job.batch = settings.batch;
            job.inflight = settings.inflight;
            job.threads = settings.threads;
            job.memory = settings.memory;
            for edge in job.after.iter_mut().filter(|edge| edge.depth > 0) {
                edge.depth = settings.depth.unwrap_or(edge.depth);
            }
        }
        line
    }

    /// A knob of a job, one step further; none if there is no further step.
    pub(super) fn turned(&self, line: &Line, at: usize, knob: Knob) -> Option<Settings> {
        let mut turned = self.clone();
        let (job, own) = (&line.jobs[at], &mut turned.jobs[at]);
        match knob {
            Knob::Batch => {
                own.batch = own.batch.checked_mul(2).filter(|batch| *batch <= job.images)?;
                // What it holds besides its model is taken to grow with the images.
                own.memory = own.memory.checked_mul(2)?;
            }
            Knob::Depth => {
                let streams = job.after.iter().any(|edge| edge.mode == Mode::Stream);
                let depth = own.depth.filter(|_| streams)?;
                own.depth = Some(depth.checked_mul(2).filter(|depth| *depth <= DEPTH_MAX)?);
            }
            Knob::Leases => {
                let candidates = line.units.iter().filter(|unit| can_use(job, unit));
                let slots: Vec<u32> = candidates.map(|unit| unit.slots).collect();
                let all = slots.iter().fold(0_u32, |all, slots| all.saturating_add(*slots));
                own.inflight = own.inflight.checked_mul(2).filter(|leases| *leases <= all)?;
                let units = slots.len().max(1) as u32;
                own.threads = own.threads.max(own.inflight.div_ceil(units));
                let leases = own.inflight;
                turned.deepen(line, at, leases);
            }
        }
        let own = &turned.jobs[at];
        let images = u64::from(own.batch) * u64::from(own.inflight);
        let fits = !job.image_grain() || images <= u64::from(WINDOW);
        let helps = job.image_grain() || knob != Knob::Leases;
        (fits && helps && job.images > 1).then_some(turned)
    }

    /// So many images under way need at least so much depth behind their job.
    fn deepen(&mut self, line: &Line, upstream: usize, least: u32) {
        for (job, settings) in line.jobs.iter().zip(&mut self.jobs) {
            let mut edges = job.after.iter();
            if edges.any(|edge| edge.upstream as usize == upstream && edge.depth > 0) {
                settings.depth = settings.depth.map(|depth| depth.max(least));
            }
        }
    }

    /// What is different from other settings, job by job, in words.
    pub(super) fn words(&self, line: &Line, from: &Settings) -> String {
        let mut changes = Vec::new();
        for (job, (own, other)) in line.jobs.iter().zip(self.jobs.iter().zip(&from.jobs)) {
            let mut words = Vec::new();
            let mut say = |name: &str, own: u32, other: u32| {
                if own != other {
                    words.push(format!("{name} {own}"));
                }
            };
            say("batch", own.batch, other.batch);
            say("depth", own.depth.unwrap_or(0), other.depth.unwrap_or(0));
            say("inflight", own.inflight, other.inflight);
            say("threads", own.threads, other.threads);
            if !words.is_empty() {
                changes.push(format!("{}: {}", job.name, words.join(", ")));
            }
        }
        if changes.is_empty() { "as it is".to_owned() } else { changes.join("; ") }
    }
}

/// Whether a job may have a lease on a unit, if only as a fallback.
fn can_use(job: &Job, unit: &Unit) -> bool {
    let place = match job.needs {
        Needs::Gpu => unit.place != Place::Cpu,
        Needs::Cuda => unit.place == Place::Cuda,
        Needs::Vulkan => unit.place == Place::Vulkan,
        Needs::Cpu => unit.place == Place::Cpu,
        Needs::Any => true,
    };
    let place = place || (unit.place == Place::Cpu && job.fallback == Fallback::Allow);
    place && job.profile.is_none_or(|profile| unit.profile == Some(profile))
}
