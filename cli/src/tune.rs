//! `lineside tune`: better settings for this box, by measuring.

mod measure;
mod search;
mod settings;
mod table;
mod write;

#[cfg(test)]
mod tests;

use crate::arguments::tune::Tune;
use crate::machine::Machine;
use crate::{DONE, Refusal, file, terminal};

use self::measure::{Plans, Runs};
use self::search::{Limits, Measure, search};

pub(crate) fn tune(arguments: &Tune) -> Result<u8, Refusal> {
    if crate::bundle::is_bundle(&arguments.file) {
        let help = "help: tune the line file, and pack it again";
        return Err(Refusal(format!("error: a bundle can't be changed\n{help}")));
    }
    let machine = Machine::plain();
    let here = machine.name();
    let opened = file::open_to_run(&arguments.file, &Default::default(), &machine)?;
    let line = &opened.checked.line;
    let limits = Limits { passes: arguments.passes.max(3), ..Limits::default() };
    let (mut plans, mut runs) = (Plans { line }, None);
    if !arguments.plan {
        runs = Some(Runs::new(&arguments.file, line, here.clone())?);
    }
    let mut measure: Box<Measure<'_>> = match &mut runs {
        Some(runs) => Box::new(|settings| runs.pass(settings)),
        None => Box::new(|settings| plans.pass(settings)),
    };
    let mut rows = table::Rows::new(line);
    terminal::talk(&rows.heading());
    let tuned = search(line, limits, &mut *measure, &mut |row| terminal::talk(&rows.row(row)))
        .map_err(|why| Refusal(format!("error: the line can't be measured: {why}")))?;
    drop(measure);
    let text = match arguments.json {
        true => format!("{}\n", table::json(line, &tuned)),
        false => table::text(line, &tuned),
    };
    terminal::print(&text)?;
    terminal::talk(&table::conclusion(line, &tuned));
    if !arguments.dry_run {
        write::write(&arguments.file, line, &here, &tuned)?;
        let file = arguments.file.display();
        terminal::talk(&format!("{file}: `[[hardware]]` for {here}\n"));
    }
    Ok(DONE)
}
