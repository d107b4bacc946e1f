//! The images of a start, on their way through a GPU: while one is computed, the next is uploaded
//! and the one before is read back.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use lineside_core::UnitId;
use lineside_devices::{Blame, Fault, SharedGpu, Track};

use super::gpus::{Gpus, Keeper, locked};
use crate::host::{Failure, Product, Upstream, Work};

/// Images of one start that are in hand at once: one goes up, one is computed, one comes back.
const IN_HAND: usize = 3;
/// How often it is looked whether the units are asked back.
const LOOK: Duration = Duration::from_millis(20);
/// How long work on a device may go on after it was asked back.
const GRACE: Duration = Duration::from_secs(2);

/// How a tool uses a GPU.
pub(super) trait Recipe: Send + Sync {
    /// What it keeps on a track from image to image.
    type State: Send;

    /// Buffers and constants on a new track.
    fn set_up(&self, gpu: &SharedGpu, track: &mut dyn Track) -> Result<Self::State, Fault>;

    /// Begins an image.
    fn begin(&self, station: &mut Station<Self::State>, inputs: &Inputs<'_>) -> Result<(), Wrong>;

    /// Goes on with what has come back: a product, or nothing if more work has been begun.
    fn go_on(
        &self,
        station: &mut Station<Self::State>,
        inputs: &Inputs<'_>,
        results: Vec<Vec<u8>>,
    ) -> Result<Option<Product>, Wrong>;
}

/// What a recipe works from.
pub(super) struct Inputs<'a> {
    pub(super) job: &'a str,
    pub(super) image: u32,
    pub(super) upstreams: &'a [Upstream],
}

impl Inputs<'_> {
    /// The one input of this type.
    pub(super) fn input<T: core::any::Any + Send + Sync>(&self) -> Result<Arc<T>, Wrong> {
        let all = self.upstreams.iter().flat_map(|upstream| &upstream.products);
        let found = all.cloned().find_map(|product| product.downcast::<T>().ok());
        found.ok_or_else(|| {
            let job = self.job;
            Wrong::Image(alloc::format!(
                "`{job}` gets nothing that it can use from the jobs in `after`"
            ))
        })
    }
}

/// What went wrong.
pub(super) enum Wrong {
    /// With the image, or what was asked of it.
    Image(String),
    /// With the device or the kernel.
    Device(Fault),
}

impl From<Fault> for Wrong {
    fn from(fault: Fault) -> Self {
        Wrong::Device(fault)
    }
}

/// A track with what a recipe keeps on it.
pub(super) struct Station<S> {
    gpu: SharedGpu,
    pub(super) track: Box<dyn Track>,
    pub(super) state: S,
}

/// The tracks of a tool that nobody uses just now, by unit.
pub(super) struct Idle<S>(Mutex<Vec<(UnitId, Station<S>)>>);

impl<S> Default for Idle<S> {
    fn default() -> Self {
        Idle(Mutex::default())
    }
}

impl<S> Idle<S> {
    /// A track on this GPU; one that was on it before it was opened anew goes.
    fn take(&self, unit: UnitId, gpu: &SharedGpu) -> Option<Station<S>> {
        let mut idle = locked(&self.0);
        idle.retain(|(at, station)| *at != unit || Arc::ptr_eq(&station.gpu, gpu));
        let at = idle.iter().position(|(at, _)| *at == unit)?;
        Some(idle.swap_remove(at).1)
    }

    fn put(&self, unit: UnitId, station: Station<S>) {
        locked(&self.0).push((unit, station));
    }
}

impl<S: Send> Keeper for Idle<S> {
    fn leave(&self, unit: UnitId) {
        locked(&self.0).retain(|(at, _)| *at != unit);
    }
}

/// An image on a track.
struct Flight<S> {
    at: usize,
    station: Station<S>,
}

/// Takes all images of a start through the GPU of its first unit.
pub(super) fn run<R: Recipe>(
    recipe: &R,
    idle: &Idle<R::State>,
    gpus: &Arc<Gpus>,
    work: &Work<'_>,
) -> Result<Vec<Product>, Failure> {
    let unit = work.units[0].id;
    let mut belt = Belt { recipe, idle, gpus, work, unit, flights: VecDeque::new() };
    let result = belt.run();
    belt.clear();
    match &result {
        Ok(_) => gpus.succeeded(unit),
        Err(_) => idle.leave(unit),
    }
    result
}

