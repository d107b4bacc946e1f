//! A run, asked and told from another terminal.
#![cfg(target_os = "linux")]

mod bench;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use bench::{Bench, marked_processes};
use serde_json::Value;

/// Two units; `long` takes one for a minute, `short` is done again and again on the other.
fn begin(name: &str) -> (Bench, Child) {
    let bench = Bench::new(name);
    bench.line(&format!(
        "[[device]]\nname = \"one\"\nplace = \"cpu\"\n\
         [[device]]\nname = \"two\"\nplace = \"cpu\"\n\
         [[job]]\nname = \"long\"\nneeds = \"cpu\"\nshell = true\nenv = {{ STAMP = \"{stamp}\" }}\n\
         run = [\"touch begun; echo it begins; trap 'touch asked; exit 1' TERM; \
         sleep 60 & wait\"]\n\
         [[job]]\nname = \"short\"\nkind = \"legacy\"\nneeds = \"cpu\"\nimages = 1000\n\
         env = {{ STAMP = \"{stamp}\" }}\nshell = true\n\
         run = [\"echo x >> short.begun; sleep 0.2; echo x >> short.ended\"]\n",
        stamp = bench.stamp()
    ));
    let mut command = bench.command(&["run", "line.toml", "--out", "out"]);
    let runner = command.stderr(Stdio::null()).spawn().expect("it starts");
    until("both begin", || bench.path("begun").exists() && bench.path("short.begun").exists());
    (bench, runner)
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what} takes too long");
        sleep(Duration::from_millis(5));
    }
}

fn status(bench: &Bench) -> Value {
    let output = bench.command(&["status", "out", "--json"]).output().expect("it starts");
    serde_json::from_slice(&output.stdout).expect("JSON and nothing else")
}

fn interrupt(runner: &Child) {
    let kill = Command::new("kill").args(["-INT", &runner.id().to_string()]).status();
    assert!(kill.expect("kill is here").success());
}

fn count(bench: &Bench, name: &str) -> usize {
    fs::read_to_string(bench.path(name)).unwrap_or_default().lines().count()
}

#[test]
fn once_interrupted_it_finishes_what_runs_and_starts_nothing() {
    let (bench, mut runner) = begin("once");
    assert!(bench.command(&["cancel", "out", "long"]).status().expect("it starts").success());
    until("a start", || count(&bench, "short.begun") > count(&bench, "short.ended"));
    interrupt(&runner);
    assert_eq!(runner.wait().expect("it ends").code(), Some(130));
    let begun = count(&bench, "short.begun");
    assert_eq!(begun, count(&bench, "short.ended"), "what ran was finished");
    assert!(begun < 1000);
    assert_eq!(status(&bench)["running"], false);
    assert!(!bench.path("out/control").exists());
}

#[test]
fn twice_interrupted_it_ends_what_runs() {
    let (bench, mut runner) = begin("twice");
    interrupt(&runner);
    sleep(Duration::from_millis(50));
    interrupt(&runner);
    assert_eq!(runner.wait().expect("it ends").code(), Some(130));
    assert!(bench.path("asked").exists(), "it was asked before it was made to");
    assert_eq!(marked_processes(&bench.stamp()), [0; 0]);
}

#[test]
fn it_says_how_it_stands_and_does_what_it_is_told() {
    let (bench, mut runner) = begin("told-to");
    let mode = fs::metadata(bench.path("out/control")).expect("the socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let jobs = status(&bench);
    assert_eq!(jobs["running"], true);
    assert_eq!(
        (&jobs["jobs"][0]["name"], &jobs["units"][0]["jobs"][0]),
        (&"long".into(), &"long".into())
    );
    let logs = bench.command(&["logs", "out", "long"]).output().expect("it starts");
    assert!(String::from_utf8_lossy(&logs.stdout).contains("it begins"));
    let tell = |arguments: &[&str]| {
        let status = bench.command(arguments).stderr(Stdio::null()).status();
        status.expect("it starts").code()
    };
    assert_eq!(tell(&["drain", "out", "no-such-unit"]), Some(2));
    assert_eq!(tell(&["drain", "out", "two"]), Some(0));
    until("no more", || status(&bench)["units"][1]["jobs"] == Value::Array(Vec::new()));
    assert_eq!(status(&bench)["units"][1]["state"], "draining");
    // The other unit is free then.
    assert_eq!(tell(&["cancel", "out", "long"]), Some(0));
    until("cancelled", || status(&bench)["jobs"][0]["state"] == "cancelled");
    assert_eq!(tell(&["cancel", "out", "long"]), Some(2), "it has ended");
    assert_eq!(tell(&["cancel", "out", "short"]), Some(0));
    assert_eq!(runner.wait().expect("it ends").code(), Some(1));
    assert_eq!(tell(&["cancel", "out", "short"]), Some(2), "nobody is there");
    assert_eq!(marked_processes(&bench.stamp()), [0; 0]);
}

#[test]
fn logs_are_followed_to_the_end_of_the_run() {
    let (bench, mut runner) = begin("followed");
    let mut follow = bench.command(&["logs", "out", "long", "-f"]);
    let mut following = follow.stdout(Stdio::piped()).spawn().expect("it starts");
    sleep(Duration::from_millis(300));
    assert!(following.try_wait().expect("it is asked").is_none(), "the run goes on");
    for _ in 0..2 {
        interrupt(&runner);
        sleep(Duration::from_millis(50));
    }
    runner.wait().expect("it ends");
    let output = following.wait_with_output().expect("it ends");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("it begins"));
}
