//! The calls of CUDA's driver that we make.
//!
//! cudarc finds and opens the library. The calls are looked up here, with results as plain numbers:
//! a driver newer than a list of results must not bring in a value that the list does not have.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use cudarc::driver::sys;

/// What a call answers; 0 is success.
pub(super) type Code = u32;
/// A context, stream, event, module or function.
pub(super) type Handle = *mut c_void;
/// An address on the device.
pub(super) type Address = u64;

/// Declares the table of calls and how it is looked up.
macro_rules! calls {
    ($($field:ident = $symbol:literal ($($argument:ty),*);)*) => {
        /// Each call, by the name of its symbol.
        pub(super) struct Calls {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) -> Code,)*
        }

        impl Calls {
            /// Looks every call up in the driver.
            fn load(library: &'static libloading::Library) -> Result<Self, String> {
                // SAFETY: the types are those of the header of CUDA 12.
                Ok(Calls { $($field: *unsafe { library.get($symbol.to_bytes_with_nul()) }
                    .map_err(|_| lacks($symbol))?,)* })
            }
        }
    };
}

calls! {
    init = c"cuInit" (c_uint);
    version = c"cuDriverGetVersion" (*mut c_int);
    device_count = c"cuDeviceGetCount" (*mut c_int);
    device = c"cuDeviceGet" (*mut c_int, c_int);
    device_name = c"cuDeviceGetName" (*mut c_char, c_int, c_int);
    device_uuid = c"cuDeviceGetUuid_v2" (*mut [u8; 16], c_int);
    device_pci = c"cuDeviceGetPCIBusId" (*mut c_char, c_int, c_int);
    device_memory = c"cuDeviceTotalMem_v2" (*mut usize, c_int);
    device_attribute = c"cuDeviceGetAttribute" (*mut c_int, c_int, c_int);
    retain = c"cuDevicePrimaryCtxRetain" (*mut Handle, c_int);
    release = c"cuDevicePrimaryCtxRelease_v2" (c_int);
    reset = c"cuDevicePrimaryCtxReset_v2" (c_int);
    set_context = c"cuCtxSetCurrent" (Handle);
    stream_create = c"cuStreamCreate" (*mut Handle, c_uint);
    stream_destroy = c"cuStreamDestroy_v2" (Handle);
    stream_synchronize = c"cuStreamSynchronize" (Handle);
    event_create = c"cuEventCreate" (*mut Handle, c_uint);
    event_record = c"cuEventRecord" (Handle, Handle);
    event_query = c"cuEventQuery" (Handle);
    event_destroy = c"cuEventDestroy_v2" (Handle);
    allocate = c"cuMemAllocAsync" (*mut Address, usize, Handle);
    allocate_at_once = c"cuMemAlloc_v2" (*mut Address, usize);
    free_at_once = c"cuMemFree_v2" (Address);
    free = c"cuMemFreeAsync" (Address, Handle);
    host_allocate = c"cuMemHostAlloc" (*mut *mut c_void, usize, c_uint);
    host_free = c"cuMemFreeHost" (*mut c_void);
    upload = c"cuMemcpyHtoDAsync_v2" (Address, *const c_void, usize, Handle);
    download = c"cuMemcpyDtoHAsync_v2" (*mut c_void, Address, usize, Handle);
    fill = c"cuMemsetD8Async" (Address, u8, usize, Handle);
    module_load = c"cuModuleLoadDataEx" (
        *mut Handle, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    module_unload = c"cuModuleUnload" (Handle);
    function = c"cuModuleGetFunction" (*mut Handle, Handle, *const c_char);
    launch = c"cuLaunchKernel" (
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle,
        *mut *mut c_void, *mut *mut c_void);
    error_name = c"cuGetErrorName" (Code, *mut *const c_char);
}

/// The oldest CUDA that a driver must have: its kernels come as PTX 8.0.
const VERSION_MIN: u32 = 12000;

/// The driver, initialised.
pub(super) struct Driver {
    pub(super) calls: Calls,
    /// As 12040.
    pub(super) version: u32,
    /// The library says that it only plays a GPU.
    pub(super) stand_in: bool,
}

/// CUDA's driver.
///
/// # Errors
///
/// In words: not here, too old, or it does not start.
pub(super) fn driver() -> Result<&'static Driver, String> {
    static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
    DRIVER.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Driver, String> {
    // SAFETY: opening the driver's library runs its own set-up, and nothing else.
    if !unsafe { sys::is_culib_present() } {
        return Err("CUDA is not installed".into());
    }
    // SAFETY: as above; the library stays open for good.
    let library = unsafe { sys::culib() };
    let calls = Calls::load(library)?;
    let mut version = 0;
    // SAFETY: the pointer is valid; the call may come before `cuInit`.
    let code = unsafe { (calls.version)(&mut version) };
    let version = u32::try_from(version).unwrap_or(0);
    if code != 0 || version < VERSION_MIN {
        let (major, minor) = (version / 1000, version % 1000 / 10);
        return Err(format!("the NVIDIA driver has CUDA {major}.{minor}; 12.0 or later is needed"));
    }
    // SAFETY: 0 is the one value that there is.
    let code = unsafe { (calls.init)(0) };
    // SAFETY: a symbol of this name is one of our own stand-in, and its address is not used.
    let stand_in = unsafe { library.get::<*const ()>(b"lineside_stand_in\0") }.is_ok();
    let driver = Driver { calls, version, stand_in };
    match code {
        0 => Ok(driver),
        code => Err(format!("CUDA does not start: {}", driver.name(code))),
    }
}

fn lacks(symbol: &CStr) -> String {
    format!("the NVIDIA driver lacks {}; 525 or later is needed", symbol.to_string_lossy())
}

impl Driver {
    /// The name of a result.
    pub(super) fn name(&self, code: Code) -> String {
        let mut name = std::ptr::null();
        // SAFETY: the driver hands out a string of its own, or nothing.
        let known = unsafe { (self.calls.error_name)(code, &mut name) } == 0 && !name.is_null();
        match known {
            // SAFETY: as above.
            true => unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned(),
            false => format!("CUDA error {code}"),
        }
    }
}
