//! What to change in a line, in words.

mod devices;
mod ends;
mod starving;
mod waiting;

use lineside_line::{Fallback, Job, Line, Needs, Place, Unit};
use serde::Serialize;

use crate::record::Record;
use crate::timeline::Timeline;

/// Something to change in a line, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// What kind of trouble it is about.
    pub code: AdviceCode,
    /// For people. Names and keys of the line file stand between backquotes.
    pub text: String,
}

/// The kinds of trouble that there is advice for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdviceCode {
    /// A job has not ended, and never will.
    Stuck,
    /// A job failed, and may have taken others with it.
    Failed,
    /// Work comes faster than it gets done.
    Overload,
    /// A legacy job waits behind standard ones.
    LegacyWaits,
    /// A job holds a unit with nothing to do there.
    Starved,
    /// A lease was taken away to break a circle.
    Circle,
    /// Much time goes into loading models.
    ColdStarts,
    /// A job ran on a CPU place for want of a GPU.
    Fallback,
    /// A core of the CPU works all the time, and GPUs do not.
    BusyCore,
    /// A unit idles while jobs wait for another kind of unit.
    IdleUnit,
}

impl AdviceCode {
    /// The word of it, as it is serialised.
    ///
    /// ```
    /// assert_eq!(lineside_report::AdviceCode::ColdStarts.word(), "cold-starts");
    /// ```
    pub fn word(self) -> &'static str {
        match self {
            AdviceCode::Stuck => "stuck",
            AdviceCode::Failed => "failed",
            AdviceCode::Overload => "overload",
            AdviceCode::LegacyWaits => "legacy-waits",
            AdviceCode::Starved => "starved",
            AdviceCode::Circle => "circle",
            AdviceCode::ColdStarts => "cold-starts",
            AdviceCode::Fallback => "fallback",
            AdviceCode::BusyCore => "busy-core",
            AdviceCode::IdleUnit => "idle-unit",
        }
    }
}

/// Of each kind of trouble at most so many are named.
const EACH_AT_MOST: usize = 3;

/// What to change in a line, the gravest first; empty where all went well.
///
/// ```
/// use lineside_line::Line;
/// use lineside_report::{Record, advice};
/// assert!(advice(&Line::default(), &Record::default()).is_empty());
/// ```
pub fn advice(line: &Line, record: &Record) -> Vec<Advice> {
    of(&Timeline::read(line, record))
}

/// What finds trouble of one kind, and words for it.
type Rule = fn(&Timeline<'_>) -> Vec<String>;

pub(crate) fn of(timeline: &Timeline<'_>) -> Vec<Advice> {
    let rules: [(AdviceCode, Rule); 10] = [
        (AdviceCode::Stuck, ends::stuck),
        (AdviceCode::Failed, ends::failed),
        (AdviceCode::Overload, waiting::overload),
        (AdviceCode::LegacyWaits, waiting::legacy),
        (AdviceCode::Starved, starving::starved),
        (AdviceCode::Circle, starving::circle),
        (AdviceCode::ColdStarts, devices::cold_starts),
        (AdviceCode::Fallback, devices::fallback),
        (AdviceCode::BusyCore, devices::busy_core),
        (AdviceCode::IdleUnit, waiting::idle_unit),
    ];
    let all = rules.into_iter().flat_map(|(code, rule)| {
        rule(timeline).into_iter().take(EACH_AT_MOST).map(move |text| Advice { code, text })
    });
    all.collect()
}

/// Whether, by itself, a job could have a lease on a unit.
pub(crate) fn could_use(line: &Line, job: &Job, unit: &Unit) -> bool {
    misfit(line, job, unit).is_none()
}

/// Why a job could never have a lease on a unit.
fn misfit(line: &Line, job: &Job, unit: &Unit) -> Option<String> {
    let place = match (job.needs, unit.place) {
        (Needs::Any, _) | (Needs::Cpu, Place::Cpu) => true,
        (Needs::Gpu | Needs::Cuda, Place::Cuda) | (Needs::Gpu | Needs::Vulkan, Place::Vulkan) => {
            true
        }
        (Needs::Gpu | Needs::Cuda | Needs::Vulkan, Place::Cpu) => {
            job.fallback == Fallback::Allow && job.profile.is_none()
        }
        _ => false,
    };
    if !place {
        let needs = match job.needs {
            Needs::Gpu => "a GPU",
            Needs::Cuda => "a CUDA device",
            Needs::Vulkan => "a Vulkan device",
            Needs::Cpu => "a CPU place",
            Needs::Any => "any place",
        };
        return Some(format!("it needs {needs}"));
    }
    if job.profile.is_some() && job.profile != unit.profile {
        let profile = job.profile.and_then(|profile| line.profiles.get(profile as usize));
        return Some(format!("it needs a slice {}", profile.map_or("", |name| name)));
    }
    let weights = job.model.and_then(|model| line.models.get(model as usize));
    let needed = job.memory.saturating_add(weights.map_or(0, |model| model.weights));
    (needed > unit.budget).then(|| {
        format!("it needs {}, and {} can be leased there", bytes(needed), bytes(unit.budget))
    })
}

/// Memory in the words of people.
fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    let text = if size < 100.0 { format!("{size:.1}") } else { format!("{size:.0}") };
    format!("{} {}", text.trim_end_matches(".0"), UNITS[unit])
}

/// The first names of a list, and how many more there are.
fn some_of<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => String::new(),
        1 => names[0].clone(),
        2 | 3 => {
            let (last, first) = names.split_last().expect("there are two or three");
            format!("{} and {last}", first.join(", "))
        }
        many => format!("{}, {} and {} more", names[0], names[1], many - 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stay_short() {
        assert_eq!(some_of(["a"]), "`a`");
        assert_eq!(some_of(["a", "b", "c"]), "`a`, `b` and `c`");
        assert_eq!(some_of(["a", "b", "c", "d"]), "`a`, `b` and 2 more");
        assert_eq!(bytes(9 << 30), "9 GiB");
        assert_eq!(bytes(1_500), "1.5 KiB");
    }
}
