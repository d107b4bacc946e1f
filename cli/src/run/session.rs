//! The session of a runner: a new run, or one that goes on where another runner was ended.

use std::fs;
use std::path::Path;
use std::time::Duration;

use lineside_backends::host::{self, Earlier, HostUnit};
use lineside_backends::journal::{History, Record, UnitKey};
use lineside_line::Line;

use super::journal::Journal;
use super::keys::keys;
use crate::file::LineFile;
use crate::words::printable;
use crate::{Refusal, terminal};

/// What a run begins with.
pub(crate) struct Session {
    pub(crate) journal: Journal,
    /// What need not be done again.
    pub(crate) earlier: Earlier,
    /// What no other run is called; the same over all sessions.
    run: String,
    history: History,
}

/// A run in a folder that is empty.
pub(crate) fn create(out: &Path) -> Result<Session, Refusal> {
    let journal = Journal::create(out)?;
    let (earlier, history) = (Earlier::default(), History::default());
    Ok(Session { journal, earlier, run: run_id(), history })
}

/// The run in this folder, to go on with it.
pub(crate) fn open(out: &Path) -> Result<Session, Refusal> {
    let (journal, read) = Journal::open(out)?;
    let history = read.history;
    let run = if history.run.is_empty() { run_id() } else { history.run.clone() };
    Ok(Session { journal, earlier: Earlier::default(), run, history })
}

impl Session {
    /// What the markers of its processes begin with.
    pub(crate) fn marker(&self) -> String {
        format!("{}/{}", self.run, self.history.sessions)
    }

    /// Ends what an earlier runner has left behind, and settles what need not be done again.
    pub(crate) fn begin(
        &mut self,
        line: &Line,
        file: &LineFile,
        out: &Path,
        units: &mut [HostUnit],
    ) {
        let record = session_record(line, file, &self.run);
        if self.history.sessions > 0 {
            end_what_is_left(&self.history, &self.run, units);
            // What has changed is forgotten, as by whoever reads the journal after us.
            let _ = self.history.take(&record);
            set_aside(line, &self.history, out);
            self.earlier = Earlier::of(line, &self.history);
            let done: u64 = self.earlier.done.iter().map(|images| u64::from(images.count())).sum();
            let all: u64 = line.jobs.iter().map(|job| u64::from(job.images)).sum();
            terminal::talk(&format!("resuming: {done} of {all} images need not be done again\n"));
        }
        self.journal.add(&record);
        self.journal.sync();
    }
}

fn session_record(line: &Line, file: &LineFile, run: &str) -> Record {
    let unit = |unit: &lineside_line::Unit| UnitKey { name: unit.name.clone(), slots: unit.slots };
    Record::Session {
        run: run.to_owned(),
        runner: host::this_process(),
        jobs: keys(line, &file.folder, file.is_unpacked()),
        units: line.units.iter().map(unit).collect(),
    }
}

/// Ends the processes of the earlier runners. Units on which something can't be ended are not
/// here.
fn end_what_is_left(history: &History, run: &str, units: &mut [HostUnit]) {
    const GRACE: Duration = Duration::from_secs(5);
    let mut lost: Vec<(String, Vec<u32>)> = Vec::new();
    for (identity, at) in &history.processes {
        if let Err(remains) = host::end_orphan(identity, GRACE) {
            lost.push((remains.to_string(), at.clone()));
        }
    }
    // Those that are not in the journal, and what has left its group.
    if let Err(remains) = host::end_marked(&format!("{run}/"), GRACE) {
        let all = history.leases.values().flat_map(|lease| lease.units.clone()).collect();
        lost.push((remains.to_string(), all));
    }
    for (text, at) in lost {
        let names = at.iter().filter_map(|&unit| history.units.get(unit as usize));
        let names: Vec<&str> = names.map(|unit| unit.name.as_str()).collect();
        terminal::talk(&format!("error: of the earlier run {text}; out: {}\n", names.join(", ")));
        let held = units.iter_mut().filter(|unit| names.contains(&unit.name.as_str()));
        held.for_each(|unit| unit.here = false);
    }
}

/// What a job has made that now begins anew is not mixed with what it makes.
fn set_aside(line: &Line, history: &History, out: &Path) {
    let site = host::Site::new(".".into(), out.to_owned(), String::new());
    for (job, known) in line.jobs.iter().zip(&history.jobs) {
        let results = site.results_of(&job.name);
        let anew = known.done.is_empty() && known.tries.is_empty();
        if !anew || !results.is_dir() || fs::remove_dir(&results).is_ok() {
            continue;
        }
        let aside = (1..1_000).map(|number| {
            let mut name = results.file_name().unwrap_or_default().to_owned();
            name.push(format!(".{number}"));
            out.join("earlier").join(name)
        });
        let mut aside = aside;
        let Some(aside) = aside.find(|path| !path.exists()) else { continue };
        let moved =
            fs::create_dir_all(out.join("earlier")).and_then(|()| fs::rename(&results, &aside));
        let name = printable(&job.name);
        terminal::talk(&match moved {
            Ok(()) => {
                format!("note: {name} begins anew; what it had made is in {}\n", aside.display())
            }
            Err(error) => format!("note: {name} begins anew, beside what it had made: {error}\n"),
        });
    }
}

/// What no other run is called.
fn run_id() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    format!("{:x}.{:x}", now.unwrap_or_default().as_nanos(), std::process::id())
}
