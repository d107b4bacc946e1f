//! Running the command on one place or another, and reading what came of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

/// Where a line runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum On {
    /// Nowhere: in virtual time.
    Sim,
    /// On the CPU.
    Host,
    /// Through Vulkan: Mesa's software driver, unless a real GPU is to be taken.
    Vulkan,
    /// Through CUDA: the stand-in, unless a real GPU is to be taken.
    Cuda,
}

/// What came of a run.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stderr: String,
    pub(crate) out: PathBuf,
    pub(crate) trace: Vec<Value>,
    /// What the stand-in says at its end.
    pub(crate) left: Option<String>,
}

/// The example's folder.
pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name)
}

/// A folder of its own, empty.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("gpus").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Which real GPU is to be taken.
fn real() -> Option<String> {
    std::env::var("LINESIDE_TEST_GPU").ok()
}

/// Whether the place is here; if not, that is said, and in CI it is a fault.
pub(crate) fn is_here(on: On) -> bool {
    let place = match on {
        On::Sim | On::Host => return true,
        On::Vulkan => "vulkan",
        On::Cuda => "cuda",
    };
    let listed = command(on, "").args(["devices", "--json", "--allow-software"]).output();
    let listed: Value = serde_json::from_slice(&listed.expect("it starts").stdout).expect("JSON");
    let usable = |device: &Value| {
        let places = device["places"].as_array().into_iter().flatten();
        device["usable"] == true && places.clone().any(|it| it == place)
    };
    if listed["devices"].as_array().expect("a list").iter().any(usable) {
        return true;
    }
    assert!(std::env::var_os("CI").is_none(), "nothing is reached through {place}");
    eprintln!("SKIPPED on {on:?}: nothing is reached through {place} on this machine");
    false
}

/// The command, as it sees the machine: with a spec for the stand-in, if CUDA is that.
pub(crate) fn command(on: On, spec: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
    command.env_remove("CUDA_VISIBLE_DEVICES");
    // Cards of the stand-in have the same names in all tests, so each command is on a machine of
    // its own.
    command.env("LINESIDE_REGISTRY", registry());
    if on == On::Cuda && real().as_deref() != Some("cuda") {
        command.env("LD_LIBRARY_PATH", stand_in()).env("LINESIDE_STAND_IN", spec);
    }
    if on == On::Vulkan {
        command.env("LINESIDE_VULKAN_VALIDATION", "1");
    }
    command
}

/// A registry that nobody else has.
fn registry() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    folder(&format!("registry-{}-{count}", std::process::id()))
}

/// The folder in which the stand-in has the names of NVIDIA's libraries.
fn stand_in() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let tests = std::env::current_exe().expect("a path");
        let built = tests.parent().expect("a folder").join("liblineside_stand_in.so");
        let folder = folder(&format!("stand-in-{}", std::process::id()));
        fs::copy(&built, folder.join("libcuda.so.1")).expect("cargo builds it for these tests");
        #[cfg(unix)]
        std::os::unix::fs::symlink("libcuda.so.1", folder.join("libnvidia-ml.so.1"))
            .expect("a link");
        folder
    })
}

/// Runs a line on a place.
pub(crate) fn run(on: On, line: &Path, name: &str, spec: &str) -> Ran {
    let place = match on {
        On::Sim => panic!("a plan is no run"),
        On::Host => "cpu",
        On::Vulkan => "vulkan",
        On::Cuda => "cuda",
    };
    let arguments = ["--place", place, "--allow-software"];
    run_with(on, line, name, spec, &arguments)
}

/// Runs a line with these arguments.
pub(crate) fn run_with(on: On, line: &Path, name: &str, spec: &str, arguments: &[&str]) -> Ran {
    let folder = folder(name);
    let (out, report) = (folder.join("out"), folder.join("report"));
    let mut command = command(on, spec);
    command.env("LINESIDE_STAND_IN_REPORT", &report);
    command.arg("run").arg(line).args(arguments).arg("--out").arg(&out);
    let output = command.output().expect("it starts");
    let left = fs::read_to_string(report).ok();
    ran(&output, out, left)
}

