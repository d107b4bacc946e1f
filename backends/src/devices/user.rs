//! A kernel of the user's own, on its way through a GPU.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::path::PathBuf;

use lineside_devices::{Buffer, Dispatch, Fault, Kernel, Module, SharedGpu, Track, Work};
use lineside_vision::picture::Grey;

use super::conveyor::{Inputs, Recipe, Station, Wrong};
use super::module::{Argument, Declared, Slot, Threads};
use crate::host::pcb::{Detected, Loaded};
use crate::host::{Failure, Product, Tool, Work as HostWork};

/// Bytes that a kernel made, or that are on their way to one.
pub(crate) struct Raw {
    /// The name of the image.
    pub(crate) image: String,
    pub(crate) bytes: Vec<u8>,
}

/// A kernel with its declaration; `module` is the form that the GPU takes.
pub(super) struct UserRecipe {
    pub(super) declared: Declared,
    pub(super) module: Option<Module>,
    /// The jobs that it may take from, by name, with their index.
    pub(super) jobs: Vec<(String, u32)>,
}

/// What stays on a track; buffers grow with what comes.
pub(super) struct Room {
    kernel: Kernel,
    buffers: Vec<Buffer>,
    /// What files hold is there already.
    filled: bool,
    /// Of the picture that is being worked on.
    size: [u32; 2],
}

/// What comes in over an edge.
struct Input {
    bytes: Arc<dyn AsRef<[u8]> + Send + Sync>,
    size: [u32; 2],
    image: String,
    path: PathBuf,
}

struct Pixels<T>(Arc<T>, fn(&T) -> &[u8]);

impl<T> AsRef<[u8]> for Pixels<T> {
    fn as_ref(&self) -> &[u8] {
        self.1(&self.0)
    }
}

impl UserRecipe {
    /// What the job of this name made of the image.
    fn input(&self, name: &str, inputs: &Inputs<'_>) -> Result<Input, Wrong> {
        let job = self.jobs.iter().find(|(job, _)| job == name).map(|(_, job)| *job);
        let upstream = inputs.upstreams.iter().find(|upstream| Some(upstream.job) == job);
        let product = upstream.and_then(|upstream| upstream.products.first()).cloned();
        let nothing = || Wrong::Image(alloc::format!("nothing comes from `{name}`"));
        let product = product.ok_or_else(nothing)?;
        let product = match product.downcast::<Loaded>() {
            Ok(loaded) => {
                let (image, path) = (loaded.image.clone(), loaded.path.clone());
                let size = [loaded.grey.width(), loaded.grey.height()];
                let bytes = Arc::new(Pixels(loaded, |loaded: &Loaded| loaded.grey.pixels()));
                return Ok(Input { bytes, size, image, path });
            }
            Err(product) => product,
        };
        let product = match product.downcast::<Detected>() {
            Ok(detected) => {
                let (image, path) = (detected.image.clone(), detected.path.clone());
                let board = &detected.aligned.board;
                let size = [board.width(), board.height()];
                let bytes = Arc::new(Pixels(detected, |it: &Detected| it.aligned.board.pixels()));
                return Ok(Input { bytes, size, image, path });
            }
            Err(product) => product,
        };
        let raw = product.downcast::<Raw>().map_err(|_| {
            Wrong::Image(alloc::format!("what `{name}` makes is neither a picture nor bytes"))
        })?;
        let image = raw.image.clone();
        let size = [(raw.bytes.len() as u32), 1];
        let bytes = Arc::new(Pixels(raw, |raw: &Raw| raw.bytes.as_slice()));
        Ok(Input { bytes, size, image, path: PathBuf::new() })
    }

    fn inputs(&self, inputs: &Inputs<'_>) -> Result<Vec<Option<Input>>, Wrong> {
        let slots = self.declared.buffers.iter();
        let input = |slot: &Slot| match slot {
            Slot::From(job) => self.input(job, inputs).map(Some),
            Slot::ToPicture | Slot::ToBytes(_) | Slot::File(_) | Slot::Zeros(_) => Ok(None),
        };
        slots.map(input).collect()
    }
}

impl Recipe for UserRecipe {
    type State = Room;

