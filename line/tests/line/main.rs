//! The line file, checked from outside.

#[cfg(feature = "bundle")]
mod bundle;
mod cases;
mod drain;
mod drawn;
mod faces;
mod faults;
mod hardware;
mod hostile;
mod large;
mod programs;
mod random;
mod trace;
mod values;
mod warnings;

use lineside_line::{Checked, NoFiles, Problem, read};

/// `code line:column` of each problem.
fn places(problems: &[Problem]) -> Vec<String> {
    let place = |problem: &Problem| {
        format!("{} {}:{}", problem.code, problem.span.line, problem.span.column)
    };
    problems.iter().map(place).collect()
}

fn refused(text: &str) -> Vec<String> {
    places(&read(text, &NoFiles).expect_err("the file is refused"))
}

fn taken(text: &str) -> Checked {
    match read(text, &NoFiles) {
        Ok(checked) => checked,
        Err(problems) => panic!("refused: {:?}", places(&problems)),
    }
}
