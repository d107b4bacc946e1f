//! A backend is told of each model that leaves.

use lineside_backends::{
    Backend, Class, Driver, News, Sim, Start, Stop, Tables, WorkJob, Workload,
};
use lineside_core::{
    Event, JobSpec, Kind, LeaseId, ModelId, ModelSpec, Nanos, Place, Policy, Pool, Scheduler,
    UnitId, UnitSpec,
};

/// The simulator, and what it is told of models.
struct Told<'a> {
    sim: Sim<'a>,
    evicted: Vec<(Nanos, UnitId, ModelId)>,
    now: Nanos,
}

impl Backend for Told<'_> {
    fn start(&mut self, scheduler: &Scheduler<'_>, start: Start) {
        self.sim.start(scheduler, start);
    }

    fn stop(&mut self, lease: LeaseId) -> Stop {
        self.sim.stop(lease)
    }

    fn evict(&mut self, unit: UnitId, model: ModelId) {
        self.evicted.push((self.now, unit, model));
    }

    fn wait(&mut self, until: Option<Nanos>) -> Option<Nanos> {
        let now = self.sim.wait(until);
        self.now = now.unwrap_or(self.now);
        now
    }

    fn poll(&mut self) -> Option<News> {
        self.sim.poll()
    }
}

/// Two legacy jobs with one model on a unit of two slots: image 0 of both at once, then image 1 of
/// the first alone.
fn evicted(pool: Pool) -> Vec<(Nanos, UnitId, ModelId)> {
    let class = |images, time| Class {
        spec: JobSpec { kind: Kind::Legacy, images, model: Some(ModelId(0)), ..JobSpec::default() },
        time: vec![time],
        ..Class::default()
    };
    let job = |class| WorkJob { class, ..WorkJob::default() };
    let workload = Workload {
        policy: Policy { pool, ..Policy::default() },
        units: vec![UnitSpec { place: Place::Cuda, budget: 9, slots: 2, profile: None }],
        models: vec![ModelSpec { weights: 1 }],
        cold: vec![0],
        classes: vec![class(2, 10), class(1, 15)],
        jobs: vec![job(0), job(1)],
        ..Workload::default()
    };
    let mut tables = Tables::for_workload(&workload);
    let mut look_on = |_: &Scheduler<'_>, _: Event| {};
    let told = Told { sim: Sim::new(&workload), evicted: Vec::new(), now: 0 };
    let mut driver = Driver::new(&workload, tables.storage(), told, &mut look_on).expect("it fits");
    driver.run(&mut look_on);
    driver.backend_mut().evicted.clone()
}

#[test]
fn with_pool_free_a_model_leaves_with_its_last_lease_on_the_unit() {
    // At 10 the other lease uses it still; the image that follows at once has loaded it again.
    assert_eq!(evicted(Pool::Free), [(20, UnitId(0), ModelId(0))]);
}

#[test]
fn with_pool_keep_a_model_stays_while_there_is_room() {
    assert_eq!(evicted(Pool::Keep), []);
}
