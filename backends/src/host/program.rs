//! The words and the environment of a program, for one start or one unit.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use lineside_line::{Part, Place, Program, Template};

use super::process::Launch;
use super::work::{HostUnit, Work};

/// Where the run is and what it is called.
///
/// ```
/// use lineside_backends::host::Site;
/// let site = Site::new("lines".into(), "out".into(), "run-7".to_string());
/// assert!(site.results_of("read labels/2").ends_with("out/results/read labels%2F2"));
/// ```
#[derive(Debug)]
pub struct Site {
    /// That of the line file.
    pub folder: PathBuf,
    /// That of the run.
    pub out: PathBuf,
    /// What the markers of its processes begin with; no other run has it.
    pub run: String,
    /// What all its processes have in their environment, besides.
    pub environment: Vec<(String, String)>,
    processes: AtomicU64,
}

impl Site {
    /// A run of a line file in this folder, that writes to that one.
    pub fn new(folder: PathBuf, out: PathBuf, run: String) -> Self {
        Site { folder, out, run, environment: Vec::new(), processes: AtomicU64::new(0) }
    }

    /// What tools make.
    pub fn results(&self) -> PathBuf {
        self.out.join("results")
    }

    /// What one job makes.
    pub fn results_of(&self, job: &str) -> PathBuf {
        self.results().join(folder_name(job))
    }

    /// What one job says.
    pub fn logs_of(&self, job: &str) -> PathBuf {
        self.out.join("logs").join(folder_name(job))
    }

    fn next_marker(&self) -> String {
        format!("{}/{}", self.run, self.processes.fetch_add(1, Ordering::Relaxed))
    }
}

/// A job's name as that of a folder: what a path can't hold is written as in an address.
fn folder_name(job: &str) -> String {
    const BYTES_MAX: usize = 200;
    let mut name = String::new();
    for (at, character) in job.char_indices() {
        let leads = at == 0 && character == '.';
        if leads || character.is_control() || "/\\%:*?\"<>|".contains(character) {
            let mut bytes = [0; 4];
            let bytes = character.encode_utf8(&mut bytes).bytes();
            bytes.for_each(|byte| name += &format!("%{byte:02X}"));
        } else {
            name.push(character);
        }
    }
    if name.len() > BYTES_MAX {
        let sum = crc32fast::hash(job.as_bytes());
        let cut = (0..=BYTES_MAX).rev().find(|&at| name.is_char_boundary(at)).unwrap_or(0);
        name.truncate(cut);
        name += &format!("%{sum:08X}");
    }
    name
}

/// A program of a job, ready to be started.
#[derive(Debug, Clone)]
pub(super) struct Launcher {
    pub(super) program: Program,
    pub(super) job: String,
    pub(super) site: Arc<Site>,
    /// Of each image, if they have files.
    pub(super) files: Vec<PathBuf>,
}

/// What a process is started for.
pub(super) enum For<'a, 'w> {
    Start(&'a Work<'w>),
    Unit(&'a [Arc<HostUnit>]),
}

impl Launcher {
    pub(super) fn launch(&self, what: &For<'_, '_>, log: File) -> Launch {
        let mut words: Vec<OsString> = Vec::new();
        let mut command = self.program.command.iter();
        if self.program.shell {
            words.extend(["/bin/sh".into(), "-c".into()]);
            words.extend(command.next().map(|script| self.fill(script, what)));
            // What a script calls itself.
            words.push("sh".into());
        }
        for word in command {
            match (word.parts.as_slice(), what) {
                ([Part::Images], For::Start(work)) => {
                    words.extend(work.images.iter().map(|&image| self.file(image)));
                }
                _ => words.push(self.fill(word, what)),
            }
        }
        let dir = self.program.dir.as_ref();
        let dir = absolute(&dir.map_or(self.site.folder.clone(), |dir| self.site.folder.join(dir)));
        // A path is one from where it runs; a name alone is looked for as always.
        if let Some(program) = words.first_mut().filter(|_| !self.program.shell) {
            let path = Path::new(program);
            if path.components().count() > 1 && path.is_relative() {
                *program = dir.join(path).into_os_string();
            }
        }
        let marker = self.site.next_marker();
        let grace = Duration::from_nanos(self.program.grace);
        let talks = matches!(what, For::Unit(_));
        Launch { words, dir, env: self.environment(what), log, talks, marker, grace }
    }