    fn set_up(&self, gpu: &SharedGpu, track: &mut dyn Track) -> Result<Room, Fault> {
        let module = self.module.as_ref().ok_or_else(|| {
            let text = "the kernel has no form for this GPU";
            Fault::new(lineside_devices::Blame::Job, text)
        })?;
        let kernel = gpu.kernel(module)?;
        let slots = self.declared.buffers.iter();
        let buffers = slots.map(|_| track.buffer(0)).collect::<Result<_, _>>()?;
        Ok(Room { kernel, buffers, filled: false, size: [0, 0] })
    }

    fn begin(&self, station: &mut Station<Room>, inputs: &Inputs<'_>) -> Result<(), Wrong> {
        let read = self.inputs(inputs)?;
        let size = read.iter().flatten().next().map_or([0, 0], |input| input.size);
        let pixels = u64::from(size[0]) * u64::from(size[1]);
        let Station { track, state: room, .. } = station;
        room.size = size;
        let mut work = Work::default();
        for (at, (slot, input)) in self.declared.buffers.iter().zip(&read).enumerate() {
            let bytes = match slot {
                Slot::From(_) => input.as_ref().map_or(0, |it| (*it.bytes).as_ref().len() as u64),
                Slot::ToPicture => pixels,
                Slot::ToBytes(bytes) | Slot::Zeros(bytes) => *bytes,
                Slot::File(bytes) => bytes.len() as u64,
            };
            if room.buffers[at].bytes < bytes {
                room.buffers[at] = track.buffer(bytes)?;
            }
            let buffer = room.buffers[at];
            match (slot, input) {
                (Slot::From(_), Some(input)) => {
                    work.uploads.push((buffer, (*input.bytes).as_ref()))
                }
                (Slot::File(bytes), _) if !room.filled => work.uploads.push((buffer, bytes)),
                (Slot::Zeros(_) | Slot::ToBytes(_), _) => work.zeros.push(buffer),
                (Slot::ToPicture, _) => work.downloads.push((buffer, pixels)),
                (Slot::From(_) | Slot::File(_), _) => {}
            }
            if let Slot::ToBytes(bytes) = slot {
                work.downloads.push((buffer, *bytes));
            }
        }
        room.filled = true;
        let arguments: Vec<u32> = self
            .declared
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Width => size[0],
                Argument::Height => size[1],
                Argument::Image => inputs.image,
                Argument::Word(word) => *word,
            })
            .collect();
        let threads = match self.declared.threads {
            Threads::Pixels => pixels,
            Threads::Words => pixels.div_ceil(4),
            Threads::Count(count) => count,
        };
        work.dispatches.push(Dispatch::over(&room.kernel, threads, &room.buffers, &arguments));
        Ok(track.begin(&work)?)
    }

    fn go_on(
        &self,
        station: &mut Station<Room>,
        inputs: &Inputs<'_>,
        results: Vec<Vec<u8>>,
    ) -> Result<Option<Product>, Wrong> {
        let first = self.inputs(inputs)?.into_iter().flatten().next();
        let bytes = results.into_iter().next().unwrap_or_default();
        let number = inputs.image;
        let image =
            first.as_ref().map_or_else(|| alloc::format!("{number}"), |it| it.image.clone());
        if !self.declared.buffers.contains(&Slot::ToPicture) {
            return Ok(Some(Arc::new(Raw { image, bytes })));
        }
        let [width, height] = station.state.size;
        let grey = Grey::new(width, height, bytes);
        let grey = grey.map_err(|error| Wrong::Image(alloc::format!("{image}: {error}")))?;
        let path = first.map_or_else(PathBuf::new, |input| input.path);
        Ok(Some(Arc::new(Loaded { image, path, grey })))
    }
}

/// What a kernel of the user's own does on a CPU place: it has no form for that.
pub(crate) struct OnlyOnGpus;

impl Tool for OnlyOnGpus {
    fn start(&self, work: &HostWork<'_>) -> Result<Vec<Product>, Failure> {
        let text = alloc::format!("the kernel of `{}` has no form for the CPU", work.job);
        Err(Failure::from(text))
    }
}
