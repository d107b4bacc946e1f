//! What can be typed behind `lineside`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Decides which machine-vision tool gets which GPU, and when, and runs it there.
///
/// Exit codes: 0 all done; 1 a job failed, was cancelled or skipped; 2 refused (a bad file, bad
/// usage, a job that never fits); 3 a job is stuck.
#[derive(Debug, Parser)]
#[command(name = "lineside", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Plan a line in virtual time; nothing is run
    Plan(Plan),
    /// Run a line on this machine
    Run(Run),
    /// Show every fault of a line file, each with its place
    Check(Check),
    /// Say why a job waits, and why it went where it went
    Explain(Explain),
    /// List what is here, and what of it can be used
    Devices(Devices),
    /// Take units of this machine, and run a program on them
    Lease(Lease),
    /// Show who on this machine holds which units, and who waits
    Ps(Ps),
}

#[derive(Debug, Args)]
pub(crate) struct Plan {
    /// The line file
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The line file
    pub(crate) file: PathBuf,
    /// Where trace, report and results go [default: a new folder under lineside-runs/]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Run everything on this place
    #[arg(long, value_name = "PLACE")]
    pub(crate) place: Option<Place>,
    /// Take a software rasteriser for a GPU
    #[arg(long)]
    pub(crate) allow_software: bool,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Place {
    /// The CPU
    Cpu,
    /// NVIDIA GPUs
    Cuda,
    /// GPUs through Vulkan
    Vulkan,
}

/// Outputs that a plan and a run have in common.
#[derive(Debug, Args)]
pub(crate) struct Outputs {
    /// Write the trace as JSON lines ("-": to stdout, and nothing else)
    #[arg(long, value_name = "PATH")]
    pub(crate) trace: Option<PathBuf>,
    /// Write a Gantt chart as SVG
    #[arg(long, value_name = "PATH")]
    pub(crate) gantt: Option<PathBuf>,
    /// Write a report as one HTML file
    #[arg(long, value_name = "PATH")]
    pub(crate) report: Option<PathBuf>,
    /// Write a trace for ui.perfetto.dev
    #[arg(long, value_name = "PATH")]
    pub(crate) perfetto: Option<PathBuf>,
    /// Print a Mermaid Gantt chart
    #[arg(long, conflicts_with = "json")]
    pub(crate) mermaid: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The line file
    pub(crate) file: PathBuf,
    /// Print the faults as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The line file
    pub(crate) file: PathBuf,
    /// Which job; without, each job's longest wait
    pub(crate) job: Option<String>,
    /// At this time of the plan, like 12ms
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Devices {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Take a software rasteriser for a GPU
    #[arg(long)]
    pub(crate) allow_software: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Lease {
    /// How many GPUs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) gpus: u32,
    /// This unit and no other, by its UUID; may be given several times
    #[arg(long = "unit", value_name = "UUID", conflicts_with = "gpus")]
    pub(crate) units: Vec<String>,
    /// Share each GPU with others who need only a part of it, like 8GiB
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<String>,
    /// Only units of this place
    #[arg(long, value_name = "PLACE")]
    pub(crate) place: Option<Place>,
    /// Wait so long and no longer, like 30m
    #[arg(long, value_name = "TIME")]
    pub(crate) wait: Option<String>,
    /// What others see it as [default: the program]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The program, and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Ps {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
