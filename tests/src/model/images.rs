//! Section 2: which image may start.

use super::{Edge, EdgeKind, Image, LeaseIndex, Model, On, State, What};

impl Model {
    /// The lowest image neither done nor in flight; N if there is none.
    pub(super) fn head(&self, job: usize) -> u64 {
        let images = &self.jobs[job].images;
        let waiting = images.iter().position(|&image| image == Image::Waiting);
        waiting.unwrap_or(images.len()) as u64
    }

    /// The number of leading images that are done.
    fn prefix(&self, job: usize) -> u64 {
        self.jobs[job].images.iter().take_while(|&&image| image == Image::Done).count() as u64
    }

    /// How many images of `job` one of its edges lets through.
    pub(super) fn given_by(&self, job: usize, edge: &Edge) -> u64 {
        let all = self.jobs[job].spec.images;
        let ended = self.jobs[edge.upstream].ended;
        match edge.kind {
            EdgeKind::Barrier(On::Success) if ended == Some(State::Done) => all,
            EdgeKind::Barrier(On::End) if ended.is_some() => all,
            EdgeKind::Barrier(On::Success | On::End) => 0,
            EdgeKind::Stream { .. } if ended == Some(State::Done) => all,
            EdgeKind::Stream { .. } => self.prefix(edge.upstream),
        }
    }

    /// available(v): the minimum over its edges, then with the images that were fed.
    fn available(&self, job: usize) -> u64 {
        let edges = &self.jobs[job].edges;
        let given = edges.iter().map(|edge| self.given_by(job, edge)).min();
        given.unwrap_or(self.jobs[job].spec.images).min(self.jobs[job].fed)
    }

    /// The downstreams whose back-pressure keeps image `k` of `job` from starting.
    pub(super) fn held_back_by(&self, job: usize, k: u64) -> Vec<usize> {
        let holds = |downstream: &usize| {
            let downstream = &self.jobs[*downstream];
            downstream.ended.is_none()
                && downstream.edges.iter().any(|edge| match edge.kind {
                    EdgeKind::Barrier(_) | EdgeKind::Stream { depth: 0 } => false,
                    EdgeKind::Stream { depth } => {
                        edge.upstream == job && k >= downstream.taken.saturating_add(depth)
                    }
                })
        };
        (0..self.jobs.len()).filter(holds).collect()
    }

    /// Whether image `k` of `job` passes the three tests.
    fn passes(&self, job: usize, k: u64) -> bool {
        let in_window = !self.jobs[job].is_image_grain() || k < self.prefix(job) + 64;
        k < self.available(job) && self.held_back_by(job, k).is_empty() && in_window
    }

    /// Whether the job has an image that may start now.
    pub(super) fn can_start(&self, job: usize) -> bool {
        let head = self.head(job);
        head < self.jobs[job].spec.images && self.passes(job, head)
    }

    /// Starts *head*, and as many images directly after it as the batch and the tests allow.
    pub(super) fn start(&mut self, lease: LeaseIndex) {
        let job = self.leases[lease].job;
        let first = self.head(job);
        let starts =
            |k: &u64| self.jobs[job].images[*k as usize] == Image::Waiting && self.passes(job, *k);
        let end = self.jobs[job].spec.images.min(first.saturating_add(self.jobs[job].spec.batch));
        let count = (first..end).take_while(starts).count() as u64;
        assert!(count > 0, "only a job that can start an image is started");

        self.mark(job, (first, count), Image::InFlight);
        self.jobs[job].taken = self.jobs[job].taken.max(first + count);
        self.leases[lease].in_flight = Some((first, count));
        // Section 5, expire: the time of the last start + `timeout`.
        let timeout = self.jobs[job].spec.timeout;
        self.leases[lease].deadline = timeout.map(|timeout| self.now.saturating_add(timeout));
        self.emit(What::Start { job, lease, first, count });
    }

    /// Puts the images of a start into a state.
    pub(super) fn mark(&mut self, job: usize, (first, count): (u64, u64), state: Image) {
        self.jobs[job].images[first as usize..(first + count) as usize].fill(state);
    }
}
