use lineside_line::trace::{End, RevokeCause};
use lineside_line::{Edge, Kind, Mode, Model, Needs, On, Place};
use lineside_report::{
    Advice, AdviceCode, CpuUse, Entry, Record, What, advice, report_html, terminal,
};

use crate::support::{self, Script};

fn of(advice: &[Advice], code: AdviceCode) -> Vec<&str> {
    advice.iter().filter(|it| it.code == code).map(|it| it.text.as_str()).collect()
}

fn names(text: &str, all: &[&str]) {
    for name in all {
        assert!(text.contains(&format!("`{name}`")), "{name} in {text}");
    }
}

#[test]
fn a_line_that_goes_well_needs_no_advice() {
    for name in ["01-standard-fifo", "07-two-gpus-balance", "09-mig-slices"] {
        let (line, record) = support::case(name);
        assert_eq!(advice(&line, &record), [], "{name}");
    }
}

#[test]
fn a_starved_job_is_named_with_whom_it_waits_for() {
    let mut line = support::line(&["gpu0", "gpu1"], &["detect", "track"]);
    line.jobs[0].kind = Kind::Legacy;
    let edge = Edge { upstream: 0, mode: Mode::Stream, depth: 1, on: On::Success };
    line.jobs[1].after = vec![edge];
    let mut script = Script::default();
    script.ready(0, 0).grant(0, 0, &[0]).start(0, 0, 0, 0).done(10, 0, 0, 0);
    script.release(10, 0, 0, &[0]).ready(10, 1).grant(10, 1, &[1]).start(10, 1, 1, 0);
    script.done(11, 1, 1, 0).ready(11, 0).grant(11, 0, &[0]).start(11, 0, 2, 1);
    script.done(40, 0, 2, 1).release(40, 0, 2, &[0]).end(40, 0, End::Done);
    script.start(40, 1, 1, 1).done(41, 1, 1, 1).release(41, 1, 1, &[1]).end(41, 1, End::Done);
    let advice = advice(&line, &script.record);
    let starved = of(&advice, AdviceCode::Starved);
    names(starved[0], &["track", "gpu1", "detect", "inflight = 2", "depth = 2"]);
    assert!(starved[0].contains("29 ms"), "{}", starved[0]);
}

#[test]
fn a_full_prefetch_queue_asks_for_more_depth() {
    let mut line = support::line(&["gpu0", "gpu1"], &["load", "read"]);
    let edge = Edge { upstream: 0, mode: Mode::Stream, depth: 3, on: On::Success };
    line.jobs[1].after = vec![edge];
    let mut script = Script::default();
    script.ready(0, 0).grant(0, 0, &[0]).start(0, 0, 0, 0).done(1, 0, 0, 0);
    script.ready(1, 1).grant(1, 1, &[1]).start(1, 1, 1, 0).done(30, 1, 1, 0);
    script.start(30, 1, 1, 1).start(30, 0, 0, 1).done(31, 0, 0, 1).done(60, 1, 1, 1);
    script.release(60, 1, 1, &[1]).release(60, 0, 0, &[0]);
    let advice = advice(&line, &script.record);
    let starved = of(&advice, AdviceCode::Starved);
    names(starved[0], &["load", "read", "depth = 3", "depth = 6"]);
}

#[test]
fn a_legacy_job_behind_standard_ones_gets_patience() {
    let mut line = support::line(&["gpu0"], &["old", "new", "newer"]);
    line.jobs[0].kind = Kind::Legacy;
    let mut script = Script::default();
    script.ready(0, 0).ready(1, 1).grant(1, 1, &[0]).start(1, 1, 0, 0).ready(2, 2);
    script.done(50, 1, 0, 0).release(50, 1, 0, &[0]).grant(50, 2, &[0]).start(50, 2, 1, 0);
    script.done(100, 2, 1, 0).release(100, 2, 1, &[0]);
    let advice = advice(&line, &script.record);
    let waits = of(&advice, AdviceCode::LegacyWaits);
    names(waits[0], &["old", "new", "newer", "priority = 1"]);
    assert!(waits[0].contains("never ran") && waits[0].contains("patience = \"20ms\""));
}

#[test]
fn a_stuck_job_is_named_with_its_reason() {
    let (line, record) = support::chinese();
    let advice = advice(&line, &record);
    assert_eq!(advice[0].code, AdviceCode::Stuck);
    assert_eq!(advice[0].text, "`分类` is stuck: 它等待的工具已经失败");
}

#[test]
fn a_failure_names_those_that_it_took_along() {
    let (line, record) = support::case("14-failure-skips-dependents");
    let advice = advice(&line, &record);
    names(of(&advice, AdviceCode::Failed)[0], &["check", "train", "export"]);
}

