//! A run that goes on after its runner was killed.
#![cfg(target_os = "linux")]

mod bench;

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use bench::{Bench, CPU, marked_processes};
use lineside_vision::defect::parse_table;
use lineside_vision::score::Quality;

/// A job that notes each of its starts, and takes its time.
fn noting(name: &str, images: u32, seconds: &str, more: &str) -> String {
    format!(
        "[[job]]\nname = \"{name}\"\nkind = \"legacy\"\nneeds = \"cpu\"\nimages = {images}\n\
         shell = true\n\
         run = [\"echo $1 >> {name}.begun; sleep {seconds}; echo $1 >> {name}.ended\", \
         \"{{index}}\"]\n{more}\n"
    )
}

/// Waits until something is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what} takes too long");
        sleep(Duration::from_millis(5));
    }
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn start(bench: &Bench, arguments: &[&str]) -> Child {
    let mut command = bench.command(&["run", "line.toml", "--out", "out"]);
    command.args(arguments).stderr(fs::File::create(bench.path("said")).expect("a file"));
    command.spawn().expect("it starts")
}

/// What was there is done once; what was interrupted is done again
/// (github.com/dagucloud/dagu/issues/2251, github.com/nextflow-io/nextflow/pull/5600).
#[test]
fn finished_starts_are_not_run_again_and_interrupted_ones_are() {
    let bench = Bench::new("goes-on");
    bench.line(&format!(
        "[[device]]\nname = \"cpu\"\nplace = \"cpu\"\n{}",
        noting("a", 4, "0.4", &format!("env = {{ STAMP = \"{}\" }}", bench.stamp()))
    ));
    let mut runner = start(&bench, &[]);
    until("the third start", || lines(&bench.path("a.begun")).len() == 3);
    runner.kill().expect("it runs");
    runner.wait().expect("it ends");
    // The process of the third start lives on, and is ended before anything else.
    assert_eq!(lines(&bench.path("a.ended")), ["0", "1"]);
    let ran = bench.resume();
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    assert_eq!(lines(&bench.path("a.begun")), ["0", "1", "2", "2", "3"]);
    assert_eq!(lines(&bench.path("a.ended")), ["0", "1", "2", "3"]);
    assert_eq!(marked_processes(&bench.stamp()), [0; 0]);
}

#[test]
fn a_second_runner_is_refused_while_the_first_one_lives() {
    let bench = Bench::new("second");
    bench.line(&format!("{CPU}{}", noting("a", 1, "30", "")));
    let mut runner = start(&bench, &[]);
    until("the start", || bench.path("a.begun").exists());
    let ran = bench.resume();
    assert_eq!(ran.code, Some(2), "{}", ran.said);
    runner.kill().expect("it runs");
    runner.wait().expect("it ends");
    // Ends what is left, and begins again.
    let mut runner = start(&bench, &["--resume"]);
    until("the start", || lines(&bench.path("a.begun")).len() == 2);
    for _ in 0..2 {
        let kill = Command::new("kill").args(["-INT", &runner.id().to_string()]).status();
        assert!(kill.expect("kill is here").success());
        sleep(Duration::from_millis(100));
    }
    assert_eq!(runner.wait().expect("it ends").code(), Some(130));
}

/// Finished work is known again by what it does, not by where it stands
/// (the manual of GNU parallel, `--resume`).
#[test]
fn what_has_changed_runs_again_with_what_is_behind_it() {
    let bench = Bench::new("changed");
    let line = |first: &str, b: &str| {
        format!(
            "{CPU}{first}{}{b}{}",
            noting("a", 2, "0", ""),
            noting("c", 1, "0", "after = [\"b\"]"),
        )
    };
    bench.line(&line("", &noting("b", 1, "0", "after = [{ job = \"a\", mode = \"barrier\" }]")));
    assert_eq!(bench.run().code, Some(0));
    bench.line(&line(
        &noting("new", 1, "0", ""),
        &noting("b", 1, "0.01", "after = [{ job = \"a\", mode = \"barrier\" }]"),
    ));
    let ran = bench.resume();
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    let ended = |job: &str| lines(&bench.path(&format!("{job}.ended"))).len();
    assert_eq!((ended("new"), ended("a"), ended("b"), ended("c")), (1, 2, 2, 2));
    // Nothing is left to do.
    assert_eq!(bench.resume().code, Some(0));
    assert_eq!((ended("new"), ended("a"), ended("b"), ended("c")), (1, 2, 2, 2));
}

