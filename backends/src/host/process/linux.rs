//! Processes on Linux: a group for each, a file that says when it ends, and `/proc` to find what
//! has left the group.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::Instant;

use lineside_registry::proc::{self, Stat, pids, stat};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpgrp, getpid, kill_process_group, pidfd_open,
    pidfd_send_signal, set_child_subreaper, test_kill_process_group, waitpid,
};

use super::linux_proc::pids_since;
use super::{Exit, Identity, Launch, MARKER, Remains};
use crate::host::Recall;

/// SIGKILL is obeyed at once, but for a process that hangs in the kernel: after this it is given
/// up.
const KILL_MAX: Duration = Duration::from_secs(5);

/// Between two looks at what can't be waited for: at first, and in the long run.
const LOOKS: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(100));

/// So long numbers of processes can't have gone full circle.
const CIRCLE_MIN: Duration = Duration::from_secs(1);

/// The first process of each group that we have started and not yet seen to its end, and when it
/// was started.
static LEADERS: Mutex<BTreeMap<u32, u64>> = Mutex::new(BTreeMap::new());

/// Held by whoever starts a process, until it is a leader; and alone, by whoever wants to be sure
/// that a process is none.
static SPAWNING: RwLock<()> = RwLock::new(());

/// A process that we have started, and everything that it has started.
#[derive(Debug)]
pub(crate) struct Child {
    process: std::process::Child,
    leader: Pid,
    ends: OwnedFd,
    began: Instant,
    started: u64,
    marker: String,
    grace: Duration,
    exit: Option<Exit>,
}

/// What ended a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Woken {
    /// The process has ended.
    Ended(Exit),
    /// The units are asked back.
    Recalled,
    /// There is something to read.
    Readable,
    /// There is room to write.
    Writable,
    /// It is time.
    TimeUp,
}

impl Child {
    /// Starts a process in a group of its own.
    pub(crate) fn spawn(launch: Launch) -> io::Result<Child> {
        let Launch { words, dir, env, log, talks, marker, grace } = launch;
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(dir).envs(env).env(MARKER, &marker).process_group(0);
        if talks {
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        } else {
            command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        }
        // Nobody may take the new process for an orphan before it is known as a leader.
        let spawning = SPAWNING.read().unwrap_or_else(PoisonError::into_inner);
        let process = command.spawn()?;
        let id = process.id();
        let started = stat(id).map_or(0, |stat| stat.started);
        leaders().insert(id, started);
        drop(spawning);
        let leader = Pid::from_child(&process);
        // It has not been waited for, so the number is its own.
        let ends = match pidfd_open(leader, PidfdFlags::empty()) {
            Ok(ends) => ends,
            Err(error) => {
                let mut process = process;
                let _ = process.kill();
                let _ = process.wait();
                leaders().remove(&id);
                return Err(error.into());
            }
        };
        let began = Instant::now();
        Ok(Child { process, leader, ends, began, started, marker, grace, exit: None })
    }

    /// Which process it is.
    pub(crate) fn identity(&self) -> Identity {
        Identity { pid: self.process.id(), started: self.started, boot: boot_id().to_string() }
    }

