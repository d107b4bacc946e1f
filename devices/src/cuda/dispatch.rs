//! A device that has been opened: its context, its kernels, its tracks.

use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, Weak};

use super::driver::{Code, Driver, Handle, driver};
use super::module::Function;
use super::track::CudaTrack;
use crate::fault::{self, Blame, Fault};
use crate::gpu::{Budget, Gpu, Kernel, Module, Track};

/// A device of CUDA, through its primary context.
pub struct CudaGpu {
    shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub(super) driver: &'static Driver,
    pub(super) device: c_int,
    context: Handle,
    pub(super) budget: Budget,
    /// Its driver frees memory in the order of a stream.
    pub(super) pools: bool,
    /// Its compute capability, as 80 for 8.0.
    pub(super) capability: u32,
    /// Once it is lost no handle of it may be used. Calls hold the lock to read; whoever throws the
    /// context away holds it to write.
    gate: RwLock<()>,
    lost: AtomicBool,
    kernels: Mutex<Kernels>,
}

// SAFETY: handles of the driver may be used from any thread that has the context.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

#[derive(Default)]
struct Kernels {
    known: HashMap<Module, usize>,
    functions: Vec<Arc<Function>>,
}

/// What was opened last on each device: its context has to go before there is another.
static OPENED: Mutex<Vec<(c_int, Weak<Shared>)>> = Mutex::new(Vec::new());

/// Attributes of devices, as the driver numbers them.
const MAJOR: c_int = 75;
const MINOR: c_int = 76;
const POOLS: c_int = 115;

impl CudaGpu {
    /// Opens the device of this number, whose tracks may hold so many bytes together.
    ///
    /// # Errors
    ///
    /// It is gone, or does not start.
    pub fn open(ordinal: u32, budget: u64) -> Result<Self, Fault> {
        let driver = driver().map_err(|text| Fault::new(Blame::Lost, text))?;
        let calls = &driver.calls;
        let fault = |code, what: &str| of(driver, code, what);
        let mut device = 0;
        // SAFETY: here and below the pointers are valid while the calls take.
        let code = unsafe { (calls.device)(&mut device, ordinal as c_int) };
        checked(code).map_err(|code| fault(code, "the device is not there any more"))?;
        let mut opened = locked(&OPENED);
        let old = opened.iter().find(|(at, _)| *at == device).and_then(|(_, old)| old.upgrade());
        if let Some(old) = old.filter(|old| old.is_lost()) {
            // Nobody is in a call, and whoever comes finds it lost.
            let _gate = old.gate.write().unwrap_or_else(PoisonError::into_inner);
            let code = unsafe { (calls.reset)(device) };
            checked(code).map_err(|code| fault(code, "the device can't be reset"))?;
        }
        let mut context = std::ptr::null_mut();
        let code = unsafe { (calls.retain)(&mut context, device) };
        checked(code).map_err(|code| fault(code, "the device does not start"))?;
        let attribute = |which| {
            let mut value = 0;
            let code = unsafe { (calls.device_attribute)(&mut value, which, device) };
            if code == 0 { value } else { 0 }
        };
        let capability = attribute(MAJOR).clamp(0, 99) * 10 + attribute(MINOR).clamp(0, 9);
        let shared = Arc::new(Shared {
            driver,
            device,
            context,
            budget: Budget::new(budget),
            pools: attribute(POOLS) != 0,
            capability: capability as u32,
            gate: RwLock::default(),
            lost: AtomicBool::new(false),
            kernels: Mutex::default(),
        });
        opened.retain(|(at, _)| *at != device);
        opened.push((device, Arc::downgrade(&shared)));
        Ok(CudaGpu { shared })
    }
}

impl Gpu for CudaGpu {
    fn kernel(&self, module: &Module) -> Result<Kernel, Fault> {
        let _entered = self.shared.enter()?;
        let mut kernels = locked(&self.shared.kernels);
        let index = match kernels.known.get(module) {
            Some(&index) => index,
            None => {
                let function = Arc::new(Function::new(&self.shared, module)?);
                kernels.functions.push(function);
                let index = kernels.functions.len() - 1;
                kernels.known.insert(module.clone(), index);
                index
            }
        };
        Ok(Kernel { index, workgroup: kernels.functions[index].workgroup })
    }

    fn track(&self) -> Result<Box<dyn Track>, Fault> {
        Ok(Box::new(CudaTrack::new(&self.shared)?))
    }

    fn held(&self) -> u64 {
        self.shared.budget.held()
    }

    fn probe(&self) -> Result<(), Fault> {
        crate::probe::probe(self, crate::probe::PTX)
    }

    fn is_lost(&self) -> bool {
        self.shared.is_lost()
    }
}

impl Shared {
    /// Begins calls on this thread; as long as the guard lives the context stays.
    pub(super) fn enter(&self) -> Result<RwLockReadGuard<'_, ()>, Fault> {
        let guard = self.gate.read().unwrap_or_else(PoisonError::into_inner);
        if self.is_lost() {
            return Err(Fault::new(Blame::Lost, "the device is lost"));
        }
        // SAFETY: the context is alive: it goes only once `lost` is set.
        let code = unsafe { (self.driver.calls.set_context)(self.context) };
        checked(code).map_err(|code| self.fault(code, "the context"))?;
        Ok(guard)
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::SeqCst)
    }

    /// A result as a fault. One that spoils the context ends it for everybody.
    pub(super) fn fault(&self, code: Code, what: &str) -> Fault {
        let fault = of(self.driver, code, what);
        if fault.spoils {
            self.lost.store(true, Ordering::SeqCst);
        }
        fault
    }

    pub(super) fn function(&self, kernel: &Kernel) -> Option<Arc<Function>> {
        locked(&self.kernels).functions.get(kernel.index).cloned()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let calls = &self.driver.calls;
        // SAFETY: tracks hold the device, so none is left. A context that is lost goes by a reset,
        // and takes all that is in it along.
        unsafe {
            if self.is_lost() {
                let opened = locked(&OPENED);
                let newer =
                    opened.iter().any(|(at, it)| *at == self.device && it.strong_count() > 0);
                if !newer {
                    (calls.reset)(self.device);
                    (calls.release)(self.device);
                }
                return;
            }
            (calls.set_context)(self.context);
            let kernels = self.kernels.get_mut().unwrap_or_else(PoisonError::into_inner);
            kernels.functions.iter().for_each(|function| function.unload(calls));
            (calls.release)(self.device);
        }
    }
}

pub(super) fn checked(code: Code) -> Result<(), Code> {
    if code == 0 { Ok(()) } else { Err(code) }
}

fn of(driver: &Driver, code: Code, what: &str) -> Fault {
    let (blame, spoils) = fault::class(fault::CUDA, i64::from(code));
    Fault { blame, spoils, text: format!("{what}: {} ({code})", driver.name(code)) }
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
