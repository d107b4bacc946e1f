//! What the records of a journal come to.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use lineside_core::Nanos;

use super::images::ImageSet;
use super::record::{EndOfJob, JobKey, Record, UnitKey};
use crate::host::Identity;

/// What is known of a run so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    /// What the markers of its processes begin with; the same over all sessions.
    pub run: String,
    /// How often a runner has begun.
    pub sessions: u32,
    /// The last runner.
    pub runner: Option<Identity>,
    /// It has ended in good order.
    pub closed: bool,
    /// When the last thing happened.
    pub time: Nanos,
    /// What is known of each job of the last session, by index.
    pub jobs: Vec<JobHistory>,
    /// The units of the last session, by index.
    pub units: Vec<UnitKey>,
    /// The leases of the last session that are not over, by number.
    pub leases: BTreeMap<u64, OpenLease>,
    /// The processes of the last session, with the units that they were started for. They may have
    /// ended.
    pub processes: Vec<(Identity, Vec<u32>)>,
    /// Leases now on each unit.
    leased: Vec<u32>,
}

/// What is known of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobHistory {
    /// Which job.
    pub key: JobKey,
    /// Images that are done.
    pub done: ImageSet,
    /// How often starts that begin with an image that is not done have been tried.
    pub tries: BTreeMap<u32, u32>,
    /// How it ended in the last session, if it did.
    pub end: Option<EndOfJob>,
    /// Starts that failed in the last session.
    pub failing: Failing,
}

/// Counts failures.
pub type Failing = u32;

/// A lease that is not over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenLease {
    /// Whose.
    pub job: u32,
    /// Its units.
    pub units: Vec<u32>,
    /// What is in flight: the first image, and how many.
    pub images: Option<(u32, u32)>,
}

/// What a record says that can't be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Impossible {
    /// Something happened before any runner began.
    NoSession,
    /// A job that the session does not have.
    UnknownJob(u32),
    /// A unit that the session does not have.
    UnknownUnit(u32),
    /// A lease that is not open.
    UnknownLease(u64),
    /// A lease that is open is granted again.
    GrantedTwice(u64),
    /// More leases on a unit than it has slots.
    Overleased(u32),
    /// Images that the job does not have.
    UnknownImages(u32),
    /// Images end that are not in flight.
    NotInFlight(u64),
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Impossible::NoSession => write!(f, "something happened before a runner began"),
            Impossible::UnknownJob(job) => write!(f, "there is a job {job}, and there is none"),
            Impossible::UnknownUnit(unit) => write!(f, "there is a unit {unit}, and there is none"),
            Impossible::UnknownLease(lease) => write!(f, "lease {lease} is open, and it is not"),
            Impossible::GrantedTwice(lease) => write!(f, "lease {lease} was granted twice"),
            Impossible::Overleased(unit) => {
                write!(f, "unit {unit} has more leases than slots")
            }
            Impossible::UnknownImages(job) => {
                write!(f, "job {job} has images that it does not have")
            }
            Impossible::NotInFlight(lease) => {
                write!(f, "images of lease {lease} ended that were not in flight")
            }
        }
    }
}

impl History {
    /// Takes in the next record.
    ///
    /// # Errors
    ///
    /// What can't be, after what was before. The history is then of no more use.
    pub fn take(&mut self, record: &Record) -> Result<(), Impossible> {
        if let Record::Session { run, runner, jobs, units } = record {
            self.begin(run, runner, jobs, units);
            return Ok(());
        }
        if self.sessions == 0 {
            // A journal of nothing but an end says nothing wrong.
            return match record {
                Record::Closed { .. } => Ok(()),
                _ => Err(Impossible::NoSession),
            };
        }
        match *record {
            Record::Session { .. } => {}
            Record::Grant { t, lease, job, ref units } => {
                self.time = self.time.max(t);
                self.grant(lease, job, units)?;
            }
            Record::Start { t, lease, job, first, count } => {
                self.time = self.time.max(t);
                self.start(lease, job, first, count)?;
            }
            Record::Process { lease, ref identity } => {
                // It may come late, when its lease is over: then its units are not known.
                let units = self.leases.get(&lease).map(|lease| lease.units.clone());
                self.processes.push((identity.clone(), units.unwrap_or_default()));
            }
            Record::Done { t, lease, job, first, count } => {
                self.time = self.time.max(t);
                self.done(lease, job, first, count)?;
            }
            Record::Fail { t, lease, job } => {
                self.time = self.time.max(t);
                self.open(lease)?.images.take().ok_or(Impossible::NotInFlight(lease))?;
                self.job(job)?.failing += 1;
            }
            Record::Release { t, lease } => {
                self.time = self.time.max(t);
                let over = self.leases.remove(&lease).ok_or(Impossible::UnknownLease(lease))?;
                over.units.iter().for_each(|&unit| self.leased[unit as usize] -= 1);
            }
            Record::End { t, job, how } => {
                self.time = self.time.max(t);
                self.job(job)?.end = Some(how);
            }
            Record::Closed { t } => {
                self.time = self.time.max(t);
                self.closed = true;
                self.processes.clear();
            }
        }
        Ok(())
    }

