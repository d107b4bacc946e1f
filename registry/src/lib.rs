//! Who on a machine holds which GPU, among programs that know nothing of one another.
//!
//! A [`Registry`] is a folder with a file in it. There is no daemon: whoever wants a unit locks the
//! file, strikes out those whose programs are gone, and takes what is free, first come, first
//! served. The rules are in [`Book`], which does no I/O.

#![forbid(unsafe_code)]

mod book;
mod file;
#[cfg(target_os = "linux")]
pub mod proc;
mod process;

pub use book::{Ask, Book, Entry, Holder, NeverFits, Ticket, Unit, Wanted};
pub use file::{Problem, Registry};
pub use process::{Identity, MARKER, Processes, ThisMachine};
