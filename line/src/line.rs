//! What a line file says, once it has been checked.
//!
//! All that could be wrong was refused: names are indexes, jobs stand in order, and each fits.

use std::collections::BTreeMap;

pub use crate::setting::Setting;

use crate::program::Program;

/// A checked line: what `lineside plan` plans and `lineside run` runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// `[line] name`, for people.
    pub name: Option<String>,
    /// `[line] description`, for people.
    pub description: Option<String>,
    /// `[line] files`: globs of further files that belong to the line.
    pub files: Vec<String>,
    /// `[policy]`, with its defaults.
    pub policy: Policy,
    /// `[[face]]`, in file order.
    pub faces: Vec<Face>,
    /// `[[hardware]]`, in file order.
    pub hardware: Vec<Hardware>,
    /// Units in file order; a device with `mig` stands as its slices.
    pub units: Vec<Unit>,
    /// `[[model]]`, in file order.
    pub models: Vec<Model>,
    /// `[[stream]]`, in file order.
    pub streams: Vec<Stream>,
    /// MIG profile names in use; [`Unit::profile`] and [`Job::profile`] point here.
    pub profiles: Vec<String>,
    /// Jobs in the order of the rules: topological, first declared first (section 1).
    pub jobs: Vec<Job>,
    /// `[[fault]]`, in file order; a device with slices stands as one fault a slice.
    pub faults: Vec<Fault>,
}

/// `[policy]`: how this line is allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// The order of the queue.
    pub order: Order,
    /// The order of the units.
    pub placement: Placement,
    /// How often a blocked shape may be overtaken before its candidates are withheld.
    pub overtake: u32,
    /// After this long in the queue (nanoseconds) an entry comes before all younger ones.
    pub patience: Option<u64>,
    /// What a job without a `fallback` of its own does.
    pub fallback: Fallback,
    /// Whether models stay loaded between leases.
    pub pool: Pool,
    /// Percentage of a device's memory that is never leased; 0 to 100.
    pub headroom: u8,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            order: Order::StandardFirst,
            placement: Placement::Fit,
            overtake: 16,
            patience: None,
            fallback: Fallback::Forbid,
            pool: Pool::Keep,
            headroom: 10,
        }
    }
}

/// Policy `order`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Priority, standard before legacy, ticket.
    StandardFirst,
    /// Priority, ticket.
    Fifo,
    /// Priority, standard before legacy, lowest head image, ticket.
    OldestImage,
    /// Priority, longest path, ticket.
    CriticalPath,
}

/// Policy `placement`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Least memory left over.
    Fit,
    /// Least busy time.
    Balance,
    /// Longest since its last release.
    Rotate,
    /// Most leases now.
    Pack,
}

/// Policy and job key `fallback`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// A job that wants a GPU waits for one.
    Forbid,
    /// A job that wants a GPU may run on a CPU place while too few GPUs are up.
    Allow,
}

/// Policy `pool`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// Models stay resident until evicted.
    Keep,
    /// A model leaves its unit with the last lease that uses it there.
    Free,
}

/// Device key `place`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// An NVIDIA GPU, or a MIG slice of one.
    Cuda,
    /// A GPU reached through Vulkan compute.
    Vulkan,
    /// The CPU.
    Cpu,
}

/// Something that can be leased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// `gpu0`, or `gpu0/1` for a slice.
    pub name: String,
    /// The device's place.
    pub place: Place,
    /// Bytes of the device or slice, before headroom.
    pub memory: u64,
    /// Bytes that may be leased: memory less headroom (all of it on a CPU).
    pub budget: u64,
    /// Leases at once.
    pub slots: u32,
    /// Index into [`Line::profiles`], if this is a MIG slice.
    pub profile: Option<u32>,
    /// The `gpu` of the MIG table, if given.
    pub gpu: Option<String>,
    /// Which device of a machine is meant, for a run.
    pub wanted: Wanted,
}