    /// It has not ended yet.
    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.ask(), Ok(None))
    }

    /// Both ends of the talk, if it talks.
    pub(crate) fn talk(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        Some((self.process.stdin.take()?, self.process.stdout.take()?))
    }

    /// Waits until it has ended, or there is a recall.
    pub(crate) fn wait(&mut self, recall: &Recall) -> io::Result<Woken> {
        self.wait_for(&Alarm::new(recall)?, None, None, None)
    }

    /// Waits until it has ended, there is a recall, one of these can be read or written, or until
    /// then.
    pub(crate) fn wait_for(
        &mut self,
        alarm: &Alarm,
        read: Option<BorrowedFd<'_>>,
        write: Option<BorrowedFd<'_>>,
        until: Option<Instant>,
    ) -> io::Result<Woken> {
        loop {
            let mut fds = Vec::with_capacity(4);
            fds.extend(read.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
            fds.extend(write.iter().map(|fd| PollFd::new(fd, PollFlags::OUT)));
            fds.push(PollFd::new(&self.ends, PollFlags::IN));
            fds.push(PollFd::new(&alarm.0, PollFlags::IN));
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let ready = wait_on(&mut fds, left)?;
            let happened = |at: usize| !fds[at].revents().is_empty();
            let rest = fds.len() - 2;
            if happened(rest + 1) {
                return Ok(Woken::Recalled);
            }
            if write.is_some() && happened(rest - 1) {
                return Ok(Woken::Writable);
            }
            // What it said before it ended is read first.
            if read.is_some() && happened(0) {
                return Ok(Woken::Readable);
            }
            if happened(rest)
                && let Some(exit) = self.ask()?
            {
                return Ok(Woken::Ended(exit));
            }
            if ready == 0 && left.is_some_and(|left| left.is_zero()) {
                return Ok(Woken::TimeUp);
            }
        }
    }

    /// Sees to it that it and everything that it has started is gone: asks, then makes.
    ///
    /// # Errors
    ///
    /// What could not be ended.
    pub(crate) fn end(mut self) -> Result<Option<Exit>, Remains> {
        let mut result = self.press(Signal::TERM, self.grace);
        if result.is_err() {
            result = self.press(Signal::KILL, KILL_MAX);
        }
        leaders().remove(&self.process.id());
        result.map(|()| self.exit)
    }

    /// Sends a signal to all that is left, and waits until it is gone.
    fn press(&mut self, signal: Signal, most: Duration) -> Result<(), Remains> {
        let until = Instant::now() + most;
        let mut told: Vec<u32> = Vec::new();
        let mut group_told = false;
        let mut look = LOOKS.0;
        while let Some(left) = self.left() {
            if Instant::now() >= until {
                let mut pids = members(self.leader);
                pids.extend(left.orphans.iter().map(|(pid, _)| *pid));
                return Err(Remains { pids });
            }
            if left.group && !group_told {
                // A group that is gone meanwhile is what is wanted.
                let _ = kill_process_group(self.leader, signal);
                group_told = true;
            }
            for (pid, stat) in left.orphans {
                if !told.contains(&pid) {
                    tell(pid, &stat, signal);
                    told.push(pid);
                }
            }
            self.wait_a_little(look);
            look = (look * 2).min(LOOKS.1);
        }
        Ok(())
    }

    /// What is left of it; none if it is all gone.
    fn left(&mut self) -> Option<Left> {
        let alive = self.is_alive();
        // This also buries what has ended, which would still count as a member of the group.
        let orphans = self.orphans();
        // Once it has been waited for, its number stays taken while the group has a member.
        let group = alive || test_kill_process_group(self.leader) != Err(Errno::SRCH);
        (group || !orphans.is_empty()).then_some(Left { group, orphans })
    }

    /// How it ended, if it has.
    fn ask(&mut self) -> io::Result<Option<Exit>> {
        if self.exit.is_none() {
            self.exit = self.process.try_wait()?.map(exit);
        }
        Ok(self.exit)
    }

    fn wait_a_little(&self, most: Duration) {
        if self.exit.is_some() {
            thread::sleep(most);
        } else {
            let mut fds = [PollFd::new(&self.ends, PollFlags::IN)];
            let _ = wait_on(&mut fds, Some(most));
        }
    }

    /// What it has started and what has left its group. An orphan becomes our child, since we
    /// watch over orphans.
    fn orphans(&self) -> Vec<(u32, Stat)> {
        let id = self.process.id();
        let candidates = match self.began.elapsed() < CIRCLE_MIN {
            true => pids_since(id),
            false => pids(),
        };
        candidates.into_iter().filter_map(|pid| Some((pid, self.orphan(pid)?))).collect()
    }

    /// What is to be known of a process to end it, if it is one that this one has left behind.
    fn orphan(&self, pid: u32) -> Option<Stat> {
        let id = self.process.id();
        let us = getpid().as_raw_pid() as u32;
        if pid == us || leaders().contains_key(&pid) {
            return None;
        }
        let stat = stat(pid)?;
        let adopted = stat.parent == us && stat.group != getpgrp().as_raw_pid() as u32;
        if stat.is_over() && adopted {
            self.bury(pid);
        }
        if stat.is_over() || stat.group == id {
            return None;
        }
        let is_ours = match marker(pid) {
            Some(marker) => marker == self.marker,
            None => adopted && self.is_the_only_parent(pid, &stat),
        };
        is_ours.then_some(stat)
    }

    /// Asks how an adopted process has ended, so that nothing of it stays. What is just being
    /// started is not adopted.
    fn bury(&self, pid: u32) {
        let _nobody_starts = SPAWNING.write().unwrap_or_else(PoisonError::into_inner);
        let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
        if let (Some(number), false) = (number, leaders().contains_key(&pid)) {
            let _ = waitpid(Some(number), WaitOptions::NOHANG);
        }
    }

    /// An orphan has no marker: its environment was cleared, or is not to be seen. It can only be
    /// of a process that was there before it. While there are several it is left alone.
    fn is_the_only_parent(&self, pid: u32, orphan: &Stat) -> bool {
        // What is just being started is not marked yet. By now it is known, or has ended already.
        let _nobody_starts = SPAWNING.write().unwrap_or_else(PoisonError::into_inner);
        let known = leaders();
        let same = stat(pid).is_some_and(|it| it.started == orphan.started && !it.is_over());
        if !same || marker(pid).is_some() {
            return false;
        }
        let older = |(other, started): (&u32, &u64)| {
            *other != self.process.id() && *started <= orphan.started
        };
        orphan.started >= self.started && !known.contains_key(&pid) && !known.iter().any(older)
    }
}

/// What is left of a process.
struct Left {
    group: bool,
    orphans: Vec<(u32, Stat)>,
}

/// Can be waited for, beside other things: there is a recall.
#[derive(Debug)]
pub(crate) struct Alarm(Arc<OwnedFd>);

