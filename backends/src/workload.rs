//! What a line asks for, as the driver wants it: compact, and without names.

use alloc::vec::Vec;

use lineside_core::{JobSpec, ModelSpec, Nanos, On, Policy, StreamSpec, UnitSpec};

/// Everything that the rules look at, of one line.
///
/// ```
/// let workload = lineside_backends::Workload::default();
/// assert!(workload.jobs.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Workload {
    /// How the line is allocated.
    pub policy: Policy,
    /// Units, by index.
    pub units: Vec<UnitSpec>,
    /// Models, by index.
    pub models: Vec<ModelSpec>,
    /// Nanoseconds to load each model.
    pub cold: Vec<Nanos>,
    /// Streams, by index.
    pub streams: Vec<StreamSpec>,
    /// What jobs have in common.
    pub classes: Vec<Class>,
    /// Jobs, by index.
    pub jobs: Vec<WorkJob>,
    /// The edges of all jobs, one job's after the other's.
    pub edges: Vec<WorkEdge>,
    /// Faults, in file order.
    pub faults: Vec<Trouble>,
}

/// What jobs have in common. A million alike are one class.
///
/// ```
/// let class = lineside_backends::Class::default();
/// assert_eq!(class.time, [0]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Class {
    /// What the core is told, but for `path`.
    pub spec: JobSpec,
    /// Nanoseconds an image; image k takes entry k modulo length.
    pub time: Vec<Nanos>,
    /// The same on a CPU place, if it differs.
    pub cpu_time: Option<Vec<Nanos>>,
    /// Nanoseconds once a lease.
    pub startup: Nanos,
    /// Nanoseconds from image to image.
    pub every: Option<Nanos>,
    /// Failures put in on purpose.
    pub inject: Vec<Inject>,
}

impl Default for Class {
    fn default() -> Self {
        Class {
            spec: JobSpec::default(),
            time: alloc::vec![0],
            cpu_time: None,
            startup: 0,
            every: None,
            inject: Vec::new(),
        }
    }
}

/// A start that holds this image fails, so often.
///
/// ```
/// assert_eq!(lineside_backends::Inject { image: 3, times: 1 }.image, 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Inject {
    /// Which image.
    pub image: u32,
    /// How often.
    pub times: u32,
}

/// One job.
///
/// ```
/// assert!(size_of::<lineside_backends::WorkJob>() <= 24);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorkJob {
    /// Index into [`Workload::classes`].
    pub class: u32,
    /// Where its edges end in [`Workload::edges`]; they begin where the job before ends.
    pub edges_end: u32,
    /// When it arrives.
    pub arrive: Nanos,
    /// The longest way to the end.
    pub path: Nanos,
}

/// One edge into a job.
///
/// ```
/// use lineside_backends::WorkEdge;
/// let edge = WorkEdge::Stream { upstream: 0, depth: 2 };
/// assert_ne!(edge, WorkEdge::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WorkEdge {
    /// Waits for the whole upstream.
    Barrier {
        /// Index of a job that stands before.
        upstream: u32,
        /// Which ends will do.
        on: On,
    },
    /// Image k waits for image k.
    Stream {
        /// Index of a job that stands before.
        upstream: u32,
        /// Images ahead at most; 0 is no bound.
        depth: u32,
    },
}

/// One `[[fault]]`.
///
/// ```
/// use lineside_backends::{Happening, Trouble};
/// let lost = Trouble { at: 5, what: Happening::Down(0) };
/// assert_eq!(lost.at, 5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Trouble {
    /// When.
    pub at: Nanos,
    /// What, and to whom.
    pub what: Happening,
}

/// What a fault does, and to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Happening {
    /// This unit is lost.
    Down(u32),
    /// This unit is back.
    Up(u32),
    /// This unit takes no new leases.
    Drain(u32),
    /// This job is cancelled.
    Cancel(u32),
}

impl Workload {
    /// The edges into a job.
    pub fn edges_of(&self, job: u32) -> &[WorkEdge] {
        let from = job.checked_sub(1).map_or(0, |before| self.jobs[before as usize].edges_end);
        &self.edges[from as usize..self.jobs[job as usize].edges_end as usize]
    }

    /// The class of a job.
    pub fn class_of(&self, job: u32) -> &Class {
        &self.classes[self.jobs[job as usize].class as usize]
    }

    /// How long a start takes, without what its lease needs to begin with.
    pub fn duration(&self, job: u32, first: u32, count: u32, on_cpu: bool) -> Nanos {
        let class = self.class_of(job);
        let times = match &class.cpu_time {
            Some(times) if on_cpu => times,
            _ => &class.time,
        };
        match times.as_slice() {
            [] => 0,
            [time] => time.saturating_mul(u64::from(count)),
            times => total(times, first, count),
        }
    }
}

/// The sum over images `first` and on; whole rounds of the list are not walked one by one.
fn total(times: &[Nanos], first: u32, count: u32) -> Nanos {
    let len = times.len() as u64;
    let sum = |times: &[Nanos]| times.iter().fold(0u64, |sum, time| sum.saturating_add(*time));
    let rounds = sum(times).saturating_mul(u64::from(count) / len);
    let begin = u64::from(first) % len;
    let rest = u64::from(count) % len;
    let some = (begin..begin + rest).map(|at| times[(at % len) as usize]);
    some.fold(rounds, |sum, time| sum.saturating_add(time))
}
