//! `lineside pack`, `unpack`, `inspect`, `verify`, and lines that run out of a bundle.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn lineside(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
    command.args(arguments).current_dir(folder).env("TMPDIR", folder).output().expect("it starts")
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder of its own for a test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bundle").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The names of what is in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

const LINE: &str = r#"
[line]
files = ["templates/*.txt"]

[[device]]
name = "cpu"
place = "cpu"

[[model]]
name = "detector"
file = "models/detector.bin"

[[model]]
name = "nobody's"
file = "models/absent.bin"

[[job]]
name = "find"
needs = "cpu"
kind = "legacy"
images = "images/*.png"
model = "detector"
worker = ["python3", "find.py", "--fast"]
"#;

/// A line with files of every kind; not all files of the folder are its own.
fn a_line(folder: &Path) {
    for (path, text) in [
        ("line.toml", LINE),
        ("find.py", "print()"),
        ("models/detector.bin", "weights"),
        ("models/other.bin", "of another line"),
        ("images/1.png", "one"),
        ("images/2.png", "two"),
        ("templates/a.txt", "a"),
        ("notes.md", "not the line's"),
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }
}

/// Packs the line of [`a_line`].
fn packed(name: &str) -> PathBuf {
    let folder = folder(name);
    a_line(&folder);
    let output = lineside(&folder, &["pack", "line.toml", "-o", "line.bundle"]);
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    folder
}

#[test]
fn a_bundle_holds_the_files_of_its_line_and_no_others() {
    let folder = packed("contents");
    let output = lineside(&folder, &["inspect", "line.bundle", "--json"]);
    let inspected: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let parts = inspected["parts"].as_array().expect("parts").iter();
    let paths: Vec<&str> = parts.filter_map(|part| part["path"].as_str()).collect();
    let expected = [
        "line.toml",
        "find.py",
        "images/1.png",
        "images/2.png",
        "models/detector.bin",
        "templates/a.txt",
    ];
    assert_eq!(paths, expected);
    assert_eq!(code(&lineside(&folder, &["verify", "line.bundle"])), Some(0));
    // The same files, the same bytes.
    lineside(&folder, &["pack", "./line.toml", "-o", "again.bundle"]);
    let bytes = |name: &str| fs::read(folder.join(name)).expect("a bundle");
    assert_eq!(bytes("line.bundle"), bytes("again.bundle"));
}

#[test]
fn what_is_unpacked_is_what_was_packed() {
    let folder = packed("unpack");
    let output = lineside(&folder, &["unpack", "line.bundle", "-o", "there/out"]);
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    for path in ["line.toml", "find.py", "images/2.png", "models/detector.bin"] {
        let bytes = |folder: PathBuf| fs::read(folder.join(path)).expect("a file");
        assert_eq!(bytes(folder.clone()), bytes(folder.join("there/out")), "{path}");
    }
    assert_eq!(names(&folder.join("there")), ["out"]);
    // What is there already is not touched.
    let output = lineside(&folder, &["unpack", "line.bundle", "-o", "there/out"]);
    assert_eq!(code(&output), Some(2));
}

