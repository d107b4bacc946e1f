//! What the terminal can show.

use std::io::{IsTerminal, stderr};

/// Columns of the terminal behind stderr; 100 where there is none.
pub(crate) fn width() -> usize {
    let columns = console::Term::stderr().size_checked().map(|(_, columns)| usize::from(columns));
    columns.unwrap_or(100).clamp(40, 240)
}

/// Is there somebody to look at colours? `NO_COLOR` is respected.
pub(crate) fn colours_on_stderr() -> bool {
    stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
