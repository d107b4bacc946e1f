//! `lineside plan` on every conformance case: the trace byte for byte, and the exit code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases")
}

fn plan(file: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
    command.arg("plan").arg(file).args(["--trace", "-"]).output().expect("it starts")
}

#[test]
fn every_case_gives_its_trace_on_stdout_and_its_exit_code() {
    let exits = fs::read_to_string(cases().join("EXITS.tsv")).expect("EXITS.tsv");
    let rows = exits.lines().filter(|line| !line.starts_with('#'));
    let mut wrong = Vec::new();
    let mut run = 0;
    for (file, exit) in rows.map(|row| row.split_once('\t').expect("a file and a code")) {
        let output = plan(&cases().join(file));
        let trace = cases().join(file.replace(".toml", ".jsonl"));
        let expected = if exit == "2" { Vec::new() } else { fs::read(trace).expect("the trace") };
        if output.status.code().map(|code| code.to_string()).as_deref() != Some(exit) {
            wrong.push(format!("{file}: {}, not {exit}", output.status));
        } else if output.stdout != expected {
            wrong.push(format!("{file}: another trace"));
        } else if exit == "2" && output.stderr.is_empty() {
            wrong.push(format!("{file}: refused without a word"));
        }
        run += 1;
    }
    assert!(run >= 156, "only {run} cases");
    assert!(wrong.is_empty(), "{} of {run}:\n{}", wrong.len(), wrong.join("\n"));
}
