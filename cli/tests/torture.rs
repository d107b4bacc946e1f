//! A line of some sixty processes, killed at random instants, and resumed each time.
//!
//! `LINESIDE_KILLS=100` kills more often; `LINESIDE_SEED=7` begins with another seed.
#![cfg(target_os = "linux")]

mod bench;

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use bench::{Bench, marked_processes};
use lineside_backends::journal::{self, History, Record};

const JOBS: u64 = 12;
const IMAGES: u64 = 5;

/// What each start does: it notes that it begins, in a file that must not be there, may leave
/// something behind, may fail, and notes that it ends.
const WORK: &str = r#"
set -eC
at="$LINESIDE_OUT/$1.$LINESIDE_ATTEMPT"
: > "$at.begun"
n=$(( ($1 * 7 + $LINESIDE_ATTEMPT * 13 + $2) % 11 ))
if [ $n = 3 ]; then setsid sleep 600 & fi
if [ $n = 4 ]; then sleep 600 & fi
sleep 0.0$n
if [ $n -lt 3 ]; then exit 9; fi
: > "$at.ended"
"#;

/// The same seed gives the same line and the same instants.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

fn line(random: &mut Random, stamp: &str) -> String {
    let mut text = "[[device]]\nname = \"one\"\nplace = \"cpu\"\nslots = 2\n\
                    [[device]]\nname = \"two\"\nplace = \"cpu\"\nslots = 2\n"
        .to_owned();
    for job in 0..JOBS {
        let edges: Vec<String> = (0..job.min(2))
            .filter(|_| job > 1)
            .map(|_| {
                let upstream = random.below(job);
                let mode = ["barrier", "stream"][random.below(2) as usize];
                format!("{{ job = \"j{upstream}\", mode = \"{mode}\" }}")
            })
            .collect();
        let inflight = 1 + random.below(3);
        let salt = random.below(1_000);
        text += &format!(
            "[[job]]\nname = \"j{job}\"\nkind = \"legacy\"\nneeds = \"cpu\"\nimages = {IMAGES}\n\
             inflight = {inflight}\nthreads = 2\nretries = 1000\ngrace = \"500ms\"\n\
             after = [{}]\nenv = {{ STAMP = \"{stamp}\" }}\n\
             run = [\"sh\", \"work.sh\", \"{{index}}\", \"{salt}\"]\n",
            edges.join(", ")
        );
    }
    text
}

fn start(bench: &Bench, resume: bool) -> Child {
    let mut command = bench.command(&["run", "line.toml", "--out", "out"]);
    if resume {
        command.arg("--resume");
    }
    let said = fs::File::create(bench.path("said")).expect("a file");
    command.stderr(said).stdout(Stdio::null()).spawn().expect("it starts")
}

/// Kills the runner, what it has started, or both. False if there was nobody left.
fn kill(random: &mut Random, runner: &Child, stamp: &str) -> bool {
    let which = random.below(3);
    let mut pids = if which == 0 { Vec::new() } else { marked_processes(stamp) };
    // Both orders come up.
    let at = if random.below(2) == 0 { 0 } else { pids.len() };
    if which != 1 {
        pids.insert(at, runner.id());
    }
    let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
    let killed = Command::new("kill").arg("-KILL").args(pids).stderr(Stdio::null()).status();
    killed.is_ok_and(|status| status.success())
}

#[test]
fn a_line_that_is_killed_at_any_instant_comes_to_its_end() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (kills, first_seed) = (number("LINESIDE_KILLS", 15), number("LINESIDE_SEED", 1));
    let mut killed = 0;
    for seed in first_seed.. {
        if killed >= kills {
            break;
        }
        println!("seed {seed}, {killed} kills so far");
        let bench = Bench::new(&format!("torture-{seed}"));
        let stamp = bench.stamp();
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        bench.write("work.sh", WORK);
        bench.line(&line(&mut random, &stamp));
        let (mut here, mut resume) = (0, false);
        loop {
            let mut runner = start(&bench, resume);
            // Never while the folder is being made: there would be nothing to resume.
            while !bench.path("out/journal").exists() {
                sleep(Duration::from_millis(1));
            }
            if killed < kills {
                sleep(Duration::from_micros(random.below(300_000)));
                if kill(&mut random, &runner, &stamp) {
                    (killed, here) = (killed + 1, here + 1);
                }
            }
            match runner.wait().expect("it ends").code() {
                Some(0) => break,
                code => assert!(code.is_none(), "seed {seed}: {}", bench.read("said")),
            }
            resume = true;
        }
        check(&bench, seed, here);
        assert_eq!(marked_processes(&stamp), [0; 0], "seed {seed}: a process is left");
    }
}

fn check(bench: &Bench, seed: u64, kills: u64) {
    let mut again = 0;
    for job in 0..JOBS {
        let mut attempts: BTreeMap<(u64, u64), bool> = BTreeMap::new();
        for name in bench.names(&format!("out/results/j{job}")) {
            let parts: Vec<&str> = name.split('.').collect();
            let [image, attempt, what] = parts[..] else { panic!("seed {seed}: {name}") };
            let key = (image.parse().expect("a number"), attempt.parse().expect("a number"));
            *attempts.entry(key).or_default() |= what == "ended";
        }
        for image in 0..IMAGES {
            let of_image: Vec<bool> =
                attempts.range((image, 0)..(image + 1, 0)).map(|(_, &ended)| ended).collect();
            let (last, before) = of_image.split_last().expect("it was tried");
            assert!(last, "seed {seed}: image {image} of j{job} has no effect");
            again += before.iter().filter(|ended| **ended).count() as u64;
        }
    }
    // An effect is there again only where the runner was killed before it could note the end.
    assert!(again <= kills * 4, "seed {seed}: {again} effects are there again after {kills} kills");
    let bytes = fs::read(bench.path("out/journal")).expect("the journal");
    let journal = journal::read(&bytes).unwrap_or_else(|damage| panic!("seed {seed}: {damage}"));
    let mut history = History::default();
    for record in &journal.records {
        history.take(record).expect("it was taken before");
        let (free, leased) = history.slots();
        assert_eq!(free + leased, 4, "seed {seed}");
    }
    assert_eq!(history.slots(), (4, 0), "seed {seed}: everything is free in the end");
    assert!(matches!(journal.records.last(), Some(Record::Closed { .. })), "seed {seed}");
}
