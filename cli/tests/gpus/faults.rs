//! What becomes of a line when something goes wrong on a device.

use crate::support::{ONE, On, Ran, TWO, boards, folder, is_here, run};

/// Runs the inspection on the stand-in with this spec. None on a real GPU, which has no such
/// faults.
fn ran(name: &str, devices: &str, detect: &str, spec: &str) -> Option<Ran> {
    if std::env::var_os("LINESIDE_TEST_GPU").is_some() || !is_here(On::Cuda) {
        eprintln!("SKIPPED: faults need the stand-in");
        return None;
    }
    let folder = folder(name);
    let line = boards(&folder, devices, detect);
    let ran = run(On::Cuda, &line, &format!("{name}-run"), spec);
    assert!(ran.stderr.contains("stand-in"), "it says that it is none: {}", ran.stderr);
    Some(ran)
}

#[test]
fn memory_that_is_not_there_fails_the_start_and_not_the_run() {
    // It is asked for again once nobody keeps what nobody uses.
    let Some(ran) = ran("oom", ONE, "retries = 1", "oom=5 times=2") else { return };
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.events("fail").len(), 1);
    assert!(ran.events("unit").is_empty(), "once is not twice in a row");
    ran.check_done_once("detect", 6);
    ran.check_clean();
}

#[test]
fn a_launch_that_fails_spoils_the_context_which_is_made_anew() {
    let Some(ran) = ran("launch", ONE, "retries = 1", "launch=20") else { return };
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.events("fail").len(), 1, "{}", ran.stderr);
    assert_eq!(ran.states("gpu0"), ["down", "up"]);
    ran.check_done_once("detect", 6);
    ran.check_clean();
}

#[test]
fn a_kernel_that_touches_what_is_not_its_own_fails_its_job() {
    let Some(ran) = ran("illegal", ONE, "", "illegal=20") else { return };
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let ends = ran.events("end");
    let detect = ends.iter().find(|end| end["job"] == "detect").expect("an end");
    assert_eq!((&detect["state"], &detect["cause"]), (&"failed".into(), &"error".into()));
    ran.check_clean();
}

#[test]
fn a_card_that_is_lost_ends_its_own_leases_and_each_image_runs_again_once() {
    for (name, fault) in [("lost", "lost=9"), ("ecc", "ecc=9")] {
        let detect = "inflight = 2\nthreads = 1";
        let spec = format!("cards=2 on=0 {fault}");
        let Some(ran) = ran(name, TWO, detect, &spec) else { return };
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
        ran.check_done_once("detect", 6);
        assert_eq!(ran.states("gpu0").first(), Some(&"down"), "{name}");
        assert!(ran.states("gpu1").is_empty());
        let revoked = ran.events("revoke");
        assert!(!revoked.is_empty() && revoked.iter().all(|it| it["cause"] == "device"));
        assert!(ran.events("fail").is_empty(), "the job is not blamed");
        ran.check_clean();
    }
}

#[test]
fn a_card_that_comes_back_is_used_again() {
    let Some(ran) = ran("back", ONE, "", "lost=9 back=300") else { return };
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.states("gpu0"), ["down", "up"]);
    ran.check_done_once("detect", 6);
    ran.check_clean();
}

#[test]
fn a_card_on_which_everything_fails_does_not_eat_the_line() {
    // It fails fastest, so without care it would get everything.
    let spec = "cards=2 on=0 oom=1 every=1";
    let Some(ran) = ran("eater", TWO, "retries = 2", spec) else { return };
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.events("fail").len(), 2);
    assert_eq!(ran.states("gpu0").first(), Some(&"draining"));
    ran.check_done_once("detect", 6);
    ran.check_clean();
}

#[test]
fn a_device_is_drained_and_probed_and_comes_back() {
    // Each of two starts asks twice.
    let Some(ran) = ran("probed", ONE, "retries = 2", "oom=1 times=4") else { return };
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.events("fail").len(), 2);
    assert_eq!(ran.states("gpu0"), ["draining", "up"]);
    ran.check_done_once("detect", 6);
    ran.check_clean();
}

#[test]
fn a_kernel_that_hangs_is_revoked_and_its_unit_stays_out_until_it_is_free() {
    let detect = "timeout = \"4s\"\nretries = 2";
    let spec = "cards=2 on=0 hang=4 for=20000";
    let Some(ran) = ran("hang", TWO, detect, spec) else { return };
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let revoked = ran.events("revoke");
    assert_eq!(revoked.len(), 1, "{}", ran.stderr);
    assert_eq!(revoked[0]["cause"], "timeout");
    assert_eq!(ran.states("gpu0").first(), Some(&"draining"));
    ran.check_done_once("detect", 6);
}

#[test]
fn a_slow_card_is_only_slow() {
    let Some(ran) = ran("slow", ONE, "", "slow=5") else { return };
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.events("unit").is_empty() && ran.events("fail").is_empty());
    ran.check_clean();
}
