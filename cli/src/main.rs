//! The `lineside` command.

fn main() {}