#[test]
fn a_fallback_names_the_units_that_were_not_up() {
    let (line, record) = support::case("16-cpu-fallback");
    let advice = advice(&line, &record);
    names(of(&advice, AdviceCode::Fallback)[0], &["may", "gpu0"]);
}

#[test]
fn models_that_come_and_go_are_named() {
    let (line, record) = support::case("11-warm-models");
    let cold = advice(&line, &record);
    names(of(&cold, AdviceCode::ColdStarts)[0], &["detector", "gpu0", "batch"]);
    let (mut line, record) = support::case("20-pool-free");
    line.models.iter_mut().for_each(|model: &mut Model| model.cold += 1);
    let cold = advice(&line, &record);
    names(of(&cold, AdviceCode::ColdStarts)[0], &["pool = \"keep\""]);
}

#[test]
fn a_unit_that_idles_while_others_are_waited_for_is_named() {
    let mut line = support::line(&["gpu0", "cpu"], &["a", "b"]);
    line.units[1].place = Place::Cpu;
    line.jobs[1].needs = Needs::Cuda;
    let mut script = Script::default();
    script.ready(0, 0).grant(0, 0, &[0]).start(0, 0, 0, 0).ready(0, 1);
    script.done(90, 0, 0, 0).release(90, 0, 0, &[0]).grant(90, 1, &[0]).start(90, 1, 1, 0);
    script.done(100, 1, 1, 0).release(100, 1, 1, &[0]);
    let advice = advice(&line, &script.record);
    let idle = of(&advice, AdviceCode::IdleUnit);
    names(idle[0], &["cpu", "b"]);
    assert!(idle[0].contains("90 ms") && idle[0].contains("CUDA"), "{}", idle[0]);
}

#[test]
fn a_camera_that_is_too_fast_is_overload() {
    let mut line = support::line(&["gpu0"], &["camera"]);
    line.jobs[0].every = Some(10_000_000);
    let mut script = Script::default();
    script.ready(0, 0).grant(0, 0, &[0]);
    for image in 0..20 {
        let at = u64::from(image) * 14;
        script.start(at, 0, 0, image).done(at + 14, 0, 0, image);
    }
    script.release(280, 0, 0, &[0]);
    let advice = advice(&line, &script.record);
    let overload = of(&advice, AdviceCode::Overload);
    assert!(overload[0].contains("every 10 ms and takes 14 ms"), "{}", overload[0]);
}

#[test]
fn a_queue_that_only_grows_is_overload() {
    let jobs: Vec<String> = (0..40).map(|at| format!("job{at}")).collect();
    let line = support::line(&["gpu0"], &jobs.iter().map(String::as_str).collect::<Vec<_>>());
    let mut script = Script::default();
    for job in 0..40 {
        script.ready(u64::from(job) * 10, job);
    }
    let advice = advice(&line, &script.record);
    assert_eq!(of(&advice, AdviceCode::Overload).len(), 1);
}

#[test]
fn a_broken_circle_is_named() {
    let line = support::line(&["gpu0"], &["a"]);
    let mut script = Script::default();
    script.ready(0, 0).grant(0, 0, &[0]).start(0, 0, 0, 0).done(5, 0, 0, 0);
    script.event(6, What::Revoke { job: 0, lease: 0, cause: RevokeCause::Circle }).release(
        6,
        0,
        0,
        &[0],
    );
    let advice = advice(&line, &script.record);
    names(of(&advice, AdviceCode::Circle)[0], &["a"]);
}

#[test]
fn a_gpu_that_idles_beside_a_full_core_is_seen_for_what_it_is() {
    let line = support::line(&["gpu0"], &["find"]);
    let entries = [
        (0, What::Ready { job: 0, ticket: 0 }),
        (
            0,
            What::Grant {
                job: 0,
                lease: 0,
                units: vec![0],
                ticket: 0,
                cold: false,
                fallback: false,
                why: None,
            },
        ),
        (80, What::Start { job: 0, lease: 0, first: 0, count: 1 }),
        (100, What::Done { job: 0, lease: 0, first: 0, count: 1 }),
        (100, What::Release { job: 0, lease: 0, units: vec![0] }),
        (100, What::End { job: 0, end: End::Done }),
    ];
    let entries = entries.map(|(t, what)| Entry { t, what }).into();
    let with = |busiest| {
        let cpu = Some(CpuUse { busiest, mean: 100, cores: 16 });
        let record = Record { entries: Vec::clone(&entries), cpu, ..Record::default() };
        let told = advice(&line, &record).iter().any(|it| it.code == AdviceCode::BusyCore);
        (told, terminal(&line, &record, 100, false), report_html(&line, &record, None))
    };
    let (told, text, page) = with(970);
    assert!(told && text.contains("busiest core 97") && page.contains("Busiest core"), "{text}");
    assert!(!with(600).0);
}
