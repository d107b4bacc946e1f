//! The trace that Perfetto and `chrome://tracing` open.

mod flows;
mod memory;

use std::fmt::{Arguments, Write};

use lineside_line::Line;

use crate::duration::moment;
use lineside_line::trace::UnitState;

use crate::record::Record;
use crate::timeline::{Bar, How, Kind, Lane, Lease, Start, Timeline};
use crate::words;

/// The process of what concerns no unit: waits and the length of the queue.
const QUEUE: u32 = 1;

/// A plan or a run as Chrome trace JSON, for <https://ui.perfetto.dev> and `chrome://tracing`.
///
/// A process a device (a GPU with its MIG slices is one), a thread a unit or slot. Slices of the
/// category `busy` are starts; `starved` is a lease with nothing in flight; on one thread nothing
/// overlaps. A thread a job shows its time in the queue. Arrows are dependencies; counters are the
/// length of the queue and the free memory of each unit. `ts` and `dur` are microseconds, exact to
/// the nanosecond.
///
/// ```
/// use lineside_line::Line;
/// use lineside_report::{Record, perfetto};
/// let trace = perfetto(&Line::default(), &Record::default());
/// assert!(trace.starts_with(r#"{"displayTimeUnit":"ms","traceEvents":["#));
/// ```
pub fn perfetto(line: &Line, record: &Record) -> String {
    let timeline = Timeline::read(line, record);
    let lanes = timeline.lanes();
    let mut trace = Trace::new(&timeline, &lanes);
    trace.names(&lanes);
    for lease in &timeline.leases {
        trace.lease(lease);
    }
    trace.waits();
    trace.outages();
    trace.evictions();
    for &(t, length) in &timeline.queue {
        let ts = micros(t);
        trace.event(format_args!(
            r#""ph":"C","name":"queue length","pid":{QUEUE},"ts":{ts},"args":{{"jobs":{length}}}"#
        ));
    }
    for (t, unit, free) in memory::free(line, record) {
        let (ts, pid) = (micros(t), trace.threads[unit as usize].pid);
        let name = json(&format!("free memory of {}", line.units[unit as usize].name));
        trace.event(format_args!(
            r#""ph":"C","name":{name},"pid":{pid},"ts":{ts},"args":{{"bytes":{free}}}"#
        ));
    }
    flows::write(&mut trace);
    trace.out.push_str("\n]}\n");
    trace.out
}

/// The events so far.
struct Trace<'t, 'a> {
    timeline: &'t Timeline<'a>,
    /// By unit.
    threads: Vec<Threads>,
    out: String,
    first: bool,
}

/// Where the events of a unit go.
#[derive(Debug, Clone, Copy)]
struct Threads {
    /// That of its device.
    pid: u32,
    /// That of its first lane.
    tid: u32,
    /// How many lanes it has; the thread after the last is for its outages.
    lanes: u32,
}

impl<'t, 'a> Trace<'t, 'a> {
    fn new(timeline: &'t Timeline<'a>, lanes: &[Lane]) -> Trace<'t, 'a> {
        let mut threads: Vec<Threads> = Vec::new();
        let mut device = "";
        let mut next = Threads { pid: QUEUE, tid: 1, lanes: 0 };
        for unit in lanes.chunk_by(|a, b| a.unit == b.unit) {
            let name = device_of(timeline, unit[0].unit);
            if threads.is_empty() || name != device {
                device = name;
                next = Threads { pid: next.pid + 1, tid: 1, lanes: 0 };
            }
            next.lanes = unit.len() as u32;
            threads.push(next);
            next.tid += next.lanes + 1;
        }
        let out = r#"{"displayTimeUnit":"ms","traceEvents":["#.to_string();
        Trace { timeline, threads, out, first: true }
    }

    fn event(&mut self, fields: Arguments<'_>) {
        self.out.push_str(if self.first { "\n{" } else { ",\n{" });
        self.first = false;
        // Writing into a `String` cannot fail.
        let _ = self.out.write_fmt(fields);
        self.out.push('}');
    }

    fn names(&mut self, lanes: &[Lane]) {
        self.process(QUEUE, "queue");
        for job in 0..self.timeline.jobs.len() as u32 {
            self.thread(QUEUE, job + 1, self.timeline.job_name(job));
        }
        let mut named = QUEUE;
        for lane in lanes {
            let Threads { pid, tid, .. } = self.threads[lane.unit as usize];
            if pid != named {
                named = pid;
                self.process(pid, device_of(self.timeline, lane.unit));
            }
            let unit = self.timeline.unit_name(lane.unit);
            match lane.of {
                1 => self.thread(pid, tid, unit),
                _ => self.thread(pid, tid + lane.lane, &format!("{unit} slot {}", lane.lane)),
            }
        }
    }

    fn process(&mut self, pid: u32, name: &str) {
        let name = json(name);
        self.event(format_args!(
            r#""ph":"M","name":"process_name","pid":{pid},"args":{{"name":{name}}}"#
        ));
        self.event(format_args!(
            r#""ph":"M","name":"process_sort_index","pid":{pid},"args":{{"sort_index":{pid}}}"#
        ));
    }

