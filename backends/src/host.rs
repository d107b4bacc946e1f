//! The host: built-in kernels on CPU threads, in real time.
//!
//! A job's [`Tool`] makes a [`Product`] of each image. It goes to the same image of the jobs behind
//! it and is kept in memory until the last of them is done with it.

mod pcb;
mod registry;
mod store;
mod tool;

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use lineside_core::{Event, LeaseId, Nanos, Scheduler, UnitId};
use lineside_line::Line;

use crate::backend::{Backend, News, Start, Stop};
pub use registry::{kernel_faults, tools};
use store::Store;
pub use tool::{Product, Sleep, Task, Tool, Upstream};

/// Runs each start on a thread of its own; the core bounds how many there are.
///
/// A thread can't be killed: a start that is stopped goes on until its tool asks
/// [`Task::is_stopped`] or comes to its end, and its units stay taken until then.
pub struct Host {
    began: Instant,
    jobs: Vec<Arc<HostJob>>,
    store: Store,
    /// What runs in each slot of the table of leases.
    running: Vec<Option<Running>>,
    ends: (Sender<Signal>, Receiver<Signal>),
    /// News not yet polled.
    news: VecDeque<News>,
    troubles: Vec<Trouble>,
    notes: Arc<Mutex<Vec<String>>>,
    live: u32,
}

struct HostJob {
    name: String,
    tool: Box<dyn Tool>,
}

struct Running {
    number: u64,
    job: u32,
    unit: u32,
    stopped: Arc<AtomicBool>,
}

/// What ends a wait.
enum Signal {
    /// A thread has come to its end.
    Ended(Ended),
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

/// What a thread says as it ends.
struct Ended {
    lease: LeaseId,
    first: u32,
    result: Result<Vec<Product>, (u32, String)>,
}

/// Why a start failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// Index of the job.
    pub job: u32,
    /// Which image.
    pub image: u32,
    /// What the tool said.
    pub text: String,
}

impl Host {
    /// A host on which each job of the line does what its tool does. Units in `absent` are not
    /// here: they are down from the start.
    pub fn new(line: &Line, tools: Vec<Box<dyn Tool>>, absent: &[UnitId]) -> Self {
        let named = line.jobs.iter().zip(tools);
        let jobs = named.map(|(job, tool)| Arc::new(HostJob { name: job.name.clone(), tool }));
        Host {
            began: Instant::now(),
            jobs: jobs.collect(),
            store: Store::new(line),
            running: Vec::new(),
            ends: unbounded(),
            news: absent.iter().map(|&unit| News::Down(unit)).collect(),
            troubles: Vec::new(),
            notes: Arc::default(),
            live: 0,
        }
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
        Waker(self.ends.0.clone())
    }

    /// Products in memory now.
    pub fn products(&self) -> usize {
        self.store.len()
    }

    fn now(&self) -> Nanos {
        self.began.elapsed().as_nanos().try_into().unwrap_or(Nanos::MAX)
    }

    /// What comes next, at `until` at the latest.
    fn next_signal(&self, until: Option<Nanos>) -> Option<Signal> {
        let Some(until) = until else { return self.ends.1.recv().ok() };
        let left = Duration::from_nanos(until.saturating_sub(self.now()));
        self.ends.1.recv_timeout(left).ok()
    }

    /// Turns the ends of threads into news: by the lowest unit of the lease, then in grant order.
    fn take_ends(&mut self, first: Signal) {
        let signals = core::iter::once(first).chain(self.ends.1.try_iter());
        let mut ends: Vec<Ended> = signals
            .filter_map(|signal| match signal {
                Signal::Ended(ended) => Some(ended),
                Signal::Wake => None,
            })
            .collect();
        ends.sort_by_key(|ended| {
            let running = self.running[ended.lease.index as usize].as_ref();
            running.map(|running| (running.unit, running.number))
        });
        for ended in ends {
            // A thread is told of once, as it ends, and its slot is kept until then.
            let Some(running) = self.running[ended.lease.index as usize].take() else { continue };
            self.live -= 1;
            let news = self.news_of(running, ended);
            self.news.push_back(news);
        }
    }

