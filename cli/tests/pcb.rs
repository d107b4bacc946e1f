//! The inspection of the README, on its own boards.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lineside_vision::defect::parse_table;
use lineside_vision::score::Quality;

#[test]
fn the_inspection_finds_the_defects_and_knows_their_kinds() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/pcb");
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pcb");
    let _ = fs::remove_dir_all(&out);
    let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
    command.arg("run").arg(example.join("line.toml")).arg("--out").arg(&out);
    let output = command.output().expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));

    let found = fs::read_to_string(out.join("results/defects.csv")).expect("the defects");
    let truth = fs::read_to_string(example.join("truth.csv")).expect("the truth");
    let (found, truth) = (parse_table(&found).expect("legal"), parse_table(&truth).expect("legal"));
    let quality = Quality::of(&found, &truth);
    assert!(quality.recall() >= 950, "{quality}");
    assert!(quality.precision() >= 950, "{quality}");
    assert!(quality.accuracy() >= 900, "{quality}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(&quality.to_string()), "the run prints the figures: {said}");
    assert!(out.join("results/contact.png").is_file());
    let trace = fs::read_to_string(out.join("trace.jsonl")).expect("the trace");
    assert!(trace.contains(r#""job":"detect","lease""#) && trace.contains(r#""fallback":true"#));
}
