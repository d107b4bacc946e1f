//! `run`, `worker` and `kernel`: what a job does, outside the rules.

use std::collections::BTreeMap;

use crate::fields::{Fields, Given, cut, refuse, wrong_type};
use crate::line::{Action, Setting};
use crate::near;
use crate::problem::Code;
use crate::program::Program;
use crate::report::{Finding, Report};
use crate::tree::{Node, Table, Value};
use crate::vocabulary;

use super::Surroundings;
use super::programs::{self, Ask};

/// The action of a job; [`Action::None`] too if it has been refused. What its placeholders stand
/// for is checked later.
pub(super) fn read(
    fields: &Fields<'_, '_>,
    surroundings: &dyn Surroundings,
    asks: &mut Vec<Ask>,
    report: &mut Report,
) -> Action {
    let shell = programs::shell(fields, report);
    let run = programs::program(fields, "run", shell, asks, report);
    let worker = programs::program(fields, "worker", shell, asks, report);
    let kernel = fields.read("kernel", |node| kernel(node, surroundings, report));
    let mut present = ["run", "worker", "kernel"]
        .into_iter()
        .filter_map(|key| fields.find(key))
        .collect::<Vec<_>>();
    present.sort_by_key(|entry| entry.key_at);
    if let [first, others @ ..] = present.as_slice() {
        for other in others {
            let message = format!("`{}` beside `{}`", other.key, first.key);
            report.add(
                Finding::error(Code::TwoActions, other.key_at, message)
                    .related(first.key_at, "a job does one thing")
                    .help("leave one of them out"),
            );
        }
    }
    programs::idle(fields, !run.is_absent(), !worker.is_absent(), report);
    let mut beside = |mut program: Program| {
        programs::beside(fields, &mut program, asks, report);
        program
    };
    match (run, worker, kernel) {
        (Given::Good(program, _), _, _) => Action::Run(beside(program)),
        (_, Given::Good(program, _), _) => Action::Worker(beside(program)),
        (_, _, Given::Good(kernel, _)) => kernel,
        (_, _, _) => Action::None,
    }
}

fn kernel(node: &Node<'_>, surroundings: &dyn Surroundings, report: &mut Report) -> Option<Action> {
    let table = match &node.value {
        Value::Table(table) => table,
        Value::Text(tool) => {
            let help = Some(format!("write `kernel = {{ tool = \"{}\" }}`", cut(tool)));
            return wrong_type(node, "kernel", "a table", report, help);
        }
        _ => {
            let help = Some("write `kernel = { tool = \"...\" }`".into());
            return wrong_type(node, "kernel", "a table", report, help);
        }
    };
    let fields = Fields::new(table, &vocabulary::KERNEL, report);
    let module = fields.find("module");
    let tool = match (fields.text("tool", report), module) {
        (Given::Absent, Some(module)) => Given::Good("module".into(), module.node.at),
        (Given::Good(_, at), Some(module)) => {
            report.add(
                Finding::error(Code::TwoActions, module.key_at, "`module` beside `tool`")
                    .related(at, "a kernel is built in, or a module of your own")
                    .help("leave one of them out"),
            );
            return None;
        }
        (tool, _) => tool,
    };
    if tool.is_absent() {
        missing_tool(table, report);
        return None;
    }
    let mut settings = BTreeMap::new();
    let mut sound = true;
    for entry in table.entries.iter().filter(|entry| entry.key != "tool") {
        let nested = if module.is_some() { NESTING_MAX } else { 0 };
        match setting(&entry.node, &entry.key, nested, report) {
            Some(setting) => {
                settings.insert(entry.key.to_string(), setting);
            }
            None => sound = false,
        }
    }
    let tool = tool.good().filter(|_| sound)?.to_string();
    for fault in surroundings.kernel_faults(&tool, &settings) {
        let setting = fault.setting.as_deref();
        let blamed = table.entries.iter().find(|entry| Some(entry.key.as_ref()) == setting);
        let at = blamed.or_else(|| fields.find("tool")).map_or(node.at, |entry| entry.node.at);
        let finding = Finding::error(Code::Kernel, at, fault.message);
        report.add(match fault.help {
            Some(help) => finding.help(help),
            None => finding,
        });
    }
    Some(Action::Kernel { tool, settings })
}

fn missing_tool(table: &Table<'_>, report: &mut Report) {
    let finding = Finding::error(Code::MissingKey, table.at, "a kernel without `tool`");
    let slip =
        table.entries.iter().find(|entry| near::slip(&entry.key, ["tool"].into_iter()).is_some());
    report.add(match slip {
        Some(entry) => finding.help(format!("write `tool` for `{}`", cut(&entry.key))),
        None => finding.help("write `tool = \"...\"` or `module = \"...\"` in it"),
    });
}

/// Lists of tables are as deep as settings of a module go.
const NESTING_MAX: u32 = 2;

fn setting(node: &Node<'_>, key: &str, nested: u32, report: &mut Report) -> Option<Setting> {
    match &node.value {
        Value::Text(text) => Some(Setting::Text(text.to_string())),
        Value::Bool(flag) => Some(Setting::Bool(*flag)),
        Value::Float(number) => Some(Setting::Float(*number)),
        Value::Integer(number) => match number.and_then(|number| i64::try_from(number).ok()) {
            Some(number) => Some(Setting::Int(number)),
            None => refuse(node, report, || {
                let message = format!("`{}` is beyond 64 bits", cut(key));
                Finding::error(Code::OutOfRange, node.at, message).help("write a smaller number")
            }),
        },
        Value::List(items) if nested > 0 => {
            let items = items.iter().map(|item| setting(item, key, nested - 1, report));
            items.collect::<Option<_>>().map(Setting::List)
        }
        Value::Table(table) if nested > 0 => {
            let entries = table.entries.iter().map(|entry| {
                let value = setting(&entry.node, &entry.key, nested - 1, report)?;
                Some((entry.key.to_string(), value))
            });
            entries.collect::<Option<_>>().map(Setting::Table)
        }
        Value::Date | Value::List(_) | Value::Table(_) => {
            let wanted = "true, false, a number or text";
            wrong_type(node, &cut(key), wanted, report, None)
        }
    }
}
