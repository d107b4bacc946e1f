//! What the images share: the console and the files of the host, through semihosting.

#![no_std]

pub mod board;
pub mod line;

use core::ffi::CStr;
use core::fmt::{self, Write};

use cortex_m_semihosting::debug::{self, ExitStatus};
use cortex_m_semihosting::hio::{self, HostStream};
use cortex_m_semihosting::syscall;

/// Bytes that are handed to the host at once: each time stops the machine.
const BUFFER: usize = 256;

/// The standard output of the host.
pub struct Console {
    stream: HostStream,
    buffer: [u8; BUFFER],
    used: usize,
}

impl Console {
    /// Opens it; an image without a console ends.
    pub fn open() -> Self {
        match hio::hstdout() {
            Ok(stream) => Console { stream, buffer: [0; BUFFER], used: 0 },
            Err(()) => exit(ExitStatus::Err(())),
        }
    }

    /// Hands over what is left.
    ///
    /// # Errors
    ///
    /// If the host does not take it.
    pub fn flush(&mut self) -> fmt::Result {
        let used = core::mem::take(&mut self.used);
        self.stream.write_all(&self.buffer[..used]).map_err(|()| fmt::Error)
    }
}

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            if self.used == BUFFER {
                self.flush()?;
            }
            self.buffer[self.used] = byte;
            self.used += 1;
        }
        Ok(())
    }
}

/// A file of the host that is read from its beginning to its end.
#[derive(Debug)]
pub struct File(usize);

impl File {
    /// Opens it.
    ///
    /// # Panics
    ///
    /// If it can't be read.
    pub fn open(path: &CStr) -> Self {
        const READ_BINARY: usize = 1;
        let (at, length) = (path.as_ptr() as usize, path.count_bytes());
        // SAFETY: the host reads `length` bytes at `at` and the zero behind them.
        let handle = unsafe { syscall!(OPEN, at, READ_BINARY, length) };
        assert!(handle != usize::MAX, "the host can't open {path:?}");
        File(handle)
    }

    /// Fills the buffer; false at the end of the file.
    pub fn read(&mut self, buffer: &mut [u8]) -> bool {
        let (at, length) = (buffer.as_mut_ptr() as usize, buffer.len());
        // SAFETY: the host writes at most `length` bytes to `at`, which is lent to it meanwhile.
        let left = unsafe { syscall!(READ, self.0, at, length) };
        left == 0
    }
}

/// Ends QEMU.
pub fn exit(status: ExitStatus) -> ! {
    debug::exit(status);
    // A debugger may let it go on.
    loop {
        cortex_m::asm::bkpt();
    }
}

/// The most bytes of stack that were ever in use: what lies above the paint.
pub fn stack_used() -> u32 {
    unsafe extern "C" {
        static _stack_end: u32;
        static _stack_start: u32;
    }
    let (end, start) = (&raw const _stack_end, &raw const _stack_start);
    let mut at = end;
    // SAFETY: the stack is painted memory from `_stack_end` up to what is in use now, which lies
    // below `_stack_start`; words of it may be read as they are.
    while at < start && unsafe { at.read_volatile() } == cortex_m_rt::STACK_PAINT_VALUE {
        at = at.wrapping_add(1);
    }
    start as u32 - at as u32
}
