//! What can be typed behind `lineside mig`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Mig {
    #[command(subcommand)]
    pub(crate) command: MigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MigCommand {
    /// Show what a GPU can be cut into: its profiles and its maximal layouts
    Show(Show),
    /// Say whether slices fit on a GPU together, and where, or why not
    Check(Check),
    /// Plan a line on every maximal layout, and show the best
    Suggest(Suggest),
    /// Print the nvidia-smi commands that make a layout, and those that undo it
    Commands(Commands),
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// A GPU of the MIG table, like A100-40GB; without, all of them are listed
    pub(crate) gpu: Option<String>,
    /// Layouts with profiles of more memory, too (1g.10gb on a 40 GB card)
    #[arg(long)]
    pub(crate) wide: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// A GPU of the MIG table, like A100-40GB
    pub(crate) gpu: String,
    /// Profiles, with their start where it is settled: 3g.20gb or 3g.20gb@4
    #[arg(required = true, value_name = "SLICE")]
    pub(crate) slices: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Suggest {
    /// The line file; layouts are tried on its devices with a `gpu` of the MIG table
    pub(crate) file: PathBuf,
    /// What is to be small
    #[arg(long, value_enum, default_value_t = By::Wait)]
    pub(crate) by: By,
    /// Try layouts on this device only
    #[arg(long, value_name = "NAME")]
    pub(crate) device: Option<String>,
    /// How many layouts to show
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) show: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a layout is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// The mean wait in the queue; then the makespan
    Wait,
    /// The makespan; then the mean wait
    Makespan,
}

#[derive(Debug, Args)]
pub(crate) struct Commands {
    /// A GPU of the MIG table, followed by slices; or a line file, for its devices with `mig`
    #[arg(value_name = "GPU|LINE")]
    pub(crate) what: String,
    /// Profiles, with their start where it is settled: 3g.20gb or 3g.20gb@4
    #[arg(value_name = "SLICE")]
    pub(crate) slices: Vec<String>,
    /// What `nvidia-smi -i` knows the GPU by: number, UUID or PCI address [default: 0, 1, ... in
    /// the order of the file]
    #[arg(long, value_name = "ID")]
    pub(crate) id: Vec<String>,
    /// Only the commands that undo it
    #[arg(long)]
    pub(crate) undo: bool,
    /// Run the commands; only as root
    #[arg(long)]
    pub(crate) apply: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "apply")]
    pub(crate) json: bool,
}
