//! Lines and records by hand.

use std::collections::HashMap;

use lineside_line::trace::{End, FailCause};
use lineside_line::{Job, Kind, Line, Place, Unit};
use lineside_report::{Entry, Record, What};

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
        wanted: lineside_line::Wanted::default(),
    }
}

/// A standard job of one image.
pub fn job(name: &str) -> Job {
    Job { name: name.to_string(), ..Job::default() }
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
    /// Of each job its last one.
    tickets: HashMap<u32, u64>,
    next_ticket: u64,
}

impl Script {
    pub fn event(&mut self, ms: u64, what: What) -> &mut Script {
        self.record.entries.push(Entry { t: ms * 1_000_000, what });
        self
    }

    pub fn ready(&mut self, ms: u64, job: u32) -> &mut Script {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.tickets.insert(job, ticket);
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
                ticket: self.tickets.get(&job).copied().unwrap_or(0),
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

    pub fn end(&mut self, ms: u64, job: u32, end: End) -> &mut Script {
        self.event(ms, What::End { job, end })
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
        let what = What::End { job, end: End::Done };
        entries.push(Entry { t: end, what });
    }
    (line, Record { entries, ..Record::default() })
}

/// The same, each time a little later: a run that went slower than its plan.
pub fn slower(record: &Record) -> Record {
    let mut slower = record.clone();
    for entry in &mut slower.entries {
        entry.t += entry.t / 8;
    }
    slower
}

/// A line with Chinese names, long ones, and every kind of trouble.
pub fn chinese() -> (Line, Record) {
    let mut line = line(
        &["显卡一", "显卡二（备用，在产线的另一端，名字特别长）"],
        &["缺陷检测", "文字识别", "这是一个名字非常非常长的训练任务，长到哪里都放不下", "分类"],
    );
    line.name = Some("印刷电路板检测线".to_string());
    line.description = Some("夜班：两块显卡，四个工具。".to_string());
    line.jobs[0].kind = Kind::Legacy;
    line.jobs[0].every = Some(10_000_000);
    let mut script = Script::default();
    script.ready(0, 0).grant(0, 0, &[0]).start(0, 0, 0, 0).ready(0, 1).grant(0, 1, &[1]);
    script.start(5, 1, 1, 0).ready(5, 2).done(20, 0, 0, 0).release(20, 0, 0, &[0]);
    script.grant(20, 2, &[0]).start(20, 2, 2, 0).ready(20, 0).done(30, 1, 1, 0);
    script.start(45, 1, 1, 1).fail(60, 1, 1, 1).release(60, 1, 1, &[1]).ready(60, 1);
    script.end(60, 1, End::Failed(FailCause::Error)).grant(60, 0, &[1]).start(60, 0, 3, 1);
    script.done(95, 0, 3, 1).release(95, 0, 3, &[1]).end(95, 0, End::Done);
    script.done(140, 2, 2, 0).release(140, 2, 2, &[0]).end(140, 2, End::Done);
    let mut record = script.record;
    record.stuck.push((3, "它等待的工具已经失败".to_string()));
    (line, record)
}

/// A name that would like to be more.
pub const EVIL: &str =
    "</script><img src=x onerror=alert(1)>\"'&\\ ]]>--> \u{1b}[2J\u{202e}`${x}`\u{0}";

/// A line in which everything that has a name has a bad one.
pub fn evil() -> (Line, Record) {
    let (mut line, mut record) = super::case("11-warm-models");
    line.name = Some(EVIL.to_string());
    line.description = Some(EVIL.to_string());
    for (at, job) in line.jobs.iter_mut().enumerate() {
        job.name = format!("{EVIL}{at}");
    }
    line.units.iter_mut().enumerate().for_each(|(at, unit)| unit.name = format!("{EVIL}{at}"));
    line.models.iter_mut().enumerate().for_each(|(at, it)| it.name = format!("{EVIL}{at}"));
    for entry in &mut record.entries {
        if let What::Grant { why, .. } = &mut entry.what {
            *why = Some(EVIL.to_string());
        }
    }
    record.stuck.push((0, EVIL.to_string()));
    (line, record)
}
