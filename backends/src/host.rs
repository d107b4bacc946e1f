//! The host: tools on this machine, in real time.
//!
//! A job's [`Tool`] makes a [`Product`] of each image, kept until the last job behind is done.

#[cfg(target_os = "linux")]
mod colleague;
mod crew;
mod earlier;
mod news;
pub(crate) mod pcb;
mod process;
mod program;
mod programs;
mod recall;
mod registry;
#[cfg(target_os = "linux")]
mod run;
mod store;
mod talk;
mod tool;
mod units;
mod work;
#[cfg(target_os = "linux")]
mod worker;

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use lineside_core::{Event, LeaseId, ModelId, Nanos, Scheduler, UnitId, UnitState};
use lineside_line::Line;

use crate::backend::{Backend, News, Start, Stop};
use crew::Crew;
pub use earlier::Earlier;
pub use news::UnitNews;
pub use process::{
    Exit, Identity, MARKER, Remains, boot_id, end_marked, end_orphan, kill_all, this_process,
    watch_over_orphans,
};
pub use program::Site;
pub use programs::Register;
pub use recall::Recall;
pub use registry::{kernel_faults, tools};
use store::Store;
pub use talk::{
    FromWorker, ImageOfStart, LINE_MAX, Lines, Nonsense, TALK_VERSION, ToWorker, TooLong,
    parse_line,
};
pub use tool::{Product, Sleep, Task, Tool};
use units::Machine;
use work::{Errand, guarded};
pub use work::{Failure, HostUnit, Upstream, Work};

/// Runs each start on a thread of its own. A thread can't be killed: a stopped start goes on until
/// its tool heeds the [`Recall`] or ends, and its units stay taken until then.
pub struct Host {
    began: Instant,
    machine: Arc<Machine>,
    store: Store,
    crew: Crew,
    /// What runs in each slot of the table of leases.
    running: Vec<Option<Running>>,
    /// How often starts that begin with an image that is not done have been tried.
    tries: BTreeMap<(u32, u32), u32>,
    signals: (Sender<Signal>, Receiver<Signal>),
    /// News not yet polled.
    news: VecDeque<News>,
    troubles: Vec<Trouble>,
    notes: Arc<Mutex<Vec<String>>>,
    live: u32,
    /// Jobs that have not ended.
    jobs_left: u32,
    /// How many units are to be heard of.
    expected: Arc<AtomicU32>,
    /// What need not be done again.
    earlier: Earlier,
    /// Nothing more is started.
    closed: Arc<AtomicBool>,
}

struct Running {
    number: u64,
    job: u32,
    unit: u32,
    recall: Arc<Recall>,
}

/// What ends a wait.
enum Signal {
    /// A start has come to its end.
    Ended(Ended),
    /// Units can be used no more.
    Lost(Vec<UnitId>, String),
    /// How a unit is now.
    Unit(News),
    /// Somebody wants the driver to look up.
    Wake,
}

/// Ends a wait of the host from another thread, with no news.
#[derive(Clone)]
pub struct Waker(Sender<Signal>);

impl Waker {
    /// Ends the wait.
    pub fn wake(&self) {
        // Nobody waits only if the host is gone.
        let _ = self.0.send(Signal::Wake);
    }
}

/// What a start says as it ends.
struct Ended {
    lease: LeaseId,
    /// The images of the start.
    first: u32,
    count: u32,
    /// Those that were worked on.
    images: Vec<u32>,
    result: Result<Vec<Product>, Failure>,
}

/// Why a start failed, or a unit was lost.
///
/// ```
/// use lineside_backends::host::Trouble;
/// let trouble = Trouble { job: Some(1), image: Some(8), text: "too dark".to_string() };
/// assert_eq!(trouble.image, Some(8));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// Index of the job; none if it concerns no job.
    pub job: Option<u32>,
    /// Which image, if it is one.
    pub image: Option<u32>,
    /// What the tool said.
    pub text: String,
}

