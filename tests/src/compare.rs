//! A line file on both sides: the reference model and the product.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lineside_backends::Workload;
use lineside_line::NoFiles;

use crate::bridge;
use crate::model::{self, Line, Names, Run};
use crate::plan::{Plan, Reasons, plan};

/// Who reads the file for the product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// The model's reader, so that only core, driver and simulator are compared.
    Model,
    /// The product's own.
    Product,
}

/// Plans a line on both sides; what came of it, if that is the same.
///
/// # Errors
///
/// The first difference, in words; or that the model refuses the file.
///
/// # Panics
///
/// As [`plan`].
///
/// ```
/// use lineside_tests::compare::{Reader, compare};
///
/// let text = "[[device]]\nname = \"gpu0\"\n[[job]]\nname = \"A\"\ntime = \"5ms\"\n";
/// assert_eq!(compare(text, Reader::Product).unwrap().exit_code, 0);
/// ```
pub fn compare(text: &str, reader: Reader) -> Result<Run, String> {
    let line = model::read(text).map_err(|refusal| format!("the model refuses it: {refusal}"))?;
    let run = model::simulate(&line);
    let (plan, ()) = plan(&workload(text, &line, reader)?, Reasons::NotAsked, |_, _| {});
    difference(&line, &run, &plan).map_or(Ok(run), Err)
}

/// What differs between the two, a panic of either among it; none if the model refuses the file.
pub fn differs(text: &str, reader: Reader) -> Option<String> {
    model::read(text).ok()?;
    match catch_unwind(AssertUnwindSafe(|| compare(text, reader))) {
        Ok(compared) => compared.err(),
        Err(panic) => Some(format!("panic: {}", words_of(&*panic))),
    }
}

/// What a panic said.
pub fn words_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("(no words)").to_owned()
}

fn workload(text: &str, line: &Line, reader: Reader) -> Result<Workload, String> {
    match reader {
        Reader::Model => Ok(bridge::workload(line)),
        Reader::Product => {
            let read = lineside_line::read(text, &NoFiles);
            let checked = read.map_err(|problems| format!("the product refuses it: {problems:?}"));
            Ok(Workload::from_line(&checked?.line))
        }
    }
}

/// What a plan has that the model's run has not, or the other way round.
pub fn difference(line: &Line, run: &Run, plan: &Plan) -> Option<String> {
    let difference = trace_difference(&line.names, &run.events, &plan.events);
    if difference.is_some() {
        return difference;
    }
    if run.exit_code != plan.exit_code {
        return Some(format!("exit code: model {}, product {}", run.exit_code, plan.exit_code));
    }
    let stuck: Vec<usize> = plan.stuck.iter().map(|&(job, _)| job).collect();
    (run.stuck != stuck).then(|| format!("stuck: model {:?}, product {stuck:?}", run.stuck))
}

/// The first line in which two traces differ, with the two before it.
fn trace_difference(
    names: &Names,
    model: &[model::Event],
    product: &[model::Event],
) -> Option<String> {
    // Byte for byte, as a user would compare them.
    let (model, product) = (model::trace(names, model), model::trace(names, product));
    if model == product {
        return None;
    }
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (model, product) = (lines(&model), lines(&product));
    let at = model.iter().zip(&product).take_while(|(left, right)| left == right).count();
    let nth = |lines: &[String]| lines.get(at).map_or("(ends)".to_owned(), String::clone);
    let before = model[at.saturating_sub(2)..at].iter().map(|line| format!("        {line}\n"));
    let before: String = before.collect();
    let (model, product) = (nth(&model), nth(&product));
    Some(format!("event {at}\n{before}model   {model}\nproduct {product}"))
}
