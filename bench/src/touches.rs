//! Submit, cancel, and the loss of a unit: bounded by what they touch.

use std::time::Instant;

use lineside_backends::{Class, Tables, WorkJob, Workload};
use lineside_core::{Event, JobSpec, Kind, Place, Policy, Scheduler, UnitId, UnitSpec};

use crate::RUNS;
use crate::table::{Row, Table, count, median};

/// With a thousand jobs and with a million. Too short for the time that was computed, which the
/// system tells in steps of milliseconds.
pub(crate) fn rows(table: &mut Table) {
    let mut small = Vec::new();
    let mut large = Vec::new();
    for _ in 0..RUNS {
        small.push(measure(1_000));
        large.push(measure(1_000_000));
    }
    for (at, name) in ["submit and arrive", "cancel", "unit lost and back"].iter().enumerate() {
        let of = |runs: &[[f64; 3]]| median(runs.iter().map(|run| run[at]).collect());
        let name = format!("{name}, {} jobs", count(1_000_000));
        table.add(Row::ns(&name, of(&large)).beside("1,000 jobs", of(&small), None));
    }
}

/// Nanoseconds a submit, a cancel, and a unit down and up.
fn measure(jobs: usize) -> [f64; 3] {
    let spec = JobSpec { kind: Kind::Legacy, images: 1_000, ..JobSpec::default() };
    let unit = UnitSpec { place: Place::Cuda, budget: 8 << 30, slots: 1, profile: None };
    let workload = Workload {
        units: vec![unit; 64],
        classes: vec![Class { spec, ..Class::default() }],
        jobs: vec![WorkJob::default(); jobs],
        ..Workload::default()
    };
    let mut tables = Tables::for_workload(&workload);
    let mut scheduler = Scheduler::new(Policy::default(), tables.storage());
    let mut ignore = |_: &Scheduler<'_>, _: Event| {};
    for unit in &workload.units {
        scheduler.add_unit(unit).expect("there is room");
    }
    let mut ids = Vec::with_capacity(jobs);
    let began = Instant::now();
    for _ in 0..jobs {
        let id = scheduler.submit(0, &spec, &[], &mut ignore).expect("there is room");
        scheduler.arrive(0, id, spec.images, &mut ignore).expect("it has not arrived");
        ids.push(id);
    }
    let submit = each(began, jobs);
    let began = Instant::now();
    for _ in 0..1_000 {
        scheduler.down(1, UnitId(7), &mut ignore).expect("the unit is there");
        scheduler.up(1, UnitId(7), &mut ignore).expect("the unit is there");
    }
    let loss = each(began, 1_000);
    let began = Instant::now();
    for &id in ids.iter().rev().take(500) {
        scheduler.cancel(1, id, &mut ignore).expect("it has not ended");
    }
    [submit, each(began, 500), loss]
}

fn each(began: Instant, count: usize) -> f64 {
    began.elapsed().as_nanos() as f64 / count as f64
}
