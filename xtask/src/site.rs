//! `cargo xtask site`: the playground, built, served and tested.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use wasm_bindgen_cli_support::Bindgen;

use crate::command::{Fault, cargo, root, run};
use crate::cross::{Cross, From};
use crate::need::{self, Install};

const TARGET: &str = "wasm32-unknown-unknown";

/// How to build the playground.
#[derive(Args, Default)]
pub(crate) struct Options {
    /// Get by rustup, apt or npm what is missing
    #[arg(long)]
    install: bool,
    /// Build the library from source with Debian's compiler, even if the target is installed
    #[arg(long)]
    from_source: bool,
    /// Serve it on this machine afterwards
    #[arg(long)]
    serve: bool,
    /// Test it in Chromium afterwards
    #[arg(long)]
    test: bool,
}

/// The layer of `cargo xtask test`.
pub(crate) fn layer(install: Install) -> Result<(), Fault> {
    site(&Options { install: install == Install::Yes, test: true, ..Options::default() })
}

/// Builds the module, its glue, the npm package and the page.
pub(crate) fn site(options: &Options) -> Result<(), Fault> {
    let install = Install::new(options.install);
    need::program("node", "nodejs", install)?;
    let from = if options.from_source { From::Source } else { From::Anywhere };
    let module = module(from, install)?;
    bind(&module, "wasm/pkg")?;
    need::npm("site", install)?;
    run("node", &["site/build.mjs"])?;
    if options.test {
        test(install)?;
    }
    if options.serve {
        run("node", &["site/serve.mjs"])?;
    }
    Ok(())
}

fn module(from: From, install: Install) -> Result<PathBuf, Fault> {
    let cross = Cross::find(TARGET, from, install)?;
    let built = cross.build_as("wasm", "std,panic_abort", ".", &["--package", "lineside-wasm"])?;
    Ok(built.join("lineside_wasm.wasm"))
}

/// Writes the module as the browser loads it, its glue and its types: the npm package.
fn bind(module: &Path, folder: &str) -> Result<(), Fault> {
    let folder = root().join(folder);
    let made = Bindgen::new()
        .input_path(module)
        .remove_name_section(true)
        .remove_producers_section(true)
        .web(true)
        .and_then(|bindgen| bindgen.typescript(true).generate(&folder));
    made.map_err(|error| Fault::Failed(format!("the glue can't be written: {error:#}")))?;
    for name in ["package.json", "index.js", "index.d.ts", "README.md", "README.zh-CN.md"] {
        let copied = fs::copy(root().join("wasm/npm").join(name), folder.join(name));
        copied.map_err(|error| Fault::Failed(format!("wasm/npm/{name}: {error}")))?;
    }
    let size = fs::metadata(folder.join("lineside_wasm_bg.wasm")).map_or(0, |it| it.len());
    eprintln!("wasm/pkg: {} kB before compression", size / 1000);
    Ok(())
}

/// The units under Node, then the page in Chromium.
fn test(install: Install) -> Result<(), Fault> {
    need::program("chromium", "chromium", install)?;
    if need::output("fc-list", &[":lang=zh-cn"]).is_none_or(|fonts| fonts.trim().is_empty()) {
        let packages = &["fontconfig", "fonts-noto-cjk"];
        need::packages("Chinese fonts; on Debian", packages, install)?;
    }
    let scenarios = root().join("target/site-scenarios");
    let folder = scenarios.display().to_string();
    let example = ["--package", "lineside-tests", "--example", "site_scenarios"];
    cargo(&[&["run", "--quiet"], &example[..], &["--", &folder]].concat())?;
    Ok(run("npm", &["test", "--prefix", "site"])?)
}
