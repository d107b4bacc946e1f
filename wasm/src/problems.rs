//! Problems as JSON, with places as a page counts them.

use lineside_line::{Checked, Problem};
use serde::Serialize;

use crate::json;

/// A problem as `lineside check --json` prints it, and its range in the text in UTF-16.
#[derive(Serialize)]
struct Placed<'p> {
    #[serde(flatten)]
    problem: &'p Problem,
    from: usize,
    to: usize,
}

pub(crate) fn json(text: &str, read: &Result<Checked, Vec<Problem>>) -> String {
    let problems = match read {
        Ok(checked) => &checked.warnings,
        Err(problems) => problems,
    };
    let places = json::Utf16::new(text);
    let placed = problems.iter().map(|problem| Placed {
        problem,
        from: places.at(problem.span.bytes.start),
        to: places.at(problem.span.bytes.end),
    });
    json::text(&placed.collect::<Vec<_>>())
}
