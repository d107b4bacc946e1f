//! One worker: its process, and the talk with it.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout};
use std::time::Instant;

use lineside_core::UnitId;

use super::Recall;
use super::process::{Alarm, Child, Exit, Identity, Launch, Woken};
use super::run::drop_if_empty;
use super::talk::{FromWorker, Lines, Nonsense, ToWorker, TooLong, parse_line};
use super::work::Failure;

/// A worker's process.
pub(super) struct Colleague {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    lines: Lines,
    heard: VecDeque<Result<FromWorker, Nonsense>>,
    pub(super) units: Vec<UnitId>,
    /// How often everything had left each of them as it came.
    pub(super) eras: Vec<u64>,
    pub(super) log: (File, PathBuf),
}

/// Why a worker is of no more use.
#[derive(Debug)]
pub(super) enum Fault {
    /// The units are asked back.
    Recalled,
    /// It said nothing for too long.
    Silent,
    /// Its process has ended.
    Ended(Exit),
    /// It has closed its output.
    Closed,
    /// It said what it should not have.
    Said(String),
    /// The talk with it is broken.
    Broken(std::io::Error),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Recalled => write!(f, "its units were asked back"),
            Fault::Silent => write!(f, "it did not answer"),
            Fault::Ended(exit) => write!(f, "it {exit}"),
            Fault::Closed => write!(f, "it has closed its output"),
            Fault::Said(what) => write!(f, "{what}"),
            Fault::Broken(error) => write!(f, "it can't be talked to: {error}"),
        }
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Fault::Broken(error)
    }
}

impl Colleague {
    /// Starts a worker; it is not ready yet.
    pub(super) fn employ(
        launch: Launch,
        units: Vec<UnitId>,
        eras: Vec<u64>,
        log: (File, PathBuf),
    ) -> Result<Self, Failure> {
        let program = launch.words.first().cloned().unwrap_or_default();
        let spawned = Child::spawn(launch);
        let mut child =
            spawned.map_err(|error| format!("can't start {}: {error}", program.display()))?;
        let (stdin, stdout) = child.talk().ok_or_else(|| "it can't be talked to".to_string())?;
        for end in [stdin.as_fd(), stdout.as_fd()] {
            rustix::io::ioctl_fionbio(end, true)
                .map_err(|error| format!("it can't be talked to: {error}"))?;
        }
        let (lines, heard) = (Lines::default(), VecDeque::new());
        Ok(Colleague { child, stdin, stdout, lines, heard, units, eras, log })
    }

    pub(super) fn identity(&self) -> Identity {
        self.child.identity()
    }

    /// Says something, however long it takes until it is listened to.
    pub(super) fn say(&mut self, message: &ToWorker, recall: &Recall) -> Result<(), Fault> {
        let line = message.line();
        let mut left = line.as_bytes();
        let mut alarm: Option<Alarm> = None;
        while !left.is_empty() {
            match self.stdin.write(left) {
                Ok(0) => return Err(self.why_closed()),
                Ok(written) => left = &left[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let alarm = match &mut alarm {
                        Some(alarm) => alarm,
                        none => none.insert(Alarm::new(recall)?),
                    };
                    let (read, write) = (self.stdout.as_fd(), self.stdin.as_fd());
                    match self.child.wait_for(alarm, Some(read), Some(write), None)? {
                        Woken::Ended(exit) => return Err(Fault::Ended(exit)),
                        Woken::Recalled => return Err(Fault::Recalled),
                        Woken::Readable => self.read()?,
                        Woken::Writable | Woken::TimeUp => {}
                    }
                }
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                    return Err(self.why_closed());
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// The next thing that it says, within this time.
    pub(super) fn hear(
        &mut self,
        recall: Option<&Recall>,
        most: Option<Duration>,
    ) -> Result<FromWorker, Fault> {
        let never = Recall::default();
        let alarm = Alarm::new(recall.unwrap_or(&never))?;
        let until = most.map(|most| Instant::now() + most);
        loop {
            if let Some(said) = self.heard.pop_front() {
                return said.map_err(|nonsense| Fault::Said(nonsense.to_string()));
            }
            match self.child.wait_for(&alarm, Some(self.stdout.as_fd()), None, until)? {
                Woken::Readable => self.read()?,
                Woken::Ended(exit) => return Err(Fault::Ended(exit)),
                Woken::Recalled => return Err(Fault::Recalled),
                Woken::TimeUp => return Err(Fault::Silent),
                Woken::Writable => {}
            }
        }
    }

    /// Takes in what is there to be read.
    fn read(&mut self) -> Result<(), Fault> {
        let mut piece = [0; 1 << 14];
        match self.stdout.read(&mut piece) {
            Ok(0) => return Err(self.why_closed()),
            Ok(read) => {
                let too_long = |TooLong| Fault::Said(TooLong.to_string());
                self.lines.push(&piece[..read]).map_err(too_long)?;
                while let Some(line) = self.lines.next_line() {
                    self.heard.push_back(parse_line(&line));
                }
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// A pipe is closed: most often since the process has ended, which may take a moment to see.
    fn why_closed(&mut self) -> Fault {
        let moment = Some(Instant::now() + Duration::from_millis(200));
        let alarm = Alarm::new(&Recall::default());
        match alarm.and_then(|alarm| self.child.wait_for(&alarm, None, None, moment)) {
            Ok(Woken::Ended(exit)) => Fault::Ended(exit),
            Ok(_) => Fault::Closed,
            Err(error) => error.into(),
        }
    }

    /// Asks it to leave, and sees to it.
    pub(super) fn leave(mut self, grace: Duration) -> Result<(), String> {
        // Whether it hears this or not, it ends.
        let _ = self.stdin.write(ToWorker::Leave.line().as_bytes());
        let until = Some(Instant::now() + grace);
        let mut open = true;
        while let Ok(alarm) = Alarm::new(&Recall::default()) {
            let read = open.then(|| self.stdout.as_fd());
            match self.child.wait_for(&alarm, read, None, until) {
                // Whatever it says now is said to nobody.
                Ok(Woken::Readable) => {
                    open = self.stdout.read(&mut [0; 4096]).is_ok_and(|it| it > 0)
                }
                Ok(_) | Err(_) => break,
            }
        }
        self.end()
    }

    /// It has not ended while nobody looked.
    pub(super) fn is_alive(&mut self) -> bool {
        self.child.is_alive()
    }

    /// Ends it and everything that it has started.
    pub(super) fn end(self) -> Result<(), String> {
        let Colleague { child, stdin, log: (log, path), .. } = self;
        drop(stdin);
        let ended = child.end();
        drop_if_empty(&log, &path);
        ended.map(drop).map_err(|remains| remains.to_string())
    }
}
