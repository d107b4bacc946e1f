//! `[[job]]`: what each job says of itself.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::fields::{self, Fields, Given, cut, refuse, wrong_type};
use crate::line::{Action, Fallback, Kind, Needs, Phase};
use crate::mig;
use crate::near;
use crate::problem::Code;
use crate::report::{Finding, Report};
use crate::tree::{Bytes, Node, Table, Value};
use crate::vocabulary::{self, FALLBACKS, KINDS, NEEDS, PHASES};

use super::names::Names;
use super::programs::Ask;
use super::{Devices, EdgeDraft, Faces, Surroundings, Things, actions, edges};

/// Images ahead of the first that is not done.
const WINDOW: u64 = 64;

/// All jobs, in file order.
pub(crate) struct Jobs<'t> {
    pub(crate) drafts: Vec<JobDraft<'t>>,
    pub(crate) names: Names<'t>,
    /// The edges of all jobs; see [`JobDraft::edges`].
    pub(crate) edges: Vec<EdgeDraft<'t>>,
}

/// One job as far as it can be read.
pub(crate) struct JobDraft<'t> {
    pub(crate) header: Bytes,
    pub(crate) name: Given<Cow<'t, str>>,
    pub(crate) kind: Given<Kind>,
    pub(crate) phase: Given<Phase>,
    pub(crate) images: Given<Images>,
    pub(crate) batch: Given<u32>,
    pub(crate) inflight: Given<u32>,
    pub(crate) threads: Given<u32>,
    pub(crate) priority: Given<i8>,
    pub(crate) memory: Given<u64>,
    pub(crate) gpus: Given<u32>,
    pub(crate) needs: Given<Needs>,
    pub(crate) profile: Given<ProfileName>,
    /// Index of the model.
    pub(crate) model: Given<u32>,
    /// Index of the stream.
    pub(crate) stream: Given<u32>,
    /// Index of the face.
    pub(crate) face: Option<u32>,
    pub(crate) time: Given<Vec<u64>>,
    pub(crate) startup: Given<u64>,
    pub(crate) cpu_time: Given<Vec<u64>>,
    pub(crate) arrive: Given<u64>,
    pub(crate) every: Given<u64>,
    pub(crate) timeout: Given<u64>,
    pub(crate) retries: Given<u32>,
    pub(crate) fallback: Given<Fallback>,
    pub(crate) inject: Vec<InjectDraft>,
    pub(crate) action: Action,
    /// Placeholders of its program.
    pub(crate) asks: Vec<Ask>,
    /// Its entries of `after`, in [`Jobs::edges`].
    pub(crate) edges: Range<usize>,
    /// How many images it comes to, once that is settled; none if it cannot be known.
    pub(crate) count: Option<u32>,
}

/// What `images` says.
#[derive(Debug, Clone)]
pub(crate) enum Images {
    Count(u32),
    Files(Vec<String>),
}

/// What `profile` says.
#[derive(Debug, Clone)]
pub(crate) enum ProfileName {
    /// Index of a profile that some unit has.
    Here(u32),
    /// One of the MIG table that no unit has.
    Elsewhere(String),
}

/// One entry of `inject`.
pub(crate) struct InjectDraft {
    pub(crate) image: Given<u32>,
    pub(crate) times: Option<u32>,
}

/// What jobs are read against.
pub(super) struct Context<'c, 't> {
    pub(super) lost: bool,
    pub(super) surroundings: &'c dyn Surroundings,
    pub(super) things: &'c Things<'t>,
    pub(super) devices: &'c Devices<'t>,
    pub(super) faces: &'c Faces<'t>,
}

/// What each glob of the file came to.
type Globs = HashMap<String, Result<Vec<String>, String>>;

impl JobDraft<'_> {
    /// Whether it has image grain; none if that cannot be known.
    pub(crate) fn image_grain(&self) -> Option<bool> {
        let kind = self.kind.or(Kind::Standard).map(|kind| kind == Kind::Legacy);
        let phase = self.phase.or(Phase::Process).map(|phase| phase == Phase::Process);
        match (kind, phase) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            (None, _) | (_, None) => None,
        }
    }

    /// Where to point for the job as a whole.
    pub(crate) fn at(&self) -> Bytes {
        self.name.at().unwrap_or(self.header)
    }
}

