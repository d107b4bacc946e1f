//! The same plan once more, up to an instant: the same core comes to the same state.

use lineside_backends::{Driver, Sim, Tables};
use lineside_core::{Reason, Scheduler};

use crate::columns::Recorder;
use crate::plan::Plan;

/// Plans up to a number of events and hands over the scheduler, and the reasons of the grants of
/// the last instant with their leases.
pub(crate) fn replay<T>(
    plan: &Plan,
    events: u32,
    look: impl FnOnce(&mut Scheduler<'_>, &[(u32, Reason)]) -> T,
) -> T {
    let events = events as usize;
    let instant = events.checked_sub(1).and_then(|last| plan.columns.t.get(last).copied());
    let mut recorder = Recorder::new(plan.line.units.len(), instant);
    let mut tables = Tables::for_workload(&plan.workload);
    let sim = Sim::new(&plan.workload);
    let mut driver = Driver::new(&plan.workload, tables.storage(), sim, &mut recorder)
        .expect("the same workload was planned before");
    while recorder.columns.t.len() < events && driver.round(&mut recorder) {}
    look(driver.scheduler_mut(), &recorder.reasons)
}
