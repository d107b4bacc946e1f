//! Building for targets that may not be installed.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Fault, root, run};
use crate::need::{self, Install};

/// Debian's compiler and its library, as `rustc-web` and `rust-web-src` bring them.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_LIBRARY: &str = "/usr/lib/rustlib/src/rust/library/core/Cargo.toml";
const MINOR_MIN: u32 = 95;

/// How to build for a target.
pub(crate) struct Cross {
    target: &'static str,
    library: Library,
}

/// Where `core` and `alloc` come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Library {
    /// `rustup` has installed them.
    Installed,
    /// They are built by Debian's compiler, which has their source.
    Source,
}

/// May the installed library be used?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// It comes first.
    Anywhere,
    /// Only the source.
    Source,
}

impl Cross {
    /// Looks for the library of the target, and gets it if it may.
    pub(crate) fn find(target: &'static str, from: From, install: Install) -> Result<Self, Fault> {
        let installed = || from == From::Anywhere && is_installed(target);
        let add = || run("rustup", &["target", "add", target]).is_ok();
        let may_add = from == From::Anywhere && install == Install::Yes;
        if installed() || (may_add && add() && installed()) {
            return Ok(Cross { target, library: Library::Installed });
        }
        if !is_source_there() {
            let packages = &["rustc-web", "rust-web-src"];
            let what = format!("the target (`rustup target add {target}`), or on Debian");
            need::packages(&what, packages, install)?;
        }
        if !is_source_there() {
            return Err(Fault::Failed(format!(
                "{DEBIAN_RUSTC} is not 1.{MINOR_MIN} or newer with {DEBIAN_LIBRARY}"
            )));
        }
        Ok(Cross { target, library: Library::Source })
    }

    /// The compiler, in words that tell two apart.
    pub(crate) fn compiler(&self) -> String {
        let (rustc, how) = match self.library {
            Library::Installed => ("rustc", ""),
            Library::Source => (DEBIAN_RUSTC, " from source"),
        };
        let words = version(rustc).unwrap_or_default();
        format!("rustc {}{how}", words.split(' ').nth(1).unwrap_or("?"))
    }

    /// Builds in a folder of the workspace; answers where the results lie.
    pub(crate) fn build(&self, folder: &str, arguments: &[&str]) -> Result<PathBuf, Fault> {
        self.build_as("release", "core,alloc", folder, arguments)
    }

    /// Builds by a profile, with these crates of the library.
    pub(crate) fn build_as(
        &self,
        profile: &str,
        crates: &str,
        folder: &str,
        arguments: &[&str],
    ) -> Result<PathBuf, Fault> {
        let own = match self.library {
            Library::Installed => "cross",
            Library::Source => "cross-source",
        };
        let directory = root().join("target").join(own);
        let mut command = Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
        command.args(["build", "--quiet", "--locked", "--profile", profile]);
        command.args(["--target", self.target]);
        command.args(arguments).arg("--target-dir").arg(&directory);
        command.current_dir(root().join(folder));
        // Where the sources lie is not to show in the image, nor in its size.
        let flags = [
            format!("--remap-path-prefix={}=lineside", root().display()),
            format!("--remap-path-prefix={}=cargo", cargo_home().display()),
        ];
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")).env_remove("RUSTFLAGS");
        if self.library == Library::Source {
            command.arg(format!("-Zbuild-std={crates}"));
            command.env("RUSTC", DEBIAN_RUSTC).env("RUSTC_BOOTSTRAP", "1");
            let target = self.target.to_uppercase().replace('-', "_");
            command.env(format!("CARGO_TARGET_{target}_LINKER"), linker()?);
        }
        let shown = arguments.join(" ");
        eprintln!("$ cd {folder} && cargo build --profile {profile} {shown} ...");
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(Fault::Failed(format!("{folder} can't be built: {status}"))),
            Err(error) => return Err(Fault::Failed(format!("cargo can't be started: {error}"))),
        }
        Ok(directory.join(self.target).join(profile))
    }
}

fn is_installed(target: &str) -> bool {
    sysroot().is_some_and(|sysroot| sysroot.join("lib/rustlib").join(target).join("lib").is_dir())
}

fn is_source_there() -> bool {
    let version = version(DEBIAN_RUSTC).unwrap_or_default();
    let minor = version.split('.').nth(1).and_then(|minor| minor.parse().ok());
    minor.is_some_and(|minor: u32| minor >= MINOR_MIN) && Path::new(DEBIAN_LIBRARY).exists()
}

/// Debian's compiler has no linker for these targets, but that of rustup brings one.
fn linker() -> Result<PathBuf, Fault> {
    let host = env!("HOST");
    let linker = sysroot().map(|it| it.join("lib/rustlib").join(host).join("bin/rust-lld"));
    let there = linker.filter(|linker| linker.exists());
    there.ok_or_else(|| Fault::Missing("a rustc of rustup, which has rust-lld".to_owned()))
}

fn sysroot() -> Option<PathBuf> {
    let text = need::output("rustc", &["--print", "sysroot"])?;
    Some(PathBuf::from(text.trim()))
}

fn version(rustc: &str) -> Option<String> {
    need::output(rustc, &["--version"])
}

fn cargo_home() -> PathBuf {
    let home = || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cargo");
    env::var_os("CARGO_HOME").map_or_else(home, PathBuf::from)
}
