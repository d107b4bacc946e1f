//! `cargo xtask test`: every check there is, one layer after the other.

use std::time::Instant;

use clap::Args;

use crate::command::cargo;

/// How to test.
#[derive(Args)]
pub(crate) struct Options {
    /// Get by apt what is missing
    #[arg(long)]
    install: bool,
}

struct Layer {
    name: &'static str,
    run: fn() -> Result<(), String>,
}

const LAYERS: &[Layer] = &[
    Layer { name: "format", run: || cargo(&["fmt", "--all", "--check"]) },
    Layer { name: "lints", run: lints },
    Layer { name: "tests", run: || cargo(&["test", "--workspace", "--quiet"]) },
    Layer { name: "documentation", run: documentation },
];

/// Runs every layer, also behind one that failed, and says how each ended.
pub(crate) fn test(options: &Options) -> Result<(), String> {
    // Nothing is needed yet that rustup has not brought.
    let _ = options.install;
    let mut lines = Vec::new();
    let mut failed = 0;
    for layer in LAYERS {
        eprintln!("\n== {}", layer.name);
        let began = Instant::now();
        let result = (layer.run)();
        failed += u32::from(result.is_err());
        let how = result.map_or_else(|error| format!("FAILED: {error}"), |()| "ok".to_owned());
        lines.push(format!("{:<14} {how} ({} s)", layer.name, began.elapsed().as_secs()));
    }
    println!("\n{}", lines.join("\n"));
    println!("layers: {} passed, {failed} failed", LAYERS.len() as u32 - failed);
    if failed == 0 { Ok(()) } else { Err(format!("{failed} layers failed")) }
}

fn lints() -> Result<(), String> {
    cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])
}

fn documentation() -> Result<(), String> {
    cargo(&["doc", "--workspace", "--no-deps", "--quiet"])
}
