//! What `/proc` says of processes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use std::fs;
use std::sync::OnceLock;

use super::MARKER;

/// One line of `/proc/PID/stat`, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) state: u8,
    pub(super) parent: u32,
    pub(super) group: u32,
    /// Ticks since the machine was started.
    pub(super) started: u64,
}

impl Stat {
    /// It has ended, and nobody has asked how.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.state, b'Z' | b'X')
    }
}

/// None if there is no such process.
pub(super) fn stat(pid: u32) -> Option<Stat> {
    parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// The name of the program stands in brackets and may hold anything, so the rest is counted from
/// the last bracket on.
fn parse_stat(line: &[u8]) -> Option<Stat> {
    let close = line.iter().rposition(|&byte| byte == b')')?;
    let rest = core::str::from_utf8(line.get(close + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let started = fields.nth(16)?.parse().ok()?;
    Some(Stat { state, parent, group, started })
}

/// The value of [`MARKER`] that a process was started with. None if it has none, or it is not to
/// be seen.
pub(super) fn marker(pid: u32) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut variables = environment.split(|&byte| byte == 0);
    let value = variables
        .find_map(|variable| variable.strip_prefix(MARKER.as_bytes())?.strip_prefix(b"="))?;
    String::from_utf8(value.to_vec()).ok()
}

/// Every process there is.
pub(super) fn pids() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Every process that can have been started after this one, not long ago. Numbers are given out in
/// a circle, so these are the ones between it and the last that was given.
pub(super) fn pids_since(pid: u32) -> Vec<u32> {
    /// Of more it is cheaper to ask who is there.
    const PIDS_MAX: u32 = 200;
    let (Some(last), Some(most)) = (last_pid(), pid_max()) else { return pids() };
    let between = if last >= pid { last - pid } else { (most - pid).saturating_add(last) };
    if between > PIDS_MAX {
        return pids();
    }
    (1..=between)
        .map(|step| if pid + step < most { pid + step } else { pid + step - most })
        .collect()
}

/// The number that was given out last.
fn last_pid() -> Option<u32> {
    fs::read_to_string("/proc/loadavg").ok()?.split_ascii_whitespace().last()?.parse().ok()
}

fn pid_max() -> Option<u32> {
    static MOST: OnceLock<Option<u32>> = OnceLock::new();
    let read = || fs::read_to_string("/proc/sys/kernel/pid_max").ok()?.trim().parse().ok();
    *MOST.get_or_init(read)
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
        assert!(pids_since(pid).len() <= pids().len().max(200));
    }
}
