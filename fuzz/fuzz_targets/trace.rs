//! Bytes as a trace: what can be read can be written, and is then read as the same.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lineside_tests::fuzz::trace(bytes));
