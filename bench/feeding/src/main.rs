//! How fast images go through a GPU: `cargo xtask feeding`.
//!
//! The boards of the inspection are loaded and compared with the golden one, on the host and on a
//! device, for depths of the edge between and batches; and the same dispatches are made by a raw
//! loop over Vulkan that does nothing else.

mod line;
mod raw;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lineside_line::Place;

use line::{Edge, Trial};

/// Runs of the rows that are compared; the best counts, since all else only slows down.
const RUNS: usize = 3;
const DEPTHS: [u32; 4] = [1, 2, 4, 8];
const BATCHES: [u32; 2] = [1, 4];

fn main() -> ExitCode {
    let place = match std::env::args().nth(1).as_deref() {
        None | Some("vulkan") => Place::Vulkan,
        Some("cuda") => Place::Cuda,
        Some(_) => {
            eprintln!("usage: lineside-feeding [vulkan|cuda]");
            return ExitCode::from(2);
        }
    };
    match measure(place) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn measure(place: Place) -> Result<(), String> {
    let boards = boards();
    println!("images a second, load and detect, {} boards", line::BOARDS);
    println!("{:<8} {:>5} {:>6} {:>8}", "place", "depth", "batch", "images/s");
    for on in [Place::Cpu, place] {
        for (depth, batch) in BATCHES.iter().flat_map(|b| DEPTHS.map(|d| (d, *b))) {
            let trial = Trial { place: on, edge: Edge::Depth(depth), batch };
            println!("{:<8} {depth:>5} {batch:>6} {:>8.1}", name(on), line::run(&boards, trial)?);
        }
    }
    if place != Place::Vulkan {
        return Ok(());
    }
    // All boards are in memory before the first is looked at, so that nothing else runs meanwhile.
    println!("\ndetect alone, all boards in memory");
    let raw = (0..RUNS).map(|_| raw::run(&boards)).collect::<Result<Vec<f64>, _>>()?;
    let raw = raw.into_iter().fold(0.0, f64::max);
    println!("{:<8} {:>5} {:>6} {raw:>8.1}", "raw ash", "", "");
    for batch in BATCHES {
        let ours = best(&boards, Trial { place, edge: Edge::Barrier, batch })?;
        let share = ours / raw;
        println!("{:<8} {:>5} {batch:>6} {ours:>8.1}   {share:.3} of raw", name(place), "");
    }
    Ok(())
}

fn best(boards: &Path, trial: Trial) -> Result<f64, String> {
    let runs = (0..RUNS).map(|_| line::run(boards, trial)).collect::<Result<Vec<f64>, _>>()?;
    Ok(runs.into_iter().fold(0.0, f64::max))
}

fn name(place: Place) -> &'static str {
    match place {
        Place::Cpu => "host",
        Place::Vulkan => "vulkan",
        Place::Cuda => "cuda",
    }
}

fn boards() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pcb")
}
