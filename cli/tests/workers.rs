//! Workers: what keeps them, what ends them, and what happens when they misbehave.
#![cfg(target_os = "linux")]

mod bench;

use std::path::Path;

use bench::{Bench, CPU, Ran, marked_processes};

/// A worker in the shell. It is called with the number of the start that it has to answer: they
/// are counted from 0.
const SPEAKS: &str = "echo '{\"type\":\"ready\",\"version\":1}'; n=0; \
     while read line; do case $line in \
     *leave*) exit 0;; *start*) ";

/// The end of one that answers well.
const ANSWERS: &str =
    "echo \"{\\\"type\\\":\\\"done\\\",\\\"start\\\":$n}\"; n=$((n+1));; esac; done";

/// A line with a job of five images, each a start of this worker, and one beside it.
fn line_of(bench: &Bench, worker: &str, keys: &str) {
    bench.write("worker.sh", worker);
    bench.line(&format!(
        "{CPU}[[job]]\nname = \"a\"\nkind = \"legacy\"\nneeds = \"cpu\"\nimages = 5\n\
         worker = [\"sh\", \"worker.sh\"]\nenv = {{ STAMP = \"{}\" }}\ngrace = \"200ms\"\n{keys}\n\
         [[job]]\nname = \"beside\"\nneeds = \"cpu\"\nimages = 3\nrun = [\"true\"]\n",
        bench.stamp()
    ));
}

