//! Runs and other programs on one machine.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{ONE, On, boards, command, folder};

fn on(registry: &Path) -> Command {
    let mut command = command(On::Cuda, "");
    command.env("LINESIDE_REGISTRY", registry).stdin(Stdio::null()).stderr(Stdio::null());
    command
}

fn leases(registry: &Path) -> Vec<Value> {
    let output = on(registry).args(["ps", "--json"]).output().expect("it starts");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    answer["leases"].as_array().expect("a list").clone()
}

/// Waits until there are so many leases; those that hold something.
fn holders_of(registry: &Path, count: usize) -> Vec<Value> {
    let began = Instant::now();
    loop {
        let leases = leases(registry);
        let holders: Vec<Value> =
            leases.iter().filter(|it| it["units"].is_array()).cloned().collect();
        if leases.len() == count && !holders.is_empty() {
            return holders;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{leases:?}");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_and_another_program_never_hold_one_gpu_at_once() {
    let (registry, boards_at) = (folder("shared-registry"), folder("shared"));
    let line = boards(&boards_at, ONE, "");
    let mut notebook = on(&registry)
        .args(["lease", "--name", "notebook", "--", "sleep", "600"])
        .spawn()
        .expect("it starts");
    holders_of(&registry, 1);
    let mut run = on(&registry)
        .arg("run")
        .arg(&line)
        .arg("--out")
        .arg(boards_at.join("out"))
        .spawn()
        .expect("it starts");
    let holders = holders_of(&registry, 2);
    assert_eq!(holders.len(), 1, "{holders:?}");
    assert_eq!(holders[0]["name"], "notebook");
    assert!(!boards_at.join("out").exists(), "the run waits before it begins anything");
    notebook.kill().and_then(|()| notebook.wait()).expect("it is gone");
    assert_eq!(run.wait().expect("it ends").code(), Some(0));
    assert!(leases(&registry).is_empty());
}

#[test]
fn a_run_within_a_lease_does_not_wait_for_itself() {
    let (registry, boards_at) = (folder("within-registry"), folder("within"));
    let line = boards(&boards_at, ONE, "");
    let mut run = on(&registry)
        .args(["lease", "--", env!("CARGO_BIN_EXE_lineside"), "run"])
        .arg(&line)
        .arg("--out")
        .arg(boards_at.join("out"))
        .spawn()
        .expect("it starts");
    let began = Instant::now();
    while run.try_wait().expect("it is asked").is_none() {
        assert!(began.elapsed() < Duration::from_secs(60), "it waits for itself");
        sleep(Duration::from_millis(20));
    }
    assert_eq!(run.wait().expect("it has ended").code(), Some(0));
    assert!(boards_at.join("out/results/defects.csv").exists());
    assert!(leases(&registry).is_empty());
}