#[test]
fn what_failed_is_tried_again_and_what_it_kept_from_running_runs() {
    let bench = Bench::new("failed");
    bench.line(&format!(
        "{CPU}[[job]]\nname = \"a\"\nneeds = \"cpu\"\nrun = [\"test\", \"-e\", \"mended\"]\n{}",
        noting("b", 1, "0", "after = [{ job = \"a\", mode = \"barrier\" }]")
    ));
    assert_eq!(bench.run().code, Some(1));
    bench.write("mended", "");
    assert_eq!(bench.resume().code, Some(0));
    assert_eq!(lines(&bench.path("b.ended")), ["0"]);
}

#[test]
fn a_torn_end_is_cut_and_a_damaged_middle_is_refused() {
    let bench = Bench::new("damaged");
    bench.line(&format!("{CPU}{}", noting("a", 5, "0", "")));
    assert_eq!(bench.run().code, Some(0));
    let journal = bench.path("out/journal");
    let whole = fs::read(&journal).expect("it is there");
    fs::write(&journal, &whole[..whole.len() - 3]).expect("written");
    assert_eq!(bench.resume().code, Some(0));
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 0x55;
    fs::write(&journal, &damaged).expect("written");
    let ran = bench.resume();
    assert_eq!(ran.code, Some(2));
    assert!(ran.said.contains("damaged at byte"), "{}", ran.said);
    assert_eq!(fs::read(&journal).expect("it is there"), damaged, "it was left as it was");
    assert_eq!(lines(&bench.path("a.ended")).len(), 5);
    fs::remove_file(&journal).expect("removed");
    assert_eq!(bench.resume().code, Some(2));
}

/// A file can't grow beyond a limit, as on a disk that is full.
#[test]
fn a_journal_that_cannot_be_written_stops_the_run_and_it_can_be_resumed() {
    let bench = Bench::new("full");
    bench.line(&format!("{CPU}{}", noting("a", 40, "0", "inflight = 2\nthreads = 2")));
    let lineside = env!("CARGO_BIN_EXE_lineside");
    // So many blocks of 512 bytes; the signal that goes with it is ignored.
    let script = format!("trap '' XFSZ; ulimit -f 4; exec {lineside} run line.toml --out out");
    let mut command = Command::new("sh");
    let output = command.args(["-c", &script]).current_dir(bench.path("")).output();
    let output = output.expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("journal"), "{said}");
    let done = lines(&bench.path("a.ended")).len();
    assert!((1..40).contains(&done), "{done}");
    let ran = bench.resume();
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    let mut ended = lines(&bench.path("a.ended"));
    ended.sort();
    ended.dedup();
    assert_eq!(ended.len(), 40);
}

/// What built-in tools make is in memory only, so it is made again where it is needed.
#[test]
fn an_inspection_goes_on_after_it_was_killed() {
    let bench = Bench::new("inspection");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/pcb");
    let file = example.join("line.toml");
    let run = |more: &[&str]| {
        let mut command = bench.command(&["run", file.to_str().expect("UTF-8"), "--out", "out"]);
        command.args(more).stderr(std::process::Stdio::null());
        command
    };
    let mut runner = run(&[]).spawn().expect("it starts");
    // Some pictures are through, and not all.
    let journal = bench.path("out/journal");
    until("some work", || fs::metadata(&journal).is_ok_and(|it| it.len() > 1_500));
    runner.kill().expect("it runs");
    runner.wait().expect("it ends");
    let status = run(&["--resume"]).status().expect("it starts");
    assert!(status.success());
    let found = bench.read("out/results/defects.csv");
    let truth = fs::read_to_string(example.join("truth.csv")).expect("the truth");
    let (found, truth) = (parse_table(&found).expect("legal"), parse_table(&truth).expect("legal"));
    let quality = Quality::of(&found, &truth);
    assert!(quality.recall() >= 950 && quality.precision() >= 950, "{quality}");
}