    fn thread(&mut self, pid: u32, tid: u32, name: &str) {
        let name = json(name);
        self.event(format_args!(
            r#""ph":"M","name":"thread_name","pid":{pid},"tid":{tid},"args":{{"name":{name}}}"#
        ));
        self.event(format_args!(
            r#""ph":"M","name":"thread_sort_index","pid":{pid},"tid":{tid},{}"#,
            format_args!(r#""args":{{"sort_index":{tid}}}"#)
        ));
    }

    /// The threads of a lease, one for each of its units.
    fn threads_of(&self, lease: &Lease<'_>) -> Vec<(u32, u32)> {
        let places = self.timeline.places_of(lease).iter();
        let thread = |unit: u32, lane: u32| {
            let threads = self.threads[unit as usize];
            (threads.pid, threads.tid + lane)
        };
        places.map(|place| thread(place.unit, place.lane)).collect()
    }

    fn lease(&mut self, lease: &Lease<'_>) {
        let timeline = self.timeline;
        let threads = self.threads_of(lease);
        for (at, start) in timeline.starts_of(lease).iter().enumerate() {
            let why = lease.why.filter(|_| at == 0);
            let args = start_args(lease, start, why);
            let name = timeline.job_name(lease.job);
            for &thread in &threads {
                self.slice(thread, ("busy", name), start.from, start.to, &args);
                if start.how == How::Failed {
                    self.instant(thread, start.to, &format!("{name} failed"));
                }
            }
        }
        let starved = |bar: &Bar| bar.kind == Kind::Starved;
        for bar in timeline.bars_of(lease).filter(starved) {
            let name = format!("{} starves", timeline.job_name(lease.job));
            let args = format!(r#""lease":{}"#, lease.number);
            for &thread in &threads {
                self.slice(thread, ("starved", &name), bar.from, bar.to, &args);
            }
        }
        if let Some((t, cause)) = lease.revoked {
            for &thread in &threads {
                self.instant(thread, t, &format!("revoked: {}", words::revoke_cause(cause)));
            }
        }
    }

    fn slice(
        &mut self,
        (pid, tid): (u32, u32),
        (category, name): (&str, &str),
        from: u64,
        to: u64,
        args: &str,
    ) {
        let (name, ts, dur) = (json(name), micros(from), micros(to - from));
        let place = format_args!(r#""pid":{pid},"tid":{tid},"ts":{ts},"dur":{dur}"#);
        self.event(format_args!(
            r#""ph":"X","cat":"{category}","name":{name},{place},"args":{{{args}}}"#
        ));
    }

    fn instant(&mut self, (pid, tid): (u32, u32), t: u64, name: &str) {
        let (name, ts) = (json(name), micros(t));
        self.event(format_args!(
            r#""ph":"i","s":"t","name":{name},"pid":{pid},"tid":{tid},"ts":{ts}"#
        ));
    }

    fn waits(&mut self) {
        let timeline = self.timeline;
        for wait in timeline.waits.iter().filter(|wait| wait.length() > 0) {
            let args = format!(r#""ticket":{}"#, wait.ticket);
            self.slice((QUEUE, wait.job + 1), ("wait", "waiting"), wait.from, wait.to, &args);
        }
    }

    fn outages(&mut self) {
        let timeline = self.timeline;
        let mut named = vec![false; timeline.units.len()];
        for outage in &timeline.outages {
            let Threads { pid, tid, lanes } = self.threads[outage.unit as usize];
            if !std::mem::replace(&mut named[outage.unit as usize], true) {
                let name = format!("{} state", timeline.unit_name(outage.unit));
                self.thread(pid, tid + lanes, &name);
            }
            let name = if outage.state == UnitState::Down { "down" } else { "draining" };
            self.slice((pid, tid + lanes), ("unit", name), outage.from, outage.to, "");
        }
    }

    fn evictions(&mut self) {
        let timeline = self.timeline;
        for eviction in &timeline.evictions {
            let Threads { pid, tid, .. } = self.threads[eviction.unit as usize];
            let model = &timeline.line.models[eviction.model as usize].name;
            self.instant((pid, tid), eviction.t, &format!("evicted: {model}"));
        }
    }
}

fn start_args(lease: &Lease<'_>, start: &Start, why: Option<&str>) -> String {
    let outcome = match start.how {
        How::Done => "done",
        How::Failed => "failed",
        How::Cut => "given back",
        How::Open => "in flight",
    };
    let mut args = format!(
        r#""lease":{},"first":{},"count":{},"outcome":"{outcome}""#,
        lease.number, start.first, start.count
    );
    if lease.cold {
        args.push_str(r#","cold":true"#);
    }
    if lease.fallback {
        args.push_str(r#","fallback":true"#);
    }
    if let Some(why) = why {
        args.push_str(&format!(r#","why":{}"#, json(why)));
    }
    if let Some((t, cause)) = lease.revoked {
        let revoked = format!("at {}: {}", moment(t), words::revoke_cause(cause));
        args.push_str(&format!(r#","revoked":{}"#, json(&revoked)));
    }
    args
}

/// What a unit is a part of: its GPU, if it is a slice, else itself.
fn device_of<'a>(timeline: &Timeline<'a>, unit: u32) -> &'a str {
    let name = timeline.unit_name(unit);
    match (timeline.line.units[unit as usize].profile, name.rsplit_once('/')) {
        (Some(_), Some((device, _))) => device,
        _ => name,
    }
}

/// Nanoseconds as a JSON number of microseconds, exactly.
fn micros(ns: u64) -> String {
    match ns % 1000 {
        0 => (ns / 1000).to_string(),
        rest => format!("{}.{rest:03}", ns / 1000),
    }
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
