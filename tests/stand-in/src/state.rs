//! Cards, and what is on them.

use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::kernels::Form;
use crate::spec::Spec;

/// Bytes of a card, and of a slice.
pub const CARD_BYTES: u64 = 16 << 30;
/// Bytes of a slice.
pub const SLICE_BYTES: u64 = 5 << 30;

/// Everything.
pub struct State {
    /// What the environment asks for.
    pub spec: Spec,
    /// What CUDA shows, in its order.
    pub visible: Vec<Entity>,
    /// By CUDA's number.
    pub devices: Vec<DeviceState>,
    /// What lies where.
    pub memory: HashMap<u64, Allocation>,
    /// Pinned memory of the host, and for which device.
    pub pinned: HashMap<u64, (usize, Box<[u8]>)>,
    /// Until when each stream works, and on which device it is.
    pub streams: HashMap<usize, (usize, Instant)>,
    /// When each event has come, and its device.
    pub events: HashMap<usize, (usize, Instant)>,
    /// Entry points of each module, and its device.
    pub modules: HashMap<usize, (usize, Vec<String>)>,
    /// What each function is, and its device.
    pub functions: HashMap<usize, (usize, Form)>,
    next: usize,
    allocations: u64,
}

/// A card, or a slice of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entity {
    /// Which card, along the bus.
    pub card: usize,
    /// Which of its slices.
    pub slice: Option<usize>,
}

/// What runs on a device.
#[derive(Debug, Clone, Default)]
pub struct DeviceState {
    /// How often its context is held.
    pub retained: u32,
    /// Why nothing works in its context any more.
    pub spoilt: Option<u32>,
    /// Since when it is gone.
    pub gone: Option<Instant>,
    launches: u64,
}

/// Memory of a device.
pub struct Allocation {
    /// Whose.
    pub device: usize,
    /// The bytes.
    pub bytes: Box<[u8]>,
}

/// The state, locked.
pub fn state() -> MutexGuard<'static, State> {
    static STATE: OnceLock<Mutex<State>> = OnceLock::new();
    let state = STATE.get_or_init(|| {
        // SAFETY: the function takes nothing and is there as long as the library is.
        unsafe { atexit(report) };
        Mutex::new(State::new())
    });
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
}

/// Says at the end what is left, to the file that `LINESIDE_STAND_IN_REPORT` names.
extern "C" fn report() {
    let Some(path) = std::env::var_os("LINESIDE_STAND_IN_REPORT") else { return };
    let state = state();
    let contexts: u32 = state.devices.iter().map(|device| device.retained).sum();
    let launches: u64 = state.devices.iter().map(|device| device.launches).sum();
    let text = format!(
        "stand-in, not a GPU\nlaunches {launches}\nleft: memory {} pinned {} streams {} events {} \
         modules {} contexts {contexts}\n",
        state.memory.len(),
        state.pinned.len(),
        state.streams.len(),
        state.events.len(),
        state.modules.len(),
    );
    let _ = std::fs::write(path, text);
}

impl State {
    fn new() -> Self {
        let spec = Spec::from_environment();
        let cards = spec.number("cards").unwrap_or(1) as usize;
        let visible = visible(&spec, cards);
        State {
            devices: vec![DeviceState::default(); visible.len()],
            visible,
            spec,
            memory: HashMap::new(),
            pinned: HashMap::new(),
            streams: HashMap::new(),
            events: HashMap::new(),
            modules: HashMap::new(),
            functions: HashMap::new(),
            next: 0x1000,
            allocations: 0,
        }
    }

    /// A number that nothing else has.
    pub fn fresh(&mut self) -> usize {
        self.next += 16;
        self.next
    }

    /// Why nothing works on a device; 0 if it does.
    pub fn trouble(&mut self, device: usize) -> u32 {
        let back = self.spec.number("back").map(Duration::from_millis);
        let state = &mut self.devices[device];
        if let Some(since) = state.gone {
            if back.is_none_or(|back| since.elapsed() < back) {
                return 100;
            }
            state.gone = None;
        }
        state.spoilt.unwrap_or(0)
    }

