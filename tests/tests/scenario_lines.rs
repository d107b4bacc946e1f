//! Faults that others had, as line files that are too large for a scene, or refused.

use lineside_line::{Code, NoFiles};
use lineside_tests::bridge::workload;
use lineside_tests::compare::{Reader, compare};
use lineside_tests::model::{self, What, read};
use lineside_tests::plan::{Reasons, plan};

/// The jobs that are granted something at the very beginning.
fn granted_at_once(text: &str) -> Vec<String> {
    let line = read(text).expect("the line is legal");
    let run = compare(text, Reader::Product).expect("product and model agree");
    let grants =
        run.events.iter().filter(|event| event.t == 0).filter_map(|event| match event.what {
            What::Grant { job, .. } => Some(line.names.jobs[job].clone()),
            _ => None,
        });
    grants.collect()
}

/// Both readers refuse the text; the product says why by this code alone.
fn refused(text: &str) -> Vec<Code> {
    assert!(read(text).is_err(), "the model takes it:\n{text}");
    let problems = lineside_line::read(text, &NoFiles).expect_err("the product takes it");
    problems.iter().map(|problem| problem.code).collect()
}

fn jobs(count: usize, prefix: &str, keys: &str) -> String {
    let one = |at: usize| format!("[[job]]\nname = \"{prefix}{at}\"\ntime = \"5ms\"\n{keys}");
    (0..count).map(one).collect()
}

/// https://github.com/apache/airflow/issues/45636: the scheduler looked at a window of the order,
/// all of it from a pool that was full.
#[test]
fn no_window_over_the_queue_hides_who_can_start() {
    let devices = "[[device]]\nname = \"gpu\"\n[[device]]\nname = \"cpu\"\nplace = \"cpu\"\n";
    let crowd = jobs(400, "crowd", "priority = 9\n");
    let text = format!("{devices}{crowd}{}", jobs(1, "late", "needs = \"cpu\"\n"));
    assert_eq!(granted_at_once(&text), ["crowd0", "late0"]);
}

/// https://github.com/kubernetes-sigs/karpenter/issues/3305: a pass had a budget and began anew, so
/// the tail was never looked at.
#[test]
fn no_budget_of_a_walk_hides_the_tail_of_the_queue() {
    let mut text = "[policy]\nheadroom = 0\n".to_owned();
    text += "[[device]]\nname = \"gpu\"\nmemory = 1000\nslots = 2\n";
    text += &jobs(1, "first", "memory = 500\npriority = 1\n");
    // Each of a shape of its own, and none fits now.
    for at in 0..300 {
        text += &jobs(1, &format!("big{at}-"), &format!("memory = {}\n", 501 + at));
    }
    text += &jobs(1, "small", "memory = 1\n");
    assert_eq!(granted_at_once(&text), ["first0", "small0"]);
}

/// https://github.com/snakemake/snakemake/issues/3042: one job started though 42 could.
#[test]
fn all_that_fit_start_in_one_round() {
    let device = "[[device]]\nname = \"gpu\"\nslots = 80\n";
    assert_eq!(granted_at_once(&format!("{device}{}", jobs(42, "j", ""))).len(), 42);
}

/// https://github.com/kai-scheduler/KAI-Scheduler/issues/416: memory counted wrongly, by fractions.
#[test]
fn as_many_run_as_fit_to_the_byte() {
    let device = |mebibytes: u64| {
        let memory = format!("memory = \"{mebibytes}MiB\"\nslots = 99\n");
        format!("[policy]\nheadroom = 0\n[[device]]\nname = \"gpu\"\n{memory}")
    };
    let text = device(46_068) + &jobs(24, "j", "memory = \"2000MiB\"\n");
    assert_eq!(granted_at_once(&text).len(), 23);
    let text = device(16_384) + &jobs(3, "j", "memory = \"8000MiB\"\n");
    assert_eq!(granted_at_once(&text).len(), 2);
    let text = device(16_000) + &jobs(3, "j", "memory = \"8000MiB\"\n");
    assert_eq!(granted_at_once(&text).len(), 2);
    let text = device(15_999) + &jobs(3, "j", "memory = \"8000MiB\"\n");
    assert_eq!(granted_at_once(&text).len(), 1);
}

/// https://github.com/kai-scheduler/KAI-Scheduler/issues/2212: what the driver keeps for itself was
/// not counted. Of 15,360 MiB it keeps 450; with 3 % kept free two of 7,500 don't fit.
#[test]
fn what_the_driver_keeps_is_kept_by_headroom() {
    let device = "[[device]]\nname = \"gpu\"\nmemory = \"15360MiB\"\nslots = 2\n";
    let jobs = jobs(2, "j", "memory = \"7500MiB\"\n");
    assert_eq!(granted_at_once(&format!("[policy]\nheadroom = 0\n{device}{jobs}")).len(), 2);
    assert_eq!(granted_at_once(&format!("[policy]\nheadroom = 3\n{device}{jobs}")).len(), 1);
}

