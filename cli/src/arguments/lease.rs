//! Arguments of `lineside lease` and `lineside ps`.

use std::ffi::OsString;

use clap::Args;
use clap::builder::RangedI64ValueParser;

use super::Place;

#[derive(Debug, Args)]
pub(crate) struct Lease {
    /// How many GPUs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one())]
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
    /// Take a software rasteriser for a GPU
    #[arg(long)]
    pub(crate) allow_software: bool,
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

fn at_least_one() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..)
}