impl<'t> Jobs<'t> {
    pub(super) fn read(
        root: &Fields<'_, 't>,
        context: &Context<'_, 't>,
        report: &mut Report,
    ) -> Self {
        let tables = root.tables("job", report);
        let mut jobs = Jobs {
            drafts: Vec::with_capacity(tables.len()),
            names: Names::new("job", tables.len()),
            edges: Vec::new(),
        };
        let mut globs = Globs::new();
        for table in tables {
            let down = jobs.drafts.len();
            let fields = Fields::new(table, &vocabulary::JOB, report);
            let first = jobs.edges.len();
            edges::read(&fields, down as u32, &mut jobs.edges, report);
            let edges = first..jobs.edges.len();
            let draft = draft(&fields, table, context, &mut globs, edges, report);
            jobs.names.add(&draft.name, down, report);
            check_window(&draft, report);
            jobs.drafts.push(draft);
        }
        jobs
    }

    /// What a message calls a job.
    pub(crate) fn label(&self, job: u32) -> String {
        match self.drafts[job as usize].name.good() {
            Some(name) => format!("`{}`", cut(name)),
            None => format!("job {}", job + 1),
        }
    }
}

fn draft<'t>(
    fields: &Fields<'_, 't>,
    table: &Table<'t>,
    context: &Context<'_, 't>,
    globs: &mut Globs,
    edges: Range<usize>,
    report: &mut Report,
) -> JobDraft<'t> {
    let mut asks = Vec::new();
    let action = actions::read(fields, context.surroundings, &mut asks, report);
    JobDraft {
        header: table.at,
        name: fields.name(report),
        kind: fields.word("kind", KINDS, report),
        phase: fields.word("phase", PHASES, report),
        images: fields.read("images", |node| images(node, context.surroundings, globs, report)),
        batch: fields.count("batch", 1, report),
        inflight: fields.count("inflight", 1, report),
        threads: fields.count("threads", 1, report),
        priority: fields.number("priority", -128, 127, report).map(|priority| priority as i8),
        memory: fields.memory("memory", report),
        gpus: fields.count("gpus", 1, report),
        needs: fields.word("needs", NEEDS, report),
        profile: fields.read("profile", |node| profile(node, context, report)),
        model: fields.read("model", |node| {
            let names = &context.things.model_names;
            reference(node, "model", names, Code::UnknownModel, context.lost, report)
        }),
        stream: fields.read("stream", |node| {
            let names = &context.things.stream_names;
            reference(node, "stream", names, Code::UnknownStream, context.lost, report)
        }),
        face: face(fields, context),
        time: fields.read("time", |node| times(node, "time", report)),
        startup: fields.duration("startup", 0, report),
        cpu_time: fields.read("cpu_time", |node| times(node, "cpu_time", report)),
        arrive: fields.duration("arrive", 0, report),
        every: fields.duration("every", 1, report),
        timeout: fields.duration("timeout", 1, report),
        retries: fields.count("retries", 0, report),
        fallback: fields.word("fallback", FALLBACKS, report),
        inject: inject(fields, report),
        action,
        asks,
        edges,
        count: None,
    }
}

/// The face that a job is for: the one that it was made for.
fn face(fields: &Fields<'_, '_>, context: &Context<'_, '_>) -> Option<u32> {
    match &fields.find("face")?.node.value {
        Value::Text(name) => context.faces.names.find(name),
        _ => None,
    }
}

/// The thing that a key names.
fn reference(
    node: &Node<'_>,
    key: &'static str,
    names: &Names<'_>,
    code: Code,
    lost: bool,
    report: &mut Report,
) -> Option<u32> {
    let name = fields::text(node, key, report)?;
    let found = names.find(&name);
    if found.is_none() && !node.broken && !lost {
        let help = names.help(&name, report);
        let message = format!("there is no {key} named `{}`", cut(&name));
        report.add(Finding::error(code, node.at, message).help(help));
    }
    found
}

fn profile(node: &Node<'_>, context: &Context<'_, '_>, report: &mut Report) -> Option<ProfileName> {
    let name = fields::text(node, "profile", report)?;
    if let Some(index) = context.devices.profile(&name) {
        return Some(ProfileName::Here(index));
    }
    let table = mig::gpus().iter().flat_map(|gpu| &gpu.profiles).map(|profile| profile.name);
    if table.clone().any(|known| known == name) {
        return Some(ProfileName::Elsewhere(name.into_owned()));
    }
    refuse(node, report, || {
        let here = context.devices.profiles.iter().map(String::as_str);
        let nearest = near::slip(&name, here).or_else(|| near::slip(&name, table));
        let help = match nearest {
            Some(nearest) => format!("did you mean \"{nearest}\"?"),
            None => "write the name of a MIG profile: \"1g.5gb\"".into(),
        };
        let message = format!("no GPU of the MIG table has a profile \"{}\"", cut(&name));
        Finding::error(Code::UnknownProfile, node.at, message).help(help)
    })
}

