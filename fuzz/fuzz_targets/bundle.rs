//! Bytes as a bundle: refused, or safe to unpack.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lineside_tests::fuzz::bundle(bytes));
