//! What can be typed behind `lineside`.

pub(crate) mod bundle;
pub(crate) mod lease;
pub(crate) mod mig;
pub(crate) mod tune;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use self::bundle::Trust;

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
    /// Say how a run stands
    #[cfg(target_os = "linux")]
    Status(Status),
    /// Cancel a job of a run
    #[cfg(target_os = "linux")]
    Cancel(Cancel),
    /// Show what a job of a run has said
    #[cfg(target_os = "linux")]
    Logs(Logs),
    /// Let a unit of a run take nothing new
    #[cfg(target_os = "linux")]
    Drain(Drain),
    /// Take units of this machine, and run a program on them
    Lease(lease::Lease),
    /// Show who on this machine holds which units, and who waits
    Ps(lease::Ps),
    /// Find better settings for this box by measuring, and write them into the line file
    Tune(tune::Tune),
    /// Put a line and all that it needs into one file
    Pack(bundle::Pack),
    /// Take a bundle apart, into a new folder
    Unpack(bundle::Unpack),
    /// Show what is in a bundle
    Inspect(bundle::Inspect),
    /// Say whether a bundle is sound
    Verify(bundle::Verify),
    /// Cut GPUs into MIG slices: what is legal, what is best, and how it is made
    Mig(mig::Mig),
}

#[derive(Debug, Args)]
pub(crate) struct Plan {
    /// The line file, or a bundle
    pub(crate) file: PathBuf,
    /// Print the SHA-256 of the trace, as the playground shows it
    #[arg(long, conflicts_with_all = ["json", "mermaid"])]
    pub(crate) hash: bool,
    #[command(flatten)]
    pub(crate) trust: Trust,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The line file, or a bundle
    pub(crate) file: PathBuf,
    /// Where trace, report and results go [default: a new folder under lineside-runs/]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with the run in DIR: what is done is not done again
    #[arg(long)]
    pub(crate) resume: bool,
    /// Run everything on this place
    #[arg(long, value_name = "PLACE")]
    pub(crate) place: Option<Place>,
    /// Take a software rasteriser for a GPU
    #[arg(long)]
    pub(crate) allow_software: bool,
    #[command(flatten)]
    pub(crate) trust: Trust,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

#[derive(Debug, Args)]
pub(crate) struct Status {
    /// The folder of the run
    pub(crate) out: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// The folder of the run
    pub(crate) out: PathBuf,
    /// Which job
    pub(crate) job: String,
}

#[derive(Debug, Args)]
pub(crate) struct Logs {
    /// The folder of the run
    pub(crate) out: PathBuf,
    /// Which job
    pub(crate) job: String,
    /// Go on as more is said, until the run is over
    #[arg(short, long)]
    pub(crate) follow: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Drain {
    /// The folder of the run
    pub(crate) out: PathBuf,
    /// Which unit
    pub(crate) unit: String,
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
    /// Write figures for Prometheus' textfile collector; the file is replaced at once
    #[arg(long, value_name = "PATH")]
    pub(crate) metrics: Option<PathBuf>,
    /// Print a Mermaid Gantt chart
    #[arg(long, conflicts_with = "json")]
    pub(crate) mermaid: bool,
    /// Print the graph of the jobs for Graphviz
    #[arg(long, conflicts_with_all = ["json", "mermaid"])]
    pub(crate) dot: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The line file, or a bundle
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) trust: Trust,
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
