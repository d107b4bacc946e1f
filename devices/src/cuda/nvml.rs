//! NVML: what the driver knows of cards and MIG slices beyond this process.

use std::ffi::{c_char, c_int, c_uint, c_void};

use libloading::Library;

use super::discovery::text;
use crate::identity::Uuid;
use crate::seen::{Answer, NvmlSeen, SliceSeen};

/// What a call answers; 0 is success, 3 that it isn't supported.
type Code = c_uint;
type Handle = *mut c_void;

const NAMES: [&str; 3] = ["libnvidia-ml.so.1", "libnvidia-ml.so", "nvml.dll"];
const NOT_SUPPORTED: Code = 3;
const CARDS_MAX: c_uint = 1024;
const SLICES_MAX: c_uint = 64;

/// `nvmlMemory_t`.
#[repr(C)]
#[derive(Default)]
struct Memory {
    total: u64,
    free: u64,
    used: u64,
}

/// `nvmlPciInfo_t`.
#[repr(C)]
struct PciInfo {
    legacy: [c_char; 16],
    domain: c_uint,
    bus: c_uint,
    device: c_uint,
    device_id: c_uint,
    subsystem_id: c_uint,
    bus_id: [c_char; 32],
}

/// Every card, in NVML's order.
///
/// # Errors
///
/// In words: not here, or it does not start.
pub(super) fn ask() -> Result<Vec<NvmlSeen>, String> {
    // SAFETY: opening the library runs its own set-up, and nothing else.
    let library = NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok());
    let nvml = Nvml { library: library.ok_or("NVML is not installed")? };
    // SAFETY: here and below the types are those of NVML's header, and every pointer is valid for
    // as long as the call takes.
    unsafe {
        match nvml.get::<unsafe extern "C" fn() -> Code>(b"nvmlInit_v2\0") {
            None => return Err("NVML is too old".into()),
            Some(init) => match init() {
                0 => {}
                code => return Err(format!("NVML does not start (error {code})")),
            },
        }
        let cards = nvml.cards();
        if let Some(shutdown) = nvml.get::<unsafe extern "C" fn() -> Code>(b"nvmlShutdown\0") {
            shutdown();
        }
        Ok(cards)
    }
}

struct Nvml {
    library: Library,
}

type Texts = unsafe extern "C" fn(Handle, *mut c_char, c_uint) -> Code;

impl Nvml {
    /// A call, if this NVML has it.
    unsafe fn get<T: Copy>(&self, name: &[u8]) -> Option<T> {
        // SAFETY: the caller names the right type.
        unsafe { self.library.get::<T>(name) }.ok().map(|symbol| *symbol)
    }

    unsafe fn cards(&self) -> Vec<NvmlSeen> {
        type Count = unsafe extern "C" fn(*mut c_uint) -> Code;
        type ByIndex = unsafe extern "C" fn(c_uint, *mut Handle) -> Code;
        // SAFETY: as in `ask`.
        unsafe {
            let count = self.get::<Count>(b"nvmlDeviceGetCount_v2\0");
            let by_index = self.get::<ByIndex>(b"nvmlDeviceGetHandleByIndex_v2\0");
            let (Some(count), Some(by_index)) = (count, by_index) else { return Vec::new() };
            let mut cards = 0;
            if count(&mut cards) != 0 {
                return Vec::new();
            }
            let driver = self.driver();
            let mut seen = Vec::new();
            for index in 0..cards.min(CARDS_MAX) {
                let mut card = std::ptr::null_mut();
                if by_index(index, &mut card) == 0 {
                    seen.push(self.card(card, &driver));
                }
            }
            seen
        }
    }

    unsafe fn driver(&self) -> String {
        type Version = unsafe extern "C" fn(*mut c_char, c_uint) -> Code;
        let mut version = [0; 81];
        // SAFETY: as in `ask`.
        unsafe {
            match self.get::<Version>(b"nvmlSystemGetDriverVersion\0") {
                Some(get) if get(version.as_mut_ptr(), 80) == 0 => text(&version),
                _ => String::new(),
            }
        }
    }

    unsafe fn card(&self, card: Handle, driver: &str) -> NvmlSeen {
        // SAFETY: as in `ask`.
        unsafe {
            let mig = self.mig(card);
            let slices = match mig {
                Answer::Known(true) => self.slices(card),
                _ => Vec::new(),
            };
            let uuid = self.text(b"nvmlDeviceGetUUID\0", card);
            NvmlSeen {
                name: self.text(b"nvmlDeviceGetName\0", card).known().cloned().unwrap_or_default(),
                uuid: parsed(&uuid, |text| text.parse::<Uuid>()),
                pci: self.pci(card),
                memory: self.memory(card),
                mig,
                slices,
                driver: driver.to_owned(),
            }
        }
    }

