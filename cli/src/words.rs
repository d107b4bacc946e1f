//! Reasons in words.

use std::borrow::Cow;

use lineside_core::{
    JobId, OrderRule, PlacementRule, Reason, Scheduler, Shortage, UnitId, UnitState, Wait,
};
use lineside_line::{Line, Needs};

/// Says things of one line with its names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words<'l> {
    line: &'l Line,
}

impl<'l> Words<'l> {
    pub(crate) fn new(line: &'l Line) -> Self {
        Words { line }
    }

    pub(crate) fn job(&self, job: JobId) -> Cow<'l, str> {
        printable(&self.line.jobs[job.index as usize].name)
    }

    pub(crate) fn unit(&self, unit: UnitId) -> Cow<'l, str> {
        printable(&self.line.units[unit.0 as usize].name)
    }

    /// Why a grant was made.
    pub(crate) fn reason(&self, reason: &Reason) -> String {
        let next = reason.next.map(|next| self.job(next));
        let order = self.order_rule(reason.order, &next.unwrap_or_default());
        let placement = self.placement_rule(reason);
        let mut text = format!("{order}; {placement}");
        if !reason.passed.is_empty() {
            let passed = reason.passed.iter().map(|passed| {
                format!("`{}` ({})", self.job(passed.job), self.wait_briefly(&passed.wait))
            });
            text += "; passed over: ";
            text += &passed.collect::<Vec<_>>().join(", ");
            if reason.passed_more > 0 {
                text += &format!(" and {} more", reason.passed_more);
            }
        }
        text
    }

    fn order_rule(&self, rule: OrderRule, next: &str) -> String {
        match rule {
            OrderRule::Only => "the only one in the queue that is left".to_owned(),
            OrderRule::Patience => format!("waited for `patience`, so before `{next}`"),
            OrderRule::Priority => format!("higher priority than `{next}`"),
            OrderRule::StandardFirst => format!("standard before legacy `{next}`"),
            OrderRule::OldestImage => format!("an older image than `{next}` has"),
            OrderRule::CriticalPath => format!("a longer path to the end than `{next}` has"),
            OrderRule::Ticket => format!("a lower ticket than `{next}` has"),
        }
    }

    fn placement_rule(&self, reason: &Reason) -> String {
        let unit = self.unit(reason.unit);
        let Some(next) = reason.next_unit.map(|unit| self.unit(unit)) else {
            return format!("{unit} is the only unit that can take it now");
        };
        match reason.placement {
            PlacementRule::Only => format!("{unit} is the only unit that can take it now"),
            PlacementRule::Resident => format!("its model is loaded on {unit}, not on {next}"),
            PlacementRule::LeastLeft => {
                format!("less memory is left over on {unit} than on {next}")
            }
            PlacementRule::LeastBusy => format!("{unit} has been leased for less long than {next}"),
            PlacementRule::LongestReleased => format!("{unit} was released before {next}"),
            PlacementRule::MostLeases => format!("{unit} holds more leases than {next}"),
            PlacementRule::Index => format!("{unit} stands before {next}, all else equal"),
        }
    }

    fn wait_briefly(&self, wait: &Wait) -> String {
        match wait {
            Wait::Units(shortage) => self.shortage(shortage),
            other => self.wait(other),
        }
    }

    /// What a job waits for.
    pub(crate) fn wait(&self, wait: &Wait) -> String {
        let stream = |stream: lineside_core::StreamId| &self.line.streams[stream.0 as usize];
        match *wait {
            Wait::Ended => "has ended".to_owned(),
            Wait::Running => "runs".to_owned(),
            Wait::Arrival => "has not arrived".to_owned(),
            Wait::Feed => "its next image has not come".to_owned(),
            Wait::Upstream(job) => format!("waits for `{}`", self.job(job)),
            Wait::BackPressure(job) => {
                format!("is far enough ahead: waits for `{}` to take images", self.job(job))
            }
            Wait::GivingBack => "waits for its units to be given back".to_owned(),
            Wait::Stream(id) => format!(
                "stream `{}` has its {} leases",
                stream(id).name,
                stream(id).limit.unwrap_or(u32::MAX)
            ),
            Wait::StreamWithheld(id, by) => {
                format!("stream `{}` is withheld for `{}`", stream(id).name, self.job(by))
            }
            Wait::Units(ref shortage) => self.shortage(shortage),
            Wait::Next => "is next".to_owned(),
        }
    }

    fn shortage(&self, shortage: &Shortage) -> String {
        let Shortage { wanted, candidates, own, full, short, withheld, withheld_for, not_up } =
            *shortage;
        let mut parts = Vec::new();
        if own > 0 {
            let leased = count(own, "has", "have");
            parts.push(format!("{leased} as many leases of this job as `threads` allows"));
        }
        if full > 0 {
            parts.push(format!("{} in use", count(full, "is", "are")));
        }
        if short > 0 {
            parts.push(format!("{} too little memory left", count(short, "has", "have")));
        }
        if let (Some(by), true) = (withheld_for, withheld > 0) {
            let by = self.job(by);
            parts.push(format!("{} withheld for `{by}`", count(withheld, "is", "are")));
        }
        if not_up > 0 {
            parts.push(format!("{} not up", count(not_up, "more is", "more are")));
        }
        let parts =
            if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        format!("needs {} of {} that match{parts}", units(wanted), candidates + own)
    }

    /// What a job waits for, with the names of the units and of those who hold them.
    pub(crate) fn wait_in_full(
        &self,
        scheduler: &Scheduler<'_>,
        job: JobId,
        wait: &Wait,
    ) -> String {
        let Wait::Units(shortage) = wait else { return self.wait(wait) };
        let needs = self.line.jobs[job.index as usize].needs;
        let mut parts = Vec::new();
        for (at, unit) in self.line.units.iter().enumerate() {
            let id = UnitId(at as u32);
            let matches = match needs {
                Needs::Any => true,
                Needs::Gpu => unit.place != lineside_line::Place::Cpu,
                Needs::Cuda => unit.place == lineside_line::Place::Cuda,
                Needs::Vulkan => unit.place == lineside_line::Place::Vulkan,
                Needs::Cpu => unit.place == lineside_line::Place::Cpu,
            };
            if matches && parts.len() < 8 {
                parts.extend(self.unit_in_words(scheduler, id));
            }
        }
        if parts.is_empty() {
            return self.shortage(shortage);
        }
        format!("{} ({})", self.shortage(shortage), parts.join("; "))
    }

    /// Why a unit may be of no use now.
    fn unit_in_words(&self, scheduler: &Scheduler<'_>, unit: UnitId) -> Option<String> {
        let name = self.unit(unit);
        match scheduler.unit_state(unit) {
            Ok(UnitState::Down) => return Some(format!("{name} is down")),
            Ok(UnitState::Draining) => return Some(format!("{name} is draining")),
            Ok(UnitState::Up) | Err(_) => {}
        }
        let leases = scheduler.leases_at(unit).into_iter().flatten();
        let holders = leases.filter_map(|lease| scheduler.job_of(lease).ok());
        let mut holders: Vec<String> =
            holders.take(4).map(|job| format!("`{}`", self.job(job))).collect();
        holders.dedup();
        (!holders.is_empty()).then(|| format!("{name} is leased to {}", holders.join(", ")))
    }
}

/// A name as a terminal can show it: what would steer the terminal is replaced.
pub(crate) fn printable(name: &str) -> Cow<'_, str> {
    if name.chars().any(char::is_control) {
        name.replace(char::is_control, "\u{fffd}").into()
    } else {
        name.into()
    }
}

fn count(count: u32, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn units(count: u32) -> String {
    if count == 1 { "1 unit".to_owned() } else { format!("{count} units") }
}