impl Alarm {
    /// Goes off at a recall.
    pub(crate) fn new(recall: &Recall) -> io::Result<Alarm> {
        let alarm = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let rings = alarm.clone();
        recall.at_recall(move || {
            let _ = rustix::io::write(&rings, &1u64.to_ne_bytes());
        });
        Ok(Alarm(alarm))
    }
}

/// Has what loses its parent become our child, so that it can be found. True if that can be had.
pub fn watch_over_orphans() -> bool {
    set_child_subreaper(Some(getpid())).is_ok()
}

/// Which start of the machine this is.
pub fn boot_id() -> &'static str {
    proc::boot_id().unwrap_or_default()
}

/// The value of [`MARKER`] of a process, if it has one and it is to be seen.
fn marker(pid: u32) -> Option<String> {
    proc::variable(pid, MARKER)
}

/// Who we are.
pub fn this_process() -> Identity {
    let pid = std::process::id();
    let started = stat(pid).map_or(0, |stat| stat.started);
    Identity { pid, started, boot: boot_id().to_string() }
}

/// Ends a process of a runner that is gone, with its group, if it is still the same.
///
/// # Errors
///
/// What could not be ended.
pub fn end_orphan(identity: &Identity, grace: Duration) -> Result<(), Remains> {
    let same = |pid: u32| stat(pid).filter(|it| it.started == identity.started && !it.is_over());
    let leader = i32::try_from(identity.pid).ok().and_then(Pid::from_raw);
    let (true, Some(leader)) = (identity.boot == boot_id(), leader) else { return Ok(()) };
    if same(identity.pid).is_none() {
        return Ok(());
    }
    end_all(grace, || {
        let Some(found) = same(identity.pid) else { return Vec::new() };
        let group = if found.group == identity.pid { members(leader) } else { Vec::new() };
        let mut all: Vec<u32> = group;
        if !all.contains(&identity.pid) {
            all.push(identity.pid);
        }
        all.into_iter().filter_map(|pid| Some((pid, stat(pid)?))).collect()
    })
}

/// Ends every process whose marker is of this run.
///
/// # Errors
///
/// What could not be ended.
pub fn end_marked(run: &str, grace: Duration) -> Result<(), Remains> {
    let us = std::process::id();
    end_all(grace, || {
        let is_of_run = |pid: &u32| marker(*pid).is_some_and(|marker| marker.starts_with(run));
        let all = pids().into_iter().filter(|&pid| pid != us).filter(is_of_run);
        all.filter_map(|pid| Some((pid, stat(pid)?))).filter(|(_, it)| !it.is_over()).collect()
    })
}

/// SIGKILL to every process that we have started and that has not ended, with its group.
pub fn kill_all() {
    for &pid in leaders().keys() {
        if let Some(leader) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

/// Asks all that `find` finds to end, then makes them.
fn end_all(grace: Duration, find: impl Fn() -> Vec<(u32, Stat)>) -> Result<(), Remains> {
    for (signal, most) in [(Signal::TERM, grace), (Signal::KILL, KILL_MAX)] {
        let until = Instant::now() + most;
        let mut told: Vec<u32> = Vec::new();
        let mut look = LOOKS.0;
        loop {
            let left = find();
            if left.is_empty() {
                return Ok(());
            }
            for (pid, stat) in left {
                if !told.contains(&pid) {
                    tell(pid, &stat, signal);
                    told.push(pid);
                }
            }
            if Instant::now() >= until {
                break;
            }
            thread::sleep(look);
            look = (look * 2).min(LOOKS.1);
        }
    }
    Err(Remains { pids: find().into_iter().map(|(pid, _)| pid).collect() })
}

/// Sends a signal to this very process, not to another that has got its number.
fn tell(pid: u32, seen: &Stat, signal: Signal) {
    let Some(number) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
    let Ok(process) = pidfd_open(number, PidfdFlags::empty()) else { return };
    if stat(pid).is_some_and(|now| now.started == seen.started) {
        // If it is gone by now, all the better.
        let _ = pidfd_send_signal(process.as_fd(), signal);
    }
}

/// Who is in a group and has not ended.
fn members(leader: Pid) -> Vec<u32> {
    let group = leader.as_raw_pid() as u32;
    let is_member = |pid: &u32| stat(*pid).is_some_and(|it| it.group == group && !it.is_over());
    pids().into_iter().filter(is_member).collect()
}

/// Waits for one of these, so long at most; how many there are.
fn wait_on(fds: &mut [PollFd<'_>], most: Option<Duration>) -> io::Result<usize> {
    let most = most.map(|most| Timespec {
        tv_sec: most.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: most.subsec_nanos().into(),
    });
    match poll(fds, most.as_ref()) {
        Err(Errno::INTR) => Ok(0),
        result => Ok(result?),
    }
}

fn exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or(0)),
    }
}

fn leaders() -> MutexGuard<'static, BTreeMap<u32, u64>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}