impl Host {
    /// A host on which each job of the line does what its tool does, on these units: one for each
    /// unit of the line.
    pub fn new(line: &Line, tools: Vec<Box<dyn Tool>>, units: Vec<HostUnit>) -> Self {
        let absent = units.iter().filter(|unit| !unit.here).map(|unit| News::Down(unit.id));
        let news = absent.collect();
        Host {
            began: Instant::now(),
            machine: Arc::new(Machine::new(line, tools, units)),
            store: Store::new(line),
            crew: Crew::new(),
            running: Vec::new(),
            tries: BTreeMap::new(),
            signals: unbounded(),
            news,
            troubles: Vec::new(),
            notes: Arc::default(),
            live: 0,
            jobs_left: line.jobs.len() as u32,
            expected: Arc::default(),
            earlier: Earlier::default(),
            closed: Arc::default(),
        }
    }

    /// Goes on where an earlier run was ended: images that it has done are done at once, and time
    /// goes on.
    pub fn go_on(&mut self, earlier: Earlier) {
        self.tries.clone_from(&earlier.tries);
        self.earlier = earlier;
    }

    /// From now on no start begins. It is as if it never came to its end.
    pub fn stop_starting(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Does the same as [`stop_starting`](Self::stop_starting) when it is set, from anywhere.
    pub fn stopper(&self) -> Arc<AtomicBool> {
        self.closed.clone()
    }

    /// Nothing runs.
    pub fn is_idle(&self) -> bool {
        self.live == 0
    }

    /// Asks the units of everything back that runs.
    pub fn recall_all(&self) {
        self.running.iter().flatten().for_each(|running| running.recall.switch_on());
    }

    /// What went wrong since this was last asked.
    pub fn take_troubles(&mut self) -> Vec<Trouble> {
        core::mem::take(&mut self.troubles)
    }

    /// What the tools had to say since this was last asked.
    pub fn take_notes(&mut self) -> Vec<String> {
        core::mem::take(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends a wait from another thread.
    pub fn waker(&self) -> Waker {
        Waker(self.signals.0.clone())
    }

    /// To tell from another thread how units are.
    pub fn unit_news(&self) -> UnitNews {
        UnitNews { signals: self.signals.0.clone(), expected: self.expected.clone() }
    }

    /// Products in memory now.
    pub fn products(&self) -> usize {
        self.store.len()
    }

    /// Ends what the tools keep from start to start. To be called once the line is over.
    pub fn close(&mut self) {
        let (done, ends) = unbounded::<()>();
        for unit in self.machine.units.iter().map(|unit| unit.id) {
            self.machine.everybody_leaves(unit);
            let (machine, signals, done) =
                (self.machine.clone(), self.signals.0.clone(), done.clone());
            self.send(Box::new(move || {
                tell_lost(machine.clear(unit), &signals);
                drop(done);
            }));
        }
        drop(done);
        // Nobody sends: it ends when every errand has.
        let _ = ends.recv();
        let signals: Vec<Signal> = self.signals.1.try_iter().collect();
        self.take_signals(signals);
    }

    fn now(&self) -> Nanos {
        let elapsed = self.began.elapsed().as_nanos().try_into().unwrap_or(Nanos::MAX);
        elapsed.saturating_add(self.earlier.time)
    }

    /// Has an errand run on a thread, or at once where none can be had.
    fn send(&self, errand: Errand) {
        let errand = Arc::new(Mutex::new(Some(errand)));
        let run = |errand: &Mutex<Option<Errand>>| {
            let taken = errand.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(errand) = taken {
                errand();
            }
        };
        let other = errand.clone();
        if self.crew.send(Box::new(move || run(&other))).is_err() {
            run(&errand);
        }
    }

    /// What comes next, at `until` at the latest.
    fn next_signal(&self, until: Option<Nanos>) -> Option<Signal> {
        let Some(until) = until else { return self.signals.1.recv().ok() };
        let left = Duration::from_nanos(until.saturating_sub(self.now()));
        self.signals.1.recv_timeout(left).ok()
    }

    /// Turns what the threads say into news: by the lowest unit of the lease, then in grant order.
    fn take_signals(&mut self, signals: Vec<Signal>) {
        let (mut ends, mut unit_news): (Vec<Ended>, Vec<News>) = Default::default();
        for signal in signals {
            match signal {
                Signal::Ended(ended) => ends.push(ended),
                Signal::Lost(units, text) => self.lose(None, None, units, text),
                Signal::Unit(news) => unit_news.push(news),
                Signal::Wake => {}
            }
        }
        ends.sort_by_key(|ended| {
            let running = self.running[ended.lease.index as usize].as_ref();
            running.map(|running| (running.unit, running.number))
        });
        for ended in ends {
            // A start is told of once, as it ends, and its slot is kept until then.
            let Some(running) = self.running[ended.lease.index as usize].take() else { continue };
            self.live -= 1;
            self.take_end(&running, ended);
        }
        self.news.extend(unit_news);
    }

    fn take_end(&mut self, running: &Running, ended: Ended) {
        let Ended { lease, first, count, images, result } = ended;
        let stopped = running.recall.is_on();
        match result {
            Ok(products) if !stopped => {
                for (image, product) in images.into_iter().zip(products) {
                    self.store.put(running.job, image, product);
                }
                let done = (running.job, first)..(running.job, first + count);
                let done: Vec<_> = self.tries.range(done).map(|(&key, _)| key).collect();
                for key in done {
                    self.tries.remove(&key);
                }
                self.news.push_back(News::Finished(lease));
            }
            Ok(_) => self.news.push_back(News::GivenBack(lease)),
            Err(failure) if failure.lost.is_empty() && stopped => {
                self.news.push_back(News::GivenBack(lease));
            }
            Err(failure) if failure.lost.is_empty() => {
                let Failure { image, text, spoilt, .. } = failure;
                self.troubles.push(Trouble { job: Some(running.job), image, text });
                self.news.push_back(News::Failed(lease));
                self.news.extend(spoilt.into_iter().map(News::Down));
            }
            Err(Failure { image, text, lost, .. }) => {
                // The core revokes what is on a unit that is lost, also this lease. By then
                // nothing of it runs; if it was revoked before, this is the answer.
                self.lose(Some(running.job), image, lost, text);
                if stopped {
                    self.news.push_back(News::GivenBack(lease));
                }
            }
        }
    }

    fn lose(&mut self, job: Option<u32>, image: Option<u32>, units: Vec<UnitId>, text: String) {
        self.troubles.push(Trouble { job, image, text });
        self.news.extend(units.into_iter().map(News::Down));
    }

    /// What a tool keeps on this unit goes, without waiting for the next start there.
    fn clear(&self, unit: UnitId) {
        let (machine, signals) = (self.machine.clone(), self.signals.0.clone());
        self.send(Box::new(move || tell_lost(machine.clear(unit), &signals)));
    }

    /// How often the first image has been tried, with this time.
    fn count_try(&mut self, start: Start) -> u32 {
        let tries = self.tries.entry((start.job, start.first)).or_insert(0u32);
        *tries = tries.saturating_add(1);
        *tries
    }
}

impl Backend for Host {
    fn start(&mut self, scheduler: &Scheduler<'_>, start: Start) {
        if self.closed.load(Ordering::Acquire) {
            return;
        }
        let done = self.earlier.done.get(start.job as usize);
        let left = |&image: &u32| !done.is_some_and(|done| done.has(image));
        let images: Vec<u32> = start.images().filter(left).collect();
        let inputs: Vec<Vec<Upstream>> =
            images.iter().map(|&image| self.store.inputs(start.job, image)).collect();
        let units = scheduler.units_of(start.lease).into_iter().flatten();
        let units: Vec<Arc<HostUnit>> = units.map(|unit| self.machine.unit(unit)).collect();
        let unit = units.iter().map(|unit| unit.id.0).min().unwrap_or(u32::MAX);
        let recall = Arc::new(Recall::default());
        let slot = start.lease.index as usize;
        if self.running.len() <= slot {
            self.running.resize_with(slot + 1, || None);
        }
        let (number, job) = (start.number, start.job);
        self.running[slot] = Some(Running { number, job, unit, recall: recall.clone() });
        self.live += 1;
        if images.is_empty() {
            let Start { lease, first, count, .. } = start;
            let ended = Ended { lease, first, count, images, result: Ok(Vec::new()) };
            // We listen ourselves.
            let _ = self.signals.0.send(Signal::Ended(ended));
            return;
        }
        let attempt = self.count_try(start);
        let (signals, notes) = (self.signals.0.clone(), self.notes.clone());
        let machine = self.machine.clone();
        self.send(Box::new(move || {
            let job = &machine.jobs[start.job as usize];
            let work = Work {
                job: &job.name,
                lease: start.number,
                units: &units,
                first: start.first,
                images: &images,
                inputs: &inputs,
                attempt,
                opens: start.opens,
                cold: start.cold,
                recall: &recall,
                notes: &notes,
            };
            let result = guarded(|| {
                machine.clear_for(&units)?;
                job.tool.start(&work)
            });
            let Start { lease, first, count, .. } = start;
            // Nobody listens only if the host is gone.
            let _ = signals.send(Signal::Ended(Ended { lease, first, count, images, result }));
        }));
    }

    fn stop(&mut self, lease: LeaseId) -> Stop {
        match self.running.get(lease.index as usize) {
            Some(Some(running)) => {
                running.recall.switch_on();
                Stop::Later
            }
            // Starved, or it has just ended: nothing runs.
            _ => Stop::Now,
        }
    }

    fn evict(&mut self, unit: UnitId, model: ModelId) {
        // The start that needs the room is granted next, and clears the unit before it begins.
        self.machine.evict(unit, model);
    }

    fn note(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        match event {
            Event::Done { job, first, count, .. } => self.store.done(job.index, first, count),
            Event::End { job, .. } => {
                self.jobs_left -= 1;
                self.store.end(job.index);
                for unit in self.machine.job_leaves(job.index) {
                    self.clear(unit);
                }
            }
            Event::Release { job, lease } => {
                for unit in scheduler.units_of(lease).into_iter().flatten() {
                    if self.machine.release(scheduler, job.index, unit) {
                        self.clear(unit);
                    }
                }
            }
            Event::Unit { unit, state: UnitState::Down } => {
                self.machine.everybody_leaves(unit);
                self.clear(unit);
            }
            _ => {}
        }
    }

    fn wait(&mut self, until: Option<Nanos>) -> Option<Nanos> {
        if self.news.is_empty() {
            let expected = self.expected.load(Ordering::SeqCst) > 0 && self.jobs_left > 0;
            // What was told before it was settled is there by now.
            let told: Vec<Signal> = self.signals.1.try_iter().collect();
            self.take_signals(told);
            if !self.news.is_empty() {
                return Some(self.now());
            }
            if self.live == 0 && until.is_none() && !expected {
                return None;
            }
            if let Some(signal) = self.next_signal(until) {
                let signals = core::iter::once(signal).chain(self.signals.1.try_iter()).collect();
                self.take_signals(signals);
            }
        }
        Some(self.now())
    }

    fn poll(&mut self) -> Option<News> {
        self.news.pop_front()
    }
}

fn tell_lost(cleared: Result<(), Failure>, signals: &Sender<Signal>) {
    if let Err(failure) = cleared {
        // Nobody listens only if the host is gone.
        let _ = signals.send(Signal::Lost(failure.lost.clone(), failure.to_string()));
    }
}
