//! The calls of `nvml.h`.

use std::ffi::{c_char, c_uint, c_void};

use crate::cuda::name_of;
use crate::state::{CARD_BYTES, Entity, SLICE_BYTES, slices, state, uuid, written};

/// What a call answers.
pub type Code = c_uint;

const OK: Code = 0;
const INVALID_ARGUMENT: Code = 2;
const NOT_SUPPORTED: Code = 3;
const NOT_FOUND: Code = 6;

/// A card is its number times 256 plus 255; a slice its number instead of the 255.
fn handle(entity: Entity) -> *mut c_void {
    (entity.card * 256 + entity.slice.unwrap_or(255) + 1) as *mut c_void
}

fn entity(handle: *mut c_void) -> Entity {
    let number = (handle as usize).wrapping_sub(1);
    let slice = Some(number % 256).filter(|slice| *slice != 255);
    Entity { card: number / 256, slice }
}

unsafe fn write_text(text: &str, to: *mut c_char, room: c_uint) {
    let bytes = &text.as_bytes()[..text.len().min(room.max(1) as usize - 1)];
    to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
    to.add(bytes.len()).write(0);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlInit_v2() -> Code {
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlShutdown() -> Code {
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCount_v2(count: *mut c_uint) -> Code {
    *count = state().spec.number("cards").unwrap_or(1) as c_uint;
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByIndex_v2(at: c_uint, to: *mut *mut c_void) -> Code {
    *to = handle(Entity { card: at as usize, slice: None });
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetDriverVersion(to: *mut c_char, room: c_uint) -> Code {
    write_text("0.0 (a stand-in)", to, room);
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetUUID(of: *mut c_void, to: *mut c_char, room: c_uint) -> Code {
    let entity = entity(of);
    let prefix = if entity.slice.is_some() { "MIG" } else { "GPU" };
    write_text(&format!("{prefix}-{}", written(uuid(entity))), to, room);
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetName(of: *mut c_void, to: *mut c_char, room: c_uint) -> Code {
    write_text(&name_of(entity(of)), to, room);
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPciInfo_v3(of: *mut c_void, to: *mut c_void) -> Code {
    // The address as text stands behind 16 characters and five numbers.
    let address = format!("00000000:{:02X}:00.0", 0x10 + entity(of).card);
    write_text(&address, to.cast::<c_char>().add(36), 32);
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryInfo(of: *mut c_void, to: *mut [u64; 3]) -> Code {
    let state = state();
    if state.spec.is("memory", "unknown") {
        return NOT_SUPPORTED;
    }
    let total = if entity(of).slice.is_some() { SLICE_BYTES } else { CARD_BYTES };
    let used = state.spec.number("used").unwrap_or(0) << 20;
    *to = [total, total.saturating_sub(used), used];
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMigMode(
    _: *mut c_void,
    now: *mut c_uint,
    pending: *mut c_uint,
) -> Code {
    *now = c_uint::from(slices(&state().spec).is_some());
    *pending = *now;
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMaxMigDeviceCount(_: *mut c_void, to: *mut c_uint) -> Code {
    *to = 7;
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMigDeviceHandleByIndex(
    of: *mut c_void,
    at: c_uint,
    to: *mut *mut c_void,
) -> Code {
    let card = entity(of).card;
    match slices(&state().spec) {
        None => INVALID_ARGUMENT,
        Some(slices) if at as usize >= slices => NOT_FOUND,
        Some(_) => {
            *to = handle(Entity { card, slice: Some(at as usize) });
            OK
        }
    }
}
