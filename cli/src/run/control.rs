//! What is asked of a run from another terminal, over a socket in its folder.

use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use lineside_backends::host::{Host, Waker};
use lineside_backends::{Driver, Happening, Observer};
use lineside_core::{JobId, Outcome, Scheduler, UnitId, UnitState};
use lineside_line::Line;
use serde::{Deserialize, Serialize};

use crate::words::Words;

/// What can be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub(crate) enum Request {
    Status,
    Cancel { job: String },
    Drain { unit: String },
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer {
    Done,
    Refused(String),
    Status(Status),
}

/// How a run stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Status {
    /// A runner is at it.
    pub(crate) running: bool,
    pub(crate) jobs: Vec<JobStatus>,
    pub(crate) units: Vec<UnitStatus>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JobStatus {
    pub(crate) name: String,
    pub(crate) state: String,
    pub(crate) done: u32,
    pub(crate) images: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnitStatus {
    pub(crate) name: String,
    pub(crate) state: String,
    /// The jobs that hold a lease on it.
    pub(crate) jobs: Vec<String>,
}

/// Bytes of a request at most.
const REQUEST_MAX: u64 = 1 << 16;

/// Nobody is waited for longer than this.
const PATIENCE: Duration = Duration::from_secs(5);

/// The socket of a run. It goes when this is dropped.
pub(crate) struct Control {
    asked: Receiver<(Request, Sender<Answer>)>,
    socket: PathBuf,
}

impl Control {
    /// Listens. Where that can't be had the run goes on without.
    pub(crate) fn open(out: &Path, waker: Waker) -> Self {
        let (sender, asked) = channel();
        let socket = out.join("control");
        if let Some(listener) = listen(out, &socket) {
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let (sender, waker) = (sender.clone(), waker.clone());
                    // One that says nothing keeps nobody else waiting.
                    thread::spawn(move || talk(&stream, &sender, &waker));
                }
            });
        }
        Control { asked, socket }
    }

    /// Does what was asked meanwhile. True if anything was.
    pub(crate) fn serve(
        &self,
        line: &Line,
        driver: &mut Driver<'_, Host>,
        observer: &mut impl Observer,
    ) -> bool {
        let mut served = false;
        while let Ok((request, answers)) = self.asked.try_recv() {
            served = true;
            let answer = answer(line, driver, observer, &request);
            // Whoever asked may be gone.
            let _ = answers.send(answer);
        }
        served
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.socket);
    }
}

/// The path by which the socket of a run is reached, however long that of its folder is. It holds
/// while the file is open.
pub(crate) fn socket(out: &Path) -> std::io::Result<(File, PathBuf)> {
    let folder = File::open(out)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}/control", folder.as_raw_fd()));
    Ok((folder, path))
}

fn listen(out: &Path, socket_file: &Path) -> Option<UnixListener> {
    // The journal is locked: what is there is that of a runner that is gone.
    let _ = fs::remove_file(socket_file);
    let (_folder, path) = socket(out).ok()?;
    let listener = UnixListener::bind(path).ok()?;
    fs::set_permissions(socket_file, Permissions::from_mode(0o600)).ok()?;
    Some(listener)
}

/// One request, one answer. Whoever is not the user of this run is not listened to.
fn talk(stream: &UnixStream, asked: &Sender<(Request, Sender<Answer>)>, waker: &Waker) {
    let peer = rustix::net::sockopt::socket_peercred(stream);
    let is_ours =
        peer.is_ok_and(|peer| peer.uid == rustix::process::geteuid() || peer.uid.is_root());
    let timed =
        stream.set_read_timeout(Some(PATIENCE)).and(stream.set_write_timeout(Some(PATIENCE)));
    if !is_ours || timed.is_err() {
        return;
    }
    let mut line = String::new();
    if BufReader::new(stream.take(REQUEST_MAX)).read_line(&mut line).is_err() {
        return;
    }
    let answer = match serde_json::from_str::<Request>(&line) {
        Err(error) => Answer::Refused(format!("that is no request: {error}")),
        Ok(request) => {
            let (answers, answered) = channel();
            let _ = asked.send((request, answers));
            waker.wake();
            match answered.recv_timeout(PATIENCE) {
                Ok(answer) => answer,
                Err(_) => Answer::Refused("the run is over, or too busy to answer".to_owned()),
            }
        }
    };
    let mut text = serde_json::to_string(&answer).unwrap_or_default();
    text.push('\n');
    let mut stream = stream;
    let _ = stream.write_all(text.as_bytes());
}

fn answer(
    line: &Line,
    driver: &mut Driver<'_, Host>,
    observer: &mut impl Observer,
    request: &Request,
) -> Answer {
    let happening = match request {
        Request::Status => return Answer::Status(status(line, driver.scheduler_mut())),
        Request::Cancel { job } => match line.jobs.iter().position(|it| it.name == *job) {
            Some(at) => Happening::Cancel(at as u32),
            None => return Answer::Refused(format!("there is no job `{job}`")),
        },
        Request::Drain { unit } => match line.units.iter().position(|it| it.name == *unit) {
            Some(at) => Happening::Drain(at as u32),
            None => return Answer::Refused(format!("there is no unit `{unit}`")),
        },
    };
    match driver.happen(happening, observer) {
        Ok(()) => Answer::Done,
        Err(_) => Answer::Refused(match request {
            Request::Drain { unit } => format!("`{unit}` is down"),
            Request::Status | Request::Cancel { .. } => "it has ended".to_owned(),
        }),
    }
}

fn status(line: &Line, scheduler: &mut Scheduler<'_>) -> Status {
    let words = Words::new(line);
    let mut jobs = Vec::with_capacity(line.jobs.len());
    for (at, job) in line.jobs.iter().enumerate() {
        let id = JobId { index: at as u32, generation: 0 };
        let state = match scheduler.outcome(id) {
            Ok(Some(Outcome::Done)) => "done".to_owned(),
            Ok(Some(Outcome::Failed(_))) => "failed".to_owned(),
            Ok(Some(Outcome::Cancelled)) => "cancelled".to_owned(),
            Ok(Some(Outcome::Skipped(_))) => "skipped".to_owned(),
            Ok(None) | Err(_) => {
                let wait = scheduler.why(scheduler.now(), id);
                wait.map_or(String::new(), |wait| words.wait_in_full(scheduler, id, &wait))
            }
        };
        let done = scheduler.images_done(id).unwrap_or(0);
        jobs.push(JobStatus { name: job.name.clone(), state, done, images: job.images });
    }
    let unit = |(at, unit): (usize, &lineside_line::Unit)| {
        let id = UnitId(at as u32);
        let state = match scheduler.unit_state(id) {
            Ok(UnitState::Up) | Err(_) => "up",
            Ok(UnitState::Draining) => "draining",
            Ok(UnitState::Down) => "down",
        };
        let leases = scheduler.leases_at(id).into_iter().flatten();
        let jobs = leases.filter_map(|lease| scheduler.job_of(lease).ok());
        let jobs = jobs.map(|job| line.jobs[job.index as usize].name.clone()).collect();
        UnitStatus { name: unit.name.clone(), state: state.to_owned(), jobs }
    };
    Status { running: true, units: line.units.iter().enumerate().map(unit).collect(), jobs }
}
