//! Runs commands that change a GPU: only when asked, only as root, and not without saying so.

use std::process::Command;

use crate::{DONE, NOT_DONE, Refusal, terminal};

/// Says what it does, and does it; stops at the first command that fails.
pub(super) fn apply(
    commands: &[Vec<String>],
    notes: Vec<&str>,
    undo: &[Vec<String>],
) -> Result<u8, Refusal> {
    let shown = shown_of(commands);
    if !is_root() {
        return Err(Refusal(format!(
            "error: `--apply` needs root, on Linux: slices belong to the whole machine\n\
             help: run it as root, or run these yourself:\n{shown}"
        )));
    }
    let mut notes = notes;
    notes.dedup();
    let notes: String = notes.iter().map(|note| format!("note: {note}\n")).collect();
    terminal::talk(&format!("{notes}running:\n{shown}"));
    for words in commands {
        let line = words.join(" ");
        // The words are ours, and the first is a program.
        let Some((program, arguments)) = words.split_first() else { continue };
        let output = Command::new(program).args(arguments).output();
        let output =
            output.map_err(|error| Refusal(format!("error: can't run {line}: {error}")))?;
        terminal::talk(&String::from_utf8_lossy(&output.stdout));
        terminal::talk(&String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            let (status, undo) = (output.status, shown_of(undo));
            terminal::talk(&format!(
                "error: {line}: {status}; nothing behind it was run\n\
                 help: to undo what was done:\n{undo}"
            ));
            return Ok(NOT_DONE);
        }
    }
    Ok(DONE)
}

/// A command a row.
fn shown_of(commands: &[Vec<String>]) -> String {
    commands.iter().map(|words| format!("  {}\n", words.join(" "))).collect()
}

#[cfg(target_os = "linux")]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// MIG is made on Linux only.
#[cfg(not(target_os = "linux"))]
fn is_root() -> bool {
    false
}
