//! What goes in: plain data, all fields public.

use crate::id::{JobId, ModelId, ProfileId, StreamId};

/// Nanoseconds: a span, or an instant counted from the start of the line.
pub type Nanos = u64;

/// How a line is allocated (semantics, section 3 and 4).
///
/// ```
/// use lineside_core::{Order, Policy};
/// let policy = Policy { order: Order::Fifo, ..Policy::default() };
/// assert_eq!(policy.overtake, 16);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Policy {
    /// The order of the queue.
    pub order: Order,
    /// The order of the units.
    pub placement: Placement,
    /// How often a blocked shape may be overtaken before what it could use is withheld.
    pub overtake: u32,
    /// After this long in the queue an entry comes before all that are younger.
    pub patience: Option<Nanos>,
    /// Whether models stay loaded between leases.
    pub pool: Pool,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            order: Order::StandardFirst,
            placement: Placement::Fit,
            overtake: 16,
            patience: None,
            pool: Pool::Keep,
        }
    }
}

/// The order of the queue; every order looks at the priority first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Order {
    /// Standard before legacy, then the lower ticket.
    StandardFirst,
    /// The lower ticket.
    Fifo,
    /// Standard before legacy, then the lower head image, then the lower ticket.
    OldestImage,
    /// The longer path, then the lower ticket.
    CriticalPath,
}

/// The order of the units; a unit where the job's model is resident comes first in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Placement {
    /// Least memory left over, then least busy time.
    Fit,
    /// Least busy time.
    Balance,
    /// Longest since the last release; never released first of all.
    Rotate,
    /// Most leases now, then least memory left over.
    Pack,
}

/// Whether models stay loaded between leases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Pool {
    /// A model stays until the room is needed.
    Keep,
    /// A model leaves with the last lease that uses it.
    Free,
}

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Place {
    /// An NVIDIA GPU, or a MIG slice of one.
    Cuda,
    /// A GPU reached through Vulkan.
    Vulkan,
    /// The CPU.
    Cpu,
}

/// Something that can be leased.
///
/// ```
/// use lineside_core::{Place, UnitSpec};
/// let unit = UnitSpec { place: Place::Cuda, budget: 8 << 30, slots: 1, profile: None };
/// assert_eq!(unit.slots, 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UnitSpec {
    /// Its place.
    pub place: Place,
    /// Bytes that may be leased at once.
    pub budget: u64,
    /// Leases at once; at least 1.
    pub slots: u32,
    /// The MIG profile, if it is a slice.
    pub profile: Option<ProfileId>,
}

/// What stays loaded on a unit between leases.
///
/// ```
/// let model = lineside_core::ModelSpec { weights: 1 << 30 };
/// assert_eq!(model.weights, 1_073_741_824);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ModelSpec {
    /// Bytes while it is resident.
    pub weights: u64,
}

/// A bound on leases over all jobs that name it.
///
/// ```
/// let stream = lineside_core::StreamSpec { limit: Some(2) };
/// assert!(stream.limit.is_some());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StreamSpec {
    /// Leases at once; none is no bound.
    pub limit: Option<u32>,
}

/// Standard or legacy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// Holds its units to the last image.
    Standard,
    /// Hands them back after each start, if it processes.
    Legacy,
}

/// Training or processing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Phase {
    /// Training holds to the end, whatever the kind.
    Train,
    /// Processing.
    Process,
}

/// Which places will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Needs {
    /// CUDA or Vulkan.
    Gpu,
    /// CUDA.
    Cuda,
    /// Vulkan.
    Vulkan,
    /// The CPU.
    Cpu,
    /// Any.
    Any,
}

/// What a job that needs a GPU does while too few are up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Fallback {
    /// It waits.
    Forbid,
    /// It may run on the CPU.
    Allow,
}

/// One run of one tool over its images.
///
/// ```
/// use lineside_core::{JobSpec, Kind};
/// let job = JobSpec { kind: Kind::Legacy, images: 3, ..JobSpec::default() };
/// assert!(job.image_grain());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JobSpec {
    /// Standard or legacy.
    pub kind: Kind,
    /// Training or processing.
    pub phase: Phase,
    /// N.
    pub images: u32,
    /// Images a start at most; at least 1.
    pub batch: u32,
    /// Leases at once; at least 1. Whole grain: 1 is used.
    pub inflight: u32,
    /// Leases at once on one unit; at least 1.
    pub threads: u32,
    /// Higher is sooner.
    pub priority: i8,
    /// Bytes, besides the model's weights.
    pub memory: u64,
    /// Units a lease; at least 1.
    pub gpus: u32,
    /// Which places will do.
    pub needs: Needs,
    /// Only slices of this profile.
    pub profile: Option<ProfileId>,
    /// The model it uses.
    pub model: Option<ModelId>,
    /// The stream it counts in.
    pub stream: Option<StreamId>,
    /// How long one start may take; at least 1 ns.
    pub timeout: Option<Nanos>,
    /// Failures in a row that are forgiven.
    pub retries: u32,
    /// What to do while too few GPUs are up.
    pub fallback: Fallback,
    /// The longest way to the end of the line, for [`Order::CriticalPath`].
    pub path: Nanos,
}

impl JobSpec {
    /// Each lease lasts for one start; otherwise one lease lasts from the first image to the last.
    pub fn image_grain(&self) -> bool {
        self.kind == Kind::Legacy && self.phase == Phase::Process
    }
}

impl Default for JobSpec {
    fn default() -> Self {
        JobSpec {
            kind: Kind::Standard,
            phase: Phase::Process,
            images: 1,
            batch: 1,
            inflight: 1,
            threads: 1,
            priority: 0,
            memory: 0,
            gpus: 1,
            needs: Needs::Gpu,
            profile: None,
            model: None,
            stream: None,
            timeout: None,
            retries: 0,
            fallback: Fallback::Forbid,
            path: 0,
        }
    }
}

/// What a job waits for. It can only name jobs that exist, so there is no circle of edges.
///
/// ```
/// use lineside_core::{Edge, JobId, Mode};
/// let detect = JobId { index: 0, generation: 0 };
/// let edge = Edge::stream(detect, 4);
/// assert_eq!(edge.mode, Mode::Stream { depth: 4 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Edge {
    /// Whom it waits for.
    pub upstream: JobId,
    /// How.
    pub mode: Mode,
}

impl Edge {
    /// All of the upstream, done.
    pub fn barrier(upstream: JobId) -> Self {
        Edge { upstream, mode: Mode::Barrier { on: On::Success } }
    }

    /// Image by image, `depth` ahead at most (0: no bound).
    pub fn stream(upstream: JobId, depth: u32) -> Self {
        Edge { upstream, mode: Mode::Stream { depth } }
    }
}

/// The mode of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mode {
    /// The upstream must have ended.
    Barrier {
        /// Which ends will do.
        on: On,
    },
    /// Image k waits for image k; both jobs have equally many, and the upstream must succeed.
    Stream {
        /// How many images the upstream may be ahead; 0 is no bound.
        depth: u32,
    },
}

/// Which ends of an upstream satisfy a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum On {
    /// Only done.
    Success,
    /// Any.
    End,
}
