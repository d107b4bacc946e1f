//! The reference model under calls in any order, as a live line makes them.

use lineside_tests::generate::Random;
use lineside_tests::model::{
    Edge, EdgeKind, Event, Fallback, JobSpec, Kind, Model, ModelSpec, Needs, On, Order, Phase,
    Place, Placement, Policy, Pool, Refused, StreamSpec, UnitSpec, What,
};

const SEEDS: u64 = 300;
const CALLS: u64 = 120;
const UNITS: u64 = 3;

/// A model under random calls, and what the caller knows of it.
struct Live {
    model: Model,
    random: Random,
    now: u64,
    jobs: u64,
    /// Edges with a depth and barriers aren't mixed: the two can't always be drained.
    has_depths: bool,
}

#[test]
fn a_refused_call_changes_nothing() {
    for seed in 0..SEEDS {
        let mut live = Live::new(seed);
        for _ in 0..CALLS {
            let before = format!("{:?}", live.model);
            if let Err(refused) = live.call() {
                assert_eq!(before, format!("{:?}", live.model), "seed {seed}: {refused:?}");
            }
            live.walk();
        }
    }
}

#[test]
fn what_the_rules_promise_holds_after_every_call() {
    for seed in 0..SEEDS {
        let mut live = Live::new(seed);
        for _ in 0..CALLS {
            let _ = live.call();
            live.model.verify();
            live.walk();
            live.model.verify();
        }
    }
}

#[test]
fn everything_ends_once_nothing_goes_wrong_any_more() {
    for seed in 0..SEEDS {
        let mut live = Live::new(seed);
        for _ in 0..CALLS {
            let _ = live.call();
            live.walk();
        }
        live.go_well();
        let left: Vec<usize> =
            (0..live.jobs as usize).filter(|&job| live.model.ended(job).is_none()).collect();
        assert!(left.is_empty(), "seed {seed}: jobs {left:?} never end");
    }
}

impl Live {
    fn new(seed: u64) -> Live {
        let mut random = Random::new(seed, 0);
        let policy = Policy {
            order: random.pick(&[Order::StandardFirst, Order::Fifo, Order::OldestImage]),
            placement: random.pick(&[Placement::Fit, Placement::Rotate, Placement::Pack]),
            overtake: random.below(3),
            patience: random.pick(&[None, Some(5)]),
            pool: random.pick(&[Pool::Keep, Pool::Free]),
            headroom: 0,
        };
        let models = vec![ModelSpec { weights: 4 }, ModelSpec { weights: 5 }];
        let streams = vec![StreamSpec { limit: Some(1) }, StreamSpec { limit: None }];
        let mut model = Model::new(policy, models, streams);
        let places = [Place::Cuda, Place::Cuda, random.pick(&[Place::Cuda, Place::Cpu])];
        for place in places {
            let spec = UnitSpec { place, memory: 10, slots: random.within(1, 2), profile: None };
            model.add_unit(spec).expect("any unit can be added");
        }
        let has_depths = random.chance(50);
        Live { model, random, now: 0, jobs: 0, has_depths }
    }

    /// Any call, of anything that is there or just isn't.
    fn call(&mut self) -> Result<(), Refused> {
        // Now and then the clock is behind.
        let now = (self.now + self.random.below(4)).saturating_sub(1);
        self.now = self.now.max(now);
        let job = self.random.below(self.jobs + 2) as usize;
        let unit = self.random.below(UNITS + 1) as usize;
        let lease = self.some_lease();
        match self.random.below(16) {
            0..=2 => self.submit(),
            3 | 4 => {
                let fed = self.random.below(4);
                self.model.arrive(now, job, fed)
            }
            5 | 6 => self.model.feed(now, job),
            7 | 8 => self.model.finish(now, lease),
            9 => self.model.fail(now, lease),
            10 => self.model.expire(now, lease),
            11 | 12 => self.model.given_back(now, lease),
            13 if self.random.chance(30) => self.model.cancel(now, job),
            13 | 14 => self.model.up(now, unit),
            _ if self.random.chance(50) => self.model.drain(now, unit),
            _ => self.model.down(now, unit),
        }
    }

    /// One of the latest leases, or one that never was.
    fn some_lease(&mut self) -> usize {
        let grants = |event: &&Event| matches!(event.what, What::Grant { .. });
        let granted = self.model.events().iter().filter(grants).count() as u64;
        let latest = granted.saturating_sub(4);
        self.random.within(latest, granted) as usize
    }

    fn submit(&mut self) -> Result<(), Refused> {
        let legacy = self.random.chance(50);
        let spec = JobSpec {
            kind: if legacy { Kind::Legacy } else { Kind::Standard },
            phase: self.random.pick(&[Phase::Process, Phase::Process, Phase::Train]),
            images: self.random.pick(&[0, 3, 3, 3, 3]),
            batch: self.random.within(1, 2),
            inflight: self.random.within(0, 3),
            threads: self.random.within(1, 2),
            priority: self.random.pick(&[0, 0, 1]),
            memory: self.random.pick(&[0, 2, 5]),
            gpus: self.random.pick(&[1, 1, 1, 2]),
            needs: self.random.pick(&[Needs::Gpu, Needs::Cuda, Needs::Any]),
            model: self.random.pick(&[None, Some(0), Some(1)]),
            stream: self.random.pick(&[None, Some(0), Some(1)]),
            timeout: self.random.pick(&[None, Some(3)]),
            retries: self.random.below(3),
            fallback: self.random.pick(&[Fallback::Forbid, Fallback::Allow]),
            ..JobSpec::default()
        };
        let mut edges = Vec::new();
        while self.jobs > 0 && self.random.chance(40) {
            let upstream = self.random.below(self.jobs + 1) as usize;
            let barrier = EdgeKind::Barrier(self.random.pick(&[On::Success, On::End]));
            let stream = EdgeKind::Stream { depth: 0 };
            let kind = match self.has_depths {
                true => EdgeKind::Stream { depth: self.random.below(3) },
                false => self.random.pick(&[barrier, stream]),
            };
            edges.push(Edge { upstream, kind });
        }
        self.model.submit(spec, edges)?;
        self.jobs += 1;
        Ok(())
    }

    /// Walks as a caller must; what it revokes is given back by a later call.
    fn walk(&mut self) {
        while self.model.walk(self.now) || self.model.break_circle(self.now) {}
    }

    /// Every unit comes back, every job arrives and is fed, every lease ends well.
    fn go_well(&mut self) {
        for unit in 0..UNITS as usize {
            self.model.up(self.now, unit).expect("the unit is there");
        }
        for job in 0..self.jobs as usize {
            let _ = self.model.arrive(self.now, job, 0);
            while self.model.feed(self.now, job).is_ok() {}
        }
        loop {
            self.walk();
            self.now += 1;
            let before = self.model.events().len();
            for lease in 0..=self.last_lease() {
                let _ = self.model.given_back(self.now, lease);
                let _ = self.model.finish(self.now, lease);
            }
            if self.model.events().len() == before {
                return;
            }
        }
    }

    fn last_lease(&self) -> usize {
        let leases = self.model.events().iter().filter_map(|event| match event.what {
            What::Grant { lease, .. } => Some(lease),
            _ => None,
        });
        leases.max().unwrap_or(0)
    }
}
