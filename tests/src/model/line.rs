//! A line, as it was read and checked: what `simulate` runs.

use super::{Edge, JobSpec, Model, ModelSpec, Policy, StreamSpec, Time, UnitSpec};

/// A checked line file. Everything is named by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// `[policy]`.
    pub policy: Policy,
    /// `[[model]]`, in file order.
    pub models: Vec<ModelSpec>,
    /// How much longer the first start of a cold lease takes, by model.
    pub cold: Vec<Time>,
    /// `[[stream]]`, in file order.
    pub streams: Vec<StreamSpec>,
    /// Units, in file order; a device with `mig` stands as its slices.
    pub units: Vec<UnitSpec>,
    /// Jobs, by the index of section 1.
    pub jobs: Vec<LineJob>,
    /// `[[fault]]`, in file order; of a device with slices, one a slice.
    pub faults: Vec<Fault>,
    /// What the trace calls them.
    pub names: Names,
}

/// The names of a line's parts, by index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub struct Names {
    pub units: Vec<String>,
    pub jobs: Vec<String>,
    pub models: Vec<String>,
}

/// A job, and the times that are the simulator's business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineJob {
    /// What the rules need.
    pub spec: JobSpec,
    /// What it waits for, in the order of `after`.
    pub edges: Vec<Edge>,
    /// When it arrives.
    pub arrive: Time,
    /// Image k is fed at `arrive` + k × this; all at once if `None`.
    pub every: Option<Time>,
    /// Image k takes entry k mod length.
    pub time: Vec<Time>,
    /// The same on a CPU place, where it differs.
    pub cpu_time: Option<Vec<Time>>,
    /// Once per lease.
    pub startup: Time,
    /// Starts that are to fail.
    pub inject: Vec<Inject>,
}

/// An entry of `inject`: `times` starts that hold `image` fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Inject {
    pub image: u64,
    pub times: u64,
}

/// An entry of `[[fault]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Fault {
    pub at: Time,
    pub event: FaultEvent,
}

/// What a fault does: to the unit, or to the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FaultEvent {
    Down(usize),
    Up(usize),
    Drain(usize),
    Cancel(usize),
}

impl Line {
    /// The reference model with all of the line's units and jobs in it, at time 0.
    pub fn model(&self) -> Model {
        let mut model = Model::new(self.policy.clone(), self.models.clone(), self.streams.clone());
        for unit in &self.units {
            model.add_unit(unit.clone()).expect("any unit can be added");
        }
        for job in &self.jobs {
            model.submit(job.spec.clone(), job.edges.clone()).expect("the line was checked");
        }
        model
    }
}
