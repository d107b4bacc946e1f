//! What the rules are given, and what they answer: plain data.

/// Nanoseconds from the start of the line.
pub type Time = u64;

/// The number of a lease: leases are counted in the order of their grants, from 0.
pub type LeaseIndex = usize;

/// What kind of place a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Place {
    #[default]
    Cuda,
    Vulkan,
    Cpu,
}

/// Whether a unit takes leases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitState {
    /// It takes leases.
    Up,
    /// It takes no new ones.
    Draining,
    /// It is lost.
    Down,
}

/// Section 1: a job's `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Kind {
    #[default]
    Standard,
    Legacy,
}

/// Section 1: a job's `phase`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Phase {
    Train,
    #[default]
    Process,
}

/// Section 1: what places a job can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Needs {
    /// CUDA or Vulkan.
    #[default]
    Gpu,
    /// Only CUDA.
    Cuda,
    /// Only Vulkan.
    Vulkan,
    /// Only a CPU place.
    Cpu,
    /// Whatever there is.
    Any,
}

/// Section 3: the policy `order`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Order {
    #[default]
    StandardFirst,
    Fifo,
    OldestImage,
    CriticalPath,
}

/// Section 4: the policy `placement`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Placement {
    #[default]
    Fit,
    Balance,
    Rotate,
    Pack,
}

/// Section 4: the policy `pool`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pool {
    /// Models stay on a unit until they are evicted.
    #[default]
    Keep,
    /// A model leaves with the last lease that uses it.
    Free,
}

/// Section 4: whether a job may go to CPU places instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Fallback {
    #[default]
    Forbid,
    Allow,
}

/// `[policy]`, but for `fallback`, which is part of each job's spec once it is effective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The order of the queue.
    pub order: Order,
    /// The order of the units.
    pub placement: Placement,
    /// How often a blocked entry's shape may be overtaken.
    pub overtake: u64,
    /// How long an entry waits before it comes first.
    pub patience: Option<Time>,
    /// What becomes of models between leases.
    pub pool: Pool,
    /// The percentage of memory that is not given out; not on CPU places.
    pub headroom: u64,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            order: Order::default(),
            placement: Placement::default(),
            overtake: 16,
            patience: None,
            pool: Pool::default(),
            headroom: 10,
        }
    }
}

/// A unit, as it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitSpec {
    /// CUDA, Vulkan, or CPU.
    pub place: Place,
    /// In bytes, before headroom.
    pub memory: u64,
    /// Leases at once.
    pub slots: u64,
    /// The MIG profile, if the unit is a slice.
    pub profile: Option<String>,
}

impl Default for UnitSpec {
    fn default() -> UnitSpec {
        UnitSpec { place: Place::default(), memory: 0, slots: 1, profile: None }
    }
}

/// `[[model]]`: what stays loaded on a unit between leases.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelSpec {
    /// In bytes.
    pub weights: u64,
}

/// `[[stream]]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamSpec {
    /// Leases at once over all jobs that name it.
    pub limit: Option<u64>,
}

/// A job, as it is given: what the rules need of it. What it lasts is the caller's business.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct JobSpec {
    pub kind: Kind,
    pub phase: Phase,
    /// N.
    pub images: u64,
    pub batch: u64,
    pub inflight: u64,
    pub threads: u64,
    pub priority: i8,
    pub memory: u64,
    pub gpus: u64,
    pub needs: Needs,
    pub profile: Option<String>,
    pub model: Option<usize>,
    pub stream: Option<usize>,
    pub timeout: Option<Time>,
    pub retries: u64,
    /// Effective: the job's own, else the policy's.
    pub fallback: Fallback,
    /// path(j) of section 3, for the order `critical-path`.
    pub path: Time,
}

