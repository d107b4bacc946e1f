//! Lines in a compact form, and their plans.

use alloc::vec::Vec;
use core::fmt::{self, Write};

use lineside_backends::{Driver, Sim, Tables, Workload};
use lineside_core::{AddError, Event, Outcome, Scheduler};

use crate::trace::{Names, write_event};

/// A line as it travels to another machine: postcard of this.
///
/// ```
/// use lineside_golden::Encoded;
/// assert!(Encoded::default().workload.jobs.is_empty());
/// ```
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Encoded<'n> {
    /// Names of the units.
    #[serde(borrow)]
    pub units: Vec<&'n str>,
    /// Names of the jobs.
    pub jobs: Vec<&'n str>,
    /// Names of the models.
    pub models: Vec<&'n str>,
    /// Everything that the rules look at.
    pub workload: Workload,
}

/// Why there is no plan.
///
/// ```
/// use lineside_golden::{PlanError, plan};
/// assert!(matches!(plan(&[1], &mut String::new()), Err(PlanError::Encoding(_))));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// The bytes are not a line.
    Encoding(postcard::Error),
    /// The line is not one that was checked.
    Refused(AddError),
    /// The trace could not be written.
    Output,
}

/// Plans an encoded line in virtual time and writes its trace. Answers the exit code of
/// `lineside plan`.
///
/// # Errors
///
/// [`PlanError`].
pub fn plan(encoded: &[u8], out: &mut dyn Write) -> Result<u8, PlanError> {
    let line: Encoded<'_> = postcard::from_bytes(encoded).map_err(PlanError::Encoding)?;
    let names = Names { units: &line.units, jobs: &line.jobs, models: &line.models };
    let mut written: fmt::Result = Ok(());
    let mut note = |scheduler: &Scheduler<'_>, event: Event| {
        written = written.and_then(|()| write_event(out, &names, scheduler, event));
    };
    let mut tables = Tables::for_workload(&line.workload);
    let sim = Sim::new(&line.workload);
    let mut driver = Driver::new(&line.workload, tables.storage(), sim, &mut note)
        .map_err(PlanError::Refused)?;
    driver.run(&mut note);
    let code = exit_code(&line.workload, driver.scheduler());
    drop(driver);
    written.map(|()| code).map_err(|fmt::Error| PlanError::Output)
}

/// 3 if a job is stuck, else 1 if one ended otherwise than done, else 0.
fn exit_code(workload: &Workload, scheduler: &Scheduler<'_>) -> u8 {
    let code = |job| match scheduler.outcome(Driver::<Sim<'_>>::job_id(job)) {
        Ok(Some(Outcome::Done)) => 0,
        Ok(Some(Outcome::Failed(_) | Outcome::Cancelled | Outcome::Skipped(_))) => 1,
        Ok(None) | Err(_) => 3,
    };
    (0..workload.jobs.len() as u32).map(code).max().unwrap_or(0)
}
