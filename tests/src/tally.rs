//! What a test ran, for whoever reads the end of `cargo xtask test`.

use std::fs::OpenOptions;
use std::io::Write;

/// Says what a test ran: how many seeds, sequences, scenes. If `LINESIDE_TALLY` names a file, it
/// is written there as well.
///
/// # Panics
///
/// If the file that was named can't be written.
///
/// ```
/// lineside_tests::tally::tally("random calls", &format!("{} seeds", 20_000));
/// ```
pub fn tally(test: &str, what: &str) {
    println!("{test}: {what}");
    if let Some(path) = std::env::var_os("LINESIDE_TALLY") {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let line = format!("{test}: {what}\n");
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}
