//! `worker`: a process for each unit, kept from start to start.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use core::time::Duration;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lineside_core::UnitId;

use super::Recall;
use super::colleague::{Colleague, Fault};
use super::program::{For, Launcher, absolute, last_lines};
use super::programs::Register;
use super::talk::{FromWorker, ImageOfStart, TALK_VERSION, ToWorker};
use super::tool::{Product, Tool};
use super::work::{Failure, Work};

/// Workers that have failed to become ready so often in a row are not tried again.
const FAILED_STARTS_MAX: u32 = 5;

/// A job of which each start goes to a worker.
pub(super) struct Worker {
    pub(super) pool: Arc<Pool>,
    /// The job's own: files and folders.
    pub(super) launcher: Launcher,
    /// The names of the upstreams.
    pub(super) upstreams: Vec<String>,
}

/// The workers of one program. Jobs with the same program and model share them.
pub(super) struct Pool {
    launcher: Launcher,
    register: Arc<Register>,
    idle: Mutex<Vec<Colleague>>,
    /// How often everything had to leave each unit. Whoever was there before does not come back.
    eras: Mutex<BTreeMap<UnitId, u64>>,
    failed: AtomicU32,
    number: AtomicU64,
    starts: AtomicU64,
}

impl Tool for Worker {
    fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure> {
        // The worker may have been started for another job.
        let out = self.launcher.out();
        std::fs::create_dir_all(&out)
            .map_err(|error| Failure::from(format!("can't make {}: {error}", out.display())))?;
        let mut colleague = self.pool.take(work)?;
        let number = self.pool.starts.fetch_add(1, Ordering::Relaxed);
        let answered = self.ask(&mut colleague, number, work);
        match answered {
            Ok(result) => {
                self.pool.put_back(colleague)?;
                result.map(|()| work.nothing())
            }
            Err(fault) => Err(colleague.replace(&fault.to_string(), work)),
        }
    }

    fn stays(&self) -> bool {
        true
    }

    fn leave(&self, unit: UnitId) -> Result<(), String> {
        self.pool.leave(unit)
    }
}

impl Worker {
    /// Hands a start to a worker and waits for the answer. An error is one of the worker; a start
    /// that it says has failed is an answer.
    fn ask(
        &self,
        colleague: &mut Colleague,
        number: u64,
        work: &Work<'_>,
    ) -> Result<Result<(), Failure>, Fault> {
        colleague.say(&self.message(number, work), work.recall)?;
        let mut stopped = false;
        loop {
            let heard = match stopped {
                false => colleague.hear(Some(work.recall), None),
                true => colleague.hear(None, Some(self.pool.grace())),
            };
            match heard {
                Err(Fault::Recalled) if !stopped => {
                    stopped = true;
                    colleague.say(&ToWorker::Stop { start: number }, &Recall::default())?;
                }
                Err(fault) => return Err(fault),
                Ok(FromWorker::Done { start }) if start == number => {
                    let stopped = || Err(Failure::from("stopped".to_string()));
                    return Ok(if work.recall.is_on() { stopped() } else { Ok(()) });
                }
                Ok(FromWorker::Fail { start, reason, image, lost }) if start == number => {
                    let lost = if lost { work.unit_ids() } else { Vec::new() };
                    let text = if reason.is_empty() { "it failed".into() } else { reason };
                    return Ok(Err(Failure { image, lost, ..Failure::from(text) }));
                }
                Ok(FromWorker::Done { start } | FromWorker::Fail { start, .. }) => {
                    return Err(Fault::Said(format!(
                        "it answered start {start}, which it was not given"
                    )));
                }
                Ok(FromWorker::Ready { .. }) => {
                    return Err(Fault::Said("it said that it is ready twice".into()));
                }
                Ok(FromWorker::Progress { done, .. }) => colleague.note(&format!("{done} done")),
                Ok(FromWorker::Log { text }) => colleague.note(&text),
            }
        }
    }

    fn message(&self, number: u64, work: &Work<'_>) -> ToWorker {
        let text = |path: std::ffi::OsString| path.to_string_lossy().into_owned();
        let image = |&index: &u32| {
            let file = Some(self.launcher.file(index)).filter(|file| !file.is_empty());
            ImageOfStart { index, file: file.map(text) }
        };
        let input = |job: &String| {
            let folder = absolute(&self.launcher.site.results_of(job));
            (job.clone(), text(folder.into_os_string()))
        };
        ToWorker::Start {
            version: TALK_VERSION,
            start: number,
            job: work.job.to_string(),
            lease: work.lease,
            attempt: work.attempt,
            images: work.images.iter().map(image).collect(),
            out: text(self.launcher.out().into_os_string()),
            inputs: self.upstreams.iter().map(input).collect(),
        }
    }
}

impl Pool {
    pub(super) fn new(launcher: Launcher, register: Arc<Register>) -> Self {
        Pool {
            launcher,
            register,
            idle: Mutex::default(),
            eras: Mutex::default(),
            failed: AtomicU32::new(0),
            number: AtomicU64::new(1),
            starts: AtomicU64::new(0),
        }
    }

