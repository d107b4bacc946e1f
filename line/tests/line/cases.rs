//! The conformance cases: all of them are taken, and those that are refused are so at their place.

use std::fs;
use std::path::{Path, PathBuf};

use lineside_line::Code;

use super::{refused, taken};

fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases").join(folder);
    let entries = fs::read_dir(&folder).expect("the cases stand beside this crate");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut files: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    assert!(files.len() > 10, "{} has cases", folder.display());
    files
}

#[test]
fn every_case_is_taken() {
    for case in cases("").into_iter().chain(cases("random")) {
        let text = fs::read_to_string(&case).unwrap();
        let checked = taken(&text);
        assert!(!checked.line.jobs.is_empty(), "{}", case.display());
        for (index, job) in checked.line.jobs.iter().enumerate() {
            for edge in &job.after {
                assert!((edge.upstream as usize) < index, "{}", case.display());
            }
        }
    }
}

#[test]
fn where_circles_are_broken_there_was_a_warning() {
    for case in cases("").into_iter().chain(cases("random")) {
        let trace = fs::read_to_string(case.with_extension("jsonl")).unwrap();
        let text = fs::read_to_string(&case).unwrap();
        // Where a unit is lost, what waits for it may be starved without any circle of needs.
        if trace.contains(r#""cause":"circle""#) && !text.contains("unit =") {
            let checked = taken(&text);
            let warned = checked.warnings.iter().any(|warning| warning.code == Code::Circle);
            assert!(warned, "{}", case.display());
        }
    }
}

#[test]
fn every_refused_case_is_refused_at_its_place() {
    let expected = [
        ("bad-duration", "bad-duration 6:8"),
        ("bad-memory", "bad-memory 3:10"),
        ("cycle", "cycle 9:10"),
        ("depth-on-barrier", "depth-on-barrier 8:23"),
        ("depth-undrainable", "undrainable 15:45"),
        ("depth-undrainable-chain", "undrainable 19:58"),
        ("duplicate-name", "duplicate-name 7:8"),
        ("fault-target", "unknown-unit 8:8"),
        ("illegal-layout", "illegal-layout 4:7"),
        ("illegal-layout-3g", "illegal-layout 4:7"),
        ("never-fits-gpus", "never-fits 6:8"),
        ("never-fits-memory", "never-fits 6:10"),
        ("stream-on-end", "stream-on-end 10:45"),
        ("unequal-stream", "unequal-images 10:10"),
        ("unknown-key", "unknown-key 6:1"),
        ("unknown-face", "unknown-face 8:8"),
        ("unknown-model", "unknown-model 6:9"),
        ("unknown-profile-memory", "unknown-memory 4:8"),
        ("unknown-upstream", "unknown-job 6:10"),
        ("window", "window 8:9"),
        ("zero-count", "out-of-range 6:9"),
    ];
    let files = cases("refused");
    assert_eq!(files.len(), expected.len());
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let (_, place) = expected.iter().find(|(case, _)| *case == name).expect(name);
        assert_eq!(refused(&fs::read_to_string(&file).unwrap()), [*place], "{name}");
    }
}
