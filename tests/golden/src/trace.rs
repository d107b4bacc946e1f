//! The trace (semantics, section 7), written straight from what the core says.

use core::fmt::{Result, Write};

use lineside_core::{
    Event, Failure, JobId, LeaseId, Outcome, RevokeCause, Scheduler, UnitId, UnitState,
};

/// What units, jobs and models are called, by index.
///
/// ```
/// use lineside_golden::Names;
/// let names = Names { units: &["gpu0"], jobs: &["detect"], models: &[] };
/// assert_eq!(names.jobs[0], "detect");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Names<'n> {
    /// Names of the units.
    pub units: &'n [&'n str],
    /// Names of the jobs.
    pub jobs: &'n [&'n str],
    /// Names of the models.
    pub models: &'n [&'n str],
}

/// Writes an event as one line, with its end. `scheduler` is the one that the event came with.
///
/// # Errors
///
/// Those of `out`.
///
/// # Panics
///
/// If there is no name for an index, or the event is not of this moment of the scheduler.
///
/// ```
/// use lineside_core::*;
/// use lineside_golden::{Names, write_event};
///
/// let mut memory = Memory::<1, 1, 1, 1, 1, 1, 1>::new();
/// let mut scheduler = Scheduler::new(Policy::default(), memory.storage());
/// let names = Names { units: &[], jobs: &["a"], models: &[] };
/// let mut text = String::new();
/// let mut out = |core: &Scheduler, event| write_event(&mut text, &names, core, event).unwrap();
/// let job = scheduler.submit(0, &JobSpec::default(), &[], &mut out)?;
/// scheduler.arrive(5, job, 1, &mut out)?;
/// assert_eq!(text, "{\"t\":5,\"ev\":\"ready\",\"job\":\"a\",\"ticket\":0}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_event(
    out: &mut dyn Write,
    names: &Names<'_>,
    scheduler: &Scheduler<'_>,
    event: Event,
) -> Result {
    let mut object = Object { out, names, scheduler };
    object.number("{\"t\":", scheduler.now())?;
    object.raw(",\"ev\":\"")?;
    object.event(event)?;
    object.raw("}\n")
}

/// An object being written.
struct Object<'o> {
    out: &'o mut dyn Write,
    names: &'o Names<'o>,
    scheduler: &'o Scheduler<'o>,
}

