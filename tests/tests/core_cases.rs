//! The product's core, driver and simulator against the conformance cases, without its reader.

use std::fs;
use std::path::Path;

use lineside_tests::bridge::workload;
use lineside_tests::model::{read, trace};
use lineside_tests::plan::{Reasons, plan};
use lineside_tests::tally::tally;

#[test]
fn the_core_gives_the_trace_and_the_exit_code_of_every_case() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let exits = fs::read_to_string(cases.join("EXITS.tsv")).expect("EXITS.tsv");
    let mut wrong = Vec::new();
    let mut run = 0;
    for line in exits.lines().filter(|line| !line.starts_with('#')) {
        let (file, exit) = line.split_once('\t').expect("a file and a code");
        if exit == "2" {
            continue;
        }
        let text = fs::read_to_string(cases.join(file)).expect("the case");
        let case = read(&text).expect("the case is legal");
        let (plan, ()) = plan(&workload(&case), Reasons::NotAsked, |_, _| {});
        let expected = fs::read_to_string(cases.join(file.replace(".toml", ".jsonl")));
        let expected = expected.expect("the trace");
        let found = trace(&case.names, &plan.events);
        run += 1;
        if found != expected {
            let at = found.lines().zip(expected.lines()).position(|(a, b)| a != b);
            let at = at.unwrap_or(found.lines().count().min(expected.lines().count()));
            let line = |text: &str| text.lines().nth(at).unwrap_or("(ends)").to_owned();
            wrong.push(format!(
                "{file}:{}\n  want {}\n  have {}",
                at + 1,
                line(&expected),
                line(&found)
            ));
        } else if plan.exit_code.to_string() != exit {
            wrong.push(format!("{file}: exit code {}, not {exit}", plan.exit_code));
        }
    }
    assert!(run >= 136, "only {run} cases were run");
    assert!(wrong.is_empty(), "{} of {run} differ:\n{}", wrong.len(), wrong.join("\n"));
    tally("cases", &format!("{run} traces, byte for byte"));
}
