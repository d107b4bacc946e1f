//! Lines of the kind that the benchmark plans with a million jobs, as large as the reference model
//! can do them.

use std::fmt::Write;

use lineside_tests::compare::{Reader, compare};
use lineside_tests::model::What;

/// GPUs like those of the benchmark.
fn gpus(count: usize) -> String {
    let mut text = String::new();
    for gpu in 0..count {
        let _ = writeln!(text, "[[device]]\nname = \"gpu{gpu}\"\nmemory = \"8GiB\"");
    }
    text
}

fn plan_is_the_models(text: &str, jobs: usize) {
    let run = compare(text, Reader::Product).unwrap_or_else(|difference| panic!("{difference}"));
    let ends = run.events.iter().filter(|event| matches!(event.what, What::End { .. })).count();
    assert_eq!(ends, jobs, "every job has ended");
}

#[test]
fn a_long_queue_of_standard_jobs_is_planned_as_the_rules_say() {
    let jobs = 250;
    let mut text = gpus(16);
    for job in 0..jobs {
        let time = 1 + job % 9;
        let _ =
            writeln!(text, "[[job]]\nname = \"j{job}\"\ntime = \"{time}ms\"\nmemory = \"1GiB\"");
    }
    plan_is_the_models(&text, jobs);
}

#[test]
fn a_large_graph_is_planned_as_the_rules_say() {
    let jobs = 600;
    let mut text = gpus(64);
    let mut state = 1u64;
    for job in 0..jobs {
        let time = 1 + job % 9;
        let _ = writeln!(text, "[[job]]\nname = \"j{job}\"\ntime = \"{time}ms\"");
        let mut upstreams = Vec::new();
        for _ in 0..2.min(job) {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let upstream = format!("\"j{}\"", (state >> 33) as usize % job);
            if !upstreams.contains(&upstream) {
                upstreams.push(upstream);
            }
        }
        let _ = writeln!(text, "after = [{}]", upstreams.join(", "));
    }
    plan_is_the_models(&text, jobs);
}

#[test]
fn many_legacy_jobs_take_turns_as_the_rules_say() {
    let jobs = 120;
    let placements = ["fit", "balance", "rotate", "pack"];
    for placement in placements {
        let mut text = format!("[policy]\nplacement = \"{placement}\"\n");
        text += &gpus(16);
        for job in 0..jobs {
            let (time, memory) = (1 + job % 7, 1 + job % 3);
            let _ = writeln!(
                text,
                "[[job]]\nname = \"j{job}\"\nkind = \"legacy\"\nimages = 4\ntime = \"{time}ms\"\n\
                 memory = \"{memory}GiB\""
            );
        }
        plan_is_the_models(&text, jobs);
    }
}
