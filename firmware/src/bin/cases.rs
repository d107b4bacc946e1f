//! The large image: plans every line of the pack `lines.bin` that lies where the host runs it.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::panic::PanicInfo;

use cortex_m_rt::entry;
use cortex_m_semihosting::debug::ExitStatus;
use cortex_m_semihosting::hio::hstdout;
use embedded_alloc::LlffHeap as Heap;
use lineside_firmware::{Console, File, exit};
use lineside_golden::plan;

/// The rest of the RAM is for the stack.
const HEAP_BYTES: usize = 52 * 1024;

#[global_allocator]
static HEAP: Heap = Heap::empty();

#[entry]
fn main() -> ! {
    // SAFETY: this is the one time, and before the first allocation.
    unsafe {
        embedded_alloc::init!(HEAP, HEAP_BYTES);
    }
    let mut console = Console::open();
    let mut pack = File::open(c"lines.bin");
    while let Some(name) = part(&mut pack) {
        let line = part(&mut pack).expect("a line follows its name");
        plan_one(&mut console, &name, &line).expect("the host takes what is written");
    }
    exit(ExitStatus::Ok(()))
}

/// The next name or line of the pack; none at the end.
fn part(pack: &mut File) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    if !pack.read(&mut length) {
        return None;
    }
    let mut part = alloc::vec![0; u32::from_le_bytes(length) as usize];
    assert!(pack.read(&mut part), "the pack ends in the middle of a part");
    Some(part)
}

fn plan_one(console: &mut Console, name: &[u8], line: &[u8]) -> fmt::Result {
    let name = str::from_utf8(name).expect("a name is text");
    writeln!(console, "# {name}")?;
    match plan(line, console) {
        Ok(code) => writeln!(console, "# exit {code}")?,
        Err(error) => writeln!(console, "# no plan: {error:?}")?,
    }
    console.flush()
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    if let Ok(mut out) = hstdout() {
        let _ = writeln!(out, "\n# {info}");
    }
    exit(ExitStatus::Err(()))
}
