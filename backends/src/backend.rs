//! What a place where work runs has to do.

use lineside_core::{Event, LeaseId, ModelId, Nanos, Scheduler, UnitId};

/// Runs work on units. It decides nothing.
///
/// # The contract
///
/// - The [`Driver`](crate::Driver) calls [`wait`](Self::wait), then [`poll`](Self::poll) until it
///   has no more news, then whatever the core asks for: [`start`](Self::start),
///   [`stop`](Self::stop), [`evict`](Self::evict). None of these but `wait` blocks.
/// - Every `start` is answered by exactly one [`News::Finished`] or [`News::Failed`], unless a
///   `stop` came first. There is one start a lease at most at any time.
/// - Every `stop` is answered by [`Stop::Now`] or, later, by exactly one [`News::GivenBack`], once
///   nothing of the lease can touch its units any more. News of a start that was stopped is
///   dropped.
/// - What the caller could have known is not an error here: units and images are those that the
///   core named. What it could not (a lost device, no memory) is news.
/// - News that is pending at one time comes by the lowest unit of its lease, then in grant order,
///   where the backend can tell the order at all.
pub trait Backend {
    /// Begins the images of a start on the units of its lease.
    fn start(&mut self, scheduler: &Scheduler<'_>, start: Start);

    /// Ends what runs on a lease.
    fn stop(&mut self, lease: LeaseId) -> Stop;

    /// A model leaves a unit.
    fn evict(&mut self, unit: UnitId, model: ModelId) {
        let _ = (unit, model);
    }

    /// Something happened; for backends that keep books beside their work.
    fn note(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        let _ = (scheduler, event);
    }

    /// Waits until there is news, or it is `until`; says what time it is. None if there is no news
    /// to wait for and no `until`: then the line is over.
    fn wait(&mut self, until: Option<Nanos>) -> Option<Nanos>;

    /// The next piece of news that was there when `wait` came back.
    fn poll(&mut self) -> Option<News>;
}

/// What to start.
///
/// ```
/// use lineside_backends::Start;
/// use lineside_core::LeaseId;
/// let lease = LeaseId { index: 0, generation: 0 };
/// let start = Start { lease, job: 3, number: 0, first: 8, count: 4, opens: true, cold: false };
/// assert_eq!(start.images().collect::<Vec<_>>(), [8, 9, 10, 11]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// On which lease; [`Scheduler::units_of`] names its units.
    pub lease: LeaseId,
    /// Whose: index of the job in the workload.
    pub job: u32,
    /// The lease's number, counted from 0 over the whole line.
    pub number: u64,
    /// The first image.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// It is the first start of its lease.
    pub opens: bool,
    /// The model has to be loaded first.
    pub cold: bool,
}

impl Start {
    /// The images to begin.
    pub fn images(&self) -> core::ops::Range<u32> {
        self.first..self.first + self.count
    }
}

/// What has happened.
///
/// ```
/// use lineside_backends::News;
/// use lineside_core::UnitId;
/// assert_ne!(News::Down(UnitId(0)), News::Up(UnitId(0)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// What ran on the lease is done.
    Finished(LeaseId),
    /// What ran on the lease has failed; its units are fine.
    Failed(LeaseId),
    /// A lease that was stopped touches its units no more.
    GivenBack(LeaseId),
    /// A unit is lost.
    Down(UnitId),
    /// A unit takes no new leases for now.
    Drain(UnitId),
    /// A unit is back.
    Up(UnitId),
}

/// How far a stop has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The units are free.
    Now,
    /// [`News::GivenBack`] will say when they are.
    Later,
}
