//! Section 3: the queue.

use super::{Entry, Kind, Model, Order, What};

impl Model {
    /// Whether a job is ready: it has arrived, has not ended, can start an image, and holds no
    /// lease (whole grain) or fewer than `inflight` (image grain).
    pub(super) fn is_ready(&self, job: usize) -> bool {
        let bound = match self.jobs[job].is_image_grain() {
            true => self.jobs[job].spec.inflight,
            false => 1,
        };
        self.jobs[job].arrived
            && self.jobs[job].is_live()
            && self.can_start(job)
            && (self.leases_of(job).len() as u64) < bound
    }

    /// Puts a ready job into the queue: under the next ticket, or an older one that is its due.
    pub(super) fn enqueue(&mut self, job: usize) {
        let ticket = match self.jobs[job].old_ticket.take() {
            Some(old) => old,
            None => {
                self.next_ticket += 1;
                self.next_ticket - 1
            }
        };
        let head = self.head(job);
        self.jobs[job].entry = Some(Entry { ticket, since: self.now, head });
        self.emit(What::Ready { job, ticket });
    }

    /// The jobs that have an entry, in the order of the queue.
    pub(super) fn queue(&self) -> Vec<usize> {
        let mut queued: Vec<(Rank, usize)> = Vec::new();
        for job in 0..self.jobs.len() {
            if let Some(entry) = self.jobs[job].entry {
                queued.push((self.rank(job, entry), job));
            }
        }
        queued.sort();
        queued.into_iter().map(|(_, job)| job).collect()
    }

    /// What the queue is sorted by: lower comes first.
    fn rank(&self, job: usize, entry: Entry) -> Rank {
        let ticket = i128::from(entry.ticket);
        if self.is_patient(entry) {
            return Rank { impatient: false, keys: [ticket, 0, 0, 0] };
        }
        let spec = &self.jobs[job].spec;
        let priority = -i128::from(spec.priority);
        let kind = match spec.kind {
            Kind::Standard => 0,
            Kind::Legacy => 1,
        };
        let keys = match self.policy.order {
            Order::StandardFirst => [priority, kind, ticket, 0],
            Order::Fifo => [priority, ticket, 0, 0],
            Order::OldestImage => [priority, kind, i128::from(entry.head), ticket],
            Order::CriticalPath => [priority, -i128::from(spec.path), ticket, 0],
        };
        Rank { impatient: true, keys }
    }

    /// Whether an entry has been in the queue for at least `patience`.
    fn is_patient(&self, entry: Entry) -> bool {
        let waited = self.now - entry.since;
        self.policy.patience.is_some_and(|patience| waited >= patience)
    }
}

/// An entry's place in the order: those that have waited for `patience` come first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    impatient: bool,
    keys: [i128; 4],
}
