//! The journal of a run as a file: locked, appended to, synced in groups.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use lineside_backends::Observer;
use lineside_backends::host::Identity;
use lineside_backends::journal::{self, EndOfJob, Record};
use lineside_core::{Event, LeaseId, Outcome, Reason, Scheduler};

use crate::Refusal;

/// So much is lost at most if the machine loses its power. If only the runner dies, nothing is.
const SYNC_EVERY: Duration = Duration::from_millis(100);

/// The name of the file in the folder of a run.
const NAME: &str = "journal";

/// A journal that is ours alone. Clones write to the same.
#[derive(Clone)]
pub(crate) struct Journal(Arc<Mutex<Writer>>);

struct Writer {
    file: File,
    path: PathBuf,
    /// Encoded and not yet written.
    buffer: Vec<u8>,
    /// Up to here the file is whole.
    length: u64,
    /// Why something could not be written, ever.
    failed: Option<String>,
    /// Is set then: what is not written down is not to begin.
    stopper: Arc<AtomicBool>,
    /// Tells the thread that syncs that there is something to be synced.
    written: Sender<()>,
}

impl Journal {
    /// Where the journal of a run lies.
    pub(crate) fn path(out: &Path) -> PathBuf {
        out.join(NAME)
    }

    /// Begins the journal of a new run.
    pub(crate) fn create(out: &Path) -> Result<Self, Refusal> {
        let path = Journal::path(out);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let file = file.map_err(|error| cannot("write", &path, &error))?;
        lock(&file, out)?;
        // So that the file is there after a loss of power too.
        let _ = File::open(out).and_then(|folder| folder.sync_all());
        Ok(Journal::new(file, path, 0))
    }

    /// Goes on with the journal of an earlier runner. A torn end is cut off.
    pub(crate) fn open(out: &Path) -> Result<(Self, journal::Journal), Refusal> {
        let path = Journal::path(out);
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let mut file = file.map_err(|error| {
            Refusal(format!(
                "error: there is no run to resume in {}: {error}\n\
                 help: leave `--resume` out to begin one",
                out.display()
            ))
        })?;
        lock(&file, out)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| cannot("read", &path, &error))?;
        let read = read(&bytes, &path)?;
        file.set_len(read.sound as u64).map_err(|error| cannot("write", &path, &error))?;
        Ok((Journal::new(file, path, read.sound as u64), read))
    }

    /// What is in a journal, whether a runner writes to it or not.
    pub(crate) fn look(out: &Path) -> Result<journal::Journal, Refusal> {
        let path = Journal::path(out);
        let bytes = std::fs::read(&path).map_err(|error| {
            Refusal(format!("error: there is no run in {}: {error}", out.display()))
        })?;
        read(&bytes, &path)
    }

    fn new(file: File, path: PathBuf, length: u64) -> Self {
        let (written, waits) = channel::<()>();
        if let Ok(same) = file.try_clone() {
            thread::spawn(move || {
                while waits.recv().is_ok() {
                    thread::sleep(SYNC_EVERY);
                    while waits.try_recv().is_ok() {}
                    // What can't be synced now may be with the next group.
                    let _ = same.sync_data();
                }
            });
        }
        let (buffer, failed, stopper) = (Vec::new(), None, Arc::default());
        let writer = Writer { file, path, buffer, length, failed, stopper, written };
        Journal(Arc::new(Mutex::new(writer)))
    }

    /// Adds a record; it is in the file after [`flush`](Self::flush).
    pub(crate) fn add(&self, record: &Record) {
        journal::encode(record, &mut self.writer().buffer);
    }

    /// Adds the process that was started for a lease.
    pub(crate) fn add_process(&self, identity: &Identity, lease: u64) {
        self.add(&Record::Process { lease, identity: identity.clone() });
        self.flush();
    }

    /// Hands everything to the system: from now on it outlives the runner.
    pub(crate) fn flush(&self) {
        self.writer().flush();
    }

    /// Sees to it that everything outlives a loss of power.
    pub(crate) fn sync(&self) {
        let mut writer = self.writer();
        writer.flush();
        let _ = writer.file.sync_data();
    }

    /// Has this set as soon as something can't be written.
    pub(crate) fn stop_with(&self, stopper: Arc<AtomicBool>) {
        self.writer().stopper = stopper;
    }

    /// Why something could not be written, if so.
    pub(crate) fn failed(&self) -> Option<String> {
        self.writer().failed.clone()
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    fn flush(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        match self.append() {
            Ok(()) => {
                self.length += self.buffer.len() as u64;
                self.buffer.clear();
                // Nobody syncs only if no thread could be had; then the end of the run does.
                let _ = self.written.send(());
            }
            Err(error) => {
                // What was written of it is torn; it is tried again with what comes next.
                let _ = self.file.set_len(self.length);
                self.stopper.store(true, Ordering::Release);
                self.failed = Some(format!("can't write {}: {error}", self.path.display()));
            }
        }
    }

    fn append(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.write_all(&self.buffer)
    }
}

