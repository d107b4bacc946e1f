//! Bytes as what a worker says: each line is understood, or refused in words.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lineside_tests::fuzz::worker(bytes));