#[test]
fn a_line_is_checked_and_planned_out_of_its_bundle() {
    let folder = packed("plan");
    let trace = |file: &str| lineside(&folder, &["plan", file, "--trace", "-"]);
    let (text, bundle) = (trace("line.toml"), trace("line.bundle"));
    assert_eq!(code(&bundle), Some(0), "{}", said(&bundle));
    assert_eq!(text.stdout, bundle.stdout);
    assert!(!text.stdout.is_empty());
    assert_eq!(code(&lineside(&folder, &["check", "line.bundle"])), Some(0));
    // Nothing stays behind.
    let left = names(&folder).into_iter().filter(|name| name.starts_with("lineside-"));
    assert_eq!(left.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn the_inspection_runs_out_of_its_bundle() {
    let folder = folder("pcb");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/pcb/line.toml");
    let example = example.to_str().expect("UTF-8");
    let output = lineside(&folder, &["pack", example, "-o", "pcb.bundle"]);
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    let output = lineside(&folder, &["run", "pcb.bundle", "--out", "out"]);
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    assert!(folder.join("out/results/defects.csv").is_file());
    assert_eq!(names(&folder), ["out", "pcb.bundle"]);
}

#[test]
fn a_damaged_bundle_is_refused_and_leaves_no_file() {
    let folder = packed("damaged");
    let good = fs::read(folder.join("line.bundle")).expect("a bundle");
    let before = names(&folder);
    let every = (good.len() / 40).max(1);
    let flipped = (0..good.len()).step_by(every).map(|at| {
        let mut bad = good.clone();
        bad[at] ^= 4;
        bad
    });
    let cut = (1..good.len()).step_by(every).map(|length| good[..length].to_vec());
    let long = [[&good[..], b"more"].concat()];
    for bad in flipped.chain(cut).chain(long) {
        fs::write(folder.join("line.bundle"), &bad).expect("written");
        let output = lineside(&folder, &["unpack", "line.bundle", "-o", "out"]);
        assert_eq!(code(&output), Some(2), "{} bytes", bad.len());
        assert!(said(&output).starts_with("error["), "{}", said(&output));
        assert_eq!(names(&folder), before);
        assert_eq!(code(&lineside(&folder, &["verify", "line.bundle"])), Some(2));
    }
}

#[test]
fn what_can_not_be_packed_is_told_and_nothing_is_written() {
    let folder = folder("refused");
    a_line(&folder);
    fs::write(folder.join("../outside.bin"), "x").expect("written");
    let line = LINE.replace("models/detector.bin", "../outside.bin").replace("*.txt", "*.md");
    fs::write(folder.join("line.toml"), line).expect("written");
    let before = names(&folder);
    let output = lineside(&folder, &["pack", "line.toml", "-o", "line.bundle"]);
    assert_eq!(code(&output), Some(2));
    // All of it at once.
    assert!(said(&output).contains("outside.bin") && said(&output).contains("*.md"));
    assert_eq!(names(&folder), before);
}

/// Keys that openssl made for this test.
const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEICp1Ml59v3RmUzseu2ZK6sUKaHjv2gZRfDYeB4iz5T4F
-----END PRIVATE KEY-----
";
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAKr/yWayIq+BY2/kvI0YsqAPXFAsDoxSeezSsfOHMZCA=
-----END PUBLIC KEY-----
";
const OTHER: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA42AAdFxmoTxGNFu4CErQVzD3vVQybFxysAGArQkpvXE=
-----END PUBLIC KEY-----
";

#[test]
fn a_signed_bundle_is_taken_and_one_of_somebody_else_is_not() {
    let folder = packed("signed");
    let path = |name: &str| folder.join(name);
    fs::write(path("key.pem"), PRIVATE).expect("written");
    fs::write(path("public.pem"), PUBLIC).expect("written");
    fs::write(path("other.pem"), OTHER).expect("written");
    let pack = ["pack", "line.toml", "-o", "signed.bundle", "--sign", "key.pem"];
    let output = lineside(&folder, &pack);
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    let verify = |bundle: &str, key: &str| {
        let output = lineside(&folder, &["verify", bundle, "--verify-key", key]);
        (code(&output), said(&output).contains("untrusted"))
    };
    assert_eq!(verify("signed.bundle", "public.pem"), (Some(0), false));
    assert_eq!(verify("signed.bundle", "other.pem"), (Some(2), true));
    assert_eq!(verify("line.bundle", "public.pem"), (Some(2), true));
    let plan = |file| code(&lineside(&folder, &["plan", file, "--verify-key", "public.pem"]));
    assert_eq!((plan("signed.bundle"), plan("line.bundle")), (Some(0), Some(2)));
    assert_eq!(plan("line.toml"), Some(2));
}