/// https://github.com/helixml/helix/issues/311, https://github.com/wilmerwang/GPUSitter/issues/10,
/// https://github.com/nextflow-io/nextflow/pull/5850: what can never run waits for ever, or is
/// found out in the middle of the run. https://github.com/NVIDIA/gpu-operator/issues/386: four
/// replicas of one GPU count as four.
#[test]
fn what_can_never_run_is_refused_before_anything_runs() {
    let two = "[[device]]\nname = \"g0\"\nmemory = \"16GB\"\nslots = 4\n\
               [[device]]\nname = \"g1\"\nmemory = \"16GB\"\n";
    let sliced = "[[device]]\nname = \"g\"\ngpu = \"A30-24GB\"\nmig = [\"1g.6gb\"]\n";
    let cpu = "[[device]]\nname = \"c\"\nplace = \"cpu\"\n";
    let cases = [
        (two, "memory = \"20GB\"\n"),
        (two, "gpus = 3\n"),
        (two, "gpus = 10\n"),
        (two, "profile = \"1g.6gb\"\n"),
        (sliced, "profile = \"2g.12gb\"\n"),
        (cpu, ""),
        ("", ""),
    ];
    for (devices, keys) in cases {
        let text = format!("{devices}{}", jobs(1, "j", keys));
        assert_eq!(refused(&text), [Code::NeverFits], "{text}");
    }
}

/// https://github.com/dagucloud/dagu/issues/1618: the order of writing made a false cycle. A true
/// one is refused, however long, and one edge to itself is one.
#[test]
fn cycles_are_refused_and_the_order_of_writing_is_none() {
    let job = |name: &str, after: &str| format!("[[job]]\nname = \"{name}\"\nafter = [{after}]\n");
    let device = "[[device]]\nname = \"g\"\n";
    let diamond =
        [job("b", "\"a\""), job("c", "\"a\""), job("d", "\"b\", \"c\""), job("a", "")].concat();
    // They take no time, so all of them are granted at once: in the order of their edges.
    assert_eq!(granted_at_once(&format!("{device}{diamond}")), ["a", "b", "c", "d"]);
    let itself = job("a", "\"a\"");
    assert_eq!(refused(&format!("{device}{itself}")), [Code::Cycle]);
    let mut ring = String::new();
    for at in 0..50 {
        ring += &job(&format!("j{at}"), &format!("\"j{}\"", (at + 1) % 50));
    }
    assert_eq!(refused(&format!("{device}{ring}")), [Code::Cycle]);
}

/// A chain is as long as it is: nothing that follows it is recursive.
#[test]
fn a_chain_of_ten_thousand_jobs_runs_to_its_end() {
    let mut text = "[[device]]\nname = \"g\"\n[[job]]\nname = \"j0\"\ntime = \"1ms\"\n".to_owned();
    for at in 1..10_000 {
        text += &format!("[[job]]\nname = \"j{at}\"\ntime = \"1ms\"\nafter = [\"j{}\"]\n", at - 1);
    }
    // The model looks at every job whenever it looks at one: it is left out here.
    let line = lineside_line::read(&text, &NoFiles).expect("the line is legal").line;
    let workload = lineside_backends::Workload::from_line(&line);
    let (plan, ()) = plan(&workload, Reasons::NotAsked, |_, _| {});
    assert_eq!(plan.exit_code, 0);
    assert_eq!(plan.events.last().map(|event| event.t), Some(10_000 * 1_000_000));
}

/// The MIG user guide: placements depend on the order, if one places a slice at a time.
/// https://docs.nvidia.com/datacenter/tesla/mig-user-guide/
#[test]
fn slices_are_legal_in_every_order() {
    let mut profiles = ["1g.5gb", "1g.5gb", "2g.10gb", "3g.20gb"];
    let mut orders = 0;
    permute(&mut profiles, 0, &mut |list| {
        orders += 1;
        let text = format!("[[device]]\nname = \"g\"\ngpu = \"A100-40GB\"\nmig = {list:?}\n");
        assert!(lineside_line::read(&text, &NoFiles).is_ok(), "{list:?}");
        assert!(read(&text).is_ok(), "{list:?}");
    });
    assert_eq!(orders, 24);
}

fn permute<T: Copy>(list: &mut [T; 4], from: usize, each: &mut impl FnMut(&[T; 4])) {
    if from == list.len() {
        each(list);
    }
    for other in from..list.len() {
        list.swap(from, other);
        permute(list, from + 1, each);
        list.swap(from, other);
    }
}

/// https://github.com/apache/airflow/issues/29474: a task that takes several slots counted as one.
#[test]
fn a_job_takes_as_many_units_as_it_names() {
    let devices: String = (0..4).map(|at| format!("[[device]]\nname = \"g{at}\"\n")).collect();
    let text = format!("{devices}{}{}", jobs(1, "a", "gpus = 3\n"), jobs(1, "b", "gpus = 2\n"));
    assert_eq!(granted_at_once(&text), ["a0"]);
    let line = read(&text).expect("the line is legal");
    let (plan, ()) = plan(&workload(&line), Reasons::NotAsked, |_, _| {});
    let times: Vec<u64> =
        plan.events.iter().filter(|event| is_grant(event)).map(|it| it.t).collect();
    assert_eq!(times, [0, 5_000_000]);
}

fn is_grant(event: &model::Event) -> bool {
    matches!(event.what, What::Grant { .. })
}
