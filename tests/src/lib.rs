//! Lineside, checked from outside.
