//! `cargo xtask wasm`: the same traces as WebAssembly, and a core that imports nothing.

use clap::Args;

use crate::command::{Fault, root, run};
use crate::cross::{Cross, From};
use crate::golden::{self, PACK};
use crate::need::{self, Install};

const TARGET: &str = "wasm32-unknown-unknown";
const FOLDER: &str = "tests/wasm";

/// How to build and run the modules.
#[derive(Args, Default)]
pub(crate) struct Options {
    /// Get by rustup or apt what is missing
    #[arg(long)]
    install: bool,
    /// Build `core` from source with Debian's compiler, even if the target is installed
    #[arg(long)]
    from_source: bool,
}

/// The layer of `cargo xtask test`.
pub(crate) fn layer(install: Install) -> Result<(), Fault> {
    wasm(&Options { install: install == Install::Yes, ..Options::default() })
}

/// Builds both modules and runs them under Node.
pub(crate) fn wasm(options: &Options) -> Result<(), Fault> {
    let install = Install::new(options.install);
    need::program("node", "nodejs", install)?;
    let from = if options.from_source { From::Source } else { From::Anywhere };
    let cross = Cross::find(TARGET, from, install)?;
    // Not both at once: the features that the cases need would reach the core.
    cross.build(FOLDER, &["--package", "lineside-wasm-core"])?;
    let modules = cross.build(FOLDER, &["--package", "lineside-wasm-cases"])?;
    let golden = golden::make()?;
    let paths = [
        root().join(FOLDER).join("check.mjs"),
        modules.join("lineside_wasm_core.wasm"),
        modules.join("lineside_wasm_cases.wasm"),
        golden.folder.join(PACK),
        golden::cases_folder(),
    ];
    let words: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    run("node", &words).map_err(Fault::Failed)
}
