//! A whole plan in virtual time, beside SimPy on the same work.

use std::process::Command;

use lineside_backends::{Class, Driver, Sim, Tables, WorkEdge, WorkJob, Workload};
use lineside_core::{Event, JobSpec, On, Place, Scheduler, UnitSpec};

use crate::RUNS;
use crate::stopwatch::Stopwatch;
use crate::table::{Row, Table, count, median};

const PEER: &str = "\
import sys, time, simpy
jobs = int(sys.argv[1])
environment = simpy.Environment()
units = simpy.Resource(environment, capacity=64)
def job(k):
    with units.request() as lease:
        yield lease
        yield environment.timeout(1 + k % 9)
began = time.process_time()
for k in range(jobs):
    environment.process(job(k))
environment.run()
print(time.process_time() - began)
";

/// Lines of 64 GPUs, and a graph.
pub(crate) fn rows(table: &mut Table) {
    for (jobs, factor) in [(100_000, 100.0), (1_000_000, 1_000.0)] {
        let ours = median((0..RUNS).map(|_| plan(&line(jobs))).collect());
        let name = format!("plan of 64 GPUs, {} jobs", count(jobs));
        let row = Row::new(&name, "ms", ours);
        match simpy(jobs) {
            Some(peer) => table.add(row.beside("SimPy", peer, Some(1.0 / factor))),
            None => {
                table.add(row);
                let name = format!("SimPy, {} jobs", count(jobs));
                table.add(Row::missing(&name, "it is not here, or takes too long"));
            }
        }
    }
    let jobs = 100_000;
    let name = format!("reading of a line file, {} jobs", count(jobs));
    table.add(Row::new(&name, "ms", read(jobs)));
    let ours = median((0..3).map(|_| plan(&graph(1_000_000))).collect());
    let name = "plan of a graph, 1,000,000 jobs, 2 random edges each";
    table.add(Row::new(name, "ms", ours).at_most(5_000.0));
}

/// Milliseconds for a workload, tables and all.
pub(crate) fn plan(workload: &Workload) -> f64 {
    let began = Stopwatch::start();
    let mut tables = Tables::for_workload(workload);
    let mut events = 0u64;
    let mut count = |_: &Scheduler<'_>, _: Event| events += 1;
    let sim = Sim::new(workload);
    let mut driver = Driver::new(workload, tables.storage(), sim, &mut count)
        .expect("the tables were made for it");
    driver.run(&mut count);
    assert_eq!(driver.scheduler().queued(), 0, "every job has run");
    began.nanos() / 1e6
}

fn units() -> Vec<UnitSpec> {
    vec![UnitSpec { place: Place::Cuda, budget: 8 << 30, slots: 1, profile: None }; 64]
}

fn classes() -> Vec<Class> {
    let spec = JobSpec { memory: 1 << 30, ..JobSpec::default() };
    (0..9).map(|k| Class { spec, time: vec![1_000_000 * (1 + k)], ..Class::default() }).collect()
}

/// Jobs of one image each, of nine lengths.
pub(crate) fn line(jobs: usize) -> Workload {
    let job = |k: u32| WorkJob { class: k % 9, ..WorkJob::default() };
    Workload {
        units: units(),
        classes: classes(),
        jobs: (0..jobs as u32).map(job).collect(),
        ..Workload::default()
    }
}

/// Reading of a generated line file with so many jobs, apart from its plan.
fn read(jobs: usize) -> f64 {
    let mut text = String::from("[[device]]\nname = \"gpu\"\nmemory = \"8GiB\"\n");
    for job in 0..jobs {
        text += &format!("[[job]]\nname = \"j{job}\"\ntime = \"{}ms\"\n", 1 + job % 9);
    }
    let began = Stopwatch::start();
    let line = lineside_line::read(&text, &lineside_line::NoFiles).expect("the file is right").line;
    let workload = Workload::from_line(&line);
    assert_eq!(workload.jobs.len(), jobs);
    began.nanos() / 1e6
}

/// Each job waits for two earlier ones.
fn graph(jobs: usize) -> Workload {
    let mut workload = line(jobs);
    let mut state = 1u64;
    for job in 1..jobs as u32 {
        for _ in 0..2 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let upstream = ((state >> 33) % u64::from(job)) as u32;
            workload.edges.push(WorkEdge::Barrier { upstream, on: On::Success });
        }
        workload.jobs[job as usize].edges_end = workload.edges.len() as u32;
    }
    workload
}

/// Milliseconds that SimPy takes; not asked for a million, which takes it many minutes, unless
/// `LINESIDE_BENCH_LONG` is set.
fn simpy(jobs: usize) -> Option<f64> {
    if jobs > 100_000 && std::env::var_os("LINESIDE_BENCH_LONG").is_none() {
        return None;
    }
    let mut command = Command::new("python3");
    let output = command.args(["-c", PEER, &jobs.to_string()]).output().ok()?;
    let seconds: f64 = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    Some(seconds * 1e3)
}
