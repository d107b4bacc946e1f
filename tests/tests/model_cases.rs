//! The reference model against the conformance cases.

use std::fs;
use std::path::{Path, PathBuf};

use lineside_tests::model::{read, simulate, trace};

#[test]
fn the_model_gives_the_trace_and_the_exit_code_of_every_case() {
    let mut failures = Vec::new();
    let cases = exits();
    for (file, exit_code) in &cases {
        if let Err(difference) = check(file, *exit_code) {
            failures.push(format!("{file}: {difference}"));
        }
    }
    assert!(cases.len() > 150, "EXITS.tsv lists {} cases", cases.len());
    assert!(failures.is_empty(), "{} cases differ:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_line_file_is_listed_with_its_exit_code() {
    let listed: Vec<PathBuf> = exits().iter().map(|(file, _)| cases().join(file)).collect();
    for folder in ["", "random", "refused"] {
        for entry in fs::read_dir(cases().join(folder)).expect("a folder of cases") {
            let path = entry.expect("an entry").path();
            let is_line = path.extension().is_some_and(|extension| extension == "toml");
            assert!(!is_line || listed.contains(&path), "{} isn't listed", path.display());
        }
    }
}

/// A file that is refused for another reason than it was written for proves nothing.
#[test]
fn every_refused_case_is_refused_for_its_own_fault() {
    let reasons = [
        ("bad-duration", "no duration"),
        ("bad-memory", "no amount of memory"),
        ("cycle", "cycle among a, b"),
        ("depth-on-barrier", "`depth` on a barrier"),
        ("depth-undrainable", "never be drained"),
        ("depth-undrainable-chain", "never be drained"),
        ("duplicate-name", "two of job `a`"),
        ("fault-target", "no unit `h`"),
        ("illegal-layout", "too often"),
        ("illegal-layout-3g", "side by side"),
        ("never-fits-gpus", "never fits"),
        ("never-fits-memory", "never fits"),
        ("stream-on-end", "`on = \"end\"`"),
        ("unequal-stream", "unequal `images`"),
        ("unknown-key", "did you mean `priority`"),
        ("unknown-face", "no face \"back\""),
        ("unknown-model", "no model `m`"),
        ("unknown-profile-memory", "memory of profile"),
        ("unknown-upstream", "no job `nobody`"),
        ("window", "at most 64"),
        ("zero-count", "`batch` is not"),
    ];
    let refused = fs::read_dir(cases().join("refused")).expect("the refused cases").count();
    assert_eq!(refused, reasons.len());
    for (case, expected) in reasons {
        let reason = read(&text(&format!("refused/{case}.toml"))).expect_err(case);
        assert!(reason.contains(expected), "{case}: {reason}");
    }
}

fn check(file: &str, exit_code: u8) -> Result<(), String> {
    let line = match read(&text(file)) {
        Ok(line) => line,
        Err(_) if exit_code == 2 => return Ok(()),
        Err(refusal) => return Err(format!("refused: {refusal}")),
    };
    if exit_code == 2 {
        return Err("it should have been refused".to_string());
    }
    let run = simulate(&line);
    let actual = trace(&line.names, &run.events);
    let expected = text(&file.replace(".toml", ".jsonl"));
    if actual != expected {
        return Err(first_difference(&expected, &actual));
    }
    match run.exit_code == exit_code {
        true => Ok(()),
        false => Err(format!("exit code {}, not {exit_code}", run.exit_code)),
    }
}

/// The first line that differs, with five lines of context on both sides.
fn first_difference(expected: &str, actual: &str) -> String {
    let expected: Vec<&str> = expected.split('\n').collect();
    let actual: Vec<&str> = actual.split('\n').collect();
    let same = expected.iter().zip(&actual).take_while(|(left, right)| left == right).count();
    let excerpt = |lines: &[&str]| {
        let range = same.saturating_sub(5)..lines.len().min(same + 6);
        let mark = |index: usize| if index == same { '>' } else { ' ' };
        range.map(|index| format!("{} {}\n", mark(index), lines[index])).collect::<String>()
    };
    let (expected, actual) = (excerpt(&expected), excerpt(&actual));
    format!("line {} differs\nexpected:\n{expected}actual:\n{actual}", same + 1)
}

/// The cases of EXITS.tsv, with their exit codes.
fn exits() -> Vec<(String, u8)> {
    let table = text("EXITS.tsv");
    let rows = table.lines().filter(|row| !row.starts_with('#'));
    let cells = rows.map(|row| row.split_once('\t').expect("two columns"));
    cells.map(|(file, code)| (file.to_string(), code.parse().expect("an exit code"))).collect()
}

fn text(file: &str) -> String {
    let path = cases().join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}
