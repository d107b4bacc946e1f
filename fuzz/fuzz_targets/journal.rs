//! Bytes as a journal: refused in good order, or whole.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lineside_tests::fuzz::journal(bytes));