struct Belt<'b, R: Recipe> {
    recipe: &'b R,
    idle: &'b Idle<R::State>,
    gpus: &'b Arc<Gpus>,
    work: &'b Work<'b>,
    unit: UnitId,
    /// The oldest first.
    flights: VecDeque<Flight<R::State>>,
}

impl<R: Recipe> Belt<'_, R> {
    fn run(&mut self) -> Result<Vec<Product>, Failure> {
        let count = self.work.images.len();
        let mut products: Vec<Option<Product>> = Vec::new();
        products.resize(count, None);
        let mut next = 0;
        loop {
            while next < count && self.flights.len() < IN_HAND && !self.work.recall.is_on() {
                self.send_off(next).map_err(|wrong| self.failure(next, wrong))?;
                next += 1;
            }
            let Some(mut flight) = self.flights.pop_front() else { break };
            let at = flight.at;
            let Some(results) = self.await_results(&mut flight)? else {
                return self.hung(flight);
            };
            let inputs = self.inputs(at);
            let done = self.recipe.go_on(&mut flight.station, &inputs, results);
            match done.map_err(|wrong| self.failure(at, wrong))? {
                Some(product) => {
                    products[at] = Some(product);
                    self.idle.put(self.unit, flight.station);
                }
                // Its second half goes behind the first of the others.
                None => self.flights.push_back(flight),
            }
        }
        let all: Option<Vec<Product>> = products.into_iter().collect();
        all.ok_or_else(|| Failure::from(String::from("stopped")))
    }

    fn inputs(&self, at: usize) -> Inputs<'_> {
        let Work { job, images, inputs, .. } = self.work;
        Inputs { job, image: images[at], upstreams: &inputs[at] }
    }

    fn send_off(&mut self, at: usize) -> Result<(), Wrong> {
        match self.try_to_send_off(at) {
            Err(Wrong::Device(fault)) if fault.blame == Blame::Memory && !fault.spoils => {
                // Others may keep what they don't use.
                self.gpus.reclaim(self.unit);
                self.try_to_send_off(at)
            }
            sent => sent,
        }
    }

    fn try_to_send_off(&mut self, at: usize) -> Result<(), Wrong> {
        let gpu = self.gpus.gpu(self.unit)?;
        let mut station = match self.idle.take(self.unit, &gpu) {
            Some(station) => station,
            None => {
                let mut track = gpu.track()?;
                let state = self.recipe.set_up(&gpu, track.as_mut())?;
                Station { gpu, track, state }
            }
        };
        self.recipe.begin(&mut station, &self.inputs(at))?;
        self.flights.push_back(Flight { at, station });
        Ok(())
    }

    /// What comes back; nothing if the units were asked back and the device does not heed it.
    fn await_results(
        &self,
        flight: &mut Flight<R::State>,
    ) -> Result<Option<Vec<Vec<u8>>>, Failure> {
        let mut asked_back = None;
        loop {
            let waited = flight.station.track.wait(LOOK);
            match waited.map_err(|fault| self.failure(flight.at, Wrong::Device(fault)))? {
                Some(results) => return Ok(Some(results)),
                None if !self.work.recall.is_on() => {}
                None => {
                    let since = *asked_back.get_or_insert_with(Instant::now);
                    if since.elapsed() >= GRACE {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// The device is at it still; the lease is given back, and the unit stays out.
    fn hung(&mut self, flight: Flight<R::State>) -> Result<Vec<Product>, Failure> {
        let mut flights = core::mem::take(&mut self.flights);
        flights.push_front(flight);
        for flight in flights {
            self.gpus.hung(self.unit, flight.station.track);
        }
        Err(Failure::from(String::from("the device did not stop when it was asked to")))
    }

    fn failure(&self, at: usize, wrong: Wrong) -> Failure {
        let image = self.work.images[at];
        match wrong {
            Wrong::Image(text) => Failure { image: Some(image), ..Failure::from(text) },
            Wrong::Device(fault) => self.gpus.failed(self.unit, image, &fault),
        }
    }

    /// Waits for what is still on the device: nothing of the start may touch it afterwards.
    fn clear(&mut self) {
        for mut flight in core::mem::take(&mut self.flights) {
            let began = Instant::now();
            let mut on = true;
            while on && began.elapsed() < GRACE {
                on = matches!(flight.station.track.wait(LOOK), Ok(None));
            }
            if on {
                self.gpus.hung(self.unit, flight.station.track);
            }
        }
    }
}
