//! Processes that a runner has left behind.
#![cfg(all(feature = "host", target_os = "linux"))]

use std::fs;
use std::process::{Child, Command};
use std::time::Duration;

use lineside_backends::host::{Identity, MARKER, boot_id, end_marked, end_orphan};

const GRACE: Duration = Duration::from_secs(5);

fn sleeper(marker: &str) -> (Child, Identity) {
    let mut command = Command::new("sleep");
    let child = command.arg("600").env(MARKER, marker).spawn().expect("sleep is here");
    let pid = child.id();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("it lives");
    let behind_name = stat.rsplit(')').next().expect("a name in brackets");
    let started = behind_name.split_ascii_whitespace().nth(19).expect("many fields");
    let started = started.parse().expect("a number");
    (child, Identity { pid, started, boot: boot_id().to_owned() })
}

/// The same number is not the same process, and never after another start of the machine
/// (github.com/pragmaplatform/oxana/issues/154).
#[test]
fn a_process_is_known_by_more_than_its_number() {
    let (mut child, identity) = sleeper("none");
    let earlier = Identity { started: identity.started - 1, ..identity.clone() };
    assert_eq!(end_orphan(&earlier, GRACE), Ok(()));
    let elsewhere = Identity { boot: "another".to_owned(), ..identity.clone() };
    assert_eq!(end_orphan(&elsewhere, GRACE), Ok(()));
    assert!(child.try_wait().expect("it is asked").is_none(), "it was ended");
    assert_eq!(end_orphan(&identity, GRACE), Ok(()));
    assert!(!child.wait().expect("it ends").success());
}

#[test]
fn what_has_the_marker_of_a_run_is_ended_and_nothing_else() {
    let run = format!("test-{}", std::process::id());
    let (mut ours, _) = sleeper(&format!("{run}/0/7"));
    let (mut other, _) = sleeper(&format!("{run}0/0/7"));
    assert_eq!(end_marked(&format!("{run}/"), GRACE), Ok(()));
    assert!(!ours.wait().expect("it ends").success());
    assert!(other.try_wait().expect("it is asked").is_none(), "it is of another run");
    other.kill().expect("it lives");
    other.wait().expect("it ends");
}
