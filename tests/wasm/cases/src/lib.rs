//! Plans encoded lines for whoever has loaded the module. Memory goes over by address and length.

#![no_std]

extern crate alloc;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use core::panic::PanicInfo;

use dlmalloc::GlobalDlmalloc;

#[global_allocator]
static HEAP: GlobalDlmalloc = GlobalDlmalloc;

/// The exit code of a line that can't be planned.
const NO_PLAN: u32 = 255;

/// What [`plan`] answers: where the trace lies, how long it is, and the exit code.
#[repr(C)]
#[derive(Debug)]
pub struct Planned {
    trace: *mut u8,
    length: usize,
    code: u32,
}

/// Room for an encoded line.
#[unsafe(no_mangle)]
pub extern "C" fn alloc(length: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// Plans the line that was written to `line`, and frees it.
///
/// # Safety
///
/// `line` comes from [`alloc`] with this length, and has not been given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plan(line: *mut u8, length: usize) -> *mut Planned {
    // SAFETY: the caller says that these are the parts of such a box.
    let line = unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(line, length)) };
    let mut trace = String::new();
    let code = lineside_golden::plan(&line, &mut trace).map_or(NO_PLAN, u32::from);
    let length = trace.len();
    let trace = Box::into_raw(trace.into_bytes().into_boxed_slice()).cast();
    Box::into_raw(Box::new(Planned { trace, length, code }))
}

/// Frees an answer with its trace.
///
/// # Safety
///
/// `planned` comes from [`plan`], and has not been given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(planned: *mut Planned) {
    // SAFETY: the caller says that this is such a box; its trace is one too.
    unsafe {
        let Planned { trace, length, .. } = *Box::from_raw(planned);
        drop(Box::from_raw(core::ptr::slice_from_raw_parts_mut(trace, length)));
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    #[cfg(target_arch = "wasm32")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    loop {}
}