fn ran(output: &Output, out: PathBuf, left: Option<String>) -> Ran {
    let trace = fs::read_to_string(out.join("trace.jsonl")).unwrap_or_default();
    let trace = trace.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    Ran {
        code: output.status.code(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        trace: trace.collect(),
        out,
        left,
    }
}

impl Ran {
    /// Events of a kind.
    pub(crate) fn events(&self, kind: &str) -> Vec<&Value> {
        self.trace.iter().filter(|event| event["ev"] == kind).collect()
    }

    /// What became of a unit, in order.
    pub(crate) fn states(&self, unit: &str) -> Vec<&str> {
        let events = self.events("unit").into_iter().filter(|event| event["unit"] == unit);
        events.map(|event| event["state"].as_str().expect("a word")).collect()
    }

    /// Each image of the job is done, and none twice.
    pub(crate) fn check_done_once(&self, job: &str, images: u64) {
        let mut done: BTreeMap<u64, u32> = BTreeMap::new();
        for event in self.events("done").into_iter().filter(|event| event["job"] == job) {
            let first = event["first"].as_u64().expect("a number");
            for image in first..first + event["count"].as_u64().expect("a number") {
                *done.entry(image).or_default() += 1;
            }
        }
        let expected: BTreeMap<u64, u32> = (0..images).map(|image| (image, 1)).collect();
        assert_eq!(done, expected, "{job}: {}", self.stderr);
    }

    /// Nothing is left on the stand-in, and the validation layer had nothing to say.
    pub(crate) fn check_clean(&self) {
        if let Some(left) = &self.left {
            assert!(left.contains("stand-in, not a GPU"), "{left}");
            let nothing = "left: memory 0 pinned 0 streams 0 events 0 modules 0 contexts 0";
            assert!(left.contains(nothing), "{left}\n{}", self.stderr);
        }
        if self.stderr.contains("the validation layer looked on") {
            assert!(self.stderr.contains("looked on: 0 messages"), "{}", self.stderr);
        }
        assert!(!self.stderr.contains("still held"), "{}", self.stderr);
    }
}

/// Boards of the inspection and a line for them, with some devices, and some keys of `detect` and
/// `classify`.
pub(crate) fn boards(folder: &Path, devices: &str, detect: &str) -> PathBuf {
    let pcb = example("pcb");
    for board in 1..=6 {
        let name = format!("board-{board:02}.png");
        fs::copy(pcb.join("boards").join(&name), folder.join(name)).expect("a board");
    }
    fs::copy(pcb.join("golden.png"), folder.join("golden.png")).expect("the golden picture");
    let text = format!(
        "[[device]]\nname = \"cpu\"\nplace = \"cpu\"\nmemory = \"1GiB\"\nslots = 4\n{devices}
[[job]]\nname = \"load\"\nkind = \"legacy\"\nneeds = \"cpu\"\nimages = \"board-*.png\"
inflight = 2\nthreads = 2\nkernel = {{ tool = \"load\" }}
[[job]]\nname = \"detect\"\nkind = \"legacy\"\nafter = [\"load\"]\nmemory = \"64MB\"\n{detect}
kernel = {{ tool = \"detect\", golden = \"golden.png\" }}
[[job]]\nname = \"classify\"\nkind = \"legacy\"\nneeds = \"cpu\"\nafter = [\"detect\"]
memory = \"16MB\"\n{detect}\nkernel = {{ tool = \"classify\" }}
[[job]]\nname = \"report\"\nneeds = \"cpu\"\nafter = [\"classify\"]
kernel = {{ tool = \"report\" }}\n"
    );
    let line = folder.join("line.toml");
    fs::write(&line, text).expect("written");
    line
}

/// One GPU.
pub(crate) const ONE: &str = "[[device]]\nname = \"gpu0\"\nmemory = \"2GiB\"\n";
/// Two of them.
pub(crate) const TWO: &str = "[[device]]\nname = \"gpu0\"\nmemory = \"1GiB\"\n\
                       [[device]]\nname = \"gpu1\"\nmemory = \"1GiB\"\n";
