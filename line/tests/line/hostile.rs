//! Texts that no one means: nothing may panic, and TOML is what the `toml` crate takes for it.

use std::fs;
use std::path::Path;

use lineside_line::trace::Record;
use lineside_line::{Code, Look, NoFiles, Problem, read, read_bytes, render};
use toml::de::DeTable;

use super::random::Random;

/// Pieces of line files, and of nothing.
const PIECES: [&str; 60] = [
    "[[job]]",
    "[[device]]",
    "[policy]",
    "[line]",
    "[[fault]]",
    "[[model]]",
    "[[stream]]",
    "[a.b]",
    "[[a.b]]",
    "\n",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "name",
    "after",
    "mig",
    "gpu",
    "inject",
    "kernel",
    "images",
    "a.b",
    "a.b.c",
    "\"a\"",
    "\"b\"",
    "'a'",
    "\"\"\"",
    "'''",
    "\"",
    "=",
    "=",
    "=",
    "=",
    "=",
    ",",
    "[",
    "]",
    "{",
    "}",
    "1",
    "-1",
    "0x1F",
    "1_0",
    "1.5",
    "1e999",
    "nan",
    "true",
    "\"10ms\"",
    "\"8GiB\"",
    "[1, 2]",
    "{ a = 1 }",
    "{ job = \"a\" }",
    "# x\n",
    "检测",
    "\\u00e9",
    "\u{0}",
    "\u{feff}",
];

/// Reads a text, draws what is wrong with it, and looks whether that makes sense.
fn survive(text: &str) -> Vec<Problem> {
    let problems = match read(text, &NoFiles) {
        Ok(checked) => checked.warnings,
        Err(problems) => {
            assert!(!problems.is_empty(), "{text:?}");
            problems
        }
    };
    for problem in &problems {
        let range = problem.span.bytes.range();
        assert!(range.end <= text.len(), "{problem:?} in {text:?}");
        assert!(text.get(range).is_some(), "{problem:?} in {text:?}");
        assert!(problem.span.line >= 1 && problem.span.column >= 1, "{problem:?}");
    }
    assert!(problems.is_sorted_by_key(|problem| problem.span.bytes.start), "{text:?}");
    let drawn = render(&problems, text, "a\u{1b}b.toml", Look { width: 30, colour: false });
    let odd = |c: char| c.is_control() && c != '\n';
    assert!(!drawn.contains(odd), "{drawn:?}");
    problems
}

/// Whether our reading of the syntax is that of the `toml` crate.
fn compare(text: &str) {
    let ours = survive(text);
    let mut syntax =
        ours.iter().filter(|problem| matches!(problem.code, Code::Syntax | Code::DuplicateKey));
    match DeTable::parse(text) {
        Ok(_) => {
            // Dates are all the same to us, and so is one that is none.
            let first = syntax.next();
            assert!(first.is_none(), "{first:?} in {text:?}");
        }
        Err(error) if error.message().contains("date") || error.message().contains("time") => {}
        Err(error) => assert!(syntax.next().is_some(), "{error} in {text:?}"),
    }
}

fn case_texts() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases");
    let mut paths: Vec<_> = [folder.clone(), folder.join("refused")]
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn texts_of_random_pieces() {
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let pieces = 1 + random.below(40);
        let text: String = (0..pieces).map(|_| *random.pick(&PIECES)).collect();
        compare(&text);
    }
}

#[test]
fn cases_with_pieces_put_in_cut_out_and_swapped() {
    let cases = case_texts();
    for seed in 0..6_000 {
        let mut random = Random::new(seed);
        let mut text: Vec<char> = random.pick(&cases).chars().collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(text.len().max(1)).min(text.len());
            let length = random.below(12).min(text.len() - at);
            match random.below(4) {
                0 => {
                    text.drain(at..at + length);
                }
                1 => {
                    let piece = random.pick(&PIECES);
                    text.splice(at..at, piece.chars());
                }
                2 => {
                    let piece = random.pick(&PIECES);
                    text.splice(at..at + length, piece.chars());
                }
                _ => {
                    let copy: Vec<char> = text[at..at + length].to_vec();
                    let to = random.below(text.len() + 1);
                    text.splice(to..to, copy);
                }
            }
        }
        compare(&text.into_iter().collect::<String>());
    }
}

