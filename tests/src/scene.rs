//! A scene: a small line file that shows one rule, played by the product and written down in a
//! form that people can review.

use std::fmt::Write;

use lineside_backends::Workload;
use lineside_core::{OrderRule, Passed, PlacementRule, Reason, Shortage, Wait};
use lineside_line::{Line, NoFiles};

use crate::compare::difference;
use crate::model::{self, EndCause, What, end_state, revoke_cause, unit_state};
use crate::plan::{Plan, Reasons, plan};

/// What became of a scene.
#[derive(Debug, Clone)]
pub struct Scene {
    line: Line,
    plan: Plan,
}

impl Scene {
    /// Plays a line file through the product's reader, core, driver and simulator, and holds the
    /// trace against the reference model.
    ///
    /// # Errors
    ///
    /// That the file is refused, or where product and model differ.
    ///
    /// # Panics
    ///
    /// As [`plan`].
    pub fn play(text: &str) -> Result<Scene, String> {
        let read = lineside_line::read(text, &NoFiles);
        let line = read.map_err(|problems| format!("the product refuses it: {problems:?}"))?.line;
        let twin = model::read(text).map_err(|why| format!("the model refuses it: {why}"))?;
        let (plan, ()) = plan(&Workload::from_line(&line), Reasons::Asked, |_, _| {});
        match difference(&twin, &model::simulate(&twin), &plan) {
            None => Ok(Scene { line, plan }),
            Some(difference) => Err(difference),
        }
    }

    /// As of `lineside plan`.
    pub fn exit_code(&self) -> u8 {
        self.plan.exit_code
    }

    /// Exit code, trace, the reason of each grant, and who is stuck: a line each.
    pub fn show(&self) -> String {
        let mut text = format!("exit {}\n\n", self.plan.exit_code);
        for event in &self.plan.events {
            text += &self.event(event);
        }
        if !self.plan.reasons.is_empty() {
            text += "\nwhy\n";
        }
        let width = self.plan.reasons.len().saturating_sub(1).to_string().len();
        for (lease, reason) in self.plan.reasons.iter().enumerate() {
            let _ = writeln!(text, "  lease {lease:<width$}  {}", self.reason(reason));
        }
        if !self.plan.stuck.is_empty() {
            text += "\nstuck\n";
        }
        for (job, wait) in &self.plan.stuck {
            let _ = writeln!(text, "  {}  {}", self.line.jobs[*job].name, self.wait(wait));
        }
        text
    }

    fn event(&self, event: &model::Event) -> String {
        let (verb, of, rest) = match &event.what {
            What::Ready { job, ticket } => ("ready", self.job(*job), format!("ticket {ticket}")),
            What::Evict { unit, model } => {
                ("evict", self.unit(*unit), self.line.models[*model].name.clone())
            }
            What::Grant { job, lease, units, ticket, cold, fallback } => {
                let cold = if *cold { "  cold" } else { "" };
                let fallback = if *fallback { "  fallback" } else { "" };
                let on = self.units(units);
                let rest = format!("lease {lease} on {on}  ticket {ticket}{cold}{fallback}");
                ("grant", self.job(*job), rest)
            }
            What::Start { job, lease, first, count } => {
                ("start", self.job(*job), images(*lease, *first, *count))
            }
            What::Done { job, lease, first, count } => {
                ("done", self.job(*job), images(*lease, *first, *count))
            }
            What::Fail { job, lease, first, count } => {
                ("fail", self.job(*job), images(*lease, *first, *count))
            }
            What::Revoke { job, lease, cause } => {
                ("revoke", self.job(*job), format!("lease {lease}  {}", revoke_cause(*cause)))
            }
            What::Release { job, lease, .. } => {
                ("release", self.job(*job), format!("lease {lease}"))
            }
            What::End { job, state, cause } => {
                ("end", self.job(*job), format!("{}{}", end_state(*state), self.cause(*cause)))
            }
            What::Unit { unit, state } => ("unit", self.unit(*unit), unit_state(*state).to_owned()),
        };
        let width = self.widest_name();
        format!("{:>8}  {verb:<7}  {of:<width$}  {rest}\n", instant(event.t))
    }

    fn widest_name(&self) -> usize {
        let jobs = self.line.jobs.iter().map(|job| job.name.chars().count());
        let units = self.line.units.iter().map(|unit| unit.name.chars().count());
        jobs.chain(units).max().unwrap_or(0)
    }

    fn job(&self, index: usize) -> &str {
        &self.line.jobs[index].name
    }

