//! A folder with a line file, and what came of running it.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A CPU with four slots.
pub(crate) const CPU: &str =
    "[[device]]\nname = \"cpu\"\nplace = \"cpu\"\nmemory = \"4GiB\"\nslots = 4\n";

pub(crate) struct Bench {
    folder: PathBuf,
}

pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    /// On stderr.
    pub(crate) said: String,
    trace: String,
}

impl Ran {
    pub(crate) fn trace(&self) -> &str {
        &self.trace
    }
}

impl Bench {
    /// An empty folder.
    pub(crate) fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        Bench { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A text that no process of another test has in its environment.
    pub(crate) fn stamp(&self) -> String {
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        format!("{name}-{}", std::process::id())
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The names in a folder; none if it is not there.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub(crate) fn line(&self, text: &str) {
        self.write("line.toml", text);
    }

    /// `lineside`, in the folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
        command.args(arguments).current_dir(&self.folder).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self) -> Ran {
        self.run_with(&[])
    }

    pub(crate) fn run_with(&self, environment: &[(&str, &str)]) -> Ran {
        self.outcome(
            self.command(&["run", "line.toml", "--out", "out"]).envs(environment.iter().copied()),
        )
    }

    pub(crate) fn resume(&self) -> Ran {
        self.outcome(&mut self.command(&["run", "line.toml", "--out", "out", "--resume"]))
    }

    fn outcome(&self, command: &mut Command) -> Ran {
        let output = command.output().expect("it starts");
        Ran {
            code: output.status.code(),
            said: String::from_utf8_lossy(&output.stderr).into_owned(),
            trace: fs::read_to_string(self.path("out/trace.jsonl")).unwrap_or_default(),
        }
    }
}

/// The processes that have `STAMP=stamp` in their environment.
pub(crate) fn marked_processes(stamp: &str) -> Vec<u32> {
    let wanted = format!("STAMP={stamp}");
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_marked = |pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    pids.filter(is_marked).collect()
}
