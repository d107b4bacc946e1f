//! `run` and `worker`: the program, its placeholders, and the keys beside it.

use std::collections::BTreeMap;

use crate::fields::{Fields, Given, cut, list, refuse, text, wrong_type};
use crate::near;
use crate::problem::Code;
use crate::program::{PLACEHOLDERS, Part, Program, Template};
use crate::report::{Finding, Report};
use crate::tree::{Bytes, Node, Value};

use super::jobs::Images;
use super::{JobDraft, Jobs};

/// Keys that say more of a program.
const BESIDE: [&str; 5] = ["shell", "dir", "env", "grace", "ready"];

/// What the lease sets in the environment.
const OURS: [&str; 2] = ["CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"];

/// A placeholder that is checked once all jobs are known.
pub(crate) struct Ask {
    part: Part,
    at: Bytes,
}

/// Reads `run` or `worker`.
pub(super) fn program(
    fields: &Fields<'_, '_>,
    key: &'static str,
    shell: bool,
    asks: &mut Vec<Ask>,
    report: &mut Report,
) -> Given<Program> {
    fields.read(key, |node| {
        let items = list(node, key, "a list of texts", report)?;
        let words = items.iter().enumerate().map(|(at, item)| {
            let word = text(item, key, report)?;
            let template = template(item, &word, report)?;
            let sound = if key == "worker" {
                belongs_to_a_worker(item, &template, report)
            } else {
                stands_alone(item, &template, report)
            };
            if at == 0 && shell && !is_plain(&template) {
                return refuse(item, report, || {
                    let message = "a placeholder in a script for the shell";
                    Finding::error(Code::BadPlaceholder, item.at, message).help(
                        "write it as a further text, and \"$1\" in the script: \
                         `[\"convert \\\"$1\\\" x.png\", \"{image}\"]`",
                    )
                });
            }
            if sound {
                ask(item, &template, asks);
            }
            Some(template).filter(|_| sound)
        });
        let words: Vec<Option<Template>> = words.collect();
        let command: Option<Vec<Template>> = words.into_iter().collect();
        Some(Program { command: command?, shell, ..Program::default() })
    })
}

