//! Programs, their placeholders, and the keys beside them.

use super::{places, refused, taken};

const DEVICE: &str = "[[device]]\nname = \"g\"\nmemory = \"8GiB\"\n";

const NONE: [&str; 0] = [];

/// The faults of a job with these keys, which begin on line 6.
fn job(keys: &str) -> Vec<String> {
    file(&format!("{DEVICE}[[job]]\nname = \"a\"\n{keys}\n"))
}

fn file(text: &str) -> Vec<String> {
    match lineside_line::read(text, &lineside_line::NoFiles) {
        Ok(_) => Vec::new(),
        Err(_) => refused(text),
    }
}

#[test]
fn a_placeholder_stands_for_something() {
    assert_eq!(job("run = [\"p\", \"{index}\", \"{unit}{uuid}\", \"--o={out}/x\"]"), NONE);
    assert_eq!(job("run = [\"awk\", \"{print $1}\", \"{}\", \"{{image}}\"]"), NONE);
    assert_eq!(job("run = [\"p\", \"{imge}\"]"), ["bad-placeholder 6:13"]);
    // The job has no files, and no job in `after`.
    assert_eq!(job("run = [\"p\", \"{image}\"]"), ["bad-placeholder 6:13"]);
    assert_eq!(job("run = [\"p\", \"x{images}\"]"), ["bad-placeholder 6:13"]);
    assert_eq!(job("run = [\"p\", \"{in.b}\"]"), ["bad-placeholder 6:13"]);
    assert_eq!(job("worker = [\"p\", \"{index}\"]"), ["bad-placeholder 6:16"]);
    assert_eq!(job("shell = true\nrun = [\"echo {index}\"]"), ["bad-placeholder 7:8"]);
    assert_eq!(job("shell = true\nrun = [\"echo $1\", \"{index}\"]"), NONE);
}

#[test]
fn an_input_is_that_of_an_upstream() {
    let jobs = |after: &str, word: &str| {
        file(&format!(
            "{DEVICE}[[job]]\nname = \"a\"\n[[job]]\nname = \"b\"\nafter = [{after}]\n\
             run = [\"p\", \"{word}\"]\n"
        ))
    };
    assert_eq!(jobs("\"a\"", "{in.a}/x"), NONE);
    assert_eq!(jobs("", "{in.a}/x"), ["bad-placeholder 9:13"]);
    assert_eq!(jobs("\"a\"", "{in.c}"), ["bad-placeholder 9:13"]);
}

#[test]
fn what_the_lease_sets_is_not_set_otherwise() {
    assert_eq!(job("run = [\"p\"]\nenv = { A = \"1\", B = \"{out}\" }"), NONE);
    assert_eq!(job("run = [\"p\"]\nenv = { LINESIDE_JOB = \"x\" }"), ["bad-variable 7:9"]);
    assert_eq!(job("run = [\"p\"]\nenv = { CUDA_VISIBLE_DEVICES = \"0\" }"), ["bad-variable 7:9"]);
    assert_eq!(job("run = [\"p\"]\nenv = { A = 1 }"), ["wrong-type 7:13"]);
    assert_eq!(job("run = [\"p\"]\nenv = { A = \"{index}\" }"), ["bad-placeholder 7:13"]);
    assert_eq!(job("run = [\"p\"]\nshell = \"yes\""), ["wrong-type 7:9"]);
    assert_eq!(job("run = [\"p\"]\ngrace = \"0s\"\ndir = \"x\""), NONE);
}

#[test]
fn what_says_more_of_a_program_needs_one() {
    let warned =
        |keys: &str| places(&taken(&format!("{DEVICE}[[job]]\nname = \"a\"\n{keys}\n")).warnings);
    assert_eq!(warned("grace = \"1s\""), ["no-effect 6:1"]);
    assert_eq!(warned("run = [\"p\"]\nready = \"1s\""), ["no-effect 7:1"]);
    assert_eq!(warned("worker = [\"p\"]\nready = \"1s\"\ngrace = \"1s\""), NONE);
}
