//! Scripts as people read them: a line a call, with what is not as usual.

use std::fmt::{Display, Formatter, Result};

use super::{Call, Script, What};
use crate::model::{self, Edge, EdgeKind, EndCause, JobSpec, On, Policy, StreamSpec, UnitSpec};

impl Display for Script {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "policy{}", unlike(&self.policy, &Policy::default()))?;
        for (at, unit) in self.units.iter().enumerate() {
            writeln!(f, "unit {at}{}", unlike(unit, &UnitSpec::default()))?;
        }
        for (at, model) in self.models.iter().enumerate() {
            writeln!(f, "model {at}: {} bytes", model.weights)?;
        }
        for (at, StreamSpec { limit }) in self.streams.iter().enumerate() {
            writeln!(
                f,
                "stream {at}: {}",
                limit.map_or("no limit".to_owned(), |it| it.to_string())
            )?;
        }
        let mut jobs = 0;
        for Call { now, what } in &self.calls {
            write!(f, "@{now} ")?;
            match what {
                What::Submit(spec, edges) => {
                    write!(f, "submit job {jobs}{}", unlike(&**spec, &JobSpec::default()))?;
                    edges.iter().try_for_each(|edge| write!(f, " {}", edge_in_words(edge)))?;
                    writeln!(f)?;
                    // A submit that is refused takes no number, so this may count too far.
                    jobs += 1;
                }
                call => writeln!(f, "{}", call_in_words(call))?,
            }
        }
        Ok(())
    }
}

fn call_in_words(call: &What) -> String {
    match call {
        What::Submit(..) => "submit".to_owned(),
        What::Arrive(job, fed) => format!("arrive job {job} with {fed} images"),
        What::Feed(job) => format!("feed job {job}"),
        What::Cancel(job) => format!("cancel job {job}"),
        What::Finish(lease) => format!("finish lease {lease}"),
        What::Fail(lease) => format!("fail lease {lease}"),
        What::GivenBack(lease) => format!("given back lease {lease}"),
        What::Down(unit) => format!("down unit {unit}"),
        What::Drain(unit) => format!("drain unit {unit}"),
        What::Up(unit) => format!("up unit {unit}"),
        What::Timeout => "handle a timeout".to_owned(),
        What::Walk => "walk".to_owned(),
        What::Circle => "walk to the end and look for circles".to_owned(),
        What::GiveAllBack => "give all back".to_owned(),
        What::Remove(job) => format!("remove job {job}"),
    }
}

/// What was said, a line each: `5 grant job 1, lease 1 on [0], ticket 1`.
pub fn in_words(events: &[model::Event]) -> Vec<String> {
    events.iter().map(|event| format!("{} {}", event.t, event_in_words(&event.what))).collect()
}

fn event_in_words(what: &model::What) -> String {
    use model::What;
    match what {
        What::Ready { job, ticket } => format!("ready job {job}, ticket {ticket}"),
        What::Evict { unit, model } => format!("evict model {model} from unit {unit}"),
        What::Grant { job, lease, units, ticket, .. } => {
            format!("grant job {job}, lease {lease} on {units:?}, ticket {ticket}")
        }
        What::Start { lease, first, count, .. } => format!("start lease {lease}, {first}+{count}"),
        What::Done { lease, first, count, .. } => format!("done lease {lease}, {first}+{count}"),
        What::Fail { lease, first, count, .. } => format!("fail lease {lease}, {first}+{count}"),
        What::Revoke { lease, cause, .. } => format!("revoke lease {lease}, {cause:?}"),
        What::Release { lease, .. } => format!("release lease {lease}"),
        What::End { job, state, cause: EndCause::None } => format!("end job {job}, {state:?}"),
        What::End { job, state, cause } => format!("end job {job}, {state:?}, {cause:?}"),
        What::Unit { unit, state } => format!("unit {unit}, {state:?}"),
    }
}

fn edge_in_words(edge: &Edge) -> String {
    let Edge { upstream, kind } = edge;
    match kind {
        EdgeKind::Barrier(On::Success) => format!("after {upstream}"),
        EdgeKind::Barrier(On::End) => format!("after the end of {upstream}"),
        EdgeKind::Stream { depth: 0 } => format!("streaming from {upstream}"),
        EdgeKind::Stream { depth } => format!("streaming from {upstream} with depth {depth}"),
    }
}

/// The fields in which a value is unlike the usual one, out of what `Debug` says of both.
fn unlike<T: std::fmt::Debug>(value: &T, usual: &T) -> String {
    let lines = |value: &T| -> Vec<String> {
        // Fields of structs stand four columns in; what is nested in them is kept together.
        let text = format!("{value:#?}").replace("\n        ", " ").replace("\n    )", ")");
        text.lines().map(|line| line.trim().trim_end_matches(',').to_owned()).collect()
    };
    let (value, usual) = (lines(value), lines(usual));
    value.iter().filter(|line| !usual.contains(line)).map(|line| format!(" {line}")).collect()
}