fn check_nothing_else_was_touched(bench: &Bench, ran: &Ran) {
    assert!(ran.trace().contains(r#""job":"beside","state":"done""#), "{}", ran.said);
    assert_eq!(marked_processes(&bench.stamp()), [0; 0], "a process is left");
}

/// How often a worker was started.
fn employed(bench: &Bench) -> usize {
    bench.read("started").lines().count()
}

#[test]
fn a_worker_stays_from_start_to_start() {
    let bench = Bench::new("stays");
    line_of(&bench, &format!("echo x >> started; {SPEAKS} {ANSWERS}"), "");
    let ran = bench.run();
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    assert_eq!(employed(&bench), 1);
    check_nothing_else_was_touched(&bench, &ran);
}

#[test]
fn a_worker_that_talks_nonsense_is_replaced() {
    let bench = Bench::new("nonsense");
    // The first one talks nonsense at its third start; the number of the start goes on.
    let worker = "echo x >> started; first=$(wc -l < started)\n\
         echo '{\"type\":\"ready\",\"version\":1}'\nwhile read line; do case $line in \
         *leave*) exit 0;; *start*) n=${line#*\\\"start\\\":}; n=${n%%,*};\n\
         if [ $first = 1 ] && [ $n = 2 ]; then echo Loading...; else \
         echo \"{\\\"type\\\":\\\"done\\\",\\\"start\\\":$n}\"; fi;; esac; done";
    line_of(&bench, worker, "retries = 1");
    let ran = bench.run();
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    assert!(ran.said.contains("Loading..."), "{}", ran.said);
    assert_eq!(employed(&bench), 2);
    assert_eq!(ran.trace().matches(r#""ev":"fail""#).count(), 1);
    check_nothing_else_was_touched(&bench, &ran);
}

#[test]
fn a_worker_that_dies_fails_the_start_that_it_was_at_with_its_last_words() {
    let bench = Bench::new("dies");
    line_of(&bench, &format!("{SPEAKS} echo out of memory >&2; kill -KILL $$;; esac; done"), "");
    let ran = bench.run();
    assert_eq!(ran.code, Some(1));
    assert!(ran.said.contains("SIGKILL") && ran.said.contains("out of memory"), "{}", ran.said);
    assert_eq!(ran.trace().matches(r#""ev":"fail""#).count(), 1);
    check_nothing_else_was_touched(&bench, &ran);
}

#[test]
fn a_line_of_a_hundred_megabytes_is_not_read_to_its_end() {
    let bench = Bench::new("long-line");
    let worker =
        format!("{SPEAKS} head -c 100000000 /dev/zero | tr '\\0' x; sleep 600;; esac; done");
    line_of(&bench, &worker, "");
    let ran = bench.run();
    assert_eq!(ran.code, Some(1));
    assert!(ran.said.contains("1024 KiB"), "{}", ran.said);
    check_nothing_else_was_touched(&bench, &ran);
}

#[test]
fn a_worker_that_says_nothing_is_ended_when_the_start_times_out() {
    let bench = Bench::new("silent");
    line_of(&bench, &format!("{SPEAKS} sleep 600;; esac; done"), "timeout = \"300ms\"");
    let ran = bench.run();
    assert_eq!(ran.code, Some(1));
    assert!(ran.trace().contains(r#""state":"failed","cause":"timeout""#), "{}", ran.said);
    check_nothing_else_was_touched(&bench, &ran);
}

#[test]
fn a_worker_that_never_gets_ready_is_not_tried_for_ever() {
    let bench = Bench::new("never-ready");
    line_of(&bench, "echo x >> started; echo no model >&2; exit 3", "retries = 1000");
    let ran = bench.run();
    assert_eq!(ran.code, Some(1));
    assert_eq!(employed(&bench), 5);
    assert!(ran.said.contains("exit code 3") && ran.said.contains("no model"), "{}", ran.said);
    check_nothing_else_was_touched(&bench, &ran);
}

#[test]
fn a_worker_that_takes_too_long_to_get_ready_is_given_up() {
    let bench = Bench::new("slow-ready");
    line_of(&bench, "sleep 600", "ready = \"200ms\"");
    let ran = bench.run();
    assert_eq!(ran.code, Some(1));
    assert!(ran.said.contains("200 ms") || ran.said.contains("200ms"), "{}", ran.said);
    check_nothing_else_was_touched(&bench, &ran);
}

#[test]
fn a_worker_that_has_ended_between_two_starts_costs_no_start() {
    let bench = Bench::new("between");
    // It ends after each answer.
    let worker = format!(
        "echo x >> started\n{}",
        "echo '{\"type\":\"ready\",\"version\":1}'; read line; \
         n=${line#*\\\"start\\\":}; n=${n%%,*}\n\
         echo \"{\\\"type\\\":\\\"done\\\",\\\"start\\\":$n}\"; exit 0"
    );
    line_of(&bench, &worker, "retries = 5\nevery = \"150ms\"");
    let ran = bench.run();
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    assert_eq!(employed(&bench), 5);
    check_nothing_else_was_touched(&bench, &ran);
}

#[test]
fn an_evicted_model_takes_its_worker_along() {
    let bench = Bench::new("evicted");
    // Each worker says that it is here by a file; there are never two.
    let worker = "ls here 2>/dev/null | grep -q . && exit 4; mkdir -p here; touch here/$1; \
         echo '{\"type\":\"ready\",\"version\":1}'; while read line; do case $line in \
         *leave*) sleep 0.1; rm here/$1; exit 0;; \
         *start*) n=${line#*\\\"start\\\":}; n=${n%%,*}; \
         echo \"{\\\"type\\\":\\\"done\\\",\\\"start\\\":$n}\";; esac; done";
    bench.write("worker.sh", worker);
    let job = |name: &str, after: &str| {
        format!(
            "[[model]]\nname = \"{name}\"\nweights = \"3GiB\"\n\
             [[job]]\nname = \"{name}\"\nkind = \"legacy\"\nneeds = \"cpu\"\nimages = 2\n\
             model = \"{name}\"\nafter = [{after}]\nworker = [\"sh\", \"worker.sh\", \"{name}\"]\n"
        )
    };
    bench.line(&format!(
        "[[device]]\nname = \"cpu\"\nplace = \"cpu\"\nmemory = \"4GiB\"\n{}{}",
        job("one", ""),
        job("two", "{ job = \"one\", mode = \"barrier\" }")
    ));
    let ran = bench.run();
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    assert_eq!(bench.names("here"), [""; 0], "both were told to leave");
}

#[test]
fn the_python_file_of_the_documentation_works() {
    let bench = Bench::new("python");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/worker");
    let mut copy = std::process::Command::new("cp");
    copy.arg("-r").arg(&example).arg(bench.path("line"));
    assert!(copy.status().expect("cp is here").success());
    let out = bench.path("out");
    let run = ["run", "line/line.toml", "--out", out.to_str().expect("UTF-8")];
    let output = bench.command(&run).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let table = bench.read("out/results/collect/table.csv");
    assert_eq!(table.lines().count(), 7, "{table}");
    assert!(table.contains("0.pgm,"), "{table}");
    let lines = std::fs::read_to_string(example.join("lineside_worker.py")).expect("it is there");
    assert!(lines.lines().count() < 100);
}
