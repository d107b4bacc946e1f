//! Chores of the repository: `cargo xtask help`.

#![forbid(unsafe_code)]

mod boards;
mod command;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of the Lineside repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Chores {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Run every check there is, one layer after the other
    Test(test::Options),
    /// Make the boards of the inspection example: pictures, golden picture, truth, line file
    Boards(boards::Options),
}

fn main() -> ExitCode {
    let done = match Chores::parse().chore {
        Chore::Test(options) => test::test(&options),
        Chore::Boards(options) => boards::make(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}
