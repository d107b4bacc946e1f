//! What `/proc` says of processes.

use std::fs;
use std::sync::OnceLock;

/// One line of `/proc/PID/stat`, as far as it matters.
///
/// ```
/// let us = lineside_registry::proc::stat(std::process::id()).unwrap();
/// assert!(!us.is_over());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The letter of its state.
    pub state: u8,
    /// Who has started it, or adopted it.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// Ticks since the machine was started.
    pub started: u64,
}

impl Stat {
    /// It has ended, and nobody has asked how.
    pub fn is_over(&self) -> bool {
        matches!(self.state, b'Z' | b'X')
    }
}

/// None if there is no such process.
pub fn stat(pid: u32) -> Option<Stat> {
    parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// The name of the program stands in brackets and may hold anything, so the rest is counted from
/// the last bracket on.
fn parse_stat(line: &[u8]) -> Option<Stat> {
    let close = line.iter().rposition(|&byte| byte == b')')?;
    let rest = std::str::from_utf8(line.get(close + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let started = fields.nth(16)?.parse().ok()?;
    Some(Stat { state, parent, group, started })
}

/// The value of a variable that a process was started with. None if it has none, or it is not to
/// be seen.
pub fn variable(pid: u32, name: &str) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut variables = environment.split(|&byte| byte == 0);
    let value = variables
        .find_map(|variable| variable.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
    String::from_utf8(value.to_vec()).ok()
}

/// Every process there is.
pub fn pids() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Which start of the machine this is; none if the system does not say.
pub fn boot_id() -> Option<&'static str> {
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    let read = || fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
    BOOT.get_or_init(|| read().map(|id| id.trim().to_owned())).as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_may_be_called_anything() {
        let line = b"42 (a) R 7 (b)) S 3 42 42 0 -1 1 2 3 4 5 6 7 8 9 20 0 1 0 777 1 2\n";
        let stat = parse_stat(line).expect("it is one");
        assert_eq!(stat, Stat { state: b'S', parent: 3, group: 42, started: 777 });
        for cut in 0..line.len() - 8 {
            // Cut short, it is none, or the same.
            assert!(parse_stat(&line[..cut]).is_none_or(|it| it.parent == 3), "{cut}");
        }
    }

    #[test]
    fn we_are_there_ourselves() {
        let pid = std::process::id();
        let stat = stat(pid).expect("we live");
        assert!(!stat.is_over() && stat.started > 0);
        assert!(pids().contains(&pid));
    }
}
