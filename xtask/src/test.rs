//! `cargo xtask test`: every check there is, one layer after the other.

use std::time::Instant;

use clap::Args;

use crate::command::{Fault, cargo, take_tally};
use crate::need::Install;
use crate::{firmware, fuzz, gpu, outputs, site, wasm};

/// How to test.
#[derive(Args)]
pub(crate) struct Options {
    /// Get by rustup or apt what is missing
    #[arg(long)]
    install: bool,
}

struct Layer {
    name: &'static str,
    run: fn(Install) -> Result<(), Fault>,
}

const LAYERS: &[Layer] = &[
    Layer { name: "format", run: |_| format() },
    Layer { name: "lints", run: |_| lints() },
    Layer { name: "vulkan", run: gpu::vulkan_layer },
    Layer { name: "cuda", run: gpu::cuda_layer },
    Layer { name: "tests", run: |_| Ok(cargo(&["test", "--workspace", "--quiet"])?) },
    Layer { name: "documentation", run: |_| documentation() },
    Layer { name: "firmware", run: firmware::layer },
    Layer { name: "wasm", run: wasm::layer },
    Layer { name: "outputs", run: outputs::layer },
    Layer { name: "site", run: site::layer },
    Layer { name: "fuzz", run: fuzz::layer },
];

/// Runs every layer, also behind one that failed, and says how each ended and what it ran. In CI
/// nothing is skipped.
pub(crate) fn test(options: &Options) -> Result<(), String> {
    let in_ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
    let (mut lines, mut failed, mut skipped) = (Vec::new(), 0, 0);
    for layer in LAYERS {
        eprintln!("\n== {}", layer.name);
        let began = Instant::now();
        take_tally();
        let how = match (layer.run)(Install::new(options.install)) {
            Ok(()) => "ok".to_owned(),
            Err(Fault::Missing(what)) if !in_ci => {
                skipped += 1;
                format!("skipped: {what}")
            }
            Err(fault) => {
                failed += 1;
                format!("FAILED: {fault}")
            }
        };
        lines.push(format!("{:<14} {how} ({} s)", layer.name, began.elapsed().as_secs()));
        lines.extend(take_tally().iter().map(|what| format!("    {what}")));
    }
    println!("\n{}", lines.join("\n"));
    let passed = LAYERS.len() - failed - skipped;
    println!("layers: {passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 { Ok(()) } else { Err(format!("{failed} layers failed")) }
}

/// Crates that the workspace does not have, since they are for other targets: the manifest, and
/// what to look at of it.
const APART: &[(&str, &[&str])] = &[
    ("firmware/Cargo.toml", &["--bin", "controller"]),
    ("firmware/Cargo.toml", &["--bin", "cases", "--features", "cases"]),
    ("tests/wasm/core/Cargo.toml", &[]),
    ("tests/wasm/cases/Cargo.toml", &[]),
];

fn format() -> Result<(), Fault> {
    cargo(&["fmt", "--all", "--check"])?;
    for (manifest, _) in APART {
        cargo(&["fmt", "--check", "--manifest-path", manifest])?;
    }
    Ok(())
}

fn lints() -> Result<(), Fault> {
    cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])?;
    for (manifest, what) in APART {
        let first = ["clippy", "--quiet", "--locked", "--target-dir", "target/cross"];
        let manifest = ["--manifest-path", manifest];
        cargo(&[&first, &manifest[..], what, &["--", "-D", "warnings"]].concat())?;
    }
    Ok(())
}

fn documentation() -> Result<(), Fault> {
    Ok(cargo(&["doc", "--workspace", "--no-deps", "--quiet"])?)
}
