//! The small image: the core, one line of eight jobs, and the trace of it. There is no allocator.

#![no_std]
#![no_main]

use core::fmt::{self, Write};
use core::panic::PanicInfo;

use cortex_m_rt::entry;
use cortex_m_semihosting::debug::ExitStatus;
use lineside_core::{Memory, Scheduler};
use lineside_firmware::board::{Board, LEASES};
use lineside_firmware::line::{self, EDGES, JOBS, MODELS, UNITS};
use lineside_firmware::{Console, exit, stack_used};
use lineside_golden::write_number;

/// As many lanes as jobs: each may be of a shape of its own.
type Tables = Memory<JOBS, UNITS, EDGES, LEASES, JOBS, MODELS, 1>;

#[entry]
fn main() -> ! {
    static mut TABLES: Tables = Tables::new();
    let mut console = Console::open();
    let mut scheduler = Scheduler::new(line::policy(), TABLES.storage());
    let mut board = Board::new(&mut console);
    let set_up = board.set_up(&mut scheduler);
    assert!(set_up.is_ok(), "the tables are as large as the line");
    board.run(&mut scheduler);
    let told = tell(&mut console);
    exit(if told.is_ok() { ExitStatus::Ok(()) } else { ExitStatus::Err(()) })
}

/// What it took, below the trace.
fn tell(console: &mut Console) -> fmt::Result {
    let figures = [
        ("# tables ", size_of::<Tables>() as u32),
        ("# scheduler ", size_of::<Scheduler<'_>>() as u32),
        ("# stack ", stack_used()),
    ];
    for (name, bytes) in figures {
        console.write_str(name)?;
        write_number(console, bytes.into())?;
        console.write_str("\n")?;
    }
    console.flush()
}

/// Where and why would cost more flash than the rules.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    exit(ExitStatus::Err(()))
}