/// Is the first word a script?
pub(super) fn shell(fields: &Fields<'_, '_>, report: &mut Report) -> bool {
    let shell = fields.read("shell", |node| match &node.value {
        Value::Bool(flag) => Some(*flag),
        Value::Text(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::Date
        | Value::List(_)
        | Value::Table(_) => wrong_type(node, "shell", "true or false", report, None),
    });
    shell.good() == Some(&true)
}

/// Reads the keys beside it.
pub(super) fn beside(
    fields: &Fields<'_, '_>,
    program: &mut Program,
    asks: &mut Vec<Ask>,
    report: &mut Report,
) {
    program.dir = fields.text("dir", report).good().map(|dir| dir.to_string());
    let env = fields.read("env", |node| environment(node, asks, report));
    program.env = env.good().cloned().unwrap_or_default();
    let grace = fields.duration("grace", 0, report);
    program.grace = grace.good().copied().unwrap_or(program.grace);
    let ready = fields.duration("ready", 1, report);
    program.ready = ready.good().copied().unwrap_or(program.ready);
}

/// Says which keys have no program to say more of.
pub(super) fn idle(fields: &Fields<'_, '_>, has_run: bool, has_worker: bool, report: &mut Report) {
    for key in BESIDE {
        let Some(entry) = fields.find(key) else { continue };
        let message = match key {
            "ready" if has_run => "a process of `run` need not say that it is ready",
            _ if has_run || has_worker => continue,
            _ => "it is for `run` and `worker`, and there is none",
        };
        let finding = Finding::warning(Code::NoEffect, entry.key_at, message);
        report.add(finding.help("leave it out"));
    }
}

/// Checks what the placeholders of all jobs stand for, upstreams first.
pub(super) fn settle(jobs: &Jobs<'_>, order: &[u32], report: &mut Report) {
    let mut has_files: Vec<bool> = vec![false; jobs.drafts.len()];
    for &job in order {
        let draft = &jobs.drafts[job as usize];
        let own = matches!(draft.images.good(), Some(Images::Files(_)));
        let inherits =
            |up: u32| has_files[up as usize] && jobs.drafts[up as usize].count == draft.count;
        let edges = &jobs.edges[draft.edges.clone()];
        has_files[job as usize] = own || edges.iter().filter_map(|edge| edge.up).any(inherits);
        // Which files there would be is not known of what has been refused.
        let unknown = draft.images.good().is_none() && !draft.images.is_absent()
            || edges.iter().any(|edge| edge.up.is_none());
        for ask in &draft.asks {
            match &ask.part {
                Part::In(name) => input(jobs, draft, name, ask.at, report),
                Part::Image | Part::Images if !has_files[job as usize] && !unknown => {
                    no_files(ask.at, report);
                }
                Part::Image if draft.batch.good() > Some(&1) => {
                    let message = "`{image}` is one file, and a start has several";
                    report.add(
                        Finding::error(Code::BadPlaceholder, ask.at, message)
                            .help("write `{images}` as a text of its own, or leave `batch` out"),
                    );
                }
                Part::Image
                | Part::Images
                | Part::Text(_)
                | Part::Index
                | Part::Unit
                | Part::Uuid
                | Part::Out => {}
            }
        }
    }
}

fn no_files(at: Bytes, report: &mut Report) {
    let message = "this job has no files of images";
    report.add(
        Finding::error(Code::BadPlaceholder, at, message)
            .help("write `images = \"*.png\"`, or `{index}` for the number of the image"),
    );
}

/// `{in.JOB}` names an upstream.
fn input(jobs: &Jobs<'_>, draft: &JobDraft<'_>, name: &str, at: Bytes, report: &mut Report) {
    let edges = &jobs.edges[draft.edges.clone()];
    // One that was refused may have been meant.
    if edges.iter().any(|edge| edge.up.is_none()) {
        return;
    }
    let found = jobs.names.find(name);
    if found.is_some_and(|job| edges.iter().any(|edge| edge.up == Some(job))) {
        return;
    }
    let name = cut(name);
    let (message, help) = match found {
        Some(_) => (
            format!("`{name}` is not in this job's `after`"),
            format!("add \"{name}\" to `after`: what it makes may not be there yet"),
        ),
        None => (
            format!("`{{in.{name}}}`: there is no job named `{name}`"),
            "write the name of a job in `after`".to_owned(),
        ),
    };
    report.add(Finding::error(Code::BadPlaceholder, at, message).help(help));
}

fn template(node: &Node<'_>, text: &str, report: &mut Report) -> Option<Template> {
    match Template::parse(text) {
        Ok(template) => Some(template),
        Err(name) => refuse(node, report, || {
            let known = PLACEHOLDERS.iter().map(|(known, _)| *known);
            let name = cut(name);
            let help = match near::slip(&name, known.clone()) {
                Some(slip) => format!("write `{{{slip}}}`"),
                None => format!(
                    "there are `{{{}}}` and `{{in.JOB}}`; for the text itself write \
                     `{{{{{name}}}}}`",
                    known.collect::<Vec<_>>().join("}`, `{")
                ),
            };
            let message = format!("there is no placeholder `{{{name}}}`");
            Finding::error(Code::BadPlaceholder, node.at, message).help(help)
        }),
    }
}

fn is_plain(template: &Template) -> bool {
    template.parts.iter().all(|part| matches!(part, Part::Text(_)))
}

fn ask(node: &Node<'_>, template: &Template, asks: &mut Vec<Ask>) {
    let parts = template.parts.iter().filter(|part| !matches!(part, Part::Text(_)));
    asks.extend(parts.map(|part| Ask { part: part.clone(), at: node.at }));
}

/// `{images}` becomes several words, so it can't be a piece of one.
fn stands_alone(node: &Node<'_>, template: &Template, report: &mut Report) -> bool {
    let sound = template.parts.len() < 2 || !template.parts.contains(&Part::Images);
    if !sound {
        let message = "`{images}` becomes a word for each image";
        report.add(
            Finding::error(Code::BadPlaceholder, node.at, message)
                .help("let it stand alone: \"{images}\""),
        );
    }
    sound
}

/// A worker is not started for an image.
fn belongs_to_a_worker(node: &Node<'_>, template: &Template, report: &mut Report) -> bool {
    let of_a_start = |part: &&Part| matches!(part, Part::Image | Part::Images | Part::Index);
    let sound = !template.parts.iter().any(|part| of_a_start(&part));
    if !sound {
        let message = "a worker is started once for many images";
        report.add(
            Finding::error(Code::BadPlaceholder, node.at, message)
                .help("leave it out: each start tells the worker its images"),
        );
    }
    sound
}

fn environment(
    node: &Node<'_>,
    asks: &mut Vec<Ask>,
    report: &mut Report,
) -> Option<BTreeMap<String, Template>> {
    let Value::Table(table) = &node.value else {
        let help = Some("write `env = { NAME = \"value\" }`".into());
        return wrong_type(node, "env", "a table of texts", report, help);
    };
    let mut environment = BTreeMap::new();
    let mut sound = true;
    for entry in &table.entries {
        let name = entry.key.as_ref();
        let fault = if name.is_empty() || name.contains(['=', '\0']) {
            Some(("no name for a variable", "write letters, digits and `_`"))
        } else if OURS.contains(&name) || name.starts_with("LINESIDE_") {
            Some(("this variable is set by the lease", "leave it out"))
        } else {
            None
        };
        if let Some((message, help)) = fault {
            report.add(Finding::error(Code::BadVariable, entry.key_at, message).help(help));
            sound = false;
        }
        let value = text(&entry.node, &cut(name), report);
        let value = value.and_then(|value| template(&entry.node, &value, report));
        let value = value.filter(|value| belongs_to_a_variable(&entry.node, value, report));
        match value {
            Some(value) => {
                ask(&entry.node, &value, asks);
                environment.insert(name.to_owned(), value);
            }
            None => sound = false,
        }
    }
    Some(environment).filter(|_| sound)
}

fn belongs_to_a_variable(node: &Node<'_>, template: &Template, report: &mut Report) -> bool {
    let of_a_start = |part: &Part| matches!(part, Part::Image | Part::Images | Part::Index);
    let sound = !template.parts.iter().any(of_a_start);
    if !sound {
        let message = "the environment is the same for all images";
        report.add(
            Finding::error(Code::BadPlaceholder, node.at, message)
                .help("write it in the command; the numbers of the images are in LINESIDE_IMAGES"),
        );
    }
    sound
}
