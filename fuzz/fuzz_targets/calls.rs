//! Bytes as calls: the core and the reference model give the same answers and events.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lineside_tests::fuzz::calls(bytes));