    fn unit(&self, index: usize) -> &str {
        &self.line.units[index].name
    }

    fn units(&self, list: &[usize]) -> String {
        let names: Vec<&str> = list.iter().map(|&unit| self.unit(unit)).collect();
        names.join(", ")
    }

    fn cause(&self, cause: EndCause) -> String {
        match cause {
            EndCause::None | EndCause::Cancel => String::new(),
            EndCause::Error => "  error".to_owned(),
            EndCause::Timeout => "  timeout".to_owned(),
            EndCause::Device => "  device".to_owned(),
            EndCause::Upstream(job) => format!("  for {}", self.job(job)),
        }
    }

    /// The codes of a reason: what put the job before the next one, and the unit before the next.
    fn reason(&self, reason: &Reason) -> String {
        let job = self.job(reason.job.index as usize);
        let mut text = format!("{job}: {}", order_rule(reason.order));
        if let Some(next) = reason.next {
            text += &format!(" before {}", self.job(next.index as usize));
        }
        text +=
            &format!("; {}: {}", self.unit(reason.unit.0 as usize), placement(reason.placement));
        if let Some(next) = reason.next_unit {
            text += &format!(" before {}", self.unit(next.0 as usize));
        }
        for Passed { job, wait } in &reason.passed {
            text += &format!("; past {} ({})", self.job(job.index as usize), self.wait(wait));
        }
        if reason.passed_more > 0 {
            text += &format!("; past {} more", reason.passed_more);
        }
        text
    }

    /// The code of what a job waits for.
    fn wait(&self, wait: &Wait) -> String {
        let job = |id: lineside_core::JobId| self.job(id.index as usize);
        let stream = |id: lineside_core::StreamId| &self.line.streams[id.0 as usize].name;
        match wait {
            Wait::Ended => "ended".to_owned(),
            Wait::Running => "running".to_owned(),
            Wait::Arrival => "arrival".to_owned(),
            Wait::Feed => "feed".to_owned(),
            Wait::Upstream(upstream) => format!("upstream {}", job(*upstream)),
            Wait::BackPressure(downstream) => format!("back-pressure of {}", job(*downstream)),
            Wait::GivingBack => "giving back".to_owned(),
            Wait::Stream(id) => format!("stream {} is full", stream(*id)),
            Wait::StreamWithheld(id, by) => {
                format!("stream {} is withheld for {}", stream(*id), job(*by))
            }
            Wait::Units(shortage) => self.shortage(shortage),
            Wait::Next => "next".to_owned(),
        }
    }

    fn shortage(&self, shortage: &Shortage) -> String {
        let Shortage { wanted, candidates, own, full, short, withheld, withheld_for, not_up } =
            *shortage;
        let mut text = format!("units {wanted} of {candidates}");
        let parts = [
            (own, "own"),
            (full, "full"),
            (short, "short"),
            (withheld, "withheld"),
            (not_up, "not up"),
        ];
        for (count, what) in parts.into_iter().filter(|&(count, _)| count > 0) {
            text += &format!(", {count} {what}");
        }
        if let Some(by) = withheld_for {
            text += &format!(" for {}", self.job(by.index as usize));
        }
        text
    }
}

fn images(lease: usize, first: u64, count: u64) -> String {
    match count {
        1 => format!("lease {lease}  image {first}"),
        _ => format!("lease {lease}  images {first}-{}", first + count - 1),
    }
}

/// A time in the largest unit, of ms and smaller, that says it in a whole number.
fn instant(t: u64) -> String {
    match t {
        _ if t.is_multiple_of(1_000_000) => format!("{}ms", t / 1_000_000),
        _ if t.is_multiple_of(1_000) => format!("{}us", t / 1_000),
        _ => format!("{t}ns"),
    }
}

fn order_rule(rule: OrderRule) -> &'static str {
    match rule {
        OrderRule::Only => "only",
        OrderRule::Patience => "patience",
        OrderRule::Priority => "priority",
        OrderRule::StandardFirst => "standard",
        OrderRule::OldestImage => "image",
        OrderRule::CriticalPath => "path",
        OrderRule::Ticket => "ticket",
    }
}

fn placement(rule: PlacementRule) -> &'static str {
    match rule {
        PlacementRule::Only => "only",
        PlacementRule::Resident => "resident",
        PlacementRule::LeastLeft => "least left",
        PlacementRule::LeastBusy => "least busy",
        PlacementRule::LongestReleased => "longest released",
        PlacementRule::MostLeases => "most leases",
        PlacementRule::Index => "index",
    }
}
