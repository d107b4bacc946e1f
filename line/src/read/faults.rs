//! `[[fault]]`: who is hit, and with what.

use crate::fields::{self, Fields, Given, cut, refuse};
use crate::line::{Fault, FaultEvent};
use crate::near;
use crate::problem::Code;
use crate::report::{Finding, Report};
use crate::tree::{Node, Table};
use crate::vocabulary;

use super::devices::Target;
use super::{Devices, Jobs};

/// What an event does to a unit.
type Hit = fn(u32) -> FaultEvent;

const UNIT_EVENTS: [(&str, Hit); 3] =
    [("down", FaultEvent::Down), ("up", FaultEvent::Up), ("drain", FaultEvent::Drain)];

const JOB_EVENTS: [&str; 1] = ["cancel"];

/// Reads all faults; a device with slices stands as one fault a slice.
pub(super) fn read(
    root: &Fields<'_, '_>,
    jobs: &Jobs<'_>,
    order: &[u32],
    devices: &Devices<'_>,
    lost: bool,
    report: &mut Report,
) -> Vec<Fault> {
    let mut places = vec![0_u32; jobs.drafts.len()];
    for (place, job) in (0_u32..).zip(order) {
        places[*job as usize] = place;
    }
    let reader = Reader { jobs, places: &places, devices, lost };
    let mut faults = Vec::new();
    for table in root.tables("fault", report) {
        reader.fault(table, &mut faults, report);
    }
    faults
}

struct Reader<'r, 't> {
    jobs: &'r Jobs<'t>,
    /// The index of each job in the order of the rules.
    places: &'r [u32],
    devices: &'r Devices<'t>,
    lost: bool,
}

impl Reader<'_, '_> {
    fn fault(&self, table: &Table<'_>, faults: &mut Vec<Fault>, report: &mut Report) {
        let fields = Fields::new(table, &vocabulary::FAULT, report);
        let at = fields.duration("at", 0, report);
        let at = fields.required("at", at, report).or(0).unwrap_or(0);
        match (fields.find("unit"), fields.find("job")) {
            (Some(unit), None) => {
                let target = self.unit(&unit.node, report);
                let hit = event(&fields, &UNIT_EVENTS.map(|(name, _)| name), report);
                if let (Some((first, count)), Some(hit)) = (target, hit) {
                    let hit = UNIT_EVENTS[hit].1;
                    let units = first..first + count;
                    faults.extend(units.map(|unit| Fault { at, event: hit(unit) }));
                }
            }
            (None, Some(job)) => {
                let target = self.job(&job.node, report);
                let hit = event(&fields, &JOB_EVENTS, report);
                if let (Some(job), Some(_)) = (target, hit) {
                    faults.push(Fault { at, event: FaultEvent::Cancel(job) });
                }
            }
            (Some(unit), Some(job)) => {
                let later = unit.key_at.max(job.key_at);
                report.add(
                    Finding::error(Code::FaultTarget, later, "a fault with both `unit` and `job`")
                        .help("write two faults, one for each"),
                );
            }
            (None, None) if table.broken => {}
            (None, None) => report.add(
                Finding::error(Code::MissingKey, table.at, "a fault without `unit` or `job`")
                    .help("write `unit = \"...\"` below, or `job = \"...\"`"),
            ),
        }
    }

    fn unit(&self, node: &Node<'_>, report: &mut Report) -> Option<(u32, u32)> {
        let name = fields::text(node, "unit", report)?;
        match self.devices.target(&name) {
            Some(Target::Units { first, count }) => Some((first, count)),
            Some(Target::Unknown) => None,
            None if self.lost => None,
            None => {
                let help = self.devices.help(&name, report);
                refuse(node, report, || {
                    let message = format!("there is no unit or device named `{}`", cut(&name));
                    Finding::error(Code::UnknownUnit, node.at, message).help(help)
                })
            }
        }
    }

    fn job(&self, node: &Node<'_>, report: &mut Report) -> Option<u32> {
        let name = fields::text(node, "job", report)?;
        match self.jobs.names.find(&name) {
            Some(job) => Some(self.places[job as usize]),
            None if self.lost => None,
            None => {
                let help = self.jobs.names.help(&name, report);
                refuse(node, report, || {
                    let message = format!("there is no job named `{}`", cut(&name));
                    Finding::error(Code::UnknownJob, node.at, message).help(help)
                })
            }
        }
    }
}

/// Which of the events of its target a fault names.
fn event(fields: &Fields<'_, '_>, events: &[&'static str], report: &mut Report) -> Option<usize> {
    let given = fields.read("event", |node| {
        let name = fields::text(node, "event", report)?;
        if let Some(event) = events.iter().position(|event| *event == name) {
            return Some(event);
        }
        refuse(node, report, || {
            let elsewhere = JOB_EVENTS.contains(&name.as_ref())
                || UNIT_EVENTS.iter().any(|(event, _)| *event == name);
            if elsewhere {
                let other = if events.len() == 1 { "unit" } else { "job" };
                let message = format!("\"{name}\" happens to a {other}");
                return Finding::error(Code::FaultTarget, node.at, message)
                    .help(format!("write one of \"{}\"", events.join("\", \"")));
            }
            let message = format!("`event` cannot be \"{}\"", cut(&name));
            let help = match near::slip(&name, events.iter().copied()) {
                Some(slip) => format!("write \"{slip}\""),
                None => format!("write one of \"{}\"", events.join("\", \"")),
            };
            Finding::error(Code::UnknownValue, node.at, message).help(help)
        })
    });
    match fields.required("event", given, report) {
        Given::Good(event, _) => Some(event),
        Given::Absent | Given::Bad => None,
    }
}
