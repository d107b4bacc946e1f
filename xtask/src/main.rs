//! Chores of the repository: `cargo xtask help`.

#![forbid(unsafe_code)]

mod bench;
mod boards;
mod command;
mod cross;
mod figures;
mod firmware;
mod fuzz;
mod golden;
mod gpu;
mod need;
mod outputs;
mod site;
mod test;
mod wasm;

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
    /// Measure what a decision and a plan cost, beside their peers
    Bench(bench::Options),
    /// Make the boards of the inspection example: pictures, golden picture, truth, line file
    Boards(boards::Options),
    /// Run the cases on a Cortex-M3 under QEMU, and say what RAM and flash that takes
    Firmware(firmware::Options),
    /// Replay the corpus of the fuzz targets, then fuzz each for a while
    Fuzz(fuzz::Options),
    /// Have what is written for other tools read by those tools
    Outputs(outputs::Options),
    /// Build the playground into `site/dist`; also serve it or test it
    Site(site::Options),
    /// Run the conformance suite on the real GPU of this machine
    Gpu(gpu::Options),
    /// Measure how fast images go through a GPU, beside a raw loop
    Feeding(gpu::Options),
    /// Compare the PTX of our kernels with what NVRTC makes of them
    Ptx(gpu::PtxOptions),
    /// Run the cases as WebAssembly under Node
    Wasm(wasm::Options),
}

fn main() -> ExitCode {
    let done = match Chores::parse().chore {
        Chore::Test(options) => test::test(&options),
        Chore::Bench(options) => bench::bench(&options),
        Chore::Boards(options) => boards::make(&options),
        Chore::Firmware(options) => firmware::firmware(&options).map_err(|it| it.to_string()),
        Chore::Fuzz(options) => fuzz::fuzz(&options).map_err(|it| it.to_string()),
        Chore::Outputs(options) => outputs::outputs(&options).map_err(|it| it.to_string()),
        Chore::Site(options) => site::site(&options).map_err(|it| it.to_string()),
        Chore::Gpu(options) => gpu::gpu(&options).map_err(|it| it.to_string()),
        Chore::Feeding(options) => gpu::feeding(&options).map_err(|it| it.to_string()),
        Chore::Ptx(options) => gpu::ptx(&options).map_err(|it| it.to_string()),
        Chore::Wasm(options) => wasm::wasm(&options).map_err(|it| it.to_string()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}
