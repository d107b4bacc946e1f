//! Numbers for Prometheus.

use std::fmt::Write;

use lineside_line::Line;
use lineside_line::trace::RevokeCause;

use crate::record::Record;
use crate::summary::{self, JobState, Summary};
use crate::timeline::Timeline;

/// Beyond this many jobs there are no series by job: each would be a series for ever.
const JOBS_AT_MOST: usize = 1000;

/// A plan or a run as Prometheus metrics, text format 0.0.4: for the textfile collector.
///
/// Times are seconds. A line of more than 1,000 jobs has no series by job.
///
/// ```
/// use lineside_line::Line;
/// use lineside_report::{Record, metrics};
/// let text = metrics(&Line::default(), &Record::default());
/// assert!(text.contains("\nlineside_makespan_seconds 0\n"));
/// ```
pub fn metrics(line: &Line, record: &Record) -> String {
    let timeline = Timeline::read(line, record);
    let numbers = summary::of(&timeline);
    let mut page = Page::default();
    page.family("makespan_seconds", "gauge", "Time of the last event.");
    page.sample("makespan_seconds", &[], &seconds(numbers.makespan_ns));
    states(&mut page, &numbers);
    units(&mut page, &numbers);
    waits(&mut page, &timeline, &numbers);
    revokes(&mut page, &timeline);
    let evictions = timeline.evictions.len();
    page.family("evictions_total", "counter", "Models put out of a unit to make room.");
    page.sample("evictions_total", &[], &evictions.to_string());
    match numbers.jobs.len() <= JOBS_AT_MOST {
        true => jobs(&mut page, &timeline, &numbers),
        false => page.text.push_str("# More than 1000 jobs: no series by job.\n"),
    }
    page.text
}

fn states(page: &mut Page, numbers: &Summary) {
    page.family("jobs", "gauge", "Jobs by how they ended; stuck: they have not.");
    for state in
        [JobState::Done, JobState::Failed, JobState::Cancelled, JobState::Skipped, JobState::Stuck]
    {
        let count = numbers.jobs.iter().filter(|job| job.state == state).count();
        page.sample("jobs", &[("state", state.word())], &count.to_string());
    }
}

fn units(page: &mut Page, numbers: &Summary) {
    type Value = fn(&summary::UnitSummary) -> u64;
    let families: [(&str, &str, Value); 3] = [
        ("unit_busy_seconds_total", "Time in which the unit computed.", |unit| unit.busy_ns),
        ("unit_held_seconds_total", "Time in which the unit was leased.", |unit| unit.held_ns),
        ("unit_starved_seconds_total", "Time leased with nothing in flight.", |unit| {
            unit.starved_ns
        }),
    ];
    for (name, help, value) in families {
        page.family(name, "counter", help);
        for unit in &numbers.units {
            page.sample(name, &[("unit", &unit.name)], &seconds(value(unit)));
        }
    }
    page.family("unit_utilization_ratio", "gauge", "Busy time as a share of the makespan.");
    for unit in &numbers.units {
        let ratio = unit.utilization.to_string();
        page.sample("unit_utilization_ratio", &[("unit", &unit.name)], &ratio);
    }
}

fn waits(page: &mut Page, timeline: &Timeline<'_>, numbers: &Summary) {
    page.family("wait_seconds", "summary", "Time of an entry in the queue.");
    let wait = numbers.wait_ns;
    for (quantile, value) in [("0.5", wait.p50), ("0.95", wait.p95), ("1", wait.max)] {
        page.sample("wait_seconds", &[("quantile", quantile)], &seconds(value));
    }
    let total = timeline.waits.iter().map(|wait| wait.length()).fold(0, u64::saturating_add);
    page.sample("wait_seconds_sum", &[], &seconds(total));
    page.sample("wait_seconds_count", &[], &timeline.waits.len().to_string());
    let longest = timeline.queue.iter().map(|(_, length)| *length).max().unwrap_or(0);
    page.family("queue_length_max", "gauge", "Jobs in the queue at once, at most.");
    page.sample("queue_length_max", &[], &longest.to_string());
}

fn revokes(page: &mut Page, timeline: &Timeline<'_>) {
    page.family("revokes_total", "counter", "Leases that were revoked, by cause.");
    let causes = [
        (RevokeCause::Timeout, "timeout"),
        (RevokeCause::Cancel, "cancel"),
        (RevokeCause::Skipped, "skipped"),
        (RevokeCause::Failed, "failed"),
        (RevokeCause::Device, "device"),
        (RevokeCause::Circle, "circle"),
    ];
    for (cause, word) in causes {
        let leases = timeline.leases.iter();
        let count = leases.filter(|lease| lease.revoked.is_some_and(|(_, it)| it == cause)).count();
        page.sample("revokes_total", &[("cause", word)], &count.to_string());
    }
}

fn jobs(page: &mut Page, timeline: &Timeline<'_>, numbers: &Summary) {
    type Value<'v> = &'v dyn Fn(usize) -> String;
    let of = |at: usize| &numbers.jobs[at];
    let failures = |at: usize| timeline.jobs[at].failures.to_string();
    let families: [(&str, &str, &str, Value<'_>); 7] = [
        ("job_images_done_total", "counter", "Images done.", &|at| of(at).images.to_string()),
        ("job_grants_total", "counter", "Leases.", &|at| of(at).grants.to_string()),
        (
            "job_cold_grants_total",
            "counter",
            "Leases for which the model had to be loaded.",
            &|at| of(at).cold.to_string(),
        ),
        ("job_failures_total", "counter", "Starts that failed.", &failures),
        ("job_wait_seconds_total", "counter", "Time in the queue.", &|at| seconds(of(at).wait_ns)),
        ("job_wait_max_seconds", "gauge", "Longest time of an entry in the queue.", &|at| {
            seconds(of(at).wait_max_ns)
        }),
        ("job_end_seconds", "gauge", "When the job ended; absent if it has not.", &|at| {
            of(at).end_ns.map(seconds).unwrap_or_default()
        }),
    ];
    for (name, kind, help, value) in families {
        page.family(name, kind, help);
        for at in 0..numbers.jobs.len() {
            let value = value(at);
            if !value.is_empty() {
                page.sample(name, &[("job", &of(at).name)], &value);
            }
        }
    }
}

/// The text so far.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing into a `String` cannot fail.
        let _ = writeln!(self.text, "# HELP lineside_{name} {help}");
        let _ = writeln!(self.text, "# TYPE lineside_{name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: &str) {
        let _ = write!(self.text, "lineside_{name}");
        if !labels.is_empty() {
            let label = |(key, value): &(&str, &str)| format!("{key}=\"{}\"", escaped(value));
            let labels: Vec<String> = labels.iter().map(label).collect();
            let _ = write!(self.text, "{{{}}}", labels.join(","));
        }
        let _ = writeln!(self.text, " {value}");
    }
}

/// A label's value. These three and no others: a scrape with any other escape is lost whole.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Nanoseconds as seconds, exactly.
fn seconds(ns: u64) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact() {
        assert_eq!(seconds(0), "0");
        assert_eq!(seconds(1_500_000_000), "1.5");
        assert_eq!(seconds(u64::MAX), "18446744073.709551615");
        assert_eq!(seconds(10_000_000_000), "10");
    }
}
