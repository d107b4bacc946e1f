//! Sections 1 and 6: the line file, read and checked.
//!
//! It is stricter than it is helpful: the first fault that it finds is the one it names.

mod devices;
mod faces;
mod fields;
mod graph;
mod jobs;
mod values;

use toml::{Table, Value};

use self::fields::{Fields, Named};
use super::{Fallback, Fault, FaultEvent, Line, ModelSpec, Names, Order, Placement, Policy};
use super::{Pool, StreamSpec, Time};

/// What tables of the file refer to by name.
struct Tables {
    devices: devices::Devices,
    models: Named<Loaded>,
    streams: Named<StreamSpec>,
}

/// A `[[model]]`.
struct Loaded {
    spec: ModelSpec,
    cold: Time,
}

/// Reads the text of a line file, or says why it is refused.
///
/// `images` as a glob is refused: there are no files here for it to match.
pub fn read(text: &str) -> Result<Line, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let table = faces::expand(table)?;
    let known = ["line", "policy", "device", "model", "stream", "hardware", "job", "fault"];
    let file = Fields::new(&table, "the file", &known)?;
    if let Some(line) = file.table("line")? {
        let line = Fields::new(line, "[line]", &["name", "description", "files"])?;
        line.text("name")?;
        line.text("description")?;
    }
    let empty = Table::new();
    let (policy, fallback) = read_policy(file.table("policy")?.unwrap_or(&empty))?;
    let tables = Tables {
        devices: devices::read_devices(&file.tables("device")?)?,
        models: read_models(&file.tables("model")?)?,
        streams: read_streams(&file.tables("stream")?)?,
    };
    let jobs = jobs::read_jobs(&file.tables("job")?, &tables, fallback)?;
    let jobs = graph::order(jobs)?;
    graph::check_drains(&jobs.items)?;
    for (name, job) in jobs.names.iter().zip(&jobs.items) {
        let weights = |index: usize| tables.models.items[index].spec.weights;
        let weights = job.spec.model.map_or(0, weights);
        graph::check_fits(name, &job.spec, weights, &tables.devices.units.items, &policy)?;
    }
    let faults = read_faults(&file.tables("fault")?, &tables, &jobs)?;
    Ok(Line {
        policy,
        cold: tables.models.items.iter().map(|model| model.cold).collect(),
        models: tables.models.items.into_iter().map(|model| model.spec).collect(),
        streams: tables.streams.items,
        units: tables.devices.units.items,
        jobs: jobs.items,
        faults,
        names: Names {
            units: tables.devices.units.names,
            jobs: jobs.names,
            models: tables.models.names,
        },
    })
}

fn read_policy(table: &Table) -> Result<(Policy, Fallback), String> {
    let known = ["order", "placement", "overtake", "patience", "fallback", "pool", "headroom"];
    let fields = Fields::new(table, "[policy]", &known)?;
    let orders = [
        ("standard-first", Order::StandardFirst),
        ("fifo", Order::Fifo),
        ("oldest-image", Order::OldestImage),
        ("critical-path", Order::CriticalPath),
    ];
    let placements = [
        ("fit", Placement::Fit),
        ("balance", Placement::Balance),
        ("rotate", Placement::Rotate),
        ("pack", Placement::Pack),
    ];
    let pools = [("keep", Pool::Keep), ("free", Pool::Free)];
    let default = Policy::default();
    let policy = Policy {
        order: fields.choice("order", &orders)?.unwrap_or_default(),
        placement: fields.choice("placement", &placements)?.unwrap_or_default(),
        overtake: fields.whole("overtake", 0..=u64::MAX)?.unwrap_or(default.overtake),
        patience: fields.duration("patience", 1)?,
        pool: fields.choice("pool", &pools)?.unwrap_or_default(),
        headroom: fields.whole("headroom", 0..=100)?.unwrap_or(default.headroom),
    };
    Ok((policy, fields.choice("fallback", &fields::FALLBACKS)?.unwrap_or_default()))
}

fn read_models(tables: &[&Table]) -> Result<Named<Loaded>, String> {
    let mut models = Named::new("model");
    for table in tables {
        let fields = Fields::new(table, "[[model]]", &["name", "weights", "cold", "file"])?;
        let weights = fields.memory("weights")?.unwrap_or(0);
        let cold = fields.duration("cold", 0)?.unwrap_or(0);
        models.add(fields.name()?, Loaded { spec: ModelSpec { weights }, cold })?;
    }
    Ok(models)
}

fn read_streams(tables: &[&Table]) -> Result<Named<StreamSpec>, String> {
    let mut streams = Named::new("stream");
    for table in tables {
        let fields = Fields::new(table, "[[stream]]", &["name", "limit"])?;
        streams.add(fields.name()?, StreamSpec { limit: fields.count("limit")? })?;
    }
    Ok(streams)
}

/// Section 6: faults; one of a device with slices stands for one of each slice, in order.
fn read_faults<J>(
    tables: &[&Table],
    names: &Tables,
    jobs: &Named<J>,
) -> Result<Vec<Fault>, String> {
    let mut faults = Vec::new();
    for table in tables {
        let fields = Fields::new(table, "[[fault]]", &["at", "unit", "job", "event"])?;
        let at = fields.duration("at", 0)?.ok_or("a [[fault]] has no `at`")?;
        let event = fields.text("event")?.ok_or("a [[fault]] has no `event`")?;
        let events: Vec<FaultEvent> = match (fields.text("unit")?, fields.text("job")?, event) {
            (Some(unit), None, "down" | "up" | "drain") => {
                let units = names.devices.units_of(unit)?.into_iter();
                units.map(|unit| unit_fault(event, unit)).collect()
            }
            (None, Some(job), "cancel") => vec![FaultEvent::Cancel(jobs.find(job)?)],
            _ => {
                return Err(format!(
                    "a [[fault]] at {at} ns strikes a unit (down, up, drain) or a job (cancel)"
                ));
            }
        };
        faults.extend(events.into_iter().map(|event| Fault { at, event }));
    }
    Ok(faults)
}

fn unit_fault(event: &str, unit: usize) -> FaultEvent {
    match event {
        "down" => FaultEvent::Down(unit),
        "up" => FaultEvent::Up(unit),
        _ => FaultEvent::Drain(unit),
    }
}

/// A list of strings, as `mig` is.
fn strings<'a>(value: &'a Value, what: &str) -> Result<Vec<&'a str>, String> {
    let refusal = || format!("{what} is a list of strings");
    let list = value.as_array().ok_or_else(refusal)?;
    list.iter().map(|entry| entry.as_str().ok_or_else(refusal)).collect()
}
