//! What a job does on the host.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use std::time::{Duration, Instant};

use lineside_core::UnitId;

use super::work::{Failure, Upstream, Work};

/// What a tool made of one image; the tools behind it know its type.
pub type Product = Arc<dyn Any + Send + Sync>;

/// What a job does, with its settings.
///
/// A tool that takes one image after the other says so with [`Work::each`]:
///
/// ```
/// use std::sync::Arc;
/// use lineside_backends::host::{Failure, Product, Tool, Work};
///
/// struct Number;
///
/// impl Tool for Number {
///     fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure> {
///         work.each(|task| Ok(Arc::new(task.image)))
///     }
/// }
/// ```
pub trait Tool: Send + Sync {
    /// Works on the images of a start, and makes a product of each of [`Work::images`].
    ///
    /// It is called on a thread of its own, and may block. The units of the lease are handed on
    /// when it returns: so it returns only when nothing of the start can touch them any more, also
    /// after a recall.
    ///
    /// # Errors
    ///
    /// What went wrong. If units are to blame, they are named and go down.
    fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure>;

    /// Does it keep something on units from start to start? Only then it is told to leave.
    fn stays(&self) -> bool {
        false
    }

    /// What the tool keeps on a unit from start to start has to go: its model is evicted, the unit
    /// is lost, or the run is over. It may block; no other start on the unit begins meanwhile.
    ///
    /// # Errors
    ///
    /// What could not be removed, in words: then the unit can be used no more.
    fn leave(&self, unit: UnitId) -> Result<(), String> {
        let _ = unit;
        Ok(())
    }
}

/// One image to work on.
#[derive(Debug)]
pub struct Task<'a> {
    /// The name of the job.
    pub job: &'a str,
    /// Which image.
    pub image: u32,
    /// What the upstreams made, in the order of `after`.
    pub inputs: &'a [Upstream],
    /// The start that it belongs to.
    pub work: &'a Work<'a>,
}

impl Task<'_> {
    /// The units are asked back: a tool that takes long looks now and then, and returns early.
    pub fn is_stopped(&self) -> bool {
        self.work.recall.is_on()
    }

    /// Tells the people beside the line something, once the run is over.
    pub fn say(&self, note: String) {
        self.work.say(note);
    }

    /// The one input of this type.
    ///
    /// # Errors
    ///
    /// In words, if there is none.
    pub fn input<T: Any + Send + Sync>(&self) -> Result<Arc<T>, String> {
        let all = self.inputs.iter().flat_map(|upstream| &upstream.products);
        let found = all.cloned().find_map(|product| product.downcast::<T>().ok());
        found.ok_or_else(|| {
            alloc::format!("`{}` gets nothing that it can use from the jobs in `after`", self.job)
        })
    }
}

/// Does nothing for a while: a stand-in while a line is being laid out.
///
/// ```
/// use lineside_backends::host::Sleep;
/// let tool = Sleep { nanos: vec![1_000_000] };
/// assert_eq!(tool.nanos.len(), 1);
/// ```
#[derive(Debug, Clone)]
pub struct Sleep {
    /// Image k sleeps entry k modulo length.
    pub nanos: Vec<u64>,
}

impl Tool for Sleep {
    fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure> {
        work.each(|task| {
            let nanos = self.nanos.get(task.image as usize % self.nanos.len().max(1));
            let until = Instant::now() + Duration::from_nanos(nanos.copied().unwrap_or(0));
            while let Some(left) = until.checked_duration_since(Instant::now()) {
                if work.recall.wait(left) {
                    break;
                }
            }
            Ok(Arc::new(()))
        })
    }
}
