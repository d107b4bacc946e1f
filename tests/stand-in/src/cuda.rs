//! The calls of `cuda.h`.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::slice;
use std::time::{Duration, Instant};

use crate::kernels::{Form, Parameters};
use crate::state::{Allocation, CARD_BYTES, Entity, SLICE_BYTES, State, state, uuid};

/// What a call answers.
pub type Code = u32;

const OK: Code = 0;
const INVALID_VALUE: Code = 1;
const OUT_OF_MEMORY: Code = 2;
const INVALID_DEVICE: Code = 101;
const INVALID_CONTEXT: Code = 201;
const INVALID_PTX: Code = 218;
const INVALID_HANDLE: Code = 400;
const NOT_FOUND: Code = 500;
const NOT_READY: Code = 600;

thread_local! {
    /// The device whose context is current, plus one; 0 for none.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// Says that this is no driver.
#[unsafe(no_mangle)]
pub static lineside_stand_in: u8 = 1;

fn on_device(work: impl FnOnce(&mut State, usize) -> Code) -> Code {
    let Some(device) = CURRENT.get().checked_sub(1) else { return INVALID_CONTEXT };
    let mut state = state();
    if state.devices.get(device).is_none_or(|it| it.retained == 0) {
        return INVALID_CONTEXT;
    }
    match state.trouble(device) {
        0 => work(&mut state, device),
        code => code,
    }
}

fn with_device(device: c_int, work: impl FnOnce(&mut State, usize) -> Code) -> Code {
    let mut state = state();
    match usize::try_from(device).ok().filter(|device| *device < state.visible.len()) {
        Some(device) => work(&mut state, device),
        None => INVALID_DEVICE,
    }
}

unsafe fn write_text(text: &str, to: *mut c_char, room: c_int) {
    let bytes = &text.as_bytes()[..text.len().min(room.max(1) as usize - 1)];
    to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
    to.add(bytes.len()).write(0);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuInit(_: c_uint) -> Code {
    if state().visible.is_empty() { 100 } else { OK }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> Code {
    *version = state().spec.number("version").unwrap_or(12040) as c_int;
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> Code {
    *count = state().visible.len() as c_int;
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> Code {
    with_device(ordinal, |state, at| {
        *device = ordinal;
        // One that is gone is not there.
        if state.trouble(at) == 100 { 100 } else { OK }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, room: c_int, device: c_int) -> Code {
    with_device(device, |state, at| {
        write_text(&name_of(state.visible[at]), name, room);
        OK
    })
}

/// What a card calls itself.
pub fn name_of(entity: Entity) -> String {
    let slice = entity.slice.map_or(String::new(), |_| " MIG 1g.5gb".into());
    format!("Stand-in {} (not a GPU){slice}", entity.card)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetUuid_v2(to: *mut [u8; 16], device: c_int) -> Code {
    with_device(device, |state, at| {
        *to = uuid(state.visible[at]);
        OK
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetPCIBusId(to: *mut c_char, room: c_int, device: c_int) -> Code {
    with_device(device, |state, at| {
        write_text(&format!("0000:{:02x}:00.0", 0x10 + state.visible[at].card), to, room);
        OK
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) -> Code {
    with_device(device, |state, at| {
        let slice = state.visible[at].slice.is_some();
        *bytes = if slice { SLICE_BYTES } else { CARD_BYTES } as usize;
        OK
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(to: *mut c_int, which: c_int, _: c_int) -> Code {
    *to = match which {
        75 => 8,
        115 => 1,
        _ => 0,
    };
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(to: *mut *mut c_void, device: c_int) -> Code {
    with_device(device, |state, at| match state.trouble(at) {
        0 => {
            state.devices[at].retained += 1;
            *to = (at + 1) as *mut c_void;
            OK
        }
        code => code,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> Code {
    with_device(device, |state, at| match state.devices[at].retained {
        0 => INVALID_CONTEXT,
        1 => {
            // What is left in it is told as left.
            state.devices[at].retained = 0;
            OK
        }
        _ => {
            state.devices[at].retained -= 1;
            OK
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxReset_v2(device: c_int) -> Code {
    with_device(device, |state, at| match state.trouble(at) {
        100 => 100,
        _ => {
            state.reset(at);
            OK
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetCurrent(context: *mut c_void) -> Code {
    CURRENT.set(context as usize);
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreate(to: *mut *mut c_void, _: c_uint) -> Code {
    on_device(|state, device| {
        let stream = state.fresh();
        state.streams.insert(stream, (device, Instant::now()));
        *to = stream as *mut c_void;
        OK
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamDestroy_v2(stream: *mut c_void) -> Code {
    on_device(|state, _| match state.streams.remove(&(stream as usize)) {
        Some(_) => OK,
        None => INVALID_HANDLE,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSynchronize(stream: *mut c_void) -> Code {
    let mut until = None;
    let code = on_device(|state, _| {
        until = state.streams.get(&(stream as usize)).map(|stream| stream.1);
        if until.is_some() { OK } else { INVALID_HANDLE }
    });
    if let Some(until) = until {
        std::thread::sleep(until.saturating_duration_since(Instant::now()));
    }
    code
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate(to: *mut *mut c_void, _: c_uint) -> Code {
    on_device(|state, device| {
        let event = state.fresh();
        state.events.insert(event, (device, Instant::now()));
        *to = event as *mut c_void;
        OK
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecord(event: *mut c_void, stream: *mut c_void) -> Code {
    on_device(|state, _| {
        let Some(&(_, until)) = state.streams.get(&(stream as usize)) else {
            return INVALID_HANDLE;
        };
        match state.events.get_mut(&(event as usize)) {
            Some(event) => {
                event.1 = until;
                OK
            }
            None => INVALID_HANDLE,
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventQuery(event: *mut c_void) -> Code {
    on_device(|state, _| match state.events.get(&(event as usize)) {
        Some((_, at)) if *at > Instant::now() => NOT_READY,
        Some(_) => OK,
        None => INVALID_HANDLE,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventDestroy_v2(event: *mut c_void) -> Code {
    on_device(|state, _| match state.events.remove(&(event as usize)) {
        Some(_) => OK,
        None => INVALID_HANDLE,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocAsync(to: *mut u64, bytes: usize, _: *mut c_void) -> Code {
    cuMemAlloc_v2(to, bytes)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(to: *mut u64, bytes: usize) -> Code {
    on_device(|state, device| {
        if state.refuses_memory(device, bytes as u64) {
            return OUT_OF_MEMORY;
        }
        // What a kernel does not write is not zero on a GPU.
        let bytes = vec![0xa5; bytes].into_boxed_slice();
        let address = bytes.as_ptr() as u64;
        state.memory.insert(address, Allocation { device, bytes });
        *to = address;
        OK
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeAsync(address: u64, _: *mut c_void) -> Code {
    cuMemFree_v2(address)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFree_v2(address: u64) -> Code {
    on_device(|state, _| match state.memory.remove(&address) {
        Some(_) => OK,
        None => INVALID_VALUE,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostAlloc(to: *mut *mut c_void, bytes: usize, _: c_uint) -> Code {
    on_device(|state, device| {
        let mut memory = vec![0; bytes].into_boxed_slice();
        *to = memory.as_mut_ptr().cast();
        state.pinned.insert(*to as u64, (device, memory));
        OK
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeHost(memory: *mut c_void) -> Code {
    on_device(|state, _| match state.pinned.remove(&(memory as u64)) {
        Some(_) => OK,
        None => INVALID_VALUE,
    })
}

fn room(state: &mut State, address: u64, bytes: usize) -> Option<&mut [u8]> {
    state.memory.get_mut(&address)?.bytes.get_mut(..bytes)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: *const c_void,
    bytes: usize,
    _: *mut c_void,
) -> Code {
    on_device(|state, _| match room(state, to, bytes) {
        Some(room) => {
            room.copy_from_slice(slice::from_raw_parts(from.cast(), bytes));
            OK
        }
        None => INVALID_VALUE,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    to: *mut c_void,
    from: u64,
    bytes: usize,
    _: *mut c_void,
) -> Code {
    on_device(|state, _| match room(state, from, bytes) {
        Some(room) => {
            slice::from_raw_parts_mut(to.cast(), bytes).copy_from_slice(room);
            OK
        }
        None => INVALID_VALUE,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8Async(at: u64, byte: u8, bytes: usize, _: *mut c_void) -> Code {
    on_device(|state, _| match room(state, at, bytes) {
        Some(room) => {
            room.fill(byte);
            OK
        }
        None => INVALID_VALUE,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    to: *mut *mut c_void,
    image: *const c_void,
    _: c_uint,
    _: *mut c_int,
    _: *mut *mut c_void,
) -> Code {
    let text = CStr::from_ptr(image.cast()).to_string_lossy();
    if !text.contains(".version") || !text.contains(".target") {
        return INVALID_PTX;
    }
    let entries = text.lines().filter_map(|line| line.trim().strip_prefix(".visible .entry "));
    let entries: Vec<String> =
        entries.map(|entry| entry.trim_end_matches(['(', ')', ' ']).to_owned()).collect();
    on_device(|state, device| {
        let module = state.fresh();
        state.modules.insert(module, (device, entries));
        *to = module as *mut c_void;
        OK
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleUnload(module: *mut c_void) -> Code {
    on_device(|state, _| match state.modules.remove(&(module as usize)) {
        Some(_) => OK,
        None => INVALID_HANDLE,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction(
    to: *mut *mut c_void,
    module: *mut c_void,
    name: *const c_char,
) -> Code {
    let name = CStr::from_ptr(name).to_string_lossy().into_owned();
    on_device(|state, device| {
        let there = state.modules.get(&(module as usize)).is_some_and(|it| it.1.contains(&name));
        let Some(form) = Form::of(&name).filter(|_| there) else { return NOT_FOUND };
        let function = state.fresh();
        state.functions.insert(function, (device, form));
        *to = function as *mut c_void;
        OK
    })
}

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "as the header has it")]
pub unsafe extern "C" fn cuLaunchKernel(
    function: *mut c_void,
    groups_x: c_uint,
    _groups_y: c_uint,
    _groups_z: c_uint,
    _threads_x: c_uint,
    _threads_y: c_uint,
    _threads_z: c_uint,
    _shared: c_uint,
    stream: *mut c_void,
    parameters: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> Code {
    on_device(|state, device| {
        let Some(&(_, form)) = state.functions.get(&(function as usize)) else {
            return INVALID_HANDLE;
        };
        let takes = match state.launch(device) {
            Ok(takes) => takes,
            // A launch fails later than it is made: as the stream comes to it.
            Err(_) => return OK,
        };
        let mut buffers = Vec::new();
        for at in 0..form.buffers {
            let address = *(*parameters.add(at)).cast::<u64>();
            let Some(memory) = state.memory.get_mut(&address) else {
                state.devices[device].spoilt = Some(700);
                return OK;
            };
            buffers.push(std::ptr::from_mut::<[u8]>(&mut memory.bytes));
        }
        let arguments =
            (0..form.arguments).map(|at| *(*parameters.add(form.buffers + at)).cast::<u32>());
        let parameters = Parameters { buffers, arguments: arguments.collect(), groups: groups_x };
        if !(form.run)(&parameters) {
            state.devices[device].spoilt = Some(700);
        }
        busy(state, stream, takes)
    })
}

fn busy(state: &mut State, stream: *mut c_void, takes: Duration) -> Code {
    match state.streams.get_mut(&(stream as usize)) {
        Some(stream) => {
            stream.1 = stream.1.max(Instant::now()) + takes;
            OK
        }
        None => INVALID_HANDLE,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(code: Code, to: *mut *const c_char) -> Code {
    let name = match code {
        1 => c"CUDA_ERROR_INVALID_VALUE",
        2 => c"CUDA_ERROR_OUT_OF_MEMORY",
        100 => c"CUDA_ERROR_NO_DEVICE",
        201 => c"CUDA_ERROR_INVALID_CONTEXT",
        214 => c"CUDA_ERROR_ECC_UNCORRECTABLE",
        218 => c"CUDA_ERROR_INVALID_PTX",
        500 => c"CUDA_ERROR_NOT_FOUND",
        700 => c"CUDA_ERROR_ILLEGAL_ADDRESS",
        719 => c"CUDA_ERROR_LAUNCH_FAILED",
        _ => return INVALID_VALUE,
    };
    *to = name.as_ptr();
    OK
}