    /// Is this the same program, to be started in the same way?
    pub(super) fn is_of(&self, launcher: &Launcher) -> bool {
        self.launcher.program == launcher.program
    }

    fn grace(&self) -> Duration {
        Duration::from_nanos(self.launcher.program.grace)
    }

    /// A worker that is ready, on the units of this start.
    fn take(&self, work: &Work<'_>) -> Result<Colleague, Failure> {
        let units = work.unit_ids();
        let next = || {
            let mut idle = self.idle();
            let found = idle.iter().position(|colleague| colleague.units == units);
            found.map(|at| idle.swap_remove(at))
        };
        while let Some(mut colleague) = next() {
            if colleague.is_alive() {
                return Ok(colleague);
            }
            // It has ended while nobody looked, and this start is not to pay for it.
            let ended = colleague.end();
            ended.map_err(|remains| Failure::of_units(remains, work.unit_ids()))?;
        }
        self.employ(work)
    }

    fn employ(&self, work: &Work<'_>) -> Result<Colleague, Failure> {
        if self.failed.load(Ordering::Relaxed) >= FAILED_STARTS_MAX {
            return Err(format!(
                "its worker has failed to start {FAILED_STARTS_MAX} times in a row, and is not \
                 tried again"
            )
            .into());
        }
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let unit = work.units.first().map_or(0, |unit| unit.id.0);
        let no_log = |error| format!("can't write a log of `{}`: {error}", work.job);
        let (log, path) =
            self.launcher.new_log(&format!("worker-{unit}.{number}")).map_err(no_log)?;
        let copy = log.try_clone().map_err(no_log)?;
        let launch = self.launcher.launch(&For::Unit(work.units), copy);
        let eras = self.eras_of(&work.unit_ids());
        let began = Colleague::employ(launch, work.unit_ids(), eras, (log, path));
        let mut colleague = began.inspect_err(|_| self.count_failure())?;
        (self.register)(&colleague.identity(), work.lease);
        let ready = Duration::from_nanos(self.launcher.program.ready);
        loop {
            let fault = match colleague.hear(Some(work.recall), Some(ready)) {
                Ok(FromWorker::Ready { .. }) => break,
                Ok(FromWorker::Log { text }) => {
                    colleague.note(&text);
                    continue;
                }
                Ok(_) => "it said something else before it was ready".to_string(),
                Err(Fault::Silent) => format!(
                    "it was not ready after {}",
                    lineside_line::quantity::show_duration(self.launcher.program.ready)
                ),
                Err(fault) => fault.to_string(),
            };
            if !work.recall.is_on() {
                self.count_failure();
            }
            return Err(colleague.replace(&fault, work));
        }
        self.failed.store(0, Ordering::Relaxed);
        Ok(colleague)
    }

    fn count_failure(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    /// Keeps a worker for the next start, unless everything had to leave its units meanwhile.
    fn put_back(&self, colleague: Colleague) -> Result<(), Failure> {
        let mut idle = self.idle();
        if colleague.eras == self.eras_of(&colleague.units) {
            idle.push(colleague);
            return Ok(());
        }
        drop(idle);
        let units = colleague.units.clone();
        colleague.leave(self.grace()).map_err(|remains| Failure::of_units(remains, units))
    }

    fn leave(&self, unit: UnitId) -> Result<(), String> {
        let mut idle = self.idle();
        *self.eras.lock().unwrap_or_else(PoisonError::into_inner).entry(unit).or_default() += 1;
        let all = core::mem::take(&mut *idle);
        let (leaving, staying): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|colleague| colleague.units.contains(&unit));
        *idle = staying;
        drop(idle);
        let remains = leaving.into_iter().filter_map(|it| it.leave(self.grace()).err());
        let remains: Vec<String> = remains.collect();
        if remains.is_empty() { Ok(()) } else { Err(remains.join("; ")) }
    }

    fn eras_of(&self, units: &[UnitId]) -> Vec<u64> {
        let eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        units.iter().map(|unit| eras.get(unit).copied().unwrap_or(0)).collect()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Colleague>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Colleague {
    /// Something for its log.
    fn note(&mut self, text: &str) {
        // A log that can't be written is no reason to stop working.
        let _ = writeln!(self.log.0, "{text}");
    }

    /// Ends a worker that is of no more use, and says why.
    fn replace(self, fault: &str, work: &Work<'_>) -> Failure {
        let (mut log, path) = (self.log.0.try_clone().ok(), self.log.1.clone());
        let ended = self.end();
        let said = log.as_mut().map(last_lines).unwrap_or_default();
        let more =
            if said.is_empty() { String::new() } else { format!("; see {}", path.display()) };
        match ended {
            Ok(_) => Failure::from(format!("the worker was replaced: {fault}{more}{said}")),
            Err(remains) => {
                Failure::of_units(format!("the worker: {fault}; {remains}"), work.unit_ids())
            }
        }
    }
}
