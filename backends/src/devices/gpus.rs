//! The GPUs of a run, by unit: opened when they are first needed, and again when they were lost.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use lineside_core::UnitId;
use lineside_devices::{Api, Blame, Device, Fault, Opener, SharedGpu, Track};

use super::health::{Do, Health};
use crate::backend::News;
use crate::host::{Failure, UnitNews};

/// Which device a unit of the line is.
#[derive(Debug, Clone)]
pub struct UnitGpu {
    /// The device.
    pub device: Device,
    /// How it is reached.
    pub api: Api,
    /// Bytes that may be leased.
    pub budget: u64,
}

/// The GPUs of a run.
pub struct Gpus {
    opener: Opener,
    units: Vec<Option<Unit>>,
    /// None while no run is under way.
    news: Mutex<Option<UnitNews>>,
    /// Who keeps something on units that nobody uses just now.
    keepers: Mutex<Vec<Weak<dyn Keeper>>>,
}

/// Keeps something on units from start to start.
pub(super) trait Keeper: Send + Sync {
    /// What nobody uses just now goes.
    fn leave(&self, unit: UnitId);
}

struct Unit {
    gpu: UnitGpu,
    opened: Mutex<Option<SharedGpu>>,
    health: Mutex<Health>,
}

/// For so long a hung device is waited for.
const HUNG_MAX: u32 = 60;

impl Gpus {
    /// For each unit of the line, its device, if it is one.
    pub fn new(units: Vec<Option<UnitGpu>>, opener: Opener) -> Self {
        let unit = |gpu| Unit { gpu, opened: Mutex::default(), health: Mutex::default() };
        let units = units.into_iter().map(|gpu| gpu.map(unit)).collect();
        Gpus { opener, units, news: Mutex::default(), keepers: Mutex::default() }
    }

    /// Whom to tell of units that drain, are down, or are back.
    pub fn report_to(&self, news: UnitNews) {
        *locked(&self.news) = Some(news);
    }

    /// What the validation layer had to say; none if it was not asked for.
    pub fn complaints(&self) -> Option<Vec<String>> {
        self.opener.complaints()
    }

    /// Bytes that are held now on all devices.
    pub fn held(&self) -> u64 {
        let opened = self.units.iter().flatten().map(|unit| locked(&unit.opened));
        opened.map(|gpu| gpu.as_ref().map_or(0, |gpu| gpu.held())).sum()
    }

    /// The run is over: what tools have left by now goes, and nothing is opened any more.
    pub fn close(&self) {
        *locked(&self.news) = None;
        for unit in self.units.iter().flatten() {
            *locked(&unit.opened) = None;
        }
    }

    /// Whom to ask for memory that nobody uses.
    pub(super) fn ask_back_from(&self, keeper: Weak<dyn Keeper>) {
        locked(&self.keepers).push(keeper);
    }

    /// What tools keep on a unit, and nobody uses just now, goes.
    pub(super) fn reclaim(&self, unit: UnitId) {
        let keepers = locked(&self.keepers).clone();
        keepers.iter().filter_map(Weak::upgrade).for_each(|keeper| keeper.leave(unit));
    }

    /// How a unit is reached; none if it is no GPU.
    pub(super) fn api(&self, unit: UnitId) -> Option<Api> {
        self.unit(unit).map(|unit| unit.gpu.api)
    }

    /// The GPU of a unit.
    pub(super) fn gpu(&self, unit: UnitId) -> Result<SharedGpu, Fault> {
        let Some(unit) = self.unit(unit) else {
            return Err(Fault::new(Blame::Job, "the unit is no GPU"));
        };
        self.open(unit)
    }

    fn open(&self, unit: &Unit) -> Result<SharedGpu, Fault> {
        let mut opened = locked(&unit.opened);
        if let Some(gpu) = opened.as_ref().filter(|gpu| !gpu.is_lost()) {
            return Ok(gpu.clone());
        }
        // The old one goes when the last track on it does.
        *opened = None;
        let UnitGpu { device, api, budget } = &unit.gpu;
        let gpu = self.opener.open(device, *api, *budget)?;
        Ok(opened.insert(gpu).clone())
    }

