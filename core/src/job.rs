//! What the application says: jobs, their arrival, their images, their end.

use crate::error::{AddError, InputError, Table};
use crate::event::{Event, Outcome, RevokeCause};
use crate::id::{JobId, NONE};
use crate::scheduler::{Demand, Scheduler};
use crate::slot::{EdgeSlot, JobSlot, LaneSlot, Stage};
use crate::spec::{Edge, JobSpec, Mode, Nanos, On, Order};

impl JobSlot {
    /// Leases that it can hold at once in its life.
    pub(crate) fn most_leases(&self) -> u64 {
        u64::from(self.images.min(self.inflight.into()))
    }
}

impl Scheduler<'_> {
    /// Takes a job; it waits until it [`arrive`](Self::arrive)s. Its index in the rules is the
    /// count of jobs submitted before it. O(edges + log shapes).
    ///
    /// # Errors
    ///
    /// [`AddError`] says what is wrong with it, or which table is full.
    pub fn submit(
        &mut self,
        now: Nanos,
        spec: &JobSpec,
        edges: &[Edge],
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) -> Result<JobId, AddError> {
        self.check(spec)?;
        for (at, edge) in edges.iter().enumerate() {
            self.check_edge(spec, at as u32, edge)?;
        }
        if edges.len() > self.free.edges_left as usize {
            return Err(AddError::Full(Table::Edges));
        }
        if self.free.jobs == NONE && self.used.jobs as usize >= self.tables.jobs.len() {
            return Err(AddError::Full(Table::Jobs));
        }
        let slot = JobSlot::new(spec);
        let holds = self.demand.holds + slot.most_leases() * u64::from(spec.gpus);
        let demand = Demand { holds, ..self.demand };
        self.check_demand(demand)?;
        let lane = self.lane_for(spec)?;
        // Nothing below can fail.
        self.set_clock(now);
        self.demand = demand;
        let job = self.add_job(slot, lane);
        if self.policy.order == Order::CriticalPath {
            self.job_mut(job).rank = Nanos::MAX - spec.path;
        }
        for edge in edges {
            self.add_edge(job, edge);
        }
        if self.job(job).skipped_by != NONE {
            self.settle_one(job, out);
        }
        Ok(self.job_id(job))
    }

    /// A job arrives, with this many of its images.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`], [`InputError::Ended`], [`InputError::Arrived`], or
    /// [`InputError::FedInFull`] if it has fewer images.
    pub fn arrive(
        &mut self,
        now: Nanos,
        job: JobId,
        images: u32,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) -> Result<(), InputError> {
        let at = self.find_job(job)?;
        match self.job(at).stage {
            Stage::Held if images <= self.job(at).images => {}
            Stage::Held => return Err(InputError::FedInFull),
            Stage::Arrived | Stage::Ending => return Err(InputError::Arrived),
            Stage::Free | Stage::Ended => return Err(InputError::Ended),
        }
        // Nothing below can fail.
        self.set_clock(now);
        let slot = self.job_mut(at);
        slot.stage = Stage::Arrived;
        slot.fed = images;
        self.settle_one(at, out);
        Ok(())
    }

    /// One more image of a job is there.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`], [`InputError::Ended`], [`InputError::NotArrived`] or
    /// [`InputError::FedInFull`].
    pub fn feed(
        &mut self,
        now: Nanos,
        job: JobId,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) -> Result<(), InputError> {
        let at = self.find_job(job)?;
        let slot = self.job(at);
        match slot.stage {
            Stage::Arrived | Stage::Ending if slot.fed < slot.images => {}
            Stage::Arrived | Stage::Ending => return Err(InputError::FedInFull),
            Stage::Held => return Err(InputError::NotArrived),
            Stage::Free | Stage::Ended => return Err(InputError::Ended),
        }
        // Nothing below can fail.
        self.set_clock(now);
        self.job_mut(at).fed += 1;
        self.settle_one(at, out);
        Ok(())
    }

    /// Cancels a job, whether it has arrived or not. One whose outcome is known goes on ending.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] or [`InputError::Ended`].
    pub fn cancel(
        &mut self,
        now: Nanos,
        job: JobId,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) -> Result<(), InputError> {
        let at = self.find_job(job)?;
        if self.job(at).stage == Stage::Ended {
            return Err(InputError::Ended);
        }
        // Nothing below can fail.
        self.set_clock(now);
        if self.job(at).is_over() {
            return Ok(());
        }
        self.end_badly(at, Outcome::Cancelled, RevokeCause::Cancel, out);
        self.settle(out);
        Ok(())
    }

    /// Forgets a job that has ended, so that its slot and edges can be used again. Its id is stale
    /// from then on.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`], or [`InputError::NotEnded`].
    pub fn remove(&mut self, job: JobId) -> Result<(), InputError> {
        let at = self.find_job(job)?;
        if self.job(at).stage != Stage::Ended {
            return Err(InputError::NotEnded);
        }
        // Nothing below can fail.
        self.drop_edges_in(at);
        for first in [self.job(at).barriers_out, self.job(at).streams_out] {
            let mut next = first;
            while next != NONE {
                let edge = &mut self.tables.edges[next as usize];
                edge.from = NONE;
                next = core::mem::replace(&mut edge.next_out, NONE);
            }
        }
        self.tables.lanes[self.job(at).lane as usize].jobs -= 1;
        let free = self.free.jobs;
        let slot = self.job_mut(at);
        let generation = slot.generation.wrapping_add(1);
        *slot = JobSlot { generation, next: free, ..JobSlot::EMPTY };
        self.free.jobs = at;
        Ok(())
    }

    fn check(&self, spec: &JobSpec) -> Result<(), AddError> {
        let counts = [
            (spec.batch, "batch"),
            (spec.inflight, "inflight"),
            (spec.threads, "threads"),
            (spec.gpus, "gpus"),
        ];
        for (count, name) in counts {
            if count == 0 {
                return Err(AddError::Zero(name));
            }
        }
        if spec.timeout == Some(0) {
            return Err(AddError::Zero("timeout"));
        }
        let window = u64::from(spec.batch) * u64::from(spec.inflight);
        if spec.image_grain() && window > u64::from(crate::ready::WINDOW) {
            return Err(AddError::Window);
        }
        if spec.model.is_some_and(|model| model.0 >= self.used.models) {
            return Err(AddError::Model);
        }
        if spec.stream.is_some_and(|stream| stream.0 >= self.used.streams) {
            return Err(AddError::Stream);
        }
        Ok(())
    }

    fn check_edge(&self, spec: &JobSpec, at: u32, edge: &Edge) -> Result<(), AddError> {
        let upstream = self.find_job(edge.upstream).map_err(|_| AddError::Upstream(at))?;
        let JobSlot { images, stage, .. } = *self.job(upstream);
        match edge.mode {
            Mode::Stream { .. } if images != spec.images => Err(AddError::UnequalImages(at)),
            // What is ready stays ready (semantics, section 2).
            Mode::Stream { depth }
                if depth > 0 && matches!(stage, Stage::Arrived | Stage::Ending) =>
            {
                Err(AddError::DepthTooLate(at))
            }
            Mode::Stream { .. } | Mode::Barrier { .. } => Ok(()),
        }
    }

    fn add_job(&mut self, slot: JobSlot, lane: u32) -> u32 {
        let at = match self.free.jobs {
            NONE => {
                self.used.jobs += 1;
                self.used.jobs - 1
            }
            free => {
                self.free.jobs = self.job(free).next;
                free
            }
        };
        let LaneSlot { group, shape, .. } = self.tables.lanes[lane as usize];
        let generation = self.job(at).generation;
        let sequence = self.next_sequence;
        *self.job_mut(at) = JobSlot { lane, shape, group, generation, sequence, ..slot };
        self.next_sequence += 1;
        self.tables.lanes[lane as usize].jobs += 1;
        at
    }

    fn add_edge(&mut self, job: u32, edge: &Edge) {
        let at = match self.free.edges {
            NONE => {
                self.used.edges += 1;
                self.used.edges - 1
            }
            free => {
                self.free.edges = self.tables.edges[free as usize].next_in;
                free
            }
        };
        self.free.edges_left -= 1;
        let from = edge.upstream.index;
        let next_in = core::mem::replace(&mut self.job_mut(job).edges_in, at);
        let upstream = &mut self.tables.jobs[from as usize];
        let outcome = upstream.outcome.filter(|_| upstream.stage == Stage::Ended);
        let (stream, depth, needs_success) = match edge.mode {
            Mode::Stream { depth } => (true, depth, true),
            Mode::Barrier { on } => (false, 0, on == On::Success),
        };
        let out = if stream { &mut upstream.streams_out } else { &mut upstream.barriers_out };
        let next_out = core::mem::replace(out, at);
        if next_out != NONE {
            self.tables.edges[next_out as usize].prev_out = at;
        }
        let satisfied = !stream && outcome.is_some_and(|it| !needs_success || it == Outcome::Done);
        self.tables.edges[at as usize] = EdgeSlot {
            from,
            to: job,
            next_in,
            next_out,
            prev_out: NONE,
            depth,
            stream,
            needs_success,
            satisfied,
        };
        let slot = self.job_mut(job);
        slot.streams_in |= stream;
        slot.barriers += u32::from(!stream && !satisfied);
        if needs_success && outcome.is_some_and(|outcome| outcome != Outcome::Done) {
            self.skip(job, from);
        }
    }

    /// Frees the edges into a job, and takes them out of their upstreams' lists.
    fn drop_edges_in(&mut self, job: u32) {
        let mut next = self.job(job).edges_in;
        while next != NONE {
            let at = next;
            let EdgeSlot { from, stream, next_in, .. } = self.tables.edges[at as usize];
            next = next_in;
            if from != NONE {
                self.unlink_out(from, at, stream);
            }
            self.tables.edges[at as usize] =
                EdgeSlot { next_in: self.free.edges, ..EdgeSlot::EMPTY };
            self.free.edges = at;
            self.free.edges_left += 1;
        }
    }

    fn unlink_out(&mut self, from: u32, edge: u32, stream: bool) {
        let EdgeSlot { next_out, prev_out, .. } = self.tables.edges[edge as usize];
        let slot = &mut self.tables.jobs[from as usize];
        match prev_out {
            NONE if stream => slot.streams_out = next_out,
            NONE => slot.barriers_out = next_out,
            before => self.tables.edges[before as usize].next_out = next_out,
        }
        if next_out != NONE {
            self.tables.edges[next_out as usize].prev_out = prev_out;
        }
    }
}

impl JobSlot {
    fn new(spec: &JobSpec) -> Self {
        JobSlot {
            stage: Stage::Held,
            image_grain: spec.image_grain(),
            images: spec.images,
            batch: spec.batch,
            // Of image grain the window has at most 64; of whole grain one is used.
            inflight: if spec.image_grain() { spec.inflight as u8 } else { 1 },
            threads: spec.threads.min(u8::MAX.into()) as u8,
            is_timed: spec.timeout.is_some(),
            timeout: spec.timeout.unwrap_or(Nanos::MAX),
            retries: spec.retries,
            ..JobSlot::EMPTY
        }
    }
}
