//! The same plan once more, up to an instant: the same core comes to the same state.

use lineside_backends::{Driver, Observer, Sim, Tables};
use lineside_core::{Event, Nanos, Reason, Scheduler};

use crate::plan::Plan;

/// Counts events, and keeps the reasons of the grants of one instant.
struct Follower {
    events: u32,
    grants: u32,
    instant: Nanos,
    reasons: Vec<(u32, Reason)>,
}

impl Observer for Follower {
    fn event(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        self.events += 1;
        if matches!(event, Event::Grant { .. }) {
            self.grants += 1;
            if scheduler.now() != self.instant {
                self.reasons.clear();
            }
        }
    }

    fn wants_reasons(&self) -> bool {
        true
    }

    fn reason(&mut self, reason: Reason) {
        self.reasons.push((self.grants, reason));
    }
}

/// Plans up to a number of events and hands over the scheduler, and the reasons of the grants of
/// the last instant with their leases.
pub(crate) fn replay<T>(
    plan: &Plan,
    events: u32,
    look: impl FnOnce(&mut Scheduler<'_>, &[(u32, Reason)]) -> T,
) -> T {
    let instant = events.checked_sub(1).and_then(|last| plan.columns.t.get(last as usize).copied());
    let instant = instant.unwrap_or(0);
    let mut follower = Follower { events: 0, grants: 0, instant, reasons: Vec::new() };
    let mut tables = Tables::for_workload(&plan.workload);
    let sim = Sim::new(&plan.workload);
    let mut driver = Driver::new(&plan.workload, tables.storage(), sim, &mut follower)
        .expect("the same workload was planned before");
    while follower.events < events && driver.round(&mut follower) {}
    look(driver.scheduler_mut(), &follower.reasons)
}