/// Device keys `uuid`, `pci` and `card`: which device of a machine a unit is. None of them has any
/// influence on the rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// `GPU-...`, `MIG-...`, or a UUID without a prefix.
    pub uuid: Option<String>,
    /// As `0000:65:00.0`.
    pub pci: Option<String>,
    /// A pattern for the name of the card.
    pub card: Option<String>,
}

impl Wanted {
    /// Whether any device of the place will do.
    pub fn is_any(&self) -> bool {
        *self == Wanted::default()
    }
}

/// `[[model]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// Unique among models.
    pub name: String,
    /// Bytes while resident.
    pub weights: u64,
    /// Nanoseconds to load.
    pub cold: u64,
    /// Where its weights are, relative to the line file.
    pub file: Option<String>,
}

/// `[[stream]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// Unique among streams.
    pub name: String,
    /// Leases at once over all jobs that name it.
    pub limit: Option<u32>,
}

/// Job key `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Holds a unit to its last image.
    Standard,
    /// Hands it back after each start, if it processes.
    Legacy,
}

/// Job key `phase`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Training: always holds to the end.
    Train,
    /// Processing.
    Process,
}

/// Job key `needs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Needs {
    /// CUDA or Vulkan.
    Gpu,
    /// CUDA only.
    Cuda,
    /// Vulkan only.
    Vulkan,
    /// CPU only.
    Cpu,
    /// Any place.
    Any,
}

/// `[[job]]`, with its defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Unique among jobs.
    pub name: String,
    /// Standard or legacy.
    pub kind: Kind,
    /// Training or processing.
    pub phase: Phase,
    /// N, the number of images.
    pub images: u32,
    /// The files behind `images`, if it was a glob; as many as `images`, relative to the line file.
    pub files: Vec<String>,
    /// Images a start at most.
    pub batch: u32,
    /// Leases at once (1 for whole grain).
    pub inflight: u32,
    /// Leases at once on one unit.
    pub threads: u32,
    /// Higher is sooner.
    pub priority: i8,
    /// Bytes, besides the model's weights.
    pub memory: u64,
    /// Units a lease.
    pub gpus: u32,
    /// Which places will do.
    pub needs: Needs,
    /// Only slices of this profile: index into [`Line::profiles`].
    pub profile: Option<u32>,
    /// Index into [`Line::models`].
    pub model: Option<u32>,
    /// Index into [`Line::streams`].
    pub stream: Option<u32>,
    /// Edges from upstreams; each names a job that stands earlier in [`Line::jobs`].
    pub after: Vec<Edge>,
    /// Nanoseconds an image; image k takes entry k modulo length. Never empty.
    pub time: Vec<u64>,
    /// Nanoseconds once a lease.
    pub startup: u64,
    /// Replaces `time` when any unit of the lease is a CPU place.
    pub cpu_time: Option<Vec<u64>>,
    /// When the job arrives, nanoseconds.
    pub arrive: u64,
    /// Image k is fed at `arrive` + k × this; without it all are there on arrival.
    pub every: Option<u64>,
    /// Nanoseconds a start may take.
    pub timeout: Option<u64>,
    /// Failures in a row that are forgiven.
    pub retries: u32,
    /// Effective: the job's own, else the policy's.
    pub fallback: Fallback,
    /// Failures put in on purpose.
    pub inject: Vec<Inject>,
    /// The longest way to the end in nanoseconds: `startup` + all images + the longest downstream.
    pub path: u64,
    /// Position in the file among `[[job]]` tables, from 0.
    pub declared: u32,
    /// Index into [`Line::faces`], of a job that is there for a face.
    pub face: Option<u32>,
    /// What the job does when it is run; the rules do not look at it.
    pub action: Action,
}

/// `[[face]]`: one of the sides, or cameras, from which images come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Face {
    /// Unique among faces.
    pub name: String,
    /// Which images are its own.
    pub matching: Match,
}

