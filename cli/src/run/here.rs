//! What of a line is on this machine.

use lineside_backends::host::HostUnit;
use lineside_backends::{Tables, Workload};
use lineside_core::{Policy, Scheduler, UnitId};
use lineside_line::{Line, Place};

use crate::Refusal;
use crate::words::printable;

/// Units that are not on this machine.
pub(crate) fn absent_units(units: &[HostUnit]) -> Vec<UnitId> {
    units.iter().filter(|unit| !unit.here).map(|unit| unit.id).collect()
}

/// A job that needs what isn't here is refused before anything starts.
pub(crate) fn check_fits(line: &Line, absent: &[UnitId]) -> Result<(), Refusal> {
    let mut here = Workload::from_line(line);
    let mut index = 0;
    here.units.retain(|_| {
        index += 1;
        !absent.contains(&UnitId(index - 1))
    });
    let mut tables = Tables::for_workload(&here);
    let mut scheduler = Scheduler::new(Policy::default(), tables.storage());
    for model in &here.models {
        let _ = scheduler.add_model(*model);
    }
    for unit in &here.units {
        let _ = scheduler.add_unit(unit);
    }
    let unfit = (0..line.jobs.len() as u32)
        .filter(|&job| !scheduler.fits(&here.class_of(job).spec))
        .map(|job| format!("`{}`", printable(&line.jobs[job as usize].name)));
    let unfit: Vec<String> = unfit.collect();
    if unfit.is_empty() {
        return Ok(());
    }
    let names = |place: fn(Place) -> bool| {
        let units = line.units.iter().filter(|unit| place(unit.place));
        let names: Vec<&str> = units.map(|unit| unit.name.as_str()).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    };
    Err(Refusal(format!(
        "error: {} can't run here: of the line's units, here are: {}; not here: {}\n\
         help: set `fallback = \"allow\"` where a job may run on a CPU place instead, and see that \
         one is large enough",
        unfit.join(", "),
        names(|place| place == Place::Cpu),
        names(|place| place != Place::Cpu),
    )))
}
