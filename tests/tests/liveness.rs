//! Liveness: once faults have stopped, every job ends, or is stuck for a reason that is true.

use lineside_tests::bridge::workload;
use lineside_tests::generate::generate;
use lineside_tests::liveness::{check, healed};
use lineside_tests::model::{Line, read};
use lineside_tests::plan::{Reasons, plan};
use lineside_tests::seeds;
use lineside_tests::shrink::shrink;
use lineside_tests::tally::tally;

/// What is wrong with how a line comes to rest: a reason that is not true.
fn untruth(text: &str) -> Option<String> {
    let line = read(text).ok()?;
    let (_, checked) =
        plan(&workload(&line), Reasons::NotAsked, |core, plan| check(&line, core, plan));
    checked.err()
}

/// What is left standing though every unit is up again.
fn standing(text: &str) -> Option<String> {
    let line = read(text).ok()?;
    let line = read(&healed(text, &line)).expect("faults of units that are there");
    let (plan, ()) = plan(&workload(&line), Reasons::NotAsked, |_, _| {});
    (!plan.stuck.is_empty()).then(|| format!("stuck for ever: {:?}", plan.stuck))
}

fn all_lines(wrong: impl Fn(&str) -> Option<String>, mut each: impl FnMut(&Line)) {
    let range = seeds::range(0..1_000);
    println!("seeds {}..{}", range.start, range.end);
    for seed in seeds::past("line").into_iter().chain(range) {
        let text = generate(seed);
        if wrong(&text).is_some() {
            let least = shrink(&text, |text| wrong(text).is_some());
            let why = wrong(&least).unwrap_or_default();
            panic!("seed {seed}: {why}\nThe least file that shows it:\n\n{least}");
        }
        each(&read(&text).expect("a generated line is legal"));
    }
}

#[test]
fn who_is_stuck_says_truly_why() {
    let mut stuck = 0;
    all_lines(untruth, |line| {
        let (plan, ()) = plan(&workload(line), Reasons::NotAsked, |_, _| {});
        stuck += plan.stuck.len();
    });
    assert!(stuck >= 100, "only {stuck} jobs were stuck: nothing is shown");
    tally("who is stuck", &format!("{stuck} jobs, each for a reason that is true"));
}

#[test]
fn everything_ends_once_every_unit_is_up_again() {
    let mut with_faults = 0;
    all_lines(standing, |line| with_faults += usize::from(!line.faults.is_empty()));
    assert!(with_faults >= 100, "only {with_faults} lines had faults: nothing is shown");
    tally("lines that end once every unit is up", &format!("{with_faults} of them with faults"));
}
