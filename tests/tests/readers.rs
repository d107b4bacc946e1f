//! The product's reader against the reference reader, on generated lines.

use lineside_line::{NoFiles, Severity, read};
use lineside_tests::bridge;
use lineside_tests::generate::{draft, generate};
use lineside_tests::model;

const N: u64 = 3_000;

#[test]
fn both_readers_take_the_same_lines_and_read_the_same_in_them() {
    for seed in 0..N {
        let text = generate(seed);
        let expected = model::read(&text).expect("generated lines are legal");
        let found = read(&text, &NoFiles).unwrap_or_else(|problems| {
            panic!("seed {seed}: {:?}\n{text}", problems.first());
        });
        assert!(found.warnings.iter().all(|it| it.severity == Severity::Warning));
        let workload = lineside_backends::Workload::from_line(&found.line);
        let expected = bridge::workload(&expected);
        assert_eq!(workload.jobs.len(), expected.jobs.len(), "seed {seed}\n{text}");
        for job in 0..workload.jobs.len() as u32 {
            let (mut ours, mut theirs) =
                (workload.class_of(job).clone(), expected.class_of(job).clone());
            if !theirs.spec.image_grain() {
                // Whatever a whole-grain job says, it is 1.
                theirs.spec.inflight = 1;
            }
            // Profiles are numbered, each reader in its way.
            ours.spec.profile = theirs.spec.profile;
            // The path is the job's own, not the class's.
            ours.spec.path = workload.jobs[job as usize].path;
            assert_eq!(ours, theirs, "seed {seed}, job {job}\n{text}");
            assert_eq!(workload.edges_of(job), expected.edges_of(job), "seed {seed}, job {job}");
            let arrive =
                |workload: &lineside_backends::Workload| workload.jobs[job as usize].arrive;
            assert_eq!(arrive(&workload), arrive(&expected), "seed {seed}, job {job}");
        }
        assert_eq!(workload.faults, expected.faults, "seed {seed}");
        let budgets = |workload: &lineside_backends::Workload| {
            workload.units.iter().map(|unit| (unit.budget, unit.slots)).collect::<Vec<_>>()
        };
        assert_eq!(budgets(&workload), budgets(&expected), "seed {seed}");
    }
}

#[test]
fn both_readers_refuse_the_same_lines() {
    let mut refused = 0;
    for seed in 0..N {
        for attempt in 0..2 {
            let text = draft(seed, attempt);
            let (ours, theirs) = (read(&text, &NoFiles), model::read(&text));
            refused += u32::from(theirs.is_err());
            assert_eq!(
                ours.is_ok(),
                theirs.is_ok(),
                "seed {seed}, draft {attempt}: {:?} {:?}\n{text}",
                ours.err(),
                theirs.err()
            );
        }
    }
    assert!(refused > 100, "only {refused} drafts were refused");
}
