//! Which devices CUDA and NVML see.

use std::ffi::{CStr, c_int};

use super::driver::{Driver, driver};
use super::nvml;
use crate::identity::Uuid;
use crate::seen::{Answer, CudaSeen, Seen};

/// `CU_DEVICE_ATTRIBUTE_INTEGRATED`.
const INTEGRATED: c_int = 18;
/// No driver names more.
const DEVICES_MAX: c_int = 1024;

/// Asks CUDA and NVML what is here. That they aren't, is a note.
pub fn ask(seen: &mut Seen) {
    match nvml::ask() {
        Ok(cards) => seen.nvml = cards,
        // Without CUDA either one note is enough.
        Err(note) if driver().is_ok() => seen.notes.push(note),
        Err(_) => {}
    }
    match driver() {
        Ok(driver) => seen.cuda = Some(devices(driver)),
        Err(note) => seen.notes.push(note),
    }
}

fn devices(driver: &Driver) -> Vec<CudaSeen> {
    let mut count = 0;
    // SAFETY: the pointer is valid.
    let code = unsafe { (driver.calls.device_count)(&mut count) };
    let count = if code == 0 { count.clamp(0, DEVICES_MAX) } else { 0 };
    (0..count).filter_map(|ordinal| device(driver, ordinal)).collect()
}

fn device(driver: &Driver, ordinal: c_int) -> Option<CudaSeen> {
    let calls = &driver.calls;
    let mut device = 0;
    // SAFETY: here and below the pointers are valid, and texts are as long as is said.
    if unsafe { (calls.device)(&mut device, ordinal) } != 0 {
        return None;
    }
    let answer = |code: u32| match code {
        0 => Ok(()),
        801 => Err(None),
        code => Err(Some(driver.name(code))),
    };
    let mut name = [0; 256];
    let named = unsafe { (calls.device_name)(name.as_mut_ptr(), 255, device) };
    let mut uuid = [0; 16];
    let uuid_code = unsafe { (calls.device_uuid)(&mut uuid, device) };
    let mut pci = [0; 64];
    let pci_code = unsafe { (calls.device_pci)(pci.as_mut_ptr(), 63, device) };
    let mut memory = 0;
    let memory_code = unsafe { (calls.device_memory)(&mut memory, device) };
    let mut integrated = 0;
    let asked = unsafe { (calls.device_attribute)(&mut integrated, INTEGRATED, device) };
    let pci = text(&pci).parse().map_err(|()| Some("not a PCI address".to_owned()));
    Some(CudaSeen {
        ordinal: ordinal as u32,
        name: if named == 0 { text(&name) } else { String::new() },
        uuid: to_answer(answer(uuid_code).map(|()| Uuid(uuid))),
        pci: to_answer(answer(pci_code).and(pci)),
        memory: to_answer(answer(memory_code).map(|()| memory as u64)),
        integrated: asked == 0 && integrated != 0,
        version: driver.version,
        stand_in: driver.stand_in,
    })
}

fn to_answer<T>(result: Result<T, Option<String>>) -> Answer<T> {
    match result {
        Ok(value) => Answer::Known(value),
        Err(None) => Answer::NotSupported,
        Err(Some(why)) => Answer::Failed(why),
    }
}

/// What stands before the first zero.
pub(super) fn text(bytes: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = bytes.iter().map(|&byte| byte as u8).collect();
    let text = CStr::from_bytes_until_nul(&bytes);
    text.map_or_else(|_| String::new(), |text| text.to_string_lossy().trim().to_owned())
}