    /// Whether an allocation fails.
    pub fn refuses_memory(&mut self, device: usize, bytes: u64) -> bool {
        self.allocations += 1;
        let card = self.visible[device].card;
        let held = self.memory.values().filter(|it| it.device == device);
        let held: u64 = held.map(|it| it.bytes.len() as u64).sum();
        let all = if self.visible[device].slice.is_some() { SLICE_BYTES } else { CARD_BYTES };
        let used = self.spec.number("used").unwrap_or(0) << 20;
        held + bytes + used > all || self.spec.strikes("oom", card, self.allocations)
    }

    /// How long a launch takes, or why it fails.
    pub fn launch(&mut self, device: usize) -> Result<Duration, u32> {
        let card = self.visible[device].card;
        self.devices[device].launches += 1;
        let count = self.devices[device].launches;
        let strikes = |key: &str| self.spec.strikes(key, card, count);
        let spoils = [("launch", 719), ("illegal", 700), ("ecc", 214)];
        if let Some((_, code)) = spoils.into_iter().find(|(key, _)| strikes(key)) {
            self.devices[device].spoilt = Some(code);
            return Err(code);
        }
        if strikes("lost") {
            // What was on it is gone as well.
            self.reset(device);
            self.devices[device].gone = Some(Instant::now());
            return Err(100);
        }
        let slow = self.spec.number("on").is_none_or(|on| on == card as u64);
        let mut millis = self.spec.number("slow").filter(|_| slow).unwrap_or(0);
        if strikes("hang") {
            millis += self.spec.number("for").unwrap_or(5000);
        }
        Ok(Duration::from_millis(millis))
    }

    /// The context of a device goes, and all that is in it.
    pub fn reset(&mut self, device: usize) {
        self.memory.retain(|_, it| it.device != device);
        self.streams.retain(|_, it| it.0 != device);
        self.events.retain(|_, it| it.0 != device);
        self.pinned.retain(|_, it| it.0 != device);
        self.modules.retain(|_, it| it.0 != device);
        self.functions.retain(|_, it| it.0 != device);
        self.devices[device].spoilt = None;
        self.devices[device].retained = 0;
    }
}

/// The UUID of a card or a slice.
pub fn uuid(entity: Entity) -> [u8; 16] {
    let mut uuid = *b"stand-in no GPU ";
    uuid[14] = entity.card as u8;
    uuid[15] = entity.slice.map_or(0, |slice| slice as u8 + 1);
    uuid
}

/// A UUID in hexadecimal, with hyphens.
pub fn written(uuid: [u8; 16]) -> String {
    let hex: String = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// How many slices a card has; none if MIG is off.
pub fn slices(spec: &Spec) -> Option<usize> {
    spec.number("mig").map(|slices| slices as usize)
}

/// What CUDA shows: in its own order, as far as `CUDA_VISIBLE_DEVICES` lets it.
fn visible(spec: &Spec, cards: usize) -> Vec<Entity> {
    let mut all: Vec<Entity> = (0..cards)
        .map(|card| Entity { card, slice: slices(spec).filter(|slices| *slices > 0).map(|_| 0) })
        .collect();
    if slices(spec) == Some(0) {
        all.clear();
    }
    if spec.is("order", "reverse") {
        all.reverse();
    }
    let Ok(wanted) = std::env::var("CUDA_VISIBLE_DEVICES") else {
        // Of slices a process sees one.
        if slices(spec).is_some() {
            all.truncate(1);
        }
        return all;
    };
    let mut shown = Vec::new();
    for word in wanted.split(',').map(str::trim) {
        let by_number = word.parse::<usize>().ok().and_then(|at| all.get(at).copied());
        let named = |entity: &Entity| {
            let text = written(uuid(*entity));
            word == format!("GPU-{text}") || word == format!("MIG-{text}")
        };
        let slices = (0..cards).flat_map(|card| {
            (0..slices(spec).unwrap_or(0)).map(move |slice| Entity { card, slice: Some(slice) })
        });
        let by_name = slices.chain(all.iter().copied()).find(named);
        match by_number.or(by_name) {
            Some(entity) => shown.push(entity),
            None => break,
        }
    }
    shown
}
