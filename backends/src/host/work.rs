//! A start, as a tool sees it.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use lineside_core::UnitId;
use lineside_line::{Line, Place};

use super::recall::Recall;
use super::tool::{Product, Task};

/// A unit of the line on this machine.
///
/// ```
/// use lineside_backends::host::HostUnit;
/// let line = lineside_line::read("[[device]]\nname = \"cpu\"\nplace = \"cpu\"\n",
///     &lineside_line::NoFiles).unwrap().line;
/// let units = HostUnit::of_line(&line);
/// assert!(units[0].here && units[0].uuid.is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostUnit {
    /// Its index in the line.
    pub id: UnitId,
    /// Its name in the line.
    pub name: String,
    /// How it is reached.
    pub place: Place,
    /// What it is, whoever looks: `GPU-...` or `MIG-...`; none for the CPU.
    pub uuid: Option<String>,
    /// It is on this machine. One that is not is down from the start.
    pub here: bool,
}

impl HostUnit {
    /// The units of a line on a machine of which nothing is known: only the CPU is here.
    pub fn of_line(line: &Line) -> Vec<HostUnit> {
        let unit = |(at, unit): (usize, &lineside_line::Unit)| HostUnit {
            id: UnitId(at as u32),
            name: unit.name.clone(),
            place: unit.place,
            uuid: None,
            here: unit.place == Place::Cpu,
        };
        line.units.iter().enumerate().map(unit).collect()
    }
}

/// Some images on the units of a lease: what a [`Tool`](super::Tool) is given.
#[derive(Debug)]
pub struct Work<'a> {
    /// The name of the job.
    pub job: &'a str,
    /// The number of the lease, from 0 over the whole run.
    pub lease: u64,
    /// The units of the lease, in the order in which they were granted.
    pub units: &'a [Arc<HostUnit>],
    /// The first image.
    pub first: u32,
    /// The images to work on, in ascending order: all of the start, less those that an earlier
    /// run has finished.
    pub images: &'a [u32],
    /// For each of `images`, what the upstreams made, in the order of `after`.
    pub inputs: &'a [Vec<Upstream>],
    /// How often the first image has been tried, with this time: from 1.
    pub attempt: u32,
    /// It is the first start of its lease.
    pub opens: bool,
    /// The model has to be loaded first.
    pub cold: bool,
    /// Says when the units are asked back.
    pub recall: &'a Recall,
    pub(super) notes: &'a Mutex<Vec<String>>,
}

/// What one upstream made for this image: of the same image where both have equally many, else of
/// all its images.
#[derive(Debug, Clone)]
pub struct Upstream {
    /// Index of the job.
    pub job: u32,
    /// Its products, by image.
    pub products: Vec<Product>,
}

/// Why a start failed.
///
/// ```
/// use lineside_backends::host::Failure;
/// let failure = Failure::from("no such file".to_string());
/// assert!(failure.lost.is_empty() && failure.image.is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The image to blame; none for the whole start.
    pub image: Option<u32>,
    /// What went wrong, in words for the people beside the line.
    pub text: String,
    /// Units that are to blame and can be used no more: they go down. The job is not blamed.
    pub lost: Vec<UnitId>,
    /// Units that the job has spoilt for everybody: they go down once it has failed.
    pub spoilt: Vec<UnitId>,
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Failure { image: None, text, lost: Vec::new(), spoilt: Vec::new() }
    }
}

impl Failure {
    /// A failure that is the fault of units, not of the job.
    pub fn of_units(text: String, lost: Vec<UnitId>) -> Self {
        Failure { image: None, text, lost, spoilt: Vec::new() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Work<'_> {
    /// One image after the other; the first that fails ends the start, and so does a recall.
    ///
    /// # Errors
    ///
    /// What went wrong with which image.
    pub fn each(
        &self,
        mut run: impl FnMut(&Task<'_>) -> Result<Product, String>,
    ) -> Result<Vec<Product>, Failure> {
        let mut products = Vec::with_capacity(self.images.len());
        for (&image, inputs) in self.images.iter().zip(self.inputs) {
            let failed = |text: String| Failure { image: Some(image), ..Failure::from(text) };
            if self.recall.is_on() {
                return Err(failed("stopped".to_string()));
            }
            let task = Task { job: self.job, image, inputs, work: self };
            // A tool that panics has failed, and nothing else has.
            let result = catch_unwind(AssertUnwindSafe(|| run(&task)));
            let result = result.unwrap_or_else(|panic| Err(panic_text(panic.as_ref())));
            products.push(result.map_err(failed)?);
        }
        Ok(products)
    }

    /// A product for each image that nobody looks into.
    pub fn nothing(&self) -> Vec<Product> {
        self.images.iter().map(|_| Arc::new(()) as Product).collect()
    }

    /// Tells the people beside the line something, once the run is over.
    pub fn say(&self, note: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }

    /// The units of the lease.
    pub fn unit_ids(&self) -> Vec<UnitId> {
        self.units.iter().map(|unit| unit.id).collect()
    }
}

/// Runs a whole start; a tool that panics has failed, and nothing else has.
pub(super) fn guarded(
    work: impl FnOnce() -> Result<Vec<Product>, Failure>,
) -> Result<Vec<Product>, Failure> {
    let result = catch_unwind(AssertUnwindSafe(work));
    result.unwrap_or_else(|panic| Err(panic_text(panic.as_ref()).into()))
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    alloc::format!("the tool panicked: {}", text.unwrap_or("without a word"))
}

/// What is to be done on a thread.
pub(super) type Errand = Box<dyn FnOnce() + Send>;
