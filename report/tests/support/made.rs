//! Lines and records by hand.

use lineside_line::{Action, Fallback, Job, Kind, Line, Needs, Phase, Place, Unit};
use lineside_report::{EndCause, Entry, Record, State, What};

/// A GPU of 8 GiB.
pub fn unit(name: &str) -> Unit {
    Unit {
        name: name.to_string(),
        place: Place::Cuda,
        memory: 8 << 30,
        budget: 7 << 30,
        slots: 1,
        profile: None,
        gpu: None,
    }
}

/// A standard job of one image.
pub fn job(name: &str) -> Job {
    Job {
        name: name.to_string(),
        kind: Kind::Standard,
        phase: Phase::Process,
        images: 1,
        files: Vec::new(),
        batch: 1,
        inflight: 1,
        threads: 1,
        priority: 0,
        memory: 0,
        gpus: 1,
        needs: Needs::Gpu,
        profile: None,
        model: None,
        stream: None,
        after: Vec::new(),
        time: vec![0],
        startup: 0,
        cpu_time: None,
        arrive: 0,
        every: None,
        timeout: None,
        retries: 0,
        fallback: Fallback::Forbid,
        inject: Vec::new(),
        path: 0,
        declared: 0,
        action: Action::None,
    }
}

/// A line of units and jobs, by name.
pub fn line(units: &[&str], jobs: &[&str]) -> Line {
    Line {
        units: units.iter().map(|name| unit(name)).collect(),
        jobs: jobs.iter().map(|name| job(name)).collect(),
        ..Line::default()
    }
}

/// A record, event by event. Times are milliseconds.
#[derive(Default)]
pub struct Script {
    pub record: Record,
    leases: u64,
    tickets: u64,
}

impl Script {
    pub fn event(&mut self, ms: u64, what: What) -> &mut Script {
        self.record.entries.push(Entry { t: ms * 1_000_000, what });
        self
    }

    pub fn ready(&mut self, ms: u64, job: u32) -> &mut Script {
        self.tickets += 1;
        let ticket = self.tickets - 1;
        self.event(ms, What::Ready { job, ticket })
    }

    /// Grants; the lease's number is how many there were before.
    pub fn grant(&mut self, ms: u64, job: u32, units: &[u32]) -> &mut Script {
        self.leases += 1;
        self.event(
            ms,
            What::Grant {
                job,
                lease: self.leases - 1,
                units: units.to_vec(),
                ticket: self.leases - 1,
                cold: false,
                fallback: false,
                why: Some("it was first in the queue".to_string()),
            },
        )
    }

    pub fn start(&mut self, ms: u64, job: u32, lease: u64, first: u32) -> &mut Script {
        self.event(ms, What::Start { job, lease, first, count: 1 })
    }

    pub fn done(&mut self, ms: u64, job: u32, lease: u64, first: u32) -> &mut Script {
        self.event(ms, What::Done { job, lease, first, count: 1 })
    }

    pub fn fail(&mut self, ms: u64, job: u32, lease: u64, first: u32) -> &mut Script {
        self.event(ms, What::Fail { job, lease, first, count: 1 })
    }

    pub fn release(&mut self, ms: u64, job: u32, lease: u64, units: &[u32]) -> &mut Script {
        self.event(ms, What::Release { job, lease, units: units.to_vec() })
    }

    pub fn end(&mut self, ms: u64, job: u32, state: State) -> &mut Script {
        let cause = if state == State::Done { EndCause::None } else { EndCause::Error };
        self.event(ms, What::End { job, state, cause })
    }
}

/// A line that makes very many leases: `units` GPUs, `jobs` legacy jobs in turn, one failure in the
/// middle of each `fails_every` leases.
pub fn crowd(units: u32, jobs: u32, leases: u64, fails_every: u64) -> (Line, Record) {
    let mut line = Line { name: Some("crowd".to_string()), ..Line::default() };
    line.units = (0..units).map(|at| unit(&format!("gpu{at}"))).collect();
    line.jobs = (0..jobs).map(|at| job(&format!("tool-{at}"))).collect();
    for job in &mut line.jobs {
        job.kind = Kind::Legacy;
        job.images = (leases / u64::from(jobs)) as u32;
    }
    let mut entries = Vec::new();
    let mut free = vec![0_u64; units as usize];
    let mut random = 1_u64;
    for lease in 0..leases {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let unit = (lease % u64::from(units)) as usize;
        let (job, from) = ((lease % u64::from(jobs)) as u32, free[unit]);
        let to = from + 1_000_000 + (random >> 44);
        free[unit] = to + (random >> 46);
        let (units, first, count) = (vec![unit as u32], (lease / u64::from(jobs)) as u32, 1);
        let ready = from.saturating_sub(random >> 45);
        entries.push(Entry { t: ready, what: What::Ready { job, ticket: lease } });
        let why = Some(format!("ticket {lease} was the lowest of those that fit"));
        let (ticket, cold, fallback) = (lease, false, false);
        let grant = What::Grant { job, lease, units: units.clone(), ticket, cold, fallback, why };
        entries.push(Entry { t: from, what: grant });
        entries.push(Entry { t: from, what: What::Start { job, lease, first, count } });
        let fails = lease % fails_every == fails_every / 2;
        let what = match fails {
            true => What::Fail { job, lease, first, count },
            false => What::Done { job, lease, first, count },
        };
        entries.push(Entry { t: to, what });
        entries.push(Entry { t: to, what: What::Release { job, lease, units } });
    }
    // Stable, so that what happens at one instant stays in its order.
    entries.sort_by_key(|entry| entry.t);
    let end = entries.last().map_or(0, |entry| entry.t);
    for job in 0..jobs {
        let what = What::End { job, state: State::Done, cause: EndCause::None };
        entries.push(Entry { t: end, what });
    }
    (line, Record { entries, stuck: Vec::new() })
}