/// Looks on for another observer, and writes down what has to outlive the runner.
pub(crate) struct Journaled<O> {
    pub(crate) inner: O,
    pub(crate) journal: Journal,
    numbers: HashMap<LeaseId, u64>,
}

impl<O> Journaled<O> {
    pub(crate) fn new(inner: O, journal: Journal) -> Self {
        Journaled { inner, journal, numbers: HashMap::new() }
    }

    fn record(&mut self, scheduler: &Scheduler<'_>, event: Event) -> Option<Record> {
        let t = scheduler.now();
        // Every lease was granted before anything else is said of it.
        let number = |lease: LeaseId| self.numbers.get(&lease).copied().unwrap_or(u64::MAX);
        Some(match event {
            Event::Grant { job, lease, number, .. } => {
                self.numbers.insert(lease, number);
                let units = scheduler.units_of(lease).into_iter().flatten();
                let units = units.map(|unit| unit.0).collect();
                Record::Grant { t, lease: number, job: job.index, units }
            }
            Event::Start { job, lease, first, count } => {
                Record::Start { t, lease: number(lease), job: job.index, first, count }
            }
            Event::Done { job, lease, first, count } => {
                Record::Done { t, lease: number(lease), job: job.index, first, count }
            }
            Event::Fail { job, lease, .. } => {
                Record::Fail { t, lease: number(lease), job: job.index }
            }
            Event::Release { lease, .. } => {
                Record::Release { t, lease: self.numbers.remove(&lease).unwrap_or(u64::MAX) }
            }
            Event::End { job, outcome } => {
                let how = match outcome {
                    Outcome::Done => EndOfJob::Done,
                    Outcome::Failed(_) => EndOfJob::Failed,
                    Outcome::Cancelled => EndOfJob::Cancelled,
                    Outcome::Skipped(_) => EndOfJob::Skipped,
                };
                Record::End { t, job: job.index, how }
            }
            Event::Ready { .. } | Event::Evict { .. } | Event::Revoke { .. } => return None,
            Event::Unit { .. } => return None,
        })
    }
}

impl<O: Observer> Observer for Journaled<O> {
    fn event(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        self.inner.event(scheduler, event);
        if let Some(record) = self.record(scheduler, event) {
            self.journal.add(&record);
        }
        // It stands in the file before anything of it happens.
        if let Event::Start { .. } = event {
            self.journal.flush();
        }
    }

    fn wants_reasons(&self) -> bool {
        self.inner.wants_reasons()
    }

    fn reason(&mut self, reason: Reason) {
        self.inner.reason(reason);
    }
}

/// The lock goes with the process, however it ends.
fn lock(file: &File, out: &Path) -> Result<(), Refusal> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(Refusal(format!(
            "error: another runner works in {out}\n\
             help: `lineside status {out}` says what it does",
            out = out.display()
        ))),
        Err(TryLockError::Error(error)) => Err(cannot("lock", &Journal::path(out), &error)),
    }
}

fn read(bytes: &[u8], path: &Path) -> Result<journal::Journal, Refusal> {
    journal::read(bytes).map_err(|damage| {
        Refusal(format!(
            "error: {} can't be trusted: {damage}\n\
             help: begin anew in another folder; the results of this run are still there",
            path.display()
        ))
    })
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Refusal {
    Refusal(format!("error: can't {what} {}: {error}", path.display()))
}
