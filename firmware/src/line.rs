//! The line of `controller.toml`, as a controller without files has it.

use lineside_core::{
    JobSpec, Kind, ModelId, ModelSpec, Nanos, Place, Policy, StreamId, StreamSpec, UnitSpec,
};
use lineside_golden::Names;

/// How many jobs there are.
pub const JOBS: usize = 8;
/// How many units there are.
pub const UNITS: usize = 2;
/// How many edges there are.
pub const EDGES: usize = 16;
/// How many models there are.
pub const MODELS: usize = 2;

const MS: Nanos = 1_000_000;
const MIB: u64 = 1 << 20;

/// What units, jobs and models are called.
pub const NAMES: Names<'_> = Names {
    units: &["gpu0", "gpu1"],
    jobs: &["align", "find", "read", "measure", "colour", "grade", "judge", "log"],
    models: &["letters", "scratches"],
};

/// How the line is allocated.
pub fn policy() -> Policy {
    Policy { overtake: 2, patience: Some(40 * MS), ..Policy::default() }
}

/// The units.
pub const UNIT_SPECS: [UnitSpec; UNITS] = [unit(3_500 * MIB), unit(2_048 * MIB)];

const fn unit(budget: u64) -> UnitSpec {
    UnitSpec { place: Place::Cuda, budget, slots: 2, profile: None }
}

/// The models, and how long each takes to load.
pub const MODEL_SPECS: [(ModelSpec, Nanos); MODELS] =
    [(ModelSpec { weights: 1_024 * MIB }, 5 * MS), (ModelSpec { weights: 3_072 * MIB }, 8 * MS)];

/// The one stream.
pub const LIGHT: StreamSpec = StreamSpec { limit: Some(1) };

/// The unit that is lost, when, and when it is back.
pub const LOST: (u32, Nanos, Nanos) = (1, 31 * MS, 47 * MS);

/// From one image of the camera to the next; the first job is fed by it.
pub const EVERY: Nanos = 10 * MS;

/// Nanoseconds that each job takes: once a lease, and for an image.
pub const TIMES: [(Nanos, Nanos); JOBS] = [
    (0, 2 * MS),
    (0, 4 * MS),
    (0, 6 * MS),
    (0, 3 * MS),
    (0, 3 * MS),
    (0, 9 * MS),
    (0, MS),
    (MS, 5 * MS),
];

/// A way from one job to a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Image by image, so many ahead at most; 0 is no bound.
    Stream(u32),
    /// When it is done.
    Done,
    /// When it has ended.
    Ended,
}

/// The edges: into which job, out of which, how; by the first.
pub const WAYS: [(usize, usize, Way); EDGES] = [
    (1, 0, Way::Stream(3)),
    (2, 0, Way::Stream(0)),
    (2, 1, Way::Stream(2)),
    (3, 0, Way::Stream(0)),
    (3, 1, Way::Stream(0)),
    (4, 0, Way::Stream(0)),
    (4, 1, Way::Stream(0)),
    (5, 1, Way::Stream(0)),
    (5, 2, Way::Stream(0)),
    (5, 3, Way::Stream(0)),
    (6, 2, Way::Stream(0)),
    (6, 3, Way::Stream(0)),
    (6, 4, Way::Stream(0)),
    (6, 5, Way::Stream(0)),
    (7, 6, Way::Done),
    (7, 5, Way::Ended),
];

/// What each job needs.
pub fn spec(job: usize) -> JobSpec {
    let tool = JobSpec { kind: Kind::Legacy, images: 6, memory: 256 * MIB, ..JobSpec::default() };
    match job {
        1 => JobSpec { memory: 512 * MIB, batch: 2, ..tool },
        2 => JobSpec { model: Some(ModelId(0)), ..tool },
        3 => JobSpec { stream: Some(StreamId(0)), ..tool },
        4 => JobSpec { stream: Some(StreamId(0)), priority: 1, ..tool },
        5 => JobSpec {
            model: Some(ModelId(1)),
            inflight: 2,
            timeout: Some(16 * MS),
            retries: 1,
            ..tool
        },
        6 => JobSpec { memory: 0, ..tool },
        7 => JobSpec { images: 2, ..JobSpec::default() },
        _ => tool,
    }
}
