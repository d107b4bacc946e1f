//! A valid line file with changes: both readers and both planners agree.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lineside_tests::fuzz::line_structured(bytes));