/// `[[hardware]]`: a kind of box for which jobs have settings of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hardware {
    /// What it is known by; unique.
    pub name: String,
    /// It is the box that is here: its settings are those of the jobs of this line.
    pub is_here: bool,
}

/// `match` of a face.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// It does not say.
    Nothing,
    /// Images whose path, relative to the line file, matches this glob.
    Path(String),
    /// Images that arrive with these fields, each matching its glob.
    Fields(Vec<(String, String)>),
}

/// A job of which nothing is said but that it is there: every key at its default.
impl Default for Job {
    fn default() -> Self {
        Job {
            name: String::new(),
            kind: Kind::Standard,
            phase: Phase::Process,
            images: 1,
            files: Vec::new(),
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
            after: Vec::new(),
            time: vec![0],
            startup: 0,
            cpu_time: None,
            arrive: 0,
            every: None,
            timeout: None,
            retries: 0,
            fallback: Fallback::Forbid,
            inject: Vec::new(),
            path: 0,
            declared: 0,
            face: None,
            action: Action::None,
        }
    }
}

impl Line {
    /// The files of a job's images: its own, or those of the first upstream with as many images
    /// that has some.
    ///
    /// Takes time linear in the jobs upstream.
    ///
    /// # Panics
    ///
    /// If there is no such job.
    pub fn files_of(&self, job: u32) -> &[String] {
        // Edges point back, so every job is looked at once at most.
        let mut seen = vec![false; job as usize + 1];
        let mut open = vec![job];
        while let Some(at) = open.pop() {
            let job = &self.jobs[at as usize];
            if !job.files.is_empty() {
                return &job.files;
            }
            for edge in job.after.iter().rev() {
                let upstream = &self.jobs[edge.upstream as usize];
                let new = !std::mem::replace(&mut seen[edge.upstream as usize], true);
                if new && upstream.images == job.images {
                    open.push(edge.upstream);
                }
            }
        }
        &[]
    }
}

impl Job {
    /// Image grain: each lease lasts for one start. Otherwise one lease lasts for all images.
    pub fn image_grain(&self) -> bool {
        self.kind == Kind::Legacy && self.phase == Phase::Process
    }
}

/// One entry of `after`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Index into [`Line::jobs`].
    pub upstream: u32,
    /// Barrier or stream.
    pub mode: Mode,
    /// Images ahead at most over a stream edge; 0 is unbounded.
    pub depth: u32,
    /// Which ends of the upstream satisfy it.
    pub on: On,
}

/// Edge key `mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Waits for the whole upstream.
    Barrier,
    /// Image k waits for image k.
    Stream,
}

/// Edge key `on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// The upstream must end as done.
    Success,
    /// Any end will do.
    End,
}

/// One entry of `inject`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inject {
    /// The image whose start fails.
    pub image: u32,
    /// How many times.
    pub times: u32,
}

/// `[[fault]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Nanoseconds.
    pub at: u64,
    /// What happens.
    pub event: FaultEvent,
}

/// What a `[[fault]]` does, and to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultEvent {
    /// The unit is lost. Index into [`Line::units`].
    Down(u32),
    /// The unit is back.
    Up(u32),
    /// The unit takes no new leases.
    Drain(u32),
    /// The job is cancelled. Index into [`Line::jobs`].
    Cancel(u32),
}

/// What a job does, outside the rules.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Action {
    /// Nothing: only planned.
    #[default]
    None,
    /// `run = ["program", ...]`: a process for each start.
    Run(Program),
    /// `worker = ["program", ...]`: a process for each unit, kept from start to start.
    Worker(Program),
    /// `kernel = { tool = "...", ... }`: a built-in tool, with its settings; or, with `module` in
    /// place of `tool`, a kernel of the user's own.
    Kernel {
        /// The tool's name; `module` for a kernel of the user's own.
        tool: String,
        /// The other keys, for the tool to check.
        settings: BTreeMap<String, Setting>,
    },
}
