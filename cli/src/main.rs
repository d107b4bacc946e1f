//! The `lineside` command: plan a line, run it, and see why each thing waited.
//!
//! stdout is data, stderr is talk.

mod arguments;
mod bundle;
mod check;
#[cfg(target_os = "linux")]
mod control;
mod devices;
mod explain;
mod file;
mod hardware;
mod lease;
mod machine;
mod mig;
mod outputs;
mod plan;
mod progress;
mod recorder;
mod run;
mod terminal;
mod tune;
mod words;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

/// Everything ended as done.
const DONE: u8 = 0;
/// A job failed, was cancelled or skipped.
const NOT_DONE: u8 = 1;
/// The file is refused, or can't be read, or the command makes no sense.
const REFUSED: u8 = 2;
/// A job is stuck.
const STUCK: u8 = 3;
/// Ctrl-C.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Plan(plan) => plan::plan(&plan),
        Command::Run(run) => run::run(&run),
        Command::Check(check) => check::check(&check),
        Command::Explain(explain) => explain::explain(&explain),
        Command::Devices(devices) => devices::devices(&devices),
        #[cfg(target_os = "linux")]
        Command::Status(status) => control::status(&status),
        #[cfg(target_os = "linux")]
        Command::Cancel(cancel) => control::cancel(&cancel),
        #[cfg(target_os = "linux")]
        Command::Logs(logs) => control::logs(&logs),
        #[cfg(target_os = "linux")]
        Command::Drain(drain) => control::drain(&drain),
        Command::Lease(lease) => lease::lease(&lease),
        Command::Ps(ps) => lease::ps(&ps),
        Command::Tune(tune) => tune::tune(&tune),
        Command::Pack(pack) => bundle::pack(&pack),
        Command::Unpack(unpack) => bundle::unpack(&unpack),
        Command::Inspect(inspect) => bundle::inspect(&inspect),
        Command::Verify(verify) => bundle::verify(&verify),
        Command::Mig(mig) => mig::mig(&mig),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(Refusal(text)) => {
            terminal::talk(&format!("{}\n", text.trim_end()));
            ExitCode::from(REFUSED)
        }
    }
}

/// Why nothing was done, ready to be shown.
#[derive(Debug)]
struct Refusal(String);

impl From<String> for Refusal {
    fn from(text: String) -> Self {
        Refusal(text)
    }
}