    /// Free slots and leased ones, over all units.
    pub fn slots(&self) -> (u64, u64) {
        let leased: u64 = self.leased.iter().map(|&leased| u64::from(leased)).sum();
        let all: u64 = self.units.iter().map(|unit| u64::from(unit.slots)).sum();
        (all - leased, leased)
    }

    /// Another runner goes on: what it knows again stays done. Nothing runs any more.
    fn begin(&mut self, run: &str, runner: &Identity, jobs: &[JobKey], units: &[UnitKey]) {
        let mut known: BTreeMap<String, JobHistory> =
            self.jobs.drain(..).map(|job| (job.key.name.clone(), job)).collect();
        let job = |key: &JobKey| match known.remove(&key.name).filter(|job| job.key == *key) {
            Some(job) => JobHistory { end: None, failing: 0, ..job },
            None => JobHistory {
                key: key.clone(),
                done: ImageSet::default(),
                tries: BTreeMap::new(),
                end: None,
                failing: 0,
            },
        };
        self.jobs = jobs.iter().map(job).collect();
        self.run = run.into();
        self.sessions = self.sessions.saturating_add(1);
        self.runner = Some(runner.clone());
        self.closed = false;
        self.units = units.to_vec();
        self.leased = alloc::vec![0; units.len()];
        self.leases.clear();
        self.processes.clear();
    }

    fn grant(&mut self, lease: u64, job: u32, units: &[u32]) -> Result<(), Impossible> {
        self.job(job)?;
        if self.leases.contains_key(&lease) {
            return Err(Impossible::GrantedTwice(lease));
        }
        for &unit in units {
            let key = self.units.get(unit as usize).ok_or(Impossible::UnknownUnit(unit))?;
            let leased = &mut self.leased[unit as usize];
            if *leased >= key.slots {
                return Err(Impossible::Overleased(unit));
            }
            *leased += 1;
        }
        self.leases.insert(lease, OpenLease { job, units: units.to_vec(), images: None });
        Ok(())
    }

    fn start(&mut self, lease: u64, job: u32, first: u32, count: u32) -> Result<(), Impossible> {
        self.check_images(job, first, count)?;
        self.open(lease)?.images = Some((first, count));
        let job = self.job(job)?;
        if !job.done.has(first) {
            *job.tries.entry(first).or_default() += 1;
        }
        Ok(())
    }

    fn done(&mut self, lease: u64, job: u32, first: u32, count: u32) -> Result<(), Impossible> {
        if self.open(lease)?.images.take() != Some((first, count)) {
            return Err(Impossible::NotInFlight(lease));
        }
        let job = self.job(job)?;
        job.done.add(first, count);
        job.tries.retain(|image, _| !(first..first + count).contains(image));
        Ok(())
    }

    fn check_images(&mut self, job: u32, first: u32, count: u32) -> Result<(), Impossible> {
        let images = self.job(job)?.key.images;
        let within = first.checked_add(count).is_some_and(|end| end <= images);
        if within { Ok(()) } else { Err(Impossible::UnknownImages(job)) }
    }

    fn job(&mut self, job: u32) -> Result<&mut JobHistory, Impossible> {
        self.jobs.get_mut(job as usize).ok_or(Impossible::UnknownJob(job))
    }

    fn open(&mut self, lease: u64) -> Result<&mut OpenLease, Impossible> {
        self.leases.get_mut(&lease).ok_or(Impossible::UnknownLease(lease))
    }
}