impl Object<'_> {
    fn event(&mut self, event: Event) -> Result {
        match event {
            Event::Ready { job, ticket } => {
                self.job("ready", job)?;
                self.number(",\"ticket\":", ticket)
            }
            Event::Evict { unit, model } => {
                self.unit("evict", unit)?;
                self.raw(",\"model\":")?;
                self.text(self.names.models[model.0 as usize])
            }
            Event::Grant { job, lease, number, ticket, cold, fallback } => {
                self.job("grant", job)?;
                self.number(",\"lease\":", number)?;
                self.units(lease)?;
                self.number(",\"ticket\":", ticket)?;
                self.flag(",\"cold\":", cold)?;
                self.flag(",\"fallback\":", fallback)
            }
            Event::Start { job, lease, first, count } => {
                self.images("start", job, lease, first, count)
            }
            Event::Done { job, lease, first, count } => {
                self.images("done", job, lease, first, count)
            }
            Event::Fail { job, lease, first, count } => {
                self.images("fail", job, lease, first, count)
            }
            Event::Revoke { job, lease, cause } => {
                self.job("revoke", job)?;
                self.lease(lease)?;
                self.word(",\"cause\":", revoke_cause(cause))
            }
            Event::Release { job, lease } => {
                self.job("release", job)?;
                self.lease(lease)?;
                self.units(lease)
            }
            Event::End { job, outcome } => {
                self.job("end", job)?;
                self.outcome(outcome)
            }
            Event::Unit { unit, state } => {
                self.unit("unit", unit)?;
                self.word(",\"state\":", unit_state(state))
            }
        }
    }

    fn images(&mut self, name: &str, job: JobId, lease: LeaseId, first: u32, count: u32) -> Result {
        self.job(name, job)?;
        self.lease(lease)?;
        self.number(",\"first\":", first.into())?;
        self.number(",\"count\":", count.into())
    }

    fn outcome(&mut self, outcome: Outcome) -> Result {
        let (state, cause) = match outcome {
            Outcome::Done => ("done", None),
            Outcome::Failed(Failure::Error) => ("failed", Some("error")),
            Outcome::Failed(Failure::Timeout) => ("failed", Some("timeout")),
            Outcome::Failed(Failure::Device) => ("failed", Some("device")),
            Outcome::Cancelled => ("cancelled", Some("cancel")),
            Outcome::Skipped(by) => ("skipped", Some(self.names.jobs[by.index as usize])),
        };
        self.word(",\"state\":", state)?;
        self.raw(",\"cause\":")?;
        match cause {
            Some(cause) => self.text(cause),
            None => self.raw("null"),
        }
    }

    /// The name of the event, and the job.
    fn job(&mut self, name: &str, job: JobId) -> Result {
        self.raw(name)?;
        self.raw("\",\"job\":")?;
        self.text(self.names.jobs[job.index as usize])
    }

    /// The name of the event, and the unit.
    fn unit(&mut self, name: &str, unit: UnitId) -> Result {
        self.raw(name)?;
        self.raw("\",\"unit\":")?;
        self.text(self.names.units[unit.0 as usize])
    }

    fn lease(&mut self, lease: LeaseId) -> Result {
        let number = self.scheduler.number_of(lease);
        self.number(",\"lease\":", number.expect("an event comes before its lease is over"))
    }

    fn units(&mut self, lease: LeaseId) -> Result {
        self.raw(",\"units\":[")?;
        let units = self.scheduler.units_of(lease);
        let units = units.expect("an event comes before its lease is over");
        for (at, unit) in units.enumerate() {
            if at > 0 {
                self.raw(",")?;
            }
            self.text(self.names.units[unit.0 as usize])?;
        }
        self.raw("]")
    }

    fn flag(&mut self, key: &str, flag: bool) -> Result {
        self.raw(key)?;
        self.raw(if flag { "true" } else { "false" })
    }

    fn word(&mut self, key: &str, word: &str) -> Result {
        self.raw(key)?;
        self.text(word)
    }

    fn number(&mut self, key: &str, number: u64) -> Result {
        self.raw(key)?;
        write_number(self.out, number)
    }

    fn text(&mut self, text: &str) -> Result {
        write_text(self.out, text)
    }

    fn raw(&mut self, text: &str) -> Result {
        self.out.write_str(text)
    }
}

/// Writes a number without `format_args!`, which would bring half of the formatting into a small
/// image.
///
/// # Errors
///
/// Those of `out`.
///
/// ```
/// let mut text = String::new();
/// lineside_golden::write_number(&mut text, u64::MAX).unwrap();
/// assert_eq!(text, u64::MAX.to_string());
/// ```
pub fn write_number(out: &mut dyn Write, number: u64) -> Result {
    let mut digits = [0_u8; 20];
    let mut start = digits.len();
    let mut rest = number;
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    digits[start..].iter().try_for_each(|&digit| out.write_char(digit.into()))
}

/// A JSON string in which nothing is escaped but `"`, `\` and control characters.
fn write_text(out: &mut dyn Write, text: &str) -> Result {
    out.write_char('"')?;
    for letter in text.chars() {
        match letter {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\u{8}' => out.write_str("\\b")?,
            '\u{c}' => out.write_str("\\f")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            '\0'..' ' => {
                out.write_str(if letter < '\u{10}' { "\\u000" } else { "\\u001" })?;
                let digit = char::from_digit(u32::from(letter) % 16, 16);
                out.write_char(digit.unwrap_or('0'))?;
            }
            _ => out.write_char(letter)?,
        }
    }
    out.write_char('"')
}

fn revoke_cause(cause: RevokeCause) -> &'static str {
    match cause {
        RevokeCause::Timeout => "timeout",
        RevokeCause::Cancel => "cancel",
        RevokeCause::Skipped => "skipped",
        RevokeCause::Failed => "failed",
        RevokeCause::Device => "device",
        RevokeCause::Circle => "circle",
    }
}

fn unit_state(state: UnitState) -> &'static str {
    match state {
        UnitState::Up => "up",
        UnitState::Draining => "draining",
        UnitState::Down => "down",
    }
}
