//! A plan takes all its memory before it begins.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use lineside_backends::{
    Class, Driver, Happening, Inject, Sim, Tables, Trouble, WorkEdge, WorkJob, Workload,
};
use lineside_core::{
    Event, JobSpec, Kind, ModelId, ModelSpec, On, Place, Policy, Scheduler, UnitSpec,
};

/// Counts what the system's allocator is asked for by each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller has promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller has promised.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Legacy jobs with models and cameras, standard jobs over two units with time-outs, a graph,
/// failures, and units that are lost and come back.
fn line(jobs: u32) -> Workload {
    let unit = UnitSpec { place: Place::Cuda, budget: 8 << 30, slots: 2, profile: None };
    let model = Some(ModelId(0));
    let legacy = JobSpec { kind: Kind::Legacy, images: 12, model, ..JobSpec::default() };
    let wide = JobSpec { gpus: 2, images: 3, timeout: Some(5), retries: 9, ..JobSpec::default() };
    let inject = vec![Inject { image: 1, times: 1 }];
    let lost = |k: u64| {
        let unit = (k % 8) as u32;
        let down = Trouble { at: 40 * k, what: Happening::Down(unit) };
        [down, Trouble { at: 40 * k + 7, what: Happening::Up(unit) }]
    };
    let edges_end = |k: u32| k / 2;
    Workload {
        policy: Policy { patience: Some(1_000), overtake: 2, ..Policy::default() },
        units: vec![unit; 8],
        models: vec![ModelSpec { weights: 5 << 30 }; 2],
        cold: vec![3; 2],
        classes: vec![
            Class { spec: legacy, time: vec![4], every: Some(2), ..Class::default() },
            Class { spec: wide, time: vec![3, 4, 9], inject, ..Class::default() },
        ],
        jobs: (0..jobs)
            .map(|k| WorkJob { class: k % 2, edges_end: edges_end(k + 1), ..WorkJob::default() })
            .collect(),
        edges: (0..edges_end(jobs))
            .map(|k| WorkEdge::Barrier { upstream: k, on: On::End })
            .collect(),
        faults: (1..50).flat_map(lost).collect(),
        ..Workload::default()
    }
}

#[test]
fn a_plan_allocates_nothing_once_it_has_begun() {
    let workload = line(500);
    let mut tables = Tables::for_workload(&workload);
    let (mut ends, mut revokes) = (0, 0);
    let mut count = |_: &Scheduler<'_>, event: Event| {
        ends += u32::from(matches!(event, Event::End { .. }));
        revokes += u32::from(matches!(event, Event::Revoke { .. }));
    };
    let sim = Sim::new(&workload);
    let mut driver = Driver::new(&workload, tables.storage(), sim, &mut count)
        .expect("the tables were made for it");
    let before = ALLOCATIONS.get();
    driver.run(&mut count);
    let after = ALLOCATIONS.get();
    assert_eq!(after - before, 0);
    assert_eq!(ends, 500, "every job has ended");
    assert!(revokes > 20, "units were lost under their leases");
}