#[test]
fn random_bytes() {
    for seed in 0..5_000 {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..random.below(200)).map(|_| random.next() as u8).collect();
        if let Err(problems) = read_bytes(&bytes, &NoFiles) {
            assert!(!problems.is_empty());
        }
        survive(&String::from_utf8_lossy(&bytes));
        // Bytes that are all something to the parser.
        let dense: String = bytes
            .iter()
            .map(|byte| char::from(b"[]{}=\",.\n\\'#a1 "[usize::from(*byte) % 15]))
            .collect();
        compare(&dense);
    }
}

#[test]
fn numbers_at_the_edges_of_their_types() {
    let edges = ["0", "1", "-1", "4294967295", "4294967296", "9223372036854775807"];
    let durations = ["0s", "1ns", "4611686018427387903ns", "9999999999999h"];
    let keys = ["images", "batch", "inflight", "gpus", "threads", "priority", "retries", "memory"];
    for seed in 0..4_000 {
        let mut random = Random::new(seed);
        let mut text = String::from("[[device]]\nname=\"g\"\nmemory=18446744073709551615\n");
        for job in 0..3 {
            text += &format!("[[job]]\nname=\"{job}\"\n");
            for key in keys {
                if random.once_in(3) {
                    text += &format!("{key}={}\n", random.pick(&edges));
                }
            }
            for key in ["time", "startup", "arrive", "every", "timeout", "cpu_time"] {
                if random.once_in(3) {
                    text += &format!("{key}=\"{}\"\n", random.pick(&durations));
                }
            }
            if job > 0 {
                let depth = random.pick(&edges);
                text += &format!("after=[{{job=\"0\",mode=\"stream\",depth={depth}}}]\n");
            }
        }
        survive(&text);
    }
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{a=", "}"), ("[{a=", "}]")] {
        let deep = format!("a = {}1{}", open.repeat(100_000), close.repeat(100_000));
        assert!(survive(&deep).iter().any(|problem| problem.code == Code::Syntax));
    }
    let path = "a.".repeat(100_000);
    assert!(survive(&format!("{path}b = 1")).iter().any(|p| p.code == Code::Syntax));
    assert!(survive(&format!("[{path}b]")).iter().any(|p| p.code == Code::Syntax));
    survive(&"[".repeat(1_000_000));
    survive(&"a.b.c=[{\"".repeat(100_000));
}

#[test]
fn many_tables_of_one_name_are_no_slower() {
    let headers: String = (0..50_000).map(|n| format!("[t{n}.x]\n")).collect();
    survive(&headers);
    let again: String = (0..50_000).map(|n| format!("[t{n}]\n")).collect();
    survive(&(headers + &again));
    let keys: String = (0..100_000).map(|n| format!("k{n} = 1\n")).collect();
    survive(&format!("[line]\n{keys}"));
}

#[test]
fn texts_that_are_not_utf8() {
    let problems = read_bytes(b"[line]\nname = \"\xbc\xec\"\n", &NoFiles).unwrap_err();
    assert_eq!(problems[0].code, Code::NotUtf8);
    assert_eq!((problems[0].span.line, problems[0].span.column), (2, 9));
}

#[test]
fn traces_of_random_pieces() {
    let pieces = ["{", "}", "\"t\":", "1", "\"ev\":", "\"end\"", ",", "\"job\":", "null", "[", "]"];
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let text: String = (0..random.below(12)).map(|_| *random.pick(&pieces)).collect();
        let _ = Record::parse(&text);
    }
}
