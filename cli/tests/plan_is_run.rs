//! A plan is what the run then does: jobs that take as long as the file says are granted in the
//! order of the plan.
#![cfg(target_os = "linux")]

mod bench;

use bench::Bench;
use lineside_backends::{Driver, Sim, Tables, Workload};
use lineside_core::{Event, Scheduler};
use lineside_line::{Line, NoFiles};

const LINES: u64 = 3;

/// No start takes longer than planned by more than this, however busy the machine is. (Lines are
/// chosen for which it would not matter.)
const NOISE_NS: u64 = 150_000_000;

struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

fn line_file(random: &mut Random) -> String {
    let order = ["standard-first", "fifo", "critical-path"][random.below(3) as usize];
    let mut text = format!(
        "[policy]\norder = \"{order}\"\n[[device]]\nname = \"one\"\nplace = \"cpu\"\n\
         memory = \"2GiB\"\n[[device]]\nname = \"two\"\nplace = \"cpu\"\nmemory = \"1GiB\"\n"
    );
    let images = 1 + random.below(2);
    for job in 0..5 {
        let tenths = 2 + random.below(12);
        let kind = ["standard", "legacy"][random.below(2) as usize];
        let memory = ["512MiB", "1536MiB"][random.below(2) as usize];
        let after = match job > 1 && random.below(2) == 0 {
            true => format!("after = [\"j{}\"]\n", random.below(job)),
            false => String::new(),
        };
        text += &format!(
            "[[job]]\nname = \"j{job}\"\nkind = \"{kind}\"\nneeds = \"cpu\"\nimages = {images}\n\
             priority = {}\nmemory = \"{memory}\"\ntime = \"{}ms\"\n{after}\
             run = [\"sleep\", \"{}.{}\"]\n",
            random.below(2),
            tenths * 100,
            tenths / 10,
            tenths % 10
        );
    }
    text
}

/// Who was granted what, in order: the job and its units.
type Grants = Vec<(u32, Vec<u32>)>;

/// The plan, if each start takes up to so much longer, by chance.
fn plan(line: &Line, random: &mut Random, noise: u64) -> Grants {
    let mut workload = Workload::from_line(line);
    for job in &mut workload.jobs {
        // Jobs that were alike are no longer.
        workload.classes.push(workload.classes[job.class as usize].clone());
        job.class = workload.classes.len() as u32 - 1;
        let class = &mut workload.classes[job.class as usize];
        let time = class.time[0];
        class.time = (0..8).map(|_| time + random.below(noise + 1)).collect();
    }
    let mut tables = Tables::for_workload(&workload);
    let mut grants = Grants::new();
    let mut note = |scheduler: &Scheduler<'_>, event: Event| {
        if let Event::Grant { job, lease, .. } = event {
            let units = scheduler.units_of(lease).into_iter().flatten().map(|unit| unit.0);
            grants.push((job.index, units.collect()));
        }
    };
    let sim = Sim::new(&workload);
    let mut driver =
        Driver::new(&workload, tables.storage(), sim, &mut note).expect("the line is legal");
    driver.run(&mut note);
    grants
}

/// A line whose plan is the same for whatever noise, and short.
fn steady_line(random: &mut Random) -> (String, Line, Grants) {
    loop {
        let text = line_file(random);
        let line = lineside_line::read(&text, &NoFiles).expect("the line is legal").line;
        let grants = plan(&line, random, 0);
        let long: u64 = line.jobs.iter().map(|job| job.time[0] * u64::from(job.images)).sum();
        let steady = (0..60).all(|_| plan(&line, random, NOISE_NS) == grants);
        // One after the other would be no test.
        let waits = grants.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
        if steady && waits >= 3 && long < 6_000_000_000 {
            return (text, line, grants);
        }
    }
}

#[test]
fn what_takes_as_long_as_planned_is_granted_in_the_order_of_the_plan() {
    let runs = (1..=LINES).map(|seed| {
        std::thread::spawn(move || {
            println!("seed {seed}");
            let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let (text, line, planned) = steady_line(&mut random);
            let bench = Bench::new(&format!("plan-is-run-{seed}"));
            bench.line(&text);
            let ran = bench.run();
            assert_eq!(ran.code, Some(0), "seed {seed}: {}", ran.said);
            let job = |name: &str| line.jobs.iter().position(|it| it.name == name);
            let unit = |name: &str| line.units.iter().position(|it| it.name == name);
            let mut grants = Grants::new();
            for event in ran.trace().lines() {
                let event: serde_json::Value = serde_json::from_str(event).expect("JSON");
                if event["ev"] == "grant" {
                    let units = event["units"].as_array().expect("a list").iter();
                    let units = units.filter_map(|it| unit(it.as_str()?)).map(|it| it as u32);
                    let job = event["job"].as_str().and_then(job).expect("a job");
                    grants.push((job as u32, units.collect()));
                }
            }
            assert_eq!(grants, planned, "seed {seed}\n{text}");
        })
    });
    let runs: Vec<_> = runs.collect();
    for run in runs {
        run.join().expect("the order is that of the plan");
    }
}
