//! Lines of a hundred thousand jobs.

use std::fmt::Write;
use std::time::Instant;

use lineside_line::trace::{Event, Images, Names, Record, What, write_event};
use lineside_line::{Look, NoFiles, read, render};

use super::random::Random;
use super::taken;

const JOBS: usize = 100_000;

const DEVICES: &str = r#"
[[device]]
name = "gpu0"
memory = "24GiB"
slots = 4
[[device]]
name = "gpu1"
gpu = "A100-40GB"
mig = ["3g.20gb", "2g.10gb", "1g.5gb", "1g.5gb"]
[[device]]
name = "cpu"
place = "cpu"
memory = "64GiB"
slots = 8
[[model]]
name = "detector"
weights = "2GiB"
cold = "300ms"
"#;

/// Jobs as people write them, each after a few of those before it.
fn layered(jobs: usize) -> String {
    let mut random = Random::new(1);
    let mut text = DEVICES.to_owned();
    for job in 0..jobs {
        let memory = 100 + random.below(900);
        write!(
            text,
            "[[job]]\nname = \"job-{job}\"\nkind = \"legacy\"\nimages = 10\n\
             memory = \"{memory}MiB\"\nmodel = \"detector\"\ntime = \"{}ms\"\npriority = {}\n",
            1 + random.below(50),
            random.below(8)
        )
        .unwrap();
        if job > 10 {
            let first = job - 1 - random.below(9);
            let second = random.below(first);
            writeln!(
                text,
                "after = [\"job-{first}\", {{ job = \"job-{second}\", mode = \"barrier\" }}]"
            )
            .unwrap();
        }
    }
    text
}

/// Each job after the one before it.
fn chain(jobs: usize) -> String {
    let mut text = DEVICES.to_owned();
    for job in 0..jobs {
        write!(text, "[[job]]\nname = \"j{job}\"\ntime = \"1ms\"\n").unwrap();
        if job > 0 {
            writeln!(text, "after = [\"j{}\"]", job - 1).unwrap();
        }
    }
    text
}

/// Every job wrong in its own way.
fn broken(jobs: usize) -> String {
    let mut text = DEVICES.to_owned();
    for job in 0..jobs {
        let fault = match job % 6 {
            0 => format!("after = [\"jb{job}\"]"),
            1 => "prioritty = 1".to_owned(),
            2 => "memory = \"99GiB\"".to_owned(),
            3 => "time = \"1.5ms\"".to_owned(),
            4 => format!("after = [\"j{}\"]", job + 6),
            _ => "kind = unquoted".to_owned(),
        };
        write!(text, "[[job]]\nname = \"j{job}\"\n{fault}\n").unwrap();
    }
    text
}

#[test]
fn a_hundred_thousand_jobs_are_read() {
    assert_eq!(taken(&layered(JOBS)).line.jobs.len(), JOBS);
}

#[test]
fn a_chain_of_a_hundred_thousand_jobs_needs_no_stack() {
    let line = taken(&chain(JOBS)).line;
    assert_eq!(line.jobs[0].path, JOBS as u64 * 1_000_000);
}

#[test]
fn a_ring_of_a_hundred_thousand_jobs_is_one_cycle() {
    let text = chain(JOBS).replacen(
        "name = \"j0\"",
        &format!("name = \"j0\"\nafter = [\"j{}\"]", JOBS - 1),
        1,
    );
    let problems = read(&text, &NoFiles).unwrap_err();
    assert_eq!(problems.len(), 1);
    // However long the cycle, what is said of it stays readable.
    assert!(render(&problems, &text, "ring.toml", Look::default()).lines().count() < 40);
}

#[test]
fn a_hundred_thousand_faults_are_told() {
    let text = broken(JOBS);
    let problems = read(&text, &NoFiles).unwrap_err();
    assert!(problems.len() > JOBS / 2, "{}", problems.len());
    assert!(render(&problems, &text, "broken.toml", Look::default()).len() > text.len());
}

#[test]
fn a_long_line_of_text_with_many_faults_is_no_slower() {
    let one = "{ name = \"a\", tiem = \"1.5ms\" }, ".repeat(JOBS / 2);
    let text = format!("job = [{one}]");
    let problems = read(&text, &NoFiles).unwrap_err();
    assert!(problems.len() > JOBS);
    assert!(!render(&problems, &text, "line.toml", Look::default()).is_empty());
}

/// `cargo test --release -p lineside-line -- --ignored --nocapture`
#[test]
#[ignore = "prints times, which are no test"]
fn times() {
    for (name, text) in
        [("layered", layered(JOBS)), ("chain", chain(JOBS)), ("broken", broken(JOBS))]
    {
        for _ in 0..3 {
            let begin = Instant::now();
            let checked = read(&text, &NoFiles);
            let reading = begin.elapsed();
            let begin = Instant::now();
            let problems = checked.map_or_else(|problems| problems, |checked| checked.warnings);
            let rendered = render(&problems, &text, "line.toml", Look::default());
            println!(
                "{name}: {JOBS} jobs, {} kB: read {reading:?}; {} problems, {} kB rendered {:?}",
                text.len() / 1000,
                problems.len(),
                rendered.len() / 1000,
                begin.elapsed()
            );
        }
    }
    events();
}

fn events() {
    const EVENTS: u64 = 1_000_000;
    let line = taken(&chain(1_000)).line;
    let mut text = String::new();
    let begin = Instant::now();
    for t in 0..EVENTS {
        let images = Images { job: (t % 1_000) as u32, lease: t, first: 17, count: 4 };
        let what = match t % 3 {
            0 => What::Start(images),
            1 => What::Ready { job: images.job, ticket: t },
            _ => What::Release { job: images.job, lease: t, units: &[2, 1] },
        };
        write_event(&mut text, &line, &Event { t: t * 1_000_003, what }, &[]).unwrap();
        text.push('\n');
    }
    println!("{EVENTS} events written, {} MB: {:?}", text.len() / 1_000_000, begin.elapsed());
    let begin = Instant::now();
    let names = Names::new(&line);
    let mut units = Vec::new();
    let read = text.lines().filter(|text| {
        let record = Record::parse(text).unwrap();
        record.event(&names, &mut units).is_ok()
    });
    println!("{} events read: {:?}", read.count(), begin.elapsed());
}
