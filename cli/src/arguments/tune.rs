//! What can be typed behind `lineside tune`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Tune {
    /// The line file
    pub(crate) file: PathBuf,
    /// Measure plans in virtual time, not runs on this machine
    #[arg(long)]
    pub(crate) plan: bool,
    /// Leave the line file as it is
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Runs of one setting at most
    #[arg(long, value_name = "N", default_value_t = 9)]
    pub(crate) passes: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
