//! What a job does on the host.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What a tool made of one image; the tools behind it know its type.
pub type Product = Arc<dyn Any + Send + Sync>;

/// A built-in kernel, with its settings.
pub trait Tool: Send + Sync {
    /// Makes something of one image.
    ///
    /// # Errors
    ///
    /// What went wrong, in words for the people beside the line; the start fails.
    fn run(&self, task: &Task<'_>) -> Result<Product, String>;
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
    pub(crate) stopped: &'a AtomicBool,
    pub(crate) notes: &'a Mutex<Vec<String>>,
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

impl Task<'_> {
    /// The units are asked back: a tool that takes long looks now and then, and returns early.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Tells the people beside the line something, once the run is over.
    pub fn say(&self, note: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
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
    fn run(&self, task: &Task<'_>) -> Result<Product, String> {
        let nanos = self.nanos.get(task.image as usize % self.nanos.len().max(1));
        let until = Instant::now() + Duration::from_nanos(nanos.copied().unwrap_or(0));
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            if task.is_stopped() {
                break;
            }
            thread::sleep(left.min(Duration::from_millis(50)));
        }
        Ok(Arc::new(()))
    }
}
