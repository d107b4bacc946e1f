//! What the terminal can show, and what is said there.

use std::io::{self, ErrorKind, IsTerminal, Write, stderr, stdout};

use crate::Refusal;

/// Columns of the terminal behind stderr; 100 where there is none.
pub(crate) fn width() -> usize {
    let columns = console::Term::stderr().size_checked().map(|(_, columns)| usize::from(columns));
    columns.unwrap_or(100).clamp(40, 240)
}

/// Is there somebody to look at colours? `NO_COLOR` and `TERM=dumb` are respected.
pub(crate) fn colours_on_stderr() -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let able = std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb");
    wanted && able && stderr().is_terminal()
}

/// Data for stdout. Whoever reads it may stop when he has enough: that is no error.
pub(crate) fn print(text: &str) -> Result<(), Refusal> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Refusal(format!("error: can't write to stdout: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Talk for stderr. There is nobody to tell if it can't be written.
pub(crate) fn talk(text: &str) {
    let _: io::Result<()> = stderr().lock().write_all(text.as_bytes());
}
