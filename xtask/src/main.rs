//! Chores of the repository: `cargo xtask help`.

mod boards;
mod command;
mod test;

use std::process::ExitCode;

const HELP: &str = "\
Chores of the repository.

cargo xtask test [--install]             every check there is; --install gets by apt what is missing
cargo xtask boards [--seed N] [--out DIR]  draws the boards of examples/pcb
";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let chore = words.next().unwrap_or_default();
    let rest: Vec<String> = words.collect();
    let result = match chore.as_str() {
        "test" => test::test(&rest),
        "boards" => boards::boards(&rest),
        "" | "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!("no chore `{other}`\n\n{HELP}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("error: {text}");
            ExitCode::FAILURE
        }
    }
}
