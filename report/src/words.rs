//! What a lease, a wait or an end is called in the words of people.

use lineside_line::Line;

use crate::duration::{duration, moment};
use crate::record::CpuUse;
use crate::summary::{JobState, Summary};
use crate::timeline::{How, JobTrack, Lease, Outage, Start, Timeline};
use lineside_line::trace::{End, FailCause, RevokeCause, UnitState};

/// All about a lease, a fact a line.
pub(crate) fn lease(timeline: &Timeline<'_>, lease: &Lease<'_>, why_most: usize) -> String {
    let mut lines =
        vec![format!("{} on {}", timeline.job_name(lease.job), timeline.units_of(lease))];
    let length = duration(lease.to - lease.from);
    lines.push(format!("{} – {} ({length})", moment(lease.from), moment(lease.to)));
    if let Some(images) = images(timeline.starts_of(lease)) {
        lines.push(images);
    }
    let busy: u64 = timeline.starts_of(lease).iter().map(|start| start.to - start.from).sum();
    if lease.to - lease.from > busy {
        lines.push(format!("starved for {} of it", duration(lease.to - lease.from - busy)));
    }
    if let Some(wait) = lease.wait.map(|wait| timeline.waits[wait as usize])
        && wait.length() > 0
    {
        lines.push(format!("waited {} for it", duration(wait.length())));
    }
    if lease.cold {
        lines.push("cold: its model was loaded first".to_string());
    }
    if lease.fallback {
        lines.push("fallback: on a CPU place, for want of a GPU".to_string());
    }
    if let Some((t, cause)) = lease.revoked {
        lines.push(format!("revoked at {}: {}", moment(t), revoke_cause(cause)));
    }
    if let Some(why) = lease.why {
        lines.push(format!("why: {}", shortened(why, why_most)));
    }
    lines.join("\n")
}

/// At most `most` characters of a text.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_string(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// Which images were started.
fn images(starts: &[Start]) -> Option<String> {
    let first = starts.iter().map(|start| start.first).min()?;
    let last = starts.iter().map(|start| start.first + start.count.max(1) - 1).max()?;
    let mut text = match first == last {
        true => format!("image {first}"),
        false => format!("images {first} to {last}"),
    };
    if starts.len() > 1 {
        text.push_str(&format!(" in {} starts", starts.len()));
    }
    let failed = starts.iter().filter(|start| start.how == How::Failed).count();
    if failed > 0 {
        text.push_str(", failed");
    }
    Some(text)
}

/// Why a lease was revoked.
pub(crate) fn revoke_cause(cause: RevokeCause) -> &'static str {
    match cause {
        RevokeCause::Timeout => "it took too long",
        RevokeCause::Cancel => "the job was cancelled",
        RevokeCause::Skipped => "the job was skipped",
        RevokeCause::Failed => "the job failed",
        RevokeCause::Device => "the unit was lost",
        RevokeCause::Circle => "to break a circle",
    }
}

/// An outage of a unit.
pub(crate) fn outage(timeline: &Timeline<'_>, outage: &Outage) -> String {
    let state = match outage.state {
        UnitState::Down => "down",
        UnitState::Draining => "draining",
        UnitState::Up => "up",
    };
    let unit = timeline.unit_name(outage.unit);
    format!("{unit} {state}\n{} – {}", moment(outage.from), moment(outage.to))
}

/// How a job ended, with its cause.
pub(crate) fn end(line: &Line, track: &JobTrack) -> String {
    let Some((_, end)) = track.end else { return "stuck".to_string() };
    match end {
        End::Done => "done".to_string(),
        End::Failed(FailCause::Timeout) => "failed: it took too long".to_string(),
        End::Failed(FailCause::Device) => "failed: it lost its unit too often".to_string(),
        End::Failed(FailCause::Error) => "failed".to_string(),
        End::Cancelled => "cancelled".to_string(),
        End::Skipped { upstream } => match line.jobs.get(upstream as usize) {
            Some(job) => format!("skipped because of {}", job.name),
            None => "skipped".to_string(),
        },
    }
}

/// A number with its noun.
pub(crate) fn count(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        number => format!("{} {noun}s", grouped(number)),
    }
}

/// A number with its thousands set apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A share as a whole percentage.
pub(crate) fn percent(share: f64) -> String {
    match share {
        share if share > 0.0 && share < 0.005 => "<1 %".to_string(),
        share => format!("{:.0} %", share * 100.0),
    }
}

/// How many jobs ended how, those that are done first.
pub(crate) fn outcomes(summary: &Summary) -> Vec<(JobState, u64)> {
    const STATES: [JobState; 5] =
        [JobState::Done, JobState::Failed, JobState::Cancelled, JobState::Skipped, JobState::Stuck];
    let of = |state| summary.jobs.iter().filter(|job| job.state == state).count() as u64;
    STATES.into_iter().map(|state| (state, of(state))).filter(|(_, count)| *count > 0).collect()
}

/// How busy the CPU was.
pub(crate) fn cpu(cpu: &CpuUse) -> String {
    let share = |thousandths: u32| percent(f64::from(thousandths) / 1000.0);
    format!(
        "busiest core {}; {} on average {}, with all that ran on this machine",
        share(cpu.busiest),
        count(u64::from(cpu.cores), "core"),
        share(cpu.mean),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(1, "job"), "1 job");
        assert_eq!(count(1_234_567, "lease"), "1,234,567 leases");
        assert_eq!(percent(0.001), "<1 %");
        assert_eq!(percent(0.826), "83 %");
        assert_eq!(shortened("缺陷检测", 2), "缺陷…");
    }
}
