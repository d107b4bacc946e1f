//! Bytes as a line file: refused in good order, or planned to an end.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lineside_tests::fuzz::line_file(bytes));