    fn unit(&self, unit: UnitId) -> Option<&Unit> {
        self.units.get(unit.0 as usize)?.as_ref()
    }

    /// A start on the unit came to a good end.
    pub(super) fn succeeded(&self, unit: UnitId) {
        if let Some(unit) = self.unit(unit) {
            locked(&unit.health).succeeded();
        }
    }

    /// A start on the unit failed with this fault: what the host is told.
    pub(super) fn failed(self: &Arc<Self>, at: UnitId, image: u32, fault: &Fault) -> Failure {
        let failure = Failure { image: Some(image), ..Failure::from(fault.text.clone()) };
        let Some(unit) = self.unit(at) else { return failure };
        if fault.spoils {
            // Whatever else is on it is lost as well; it is opened anew.
            *locked(&unit.opened) = None;
            let probe = locked(&unit.health).lost();
            self.act(at, probe);
            return match fault.blame {
                Blame::Lost => Failure { lost: Vec::from([at]), ..failure },
                Blame::Job | Blame::Memory | Blame::Device => {
                    Failure { spoilt: Vec::from([at]), ..failure }
                }
            };
        }
        let todo = locked(&unit.health).failed(fault.blame);
        self.act(at, todo);
        failure
    }

    /// The unit was asked back, and still works on this track: it stays out until it is free.
    pub(super) fn hung(self: &Arc<Self>, at: UnitId, mut track: Box<dyn Track>) {
        let Some(unit) = self.unit(at) else { return };
        let todo = locked(&unit.health).hung();
        let news = locked(&self.news).clone();
        if todo == Do::DrainAndProbe
            && let Some(news) = &news
        {
            news.tell(News::Drain(at));
            news.expect();
        }
        let gpus = self.clone();
        in_background(move || {
            for _ in 0..HUNG_MAX {
                if !matches!(track.wait(Duration::from_secs(1)), Ok(None)) {
                    drop(track);
                    return gpus.probe_until_fine(at, todo == Do::DrainAndProbe);
                }
            }
            // It may work on for ever: what it uses is never freed, and the unit stays out.
            core::mem::forget(track);
            if let Some(news) = news.filter(|_| todo == Do::DrainAndProbe) {
                news.settle();
            }
        });
    }

    fn act(self: &Arc<Self>, at: UnitId, todo: Do) {
        let Some(news) = locked(&self.news).clone() else { return };
        match todo {
            Do::DrainAndProbe => news.tell(News::Drain(at)),
            Do::Probe => {}
            Do::Nothing | Do::ProbeAfter(_) | Do::Up | Do::GiveUp => return,
        }
        news.expect();
        let gpus = self.clone();
        in_background(move || gpus.probe_until_fine(at, true));
    }

    /// Probes a unit until it is fine, or is given up.
    fn probe_until_fine(&self, at: UnitId, expected: bool) {
        let (Some(unit), Some(news)) = (self.unit(at), locked(&self.news).clone()) else { return };
        if !expected {
            return;
        }
        // Whoever is at fault gets the time to come to its end.
        thread::sleep(Duration::from_millis(100));
        while locked(&self.news).is_some() {
            let probe = self.open(unit).and_then(|gpu| gpu.probe());
            if probe.is_err() {
                *locked(&unit.opened) = None;
            }
            let todo = locked(&unit.health).probed(probe.is_ok());
            match todo {
                Do::ProbeAfter(seconds) => thread::sleep(Duration::from_secs(seconds)),
                Do::Up => {
                    news.tell(News::Up(at));
                    break;
                }
                Do::Nothing | Do::DrainAndProbe | Do::Probe | Do::GiveUp => break,
            }
        }
        news.settle();
    }
}

fn in_background(work: impl FnOnce() + Send + 'static) {
    // Without a thread the unit stays out.
    let _ = thread::Builder::new().name("probe".into()).spawn(work);
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
