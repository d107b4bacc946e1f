//! What can be typed behind `lineside pack`, `unpack`, `inspect` and `verify`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Pack {
    /// The line file
    pub(crate) file: PathBuf,
    /// The bundle to write
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: PathBuf,
    /// Sign it with this key: Ed25519, PKCS #8, PEM (openssl genpkey -algorithm ed25519)
    #[arg(long, value_name = "KEY")]
    pub(crate) sign: Option<PathBuf>,
    /// Print what is in it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Unpack {
    /// The bundle
    pub(crate) bundle: PathBuf,
    /// The folder to make
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// The bundle
    pub(crate) bundle: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The bundle
    pub(crate) bundle: PathBuf,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

/// Whose bundles are taken.
#[derive(Debug, Default, Args)]
pub(crate) struct Trust {
    /// Refuse a bundle that is not signed with this key: a public key, PEM (openssl pkey -pubout)
    #[arg(long, value_name = "KEY")]
    pub(crate) verify_key: Option<PathBuf>,
}
