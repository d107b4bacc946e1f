//! Units and jobs as they are given, also in mid-run.

use super::{Edge, EdgeKind, Image, Job, JobSpec, Model, Refused, Unit, UnitSpec, UnitState};

impl Model {
    /// Adds a unit, which is up. Its index is the number of units that were there before.
    pub fn add_unit(&mut self, spec: UnitSpec) -> Result<(), Refused> {
        self.units.push(Unit {
            spec,
            state: UnitState::Up,
            resident: Vec::new(),
            model_released: vec![None; self.models.len()],
            busy: 0,
            last_release: None,
        });
        Ok(())
    }

    /// Adds a job, which has yet to arrive. Its index is the number of jobs that were there
    /// before; its edges name such jobs.
    ///
    /// A job whose upstream has ended badly is skipped at once. A `depth` can't be put on an
    /// upstream that has arrived: what is ready to start must stay so (section 2).
    pub fn submit(&mut self, spec: JobSpec, edges: Vec<Edge>) -> Result<(), Refused> {
        self.check_spec(&spec)?;
        for edge in &edges {
            self.check_edge(&spec, edge)?;
        }
        self.jobs.push(Job {
            images: vec![Image::Waiting; spec.images as usize],
            spec,
            edges,
            arrived: false,
            fed: 0,
            taken: 0,
            attempts: 0,
            faults: 0,
            old_ticket: None,
            entry: None,
            ending: None,
            ended: None,
            removed: false,
        });
        self.settle(None);
        Ok(())
    }

    /// Forgets a job that has ended: nothing can name it any more.
    pub fn remove(&mut self, job: usize) -> Result<(), Refused> {
        let slot = self.jobs.get_mut(job).filter(|job| !job.removed);
        let slot = slot.ok_or(Refused::NoSuchJob)?;
        if slot.ended.is_none() {
            return Err(Refused::JobNotEnded);
        }
        slot.removed = true;
        Ok(())
    }

    /// Section 1: counts are at least 1, and no start goes beyond the window.
    fn check_spec(&self, spec: &JobSpec) -> Result<(), Refused> {
        let counts = [spec.batch, spec.inflight, spec.threads, spec.gpus];
        let names_model = spec.model.is_none_or(|model| model < self.models.len());
        let names_stream = spec.stream.is_none_or(|stream| stream < self.streams.len());
        let within_window =
            !spec.is_image_grain() || spec.batch.saturating_mul(spec.inflight) <= 64;
        let fits_u32 = spec.images <= u64::from(u32::MAX);
        let has_time = spec.timeout != Some(0);
        let counts = counts.iter().all(|&count| count > 0);
        match counts && names_model && names_stream && within_window && fits_u32 && has_time {
            true => Ok(()),
            false => Err(Refused::BadSpec),
        }
    }

    /// Section 1: a stream edge needs equal `images` at both ends.
    fn check_edge(&self, spec: &JobSpec, edge: &Edge) -> Result<(), Refused> {
        let upstream = self.jobs.get(edge.upstream).filter(|upstream| !upstream.removed);
        let upstream = upstream.ok_or(Refused::BadEdge)?;
        let joins = match edge.kind {
            EdgeKind::Barrier(_) => true,
            EdgeKind::Stream { depth } => {
                let bounds_in_mid_run = depth > 0 && upstream.arrived && upstream.ended.is_none();
                spec.images == upstream.spec.images && !bounds_in_mid_run
            }
        };
        if joins { Ok(()) } else { Err(Refused::BadEdge) }
    }
}
