//! Leases among programs that know nothing of one another.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

/// A registry of its own for a test.
struct Machine(PathBuf);

impl Machine {
    fn new(name: &str) -> Machine {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lease-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        Machine(folder)
    }

    fn lineside(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
        command.args(arguments).current_dir(&self.0);
        command.env("LINESIDE_REGISTRY", self.0.join("registry"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a shell's script on the CPU place, of which there is one.
    fn lease(&self, script: &str) -> Child {
        let lease = ["lease", "--place", "cpu", "--", "sh", "-c", script];
        self.lineside(&lease).spawn().expect("it starts")
    }

    fn leases(&self) -> Vec<Value> {
        let output = self.lineside(&["ps", "--json"]).output().expect("it starts");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
        answer["leases"].as_array().expect("a list").clone()
    }

    fn holders(&self) -> usize {
        self.leases().iter().filter(|lease| lease["units"].is_array()).count()
    }

    fn wait_until(&self, what: &str, is_so: impl Fn(&Machine) -> bool) {
        let began = Instant::now();
        while !is_so(self) {
            assert!(began.elapsed() < Duration::from_secs(60), "never: {what}");
            sleep(Duration::from_millis(20));
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn end(child: Child) -> Output {
    child.wait_with_output().expect("it ends")
}

#[test]
fn two_programs_never_hold_one_unit_at_once() {
    let machine = Machine::new("two");
    // Each says when it comes and goes; one in the middle of another would find its folder.
    let script = "mkdir here && sleep 0.05 && rmdir here";
    let children: Vec<Child> = (0..8).map(|_| machine.lease(script)).collect();
    for child in children {
        let output = end(child);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    assert!(machine.leases().is_empty());
}

#[test]
fn the_program_is_told_what_it_has_and_its_exit_code_is_the_answer() {
    let machine = Machine::new("told");
    let child =
        machine.lease("echo $LINESIDE_UNIT/$CUDA_VISIBLE_DEVICES/$CUDA_DEVICE_ORDER; exit 7");
    let output = end(child);
    assert_eq!(text(&output.stdout), "cpu//PCI_BUS_ID\n");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn what_a_killed_program_held_goes_to_the_next() {
    let machine = Machine::new("killed");
    let mut first = machine.lease("exec sleep 600");
    machine.wait_until("the first holds it", |machine| machine.holders() == 1);
    let second = machine.lease("echo mine");
    machine.wait_until("the second waits", |machine| machine.leases().len() == 2);
    assert_eq!(machine.holders(), 1);
    first.kill().expect("SIGKILL");
    first.wait().expect("it is gone");
    assert_eq!(text(&end(second).stdout), "mine\n");
}

#[test]
fn a_child_that_lives_on_keeps_the_lease() {
    let machine = Machine::new("child");
    // In a session of its own, so that nobody's end ends it.
    let first = machine.lease("setsid sleep 600 >/dev/null 2>&1 & echo $!");
    let pid = text(&end(first).stdout).trim().to_owned();
    let refused = machine.lineside(&["lease", "--place", "cpu", "--wait", "300ms", "--", "true"]);
    let refused = { refused }.output().expect("it starts");
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert_eq!(machine.leases().len(), 1, "who stopped waiting is gone");
    let killed = Command::new("kill").args(["-9", &pid]).status().expect("kill");
    assert!(killed.success());
    assert_eq!(end(machine.lease("exit 0")).status.code(), Some(0));
}

#[test]
fn what_never_fits_or_never_starts_leaves_nothing_behind() {
    let machine = Machine::new("never");
    for arguments in [
        &["lease", "--place", "cpu", "--gpus", "2", "--", "true"][..],
        &["lease", "--place", "cpu", "--", "no-such-program"],
        &["lease", "--place", "cpu", "--wait", "soon", "--", "true"],
        &["lease", "--place", "cpu", "--memory", "much", "--", "true"],
    ] {
        let output = machine.lineside(arguments).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(machine.leases().is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_damaged_registry_is_told_of_and_never_overwritten() {
    let machine = Machine::new("damaged");
    let mut first = machine.lease("exec sleep 600");
    machine.wait_until("it is held", |machine| machine.holders() == 1);
    let path = machine.0.join("registry/leases");
    let mut bytes = fs::read(&path).expect("the file");
    *bytes.last_mut().expect("a byte") ^= 1;
    fs::write(&path, &bytes).expect("it is written");
    let second = end(machine.lease("exit 0"));
    assert_eq!(second.status.code(), Some(2));
    assert!(text(&second.stderr).contains("registry/leases"), "{}", text(&second.stderr));
    assert_eq!(fs::read(&path).expect("the file"), bytes);
    first.kill().and_then(|()| first.wait()).expect("it is gone");
}