impl Default for JobSpec {
    fn default() -> JobSpec {
        JobSpec {
            kind: Kind::default(),
            phase: Phase::default(),
            images: 1,
            batch: 1,
            inflight: 1,
            threads: 1,
            priority: 0,
            memory: 0,
            gpus: 1,
            needs: Needs::default(),
            profile: None,
            model: None,
            stream: None,
            timeout: None,
            retries: 0,
            fallback: Fallback::default(),
            path: 0,
        }
    }
}

impl JobSpec {
    /// Section 1: the grain is image if the job is legacy and process, otherwise whole.
    pub fn is_image_grain(&self) -> bool {
        self.kind == Kind::Legacy && self.phase == Phase::Process
    }
}

/// Which end of an upstream a barrier waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum On {
    /// Only that it is done.
    #[default]
    Success,
    /// Any.
    End,
}

/// How an edge lets images through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeKind {
    /// All of them, once the upstream has ended so.
    Barrier(On),
    /// Image by image; always on success.
    Stream {
        /// 0 is unbounded.
        depth: u64,
    },
}

/// What a job waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// An earlier job.
    pub upstream: usize,
    /// Barrier or stream.
    pub kind: EdgeKind,
}

impl Edge {
    /// Whether the downstream is skipped if the upstream doesn't end as done.
    pub(super) fn is_on_success(&self) -> bool {
        self.kind != EdgeKind::Barrier(On::End)
    }
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum State {
    Done,
    Failed,
    Cancelled,
    Skipped,
}

/// Why a job ended so: the `cause` of an `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndCause {
    /// Of `done`.
    None,
    /// Of `failed`: it reported so.
    Error,
    /// Of `failed`: a deadline passed.
    Timeout,
    /// Of `failed`: too many units were lost under it.
    Device,
    /// Of `cancelled`.
    Cancel,
    /// Of `skipped`: the upstream that ended otherwise than done.
    Upstream(usize),
}

/// Why a lease is revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Cause {
    Timeout,
    Cancel,
    Skipped,
    Failed,
    Device,
    Circle,
}

/// One line of the trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub t: Time,
    /// What.
    pub what: What,
}

/// What happened (section 7).
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum What {
    Ready {
        job: usize,
        ticket: u64,
    },
    Evict {
        unit: usize,
        model: usize,
    },
    Grant {
        job: usize,
        lease: LeaseIndex,
        units: Vec<usize>,
        ticket: u64,
        cold: bool,
        fallback: bool,
    },
    Start {
        job: usize,
        lease: LeaseIndex,
        first: u64,
        count: u64,
    },
    Done {
        job: usize,
        lease: LeaseIndex,
        first: u64,
        count: u64,
    },
    Fail {
        job: usize,
        lease: LeaseIndex,
        first: u64,
        count: u64,
    },
    Revoke {
        job: usize,
        lease: LeaseIndex,
        cause: Cause,
    },
    Release {
        job: usize,
        lease: LeaseIndex,
        units: Vec<usize>,
    },
    End {
        job: usize,
        state: State,
        cause: EndCause,
    },
    Unit {
        unit: usize,
        state: UnitState,
    },
}

/// Why a call was refused. It has changed nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refused {
    /// No unit has this index.
    NoSuchUnit,
    /// No job has this index.
    NoSuchJob,
    /// No lease has this number.
    NoSuchLease,
    /// The lease is over.
    LeaseOver,
    /// The lease is revoked: all it can do is be given back.
    LeaseRevoked,
    /// The lease isn't revoked: there is nothing to give back.
    LeaseNotRevoked,
    /// The lease is starved: nothing that could finish or fail is in flight.
    NothingInFlight,
    /// The lease's deadline has not come, or it has none.
    NotDue,
    /// The job has ended.
    JobEnded,
    /// The job has not ended: it can't be removed.
    JobNotEnded,
    /// The job arrived before.
    AlreadyArrived,
    /// The job has not arrived: it can't be fed yet.
    NotArrived,
    /// The job would be fed more images than it has.
    FedInFull,
    /// The job's spec says what no job can be.
    BadSpec,
    /// An edge names no earlier job, or joins what can't be joined.
    BadEdge,
}