    unsafe fn text(&self, call: &[u8], of: Handle) -> Answer<String> {
        let mut name = [0; 97];
        // SAFETY: as in `ask`.
        let code = unsafe { self.get::<Texts>(call).map(|get| get(of, name.as_mut_ptr(), 96)) };
        answer(code, || text(&name))
    }

    unsafe fn pci(&self, card: Handle) -> Answer<crate::Pci> {
        type Get = unsafe extern "C" fn(Handle, *mut PciInfo) -> Code;
        // SAFETY: as in `ask`; all zeros are a `PciInfo`.
        unsafe {
            let mut info: PciInfo = std::mem::zeroed();
            let get = self.get::<Get>(b"nvmlDeviceGetPciInfo_v3\0");
            let code = get.map(|get| get(card, &mut info));
            parsed(&answer(code, || text(&info.bus_id)), str::parse)
        }
    }

    unsafe fn memory(&self, of: Handle) -> Answer<(u64, u64)> {
        type Get = unsafe extern "C" fn(Handle, *mut Memory) -> Code;
        let mut memory = Memory::default();
        // SAFETY: as in `ask`.
        let get = unsafe { self.get::<Get>(b"nvmlDeviceGetMemoryInfo\0") };
        let code = get.map(|get| unsafe { get(of, &mut memory) });
        // What the driver keeps for itself is neither free nor used; nobody can have it.
        answer(code, || (memory.total, memory.total.saturating_sub(memory.free)))
    }

    unsafe fn mig(&self, card: Handle) -> Answer<bool> {
        type Get = unsafe extern "C" fn(Handle, *mut c_uint, *mut c_uint) -> Code;
        let (mut now, mut pending) = (0, 0);
        // SAFETY: as in `ask`.
        let get = unsafe { self.get::<Get>(b"nvmlDeviceGetMigMode\0") };
        let code = get.map(|get| unsafe { get(card, &mut now, &mut pending) });
        answer(code, || now == 1)
    }

    unsafe fn slices(&self, card: Handle) -> Vec<SliceSeen> {
        type Count = unsafe extern "C" fn(Handle, *mut c_uint) -> Code;
        type ByIndex = unsafe extern "C" fn(Handle, c_uint, *mut Handle) -> Code;
        // SAFETY: as in `ask`.
        unsafe {
            let count = self.get::<Count>(b"nvmlDeviceGetMaxMigDeviceCount\0");
            let by_index = self.get::<ByIndex>(b"nvmlDeviceGetMigDeviceHandleByIndex\0");
            let (Some(count), Some(by_index)) = (count, by_index) else { return Vec::new() };
            let mut places = 0;
            if count(card, &mut places) != 0 {
                return Vec::new();
            }
            let mut slices = Vec::new();
            for index in 0..places.min(SLICES_MAX) {
                let mut slice = std::ptr::null_mut();
                // Not every place has a slice.
                if by_index(card, index, &mut slice) != 0 {
                    continue;
                }
                let uuid = self.text(b"nvmlDeviceGetUUID\0", slice);
                let name = self.text(b"nvmlDeviceGetName\0", slice);
                if let Answer::Known(uuid) = uuid {
                    let profile = name.known().and_then(|name| profile(name));
                    slices.push(SliceSeen { uuid, profile, memory: self.memory(slice) });
                }
            }
            slices
        }
    }
}

/// `NVIDIA A100-SXM4-40GB MIG 1g.5gb` is a slice of profile `1g.5gb`.
fn profile(name: &str) -> Option<String> {
    name.rsplit_once("MIG ").map(|(_, profile)| profile.trim().to_owned())
}

fn answer<T>(code: Option<Code>, value: impl FnOnce() -> T) -> Answer<T> {
    match code {
        Some(0) => Answer::Known(value()),
        // An NVML that does not have the call does not support it.
        None | Some(NOT_SUPPORTED) => Answer::NotSupported,
        Some(code) => Answer::Failed(format!("NVML error {code}")),
    }
}

fn parsed<T>(text: &Answer<String>, parse: impl Fn(&str) -> Result<T, ()>) -> Answer<T> {
    match text {
        Answer::Known(text) => match parse(text) {
            Ok(value) => Answer::Known(value),
            Err(()) => Answer::Failed(format!("`{text}` makes no sense")),
        },
        Answer::NotSupported => Answer::NotSupported,
        Answer::Failed(why) => Answer::Failed(why.clone()),
    }
}

/// So that NVML's own types stay as large as they are.
const _: () = assert!(size_of::<PciInfo>() == 68 && size_of::<c_int>() == 4);
