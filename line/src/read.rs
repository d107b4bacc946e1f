//! From the document to the checked line.
//!
//! Each step works on what the steps before could make out, reports what is wrong with it, and
//! leaves out what it cannot know, so that a fault is told once and nothing that follows from it.

mod actions;
mod assemble;
mod devices;
mod edges;
mod faces;
mod faults;
mod hardware;
mod images;
mod jobs;
mod names;
mod order;
mod policy;
mod programs;
mod tables;
mod things;

use std::collections::BTreeMap;

use crate::fields::Fields;
use crate::fit;
use crate::line::{Line, Place, Setting, Wanted};
use crate::problem::{Code, Problem, Severity};
use crate::report::Finding;
use crate::tree::{Bytes, Document};
use crate::vocabulary;
use crate::warnings;

pub(crate) use self::assemble::{JobPlaces, LinePlaces};
pub(crate) use self::devices::Devices;
pub(crate) use self::edges::EdgeDraft;
pub(crate) use self::faces::Faces;
pub(crate) use self::jobs::{JobDraft, Jobs, ProfileName};
pub(crate) use self::policy::PolicyDraft;
pub(crate) use self::things::Things;

/// A line that has been checked, and what its author may want to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The line.
    pub line: Line,
    /// In file order; all of them [`Severity::Warning`].
    pub warnings: Vec<Problem>,
}

/// What a line file refers to and this crate, which does no I/O, cannot see.
pub trait Surroundings {
    /// The paths that a glob matches, relative to the line file, in any order.
    ///
    /// # Errors
    ///
    /// Why they cannot be looked up, in words.
    fn files(&self, glob: &str) -> Result<Vec<String>, String>;

    /// What this box is, as a `box` of `[[hardware]]` says it; asked where there is
    /// one. By default that does not matter.
    fn hardware(&self) -> Option<String> {
        None
    }

    /// What this machine has: the units of a line without `[[device]]`. By default nothing.
    fn devices(&self) -> Vec<DeviceHere> {
        Vec::new()
    }

    /// Bytes that the device has that is meant, where the line file says nothing of it. By default
    /// that is not known.
    fn memory(&self, place: Place, wanted: &Wanted) -> Option<u64> {
        let _ = (place, wanted);
        None
    }

    /// What is wrong with a `kernel`, if anything. By default nothing is.
    fn kernel_faults(&self, tool: &str, settings: &BTreeMap<String, Setting>) -> Vec<KernelFault> {
        let _ = (tool, settings);
        Vec::new()
    }
}

/// A device of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceHere {
    /// What it would be called in a line file.
    pub name: String,
    /// How it is reached.
    pub place: Place,
    /// Bytes that can be had; 0 if that is not known.
    pub memory: u64,
    /// Leases at once.
    pub slots: u32,
    /// Its UUID, its address, and the name of the card.
    pub wanted: Wanted,
}

/// What is wrong with a `kernel`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelFault {
    /// The setting to blame; none for the tool itself.
    pub setting: Option<String>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// Surroundings without files: a line whose `images` is a glob is refused.
///
/// ```
/// use lineside_line::{Code, NoFiles, read};
///
/// let problems = read("[[job]]\nname = \"a\"\nimages = \"*.png\"\n", &NoFiles).unwrap_err();
/// assert!(problems.iter().any(|problem| problem.code == Code::NoFiles));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Surroundings for NoFiles {
    fn files(&self, _glob: &str) -> Result<Vec<String>, String> {
        Err("there are no files here to match".into())
    }
}

/// Reads and checks a line file.
///
/// Takes time linear in the text, but for the sorting of names and places.
///
/// # Errors
///
/// Every fault of the file, in file order.
///
/// ```
/// use lineside_line::{NoFiles, read};
///
/// let text = r#"
/// [[device]]
/// name = "gpu0"
/// memory = "8GiB"
///
/// [[job]]
/// name = "find-defects"
/// images = 100
/// time = "12ms"
/// "#;
/// let checked = read(text, &NoFiles).unwrap();
/// assert_eq!(checked.line.jobs[0].path, 1_200_000_000);
/// assert_eq!(checked.line.units[0].budget, 7_730_941_133);
/// ```
#[cfg(feature = "toml")]
pub fn read(text: &str, surroundings: &dyn Surroundings) -> Result<Checked, Vec<Problem>> {
    if u32::try_from(text.len()).is_err() {
        return check(Document::new(Default::default()), text, surroundings);
    }
    check(crate::toml_tree::document(text), text, surroundings)
}

/// Reads and checks a line file that may not even be text.
///
/// # Errors
///
/// As [`read`], or that it is not UTF-8.
#[cfg(feature = "toml")]
pub fn read_bytes(bytes: &[u8], surroundings: &dyn Surroundings) -> Result<Checked, Vec<Problem>> {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return read(text, surroundings),
        Err(error) => error,
    };
    // What comes before is sound, and gives the place its line and column.
    let sound = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
    let mut report = crate::report::Report::default();
    let at = Bytes::new(sound.len(), sound.len());
    report.add(
        Finding::error(Code::NotUtf8, at, "the file is not UTF-8 from here on")
            .help("save it as UTF-8"),
    );
    Err(report.into_problems(&sound, Severity::Error))
}

/// Checks a document that a parser has made of a text; see [`tree`](crate::tree).
///
/// # Errors
///
/// As [`read`].
pub fn check(
    document: Document<'_>,
    text: &str,
    surroundings: &dyn Surroundings,
) -> Result<Checked, Vec<Problem>> {
    let Document { root: mut tree, syntax: mut report, lost } = document;
    if u32::try_from(text.len()).is_err() {
        report.add(
            Finding::error(Code::TooLarge, Bytes::default(), "the file has 4 GiB or more")
                .help("split it into several lines"),
        );
        return Err(report.into_problems("", Severity::Error));
    }
    let faces = Faces::expand(&mut tree, &mut report);
    let (syntax_lost, lost) = (lost, lost || faces.lost);
    let hardware = hardware::apply(&mut tree, surroundings, lost, &mut report);
    let root = match syntax_lost {
        true => Fields::lenient(&tree, &vocabulary::ROOT),
        false => Fields::new(&tree, &vocabulary::ROOT, &mut report),
    };
    let header = policy::line(&root, &mut report);
    let policy = policy::policy(&root, &mut report);
    let devices = Devices::read(&root, &policy, surroundings, &mut report);
    let things = Things::read(&root, &mut report);
    let context =
        jobs::Context { lost, surroundings, things: &things, devices: &devices, faces: &faces };
    let mut jobs = Jobs::read(&root, &context, &mut report);
    edges::settle(&mut jobs, lost, &mut report);
    let order = order::order(&jobs, &mut report);
    images::settle(&mut jobs, &order, &mut report);
    programs::settle(&jobs, &order, &mut report);
    order::drain(&jobs, &order, &mut report);
    if !lost {
        fit::check(&jobs, &devices, &things, &policy, &mut report);
    }
    let faults = faults::read(&root, &jobs, &order, &devices, lost, &mut report);
    if report.has_errors() {
        return Err(report.into_problems(text, Severity::Error));
    }
    // Nothing below can fail. The line may grow where the tree was.
    drop(tree);
    let sources =
        assemble::Sources { header, policy, faces, hardware, devices, things, jobs, order, faults };
    let (line, places) = assemble::line(sources);
    warnings::add(&line, &places, &mut report);
    Ok(Checked { line, warnings: report.into_problems(text, Severity::Warning) })
}