    fn news_of(&mut self, running: Running, ended: Ended) -> News {
        if running.stopped.load(Ordering::Relaxed) {
            return News::GivenBack(ended.lease);
        }
        match ended.result {
            Ok(products) => {
                self.store.put(running.job, ended.first, products);
                News::Finished(ended.lease)
            }
            Err((image, text)) => {
                self.troubles.push(Trouble { job: running.job, image, text });
                News::Failed(ended.lease)
            }
        }
    }
}

impl Backend for Host {
    fn start(&mut self, scheduler: &Scheduler<'_>, start: Start) {
        let job = self.jobs[start.job as usize].clone();
        let inputs: Vec<Vec<Upstream>> =
            start.images().map(|image| self.store.inputs(start.job, image)).collect();
        let stopped = Arc::new(AtomicBool::new(false));
        let units = scheduler.units_of(start.lease).into_iter().flatten();
        let unit = units.map(|unit| unit.0).min().unwrap_or(u32::MAX);
        let slot = start.lease.index as usize;
        if self.running.len() <= slot {
            self.running.resize_with(slot + 1, || None);
        }
        let (number, stop) = (start.number, stopped.clone());
        self.running[slot] = Some(Running { number, job: start.job, unit, stopped });
        self.live += 1;
        let (ends, notes) = (self.ends.0.clone(), self.notes.clone());
        let work = move || {
            let (lease, first) = (start.lease, start.first);
            let result = run_images(&job, first, inputs, &stop, &notes);
            // Nobody listens only if the host is gone.
            let _ = ends.send(Signal::Ended(Ended { lease, first, result }));
        };
        let name = self.jobs[start.job as usize].name.chars().take(15).collect();
        if let Err(error) = thread::Builder::new().name(name).spawn(work) {
            let result = Err((start.first, error.to_string()));
            let ended = Ended { lease: start.lease, first: start.first, result };
            let _ = self.ends.0.send(Signal::Ended(ended));
        }
    }

    fn stop(&mut self, lease: LeaseId) -> Stop {
        match self.running.get(lease.index as usize) {
            Some(Some(running)) => {
                running.stopped.store(true, Ordering::Relaxed);
                Stop::Later
            }
            // Starved: nothing runs.
            _ => Stop::Now,
        }
    }

    fn note(&mut self, _: &Scheduler<'_>, event: Event) {
        match event {
            Event::Done { job, first, count, .. } => self.store.done(job.index, first, count),
            Event::End { job, .. } => self.store.end(job.index),
            _ => {}
        }
    }

    fn wait(&mut self, until: Option<Nanos>) -> Option<Nanos> {
        if self.news.is_empty() {
            if self.live == 0 && until.is_none() {
                return None;
            }
            if let Some(signal) = self.next_signal(until) {
                self.take_ends(signal);
            }
        }
        Some(self.now())
    }

    fn poll(&mut self) -> Option<News> {
        self.news.pop_front()
    }
}

/// One image after the other; the first that fails ends the start.
fn run_images(
    job: &HostJob,
    first: u32,
    inputs: Vec<Vec<Upstream>>,
    stopped: &AtomicBool,
    notes: &Mutex<Vec<String>>,
) -> Result<Vec<Product>, (u32, String)> {
    let mut products = Vec::with_capacity(inputs.len());
    for (image, inputs) in (first..).zip(inputs) {
        let task = Task { job: &job.name, image, inputs: &inputs, stopped, notes };
        if task.is_stopped() {
            return Err((image, "stopped".to_string()));
        }
        // A tool that panics has failed, and nothing else has.
        let result = catch_unwind(AssertUnwindSafe(|| job.tool.run(&task)));
        let result = result.unwrap_or_else(|panic| Err(panic_text(panic.as_ref())));
        products.push(result.map_err(|text| (image, text))?);
    }
    Ok(products)
}

fn panic_text(panic: &(dyn core::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    alloc::format!("the tool panicked: {}", text.unwrap_or("without a word"))
}
