//! Makes scripts from seeds.

use super::{Call, Script, What};
use crate::generate::Random;
use crate::model::{
    Edge, EdgeKind, Fallback, JobSpec, Kind, ModelSpec, Needs, On, Order, Phase, Place, Placement,
    Policy, Pool, StreamSpec, UnitSpec,
};

const GIB: u64 = 1 << 30;

/// A random script. Each seed switches kinds of call and of job on and off, so that what is rare
/// together is dense in some seeds.
pub fn script(seed: u64) -> Script {
    script_of(Random::new(seed, 0xca11))
}

/// Whatever the bytes say, as long as there are any.
pub fn script_of_bytes(bytes: &[u8]) -> Script {
    script_of(Random::of_bytes(bytes))
}

fn script_of(mut random: Random) -> Script {
    let swarm = Swarm::draw(&mut random);
    let models = (0..random.below(3)).map(|_| ModelSpec { weights: random.below(4) * GIB });
    let models: Vec<ModelSpec> = models.collect();
    let limits = random.below(3);
    let streams: Vec<StreamSpec> = (0..limits)
        .map(|_| StreamSpec { limit: random.chance(70).then(|| random.within(1, 2)) })
        .collect();
    let units = (0..random.within(1, 4)).map(|_| unit(&mut random)).collect();
    let policy = policy(&mut random);
    let mut maker = Maker { random, swarm, jobs: 0, now: 0, models: models.len(), streams: limits };
    let count = maker.random.within(20, 120);
    let calls = (0..count).map_while(|_| (!maker.random.is_spent()).then(|| maker.call()));
    let calls = calls.collect();
    Script { policy, models, streams, units, calls }
}

/// The kinds of call of a seed, with their weights, and the kinds of job.
struct Swarm {
    weights: [u64; 15],
    edges: bool,
    streams: bool,
    gangs: bool,
    image_grain: bool,
    timeouts: bool,
    fallback: bool,
    backwards: bool,
}

impl Swarm {
    fn draw(random: &mut Random) -> Self {
        let usual = [10, 14, 8, 2, 18, 4, 6, 2, 1, 2, 3, 14, 8, 4, 3];
        let weights = usual.map(|weight| if random.chance(75) { weight } else { 0 });
        Swarm {
            weights,
            edges: random.chance(70),
            streams: random.chance(60),
            gangs: random.chance(40),
            image_grain: random.chance(75),
            timeouts: random.chance(40),
            fallback: random.chance(40),
            backwards: random.chance(20),
        }
    }
}

struct Maker {
    random: Random,
    swarm: Swarm,
    jobs: u64,
    now: u64,
    models: usize,
    streams: u64,
}

impl Maker {
    fn call(&mut self) -> Call {
        self.now += self.random.below(4);
        let back = self.swarm.backwards && self.random.chance(15);
        let now = if back { self.random.below(self.now + 1) } else { self.now };
        // A script without jobs shows nothing.
        let what = if self.jobs < 2 { self.submit() } else { self.what() };
        Call { now, what }
    }

    fn what(&mut self) -> What {
        let total: u64 = self.swarm.weights.iter().sum();
        let mut left = self.random.below(total.max(1));
        let weights = self.swarm.weights;
        let kind = weights.iter().position(|&weight| {
            let here = left < weight;
            left = left.saturating_sub(weight);
            here
        });
        let job = self.random.below(self.jobs) as usize;
        let lease = self.random.below(12) as usize;
        let unit = self.random.below(4) as usize;
        match kind.unwrap_or(11) {
            0 => self.submit(),
            1 => What::Arrive(job, self.random.below(5)),
            2 => What::Feed(job),
            3 => What::Cancel(job),
            4 => What::Finish(lease),
            5 => What::Fail(lease),
            6 => What::GivenBack(lease),
            7 => What::Down(unit),
            8 => What::Drain(unit),
            9 => What::Up(unit),
            10 => What::Timeout,
            12 => What::Circle,
            13 => What::GiveAllBack,
            14 => What::Remove(job),
            _ => What::Walk,
        }
    }

    fn submit(&mut self) -> What {
        let mut edges = Vec::new();
        if self.swarm.edges && self.jobs > 0 {
            for _ in 0..self.random.below(3) {
                edges.push(self.edge());
            }
        }
        self.jobs += 1;
        What::Submit(Box::new(self.job()), edges)
    }