    fn environment(&self, what: &For<'_, '_>) -> BTreeMap<String, OsString> {
        let own = self.program.env.iter();
        let mut env: BTreeMap<String, OsString> =
            own.map(|(name, value)| (name.clone(), self.fill(value, what))).collect();
        let mut set = |name: &str, value: OsString| env.insert(name.to_owned(), value);
        for (name, value) in &self.site.environment {
            set(name, value.into());
        }
        let units = what.units();
        let cuda = units.iter().filter(|unit| unit.place == Place::Cuda);
        let uuids: Vec<&str> = cuda.filter_map(|unit| unit.uuid.as_deref()).collect();
        set("CUDA_VISIBLE_DEVICES", uuids.join(",").into());
        set("CUDA_DEVICE_ORDER", "PCI_BUS_ID".into());
        set("LINESIDE_JOB", self.job.clone().into());
        set("LINESIDE_UNIT", names(units).into());
        set("LINESIDE_OUT", self.out().into());
        if let For::Start(work) = what {
            let images: Vec<String> = work.images.iter().map(u32::to_string).collect();
            set("LINESIDE_LEASE", work.lease.to_string().into());
            set("LINESIDE_IMAGES", images.join(" ").into());
            set("LINESIDE_ATTEMPT", work.attempt.to_string().into());
        }
        env
    }

    fn fill(&self, template: &Template, what: &For<'_, '_>) -> OsString {
        let first = match what {
            For::Start(work) => work.images.first().copied().unwrap_or(work.first),
            For::Unit(_) => 0,
        };
        let mut filled = OsString::new();
        for part in &template.parts {
            match part {
                Part::Text(text) => filled.push(text),
                Part::Image | Part::Images => filled.push(self.file(first)),
                Part::Index => filled.push(first.to_string()),
                Part::Unit => filled.push(names(what.units())),
                Part::Uuid => filled.push(uuids(what.units())),
                Part::Out => filled.push(self.out()),
                Part::In(job) => filled.push(absolute(&self.site.results_of(job))),
            }
        }
        filled
    }

    pub(super) fn file(&self, image: u32) -> OsString {
        self.files.get(image as usize).cloned().unwrap_or_default().into_os_string()
    }

    pub(super) fn out(&self) -> PathBuf {
        absolute(&self.site.results_of(&self.job))
    }

    /// A log that nobody has written to, and its path. The folders are made as they are needed.
    pub(super) fn new_log(&self, name: &str) -> io::Result<(File, PathBuf)> {
        let logs = self.site.logs_of(&self.job);
        fs::create_dir_all(self.out())?;
        for other in 1..u32::MAX {
            let other = if other == 1 { String::new() } else { format!("-{other}") };
            let path = logs.join(format!("{name}{other}.log"));
            let opened = OpenOptions::new().read(true).append(true).create_new(true).open(&path);
            match opened {
                Ok(file) => return Ok((file, path)),
                Err(error) if error.kind() == io::ErrorKind::NotFound && !logs.exists() => {
                    fs::create_dir_all(&logs)?;
                    let file =
                        OpenOptions::new().read(true).append(true).create(true).open(&path)?;
                    return Ok((file, path));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl For<'_, '_> {
    fn units(&self) -> &[Arc<HostUnit>] {
        match self {
            For::Start(work) => work.units,
            For::Unit(units) => units,
        }
    }
}

/// The names of the units of a start.
pub(super) fn unit_names(work: &Work<'_>) -> String {
    names(work.units)
}

fn names(units: &[Arc<HostUnit>]) -> String {
    let names: Vec<&str> = units.iter().map(|unit| unit.name.as_str()).collect();
    names.join(",")
}

fn uuids(units: &[Arc<HostUnit>]) -> String {
    let uuids: Vec<&str> = units.iter().filter_map(|unit| unit.uuid.as_deref()).collect();
    uuids.join(",")
}

/// Wherever the program runs, the path leads there.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The last lines of a log, as far as they tell something.
pub(super) fn last_lines(log: &mut File) -> String {
    const BYTES_MAX: u64 = 4096;
    const LINES_MAX: usize = 6;
    let mut bytes = Vec::new();
    let length = log.seek(SeekFrom::End(0)).unwrap_or(0);
    let from = length.saturating_sub(BYTES_MAX);
    let read = log.seek(SeekFrom::Start(from)).and_then(|_| log.read_to_end(&mut bytes));
    if read.is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut lines: Vec<String> = text.lines().rev().map(printable).collect();
    lines.retain(|line| !line.trim().is_empty());
    lines.truncate(LINES_MAX);
    lines.iter().rev().map(|line| format!("\n  | {line}")).collect()
}

/// What would steer a terminal is left out.
fn printable(line: &str) -> String {
    let cut = line.rsplit('\r').next().unwrap_or(line);
    let shown = cut.chars().filter(|c| !c.is_control() || *c == '\t');
    shown.take(240).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_makes_one_folder_and_no_path() {
        assert_eq!(folder_name("detect"), "detect");
        assert_eq!(folder_name("../x"), "%2E.%2Fx");
        assert_eq!(folder_name("a%2Fb"), "a%252Fb");
        assert_ne!(folder_name(&"a".repeat(300)), folder_name(&"a".repeat(301)));
        assert!(folder_name(&"图".repeat(300)).len() <= 255);
    }
}