fn images(
    node: &Node<'_>,
    surroundings: &dyn Surroundings,
    globs: &mut Globs,
    report: &mut Report,
) -> Option<Images> {
    let glob = match &node.value {
        Value::Integer(_) => {
            let count = fields::number(node, "images", 0, i64::from(u32::MAX), report)?;
            return u32::try_from(count).ok().map(Images::Count);
        }
        Value::Text(_) if node.broken => return None,
        Value::Text(glob) => glob,
        Value::Float(_) | Value::Bool(_) | Value::Date | Value::List(_) | Value::Table(_) => {
            return wrong_type(node, "images", "a whole number or a glob", report, None);
        }
    };
    let found = globs.entry(glob.to_string()).or_insert_with(|| {
        let mut files = surroundings.files(glob)?;
        files.sort_unstable();
        files.dedup();
        Ok(files)
    });
    let refused = |message: String| {
        let help = match glob.parse::<u32>() {
            Ok(number) => format!("write {number} without quotes for so many images"),
            Err(_) => "write a glob relative to the line file, or a number of images".into(),
        };
        Finding::error(Code::NoFiles, node.at, message).help(help)
    };
    match found {
        Err(reason) => refuse(node, report, || refused(format!("`images`: {reason}"))),
        Ok(files) if files.is_empty() => {
            refuse(node, report, || refused(format!("no file matches \"{}\"", cut(glob))))
        }
        Ok(files) if u32::try_from(files.len()).is_err() => refuse(node, report, || {
            Finding::error(Code::OutOfRange, node.at, "`images` is at most 4294967295")
                .help("write a glob that matches fewer files")
        }),
        Ok(files) => Some(Images::Files(files.clone())),
    }
}

/// One duration for all images, or a list.
fn times(node: &Node<'_>, key: &str, report: &mut Report) -> Option<Vec<u64>> {
    match &node.value {
        Value::List(_) => {
            let items = fields::list(node, key, "a list of durations", report)?;
            let times: Vec<_> =
                items.iter().map(|item| fields::duration(item, key, 0, report)).collect();
            times.into_iter().collect()
        }
        Value::Text(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::Bool(_)
        | Value::Date
        | Value::Table(_) => fields::duration(node, key, 0, report).map(|time| vec![time]),
    }
}

fn inject(fields: &Fields<'_, '_>, report: &mut Report) -> Vec<InjectDraft> {
    let mut entries = Vec::new();
    for node in fields.items("inject", report) {
        let Value::Table(table) = &node.value else {
            // One that stands without its brackets has been refused.
            let lone = fields.find("inject").is_some_and(|entry| std::ptr::eq(&entry.node, node));
            if !lone {
                let help = Some("write `{ image = 3, times = 1 }`".into());
                wrong_type::<()>(node, "inject", "a list of tables", report, help);
            }
            continue;
        };
        let fields = Fields::new(table, &vocabulary::INJECT, report);
        let image = fields.count("image", 0, report);
        let image = fields.required("image", image, report);
        let times = fields.count("times", 0, report).or(1);
        entries.push(InjectDraft { image, times });
    }
    entries
}

/// An image-grain job must not have more in flight than its window holds.
fn check_window(draft: &JobDraft<'_>, report: &mut Report) {
    let (Some(batch), Some(inflight)) = (draft.batch.or(1), draft.inflight.or(1)) else {
        return;
    };
    let images = u64::from(batch) * u64::from(inflight);
    if draft.image_grain() != Some(true) || images <= WINDOW {
        return;
    }
    // One of them is given: both 1 would not be too much.
    let places = [draft.batch.at(), draft.inflight.at()];
    let mut places = places.into_iter().flatten();
    let at = places.next().unwrap_or(draft.header);
    let message = format!("`batch` × `inflight` is {images}, beyond the window of {WINDOW} images");
    let mut finding = Finding::error(Code::Window, at, message);
    if let Some(other) = places.next() {
        finding = finding.related(other, format!("times {inflight}"));
    }
    let help = match u64::from(inflight) <= WINDOW {
        true => format!("write `batch = {}` or less", WINDOW / u64::from(inflight)),
        false => format!("write `inflight = {WINDOW}` or less"),
    };
    report.add(finding.help(help));
}