    fn edge(&mut self) -> Edge {
        let upstream = self.random.below(self.jobs) as usize;
        let kind = match self.random.below(4) {
            0 => EdgeKind::Barrier(On::Success),
            1 => EdgeKind::Barrier(On::End),
            _ => EdgeKind::Stream { depth: self.random.below(3) },
        };
        Edge { upstream, kind }
    }

    fn job(&mut self) -> JobSpec {
        let random = &mut self.random;
        let legacy = if self.swarm.image_grain { 65 } else { 20 };
        JobSpec {
            kind: if random.chance(legacy) { Kind::Legacy } else { Kind::Standard },
            phase: if random.chance(80) { Phase::Process } else { Phase::Train },
            images: random.pick(&[0, 1, 2, 3, 3, 3, 4]),
            batch: random.pick(&[1, 1, 1, 2, 3]),
            inflight: random.pick(&[1, 1, 2, 3]),
            threads: random.pick(&[1, 1, 2, 3]),
            priority: random.pick(&[0, 0, 0, 1, -1]),
            memory: random.pick(&[0, GIB, 2 * GIB, 3 * GIB, 9 * GIB]),
            gpus: if self.swarm.gangs { random.pick(&[1, 1, 2, 3]) } else { 1 },
            needs: random.pick(&[Needs::Gpu, Needs::Gpu, Needs::Any, Needs::Cuda, Needs::Cpu]),
            profile: random.chance(5).then(|| "1g".to_string()),
            model: (self.models > 0 && random.chance(50))
                .then(|| random.below(self.models as u64) as usize),
            stream: (self.swarm.streams && self.streams > 0 && random.chance(60))
                .then(|| random.below(self.streams) as usize),
            timeout: (self.swarm.timeouts && random.chance(50)).then(|| random.within(1, 9)),
            retries: random.below(3),
            fallback: if self.swarm.fallback && random.chance(60) {
                Fallback::Allow
            } else {
                Fallback::Forbid
            },
            path: random.below(6),
        }
    }
}

fn unit(random: &mut Random) -> UnitSpec {
    UnitSpec {
        place: random.pick(&[Place::Cuda, Place::Cuda, Place::Vulkan, Place::Cpu]),
        memory: random.pick(&[4 * GIB, 8 * GIB, 8 * GIB, 10 * GIB]),
        slots: random.pick(&[1, 1, 2, 3]),
        profile: random.chance(15).then(|| "1g".to_string()),
    }
}

fn policy(random: &mut Random) -> Policy {
    let orders = [Order::StandardFirst, Order::Fifo, Order::OldestImage, Order::CriticalPath];
    let placements = [Placement::Fit, Placement::Balance, Placement::Rotate, Placement::Pack];
    Policy {
        order: random.pick(&orders),
        placement: random.pick(&placements),
        overtake: random.pick(&[0, 1, 1, 2, 16]),
        patience: random.chance(35).then(|| random.within(1, 12)),
        pool: if random.chance(75) { Pool::Keep } else { Pool::Free },
        headroom: random.pick(&[0, 10]),
    }
}

/// Every call that a tiny machine knows: two jobs, the second behind the first, on one unit.
pub fn tiny_alphabet() -> Vec<What> {
    vec![
        What::Arrive(0, 2),
        What::Arrive(1, 2),
        What::Cancel(0),
        What::Cancel(1),
        What::Finish(0),
        What::Finish(1),
        What::Fail(0),
        What::GivenBack(0),
        What::Down(0),
        What::Up(0),
        What::Circle,
    ]
}

/// A tiny machine with these calls, one a nanosecond.
pub fn tiny_script(image_grain: bool, calls: &[What]) -> Script {
    let kind = if image_grain { Kind::Legacy } else { Kind::Standard };
    let job = JobSpec { kind, images: 2, retries: 1, ..JobSpec::default() };
    let edge = Edge { upstream: 0, kind: EdgeKind::Stream { depth: 1 } };
    let submits =
        [What::Submit(Box::new(job.clone()), Vec::new()), What::Submit(Box::new(job), vec![edge])];
    let all = submits.into_iter().chain(calls.iter().cloned());
    Script {
        policy: Policy::default(),
        models: Vec::new(),
        streams: Vec::new(),
        units: vec![UnitSpec { memory: GIB, ..UnitSpec::default() }],
        calls: all.enumerate().map(|(now, what)| Call { now: now as u64, what }).collect(),
    }
}
