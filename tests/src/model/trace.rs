//! Section 7: the trace.

use super::{Cause, EndCause, Event, Names, State, UnitState, What};

/// Events as JSON Lines, byte for byte as the rules have them; each line ends with a newline.
pub fn trace(names: &Names, events: &[Event]) -> String {
    events.iter().map(|event| trace_line(names, event) + "\n").collect()
}

fn trace_line(names: &Names, Event { t, what }: &Event) -> String {
    let job = |index: usize| text(&names.jobs[index]);
    let unit = |index: usize| text(&names.units[index]);
    let units = |list: &[usize]| {
        let list: Vec<String> = list.iter().map(|&index| unit(index)).collect();
        format!("[{}]", list.join(","))
    };
    let images = |index: &usize, lease: &usize, first: &u64, count: &u64| {
        format!(r#""job":{},"lease":{lease},"first":{first},"count":{count}"#, job(*index))
    };
    let (ev, keys) = match what {
        What::Ready { job: index, ticket } => {
            ("ready", format!(r#""job":{},"ticket":{ticket}"#, job(*index)))
        }
        What::Evict { unit: index, model } => {
            let model = text(&names.models[*model]);
            ("evict", format!(r#""unit":{},"model":{model}"#, unit(*index)))
        }
        What::Grant { job: index, lease, units: list, ticket, cold, fallback } => {
            let head = format!(r#""job":{},"lease":{lease},"units":{}"#, job(*index), units(list));
            let tail = format!(r#""ticket":{ticket},"cold":{cold},"fallback":{fallback}"#);
            ("grant", format!("{head},{tail}"))
        }
        What::Start { job, lease, first, count } => ("start", images(job, lease, first, count)),
        What::Done { job, lease, first, count } => ("done", images(job, lease, first, count)),
        What::Fail { job, lease, first, count } => ("fail", images(job, lease, first, count)),
        What::Revoke { job: index, lease, cause } => {
            let cause = text(revoke_cause(*cause));
            ("revoke", format!(r#""job":{},"lease":{lease},"cause":{cause}"#, job(*index)))
        }
        What::Release { job: index, lease, units: list } => {
            let list = units(list);
            ("release", format!(r#""job":{},"lease":{lease},"units":{list}"#, job(*index)))
        }
        What::End { job: index, state, cause } => {
            let (state, cause) = (text(end_state(*state)), end_cause(names, *cause));
            ("end", format!(r#""job":{},"state":{state},"cause":{cause}"#, job(*index)))
        }
        What::Unit { unit: index, state } => {
            let state = text(unit_state(*state));
            ("unit", format!(r#""unit":{},"state":{state}"#, unit(*index)))
        }
    };
    format!(r#"{{"t":{t},"ev":"{ev}",{keys}}}"#)
}

pub(crate) fn revoke_cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Timeout => "timeout",
        Cause::Cancel => "cancel",
        Cause::Skipped => "skipped",
        Cause::Failed => "failed",
        Cause::Device => "device",
        Cause::Circle => "circle",
    }
}

pub(crate) fn end_state(state: State) -> &'static str {
    match state {
        State::Done => "done",
        State::Failed => "failed",
        State::Cancelled => "cancelled",
        State::Skipped => "skipped",
    }
}

fn end_cause(names: &Names, cause: EndCause) -> String {
    match cause {
        EndCause::None => "null".to_string(),
        EndCause::Error => text("error"),
        EndCause::Timeout => text("timeout"),
        EndCause::Device => text("device"),
        EndCause::Cancel => text("cancel"),
        EndCause::Upstream(job) => text(&names.jobs[job]),
    }
}

pub(crate) fn unit_state(state: UnitState) -> &'static str {
    match state {
        UnitState::Up => "up",
        UnitState::Draining => "draining",
        UnitState::Down => "down",
    }
}

/// A JSON string: nothing escaped but `"`, `\`, and control characters.
fn text(text: &str) -> String {
    let mut json = String::from('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\0'..='\u{1f}' => json.push_str(&format!("\\u{:04x}", character as u32)),
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn a_string_escapes_what_json_demands_and_no_more() {
        assert_eq!(text("a\"b\\c\n\u{1}\u{7f}é/"), "\"a\\\"b\\\\c\\n\\u0001\u{7f}é/\"");
    }
}
