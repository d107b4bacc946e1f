//! What this box is, as `[[hardware]]` names it, and how busy its CPU is.

use std::fs;
use std::thread;

use lineside_line::Line;

use crate::terminal;
use crate::words::printable;

/// The name of this kind of box: the same on every box of the model.
pub(crate) fn this_box() -> String {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    format!("{threads} CPU threads")
}

/// Says which settings a run has, where the line has some for certain boxes.
pub(crate) fn tell(line: &Line) {
    if line.hardware.is_empty() {
        return;
    }
    let text = match line.hardware.iter().find(|hardware| hardware.is_here) {
        Some(hardware) => format!("note: settings for {}\n", printable(&hardware.name)),
        None => format!(
            "note: this box ({}) is none of the line's `[[hardware]]`: jobs run with the settings \
             of their own; `lineside tune` finds better ones\n",
            this_box()
        ),
    };
    terminal::talk(&text);
}

/// How long each core of the CPU has worked, and has been there, since the system began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cores(Vec<(u64, u64)>);

impl Cores {
    /// As it is now; none where the system does not say.
    pub(crate) fn now() -> Option<Cores> {
        // Linux only: elsewhere there is no such file.
        Cores::read(&fs::read_to_string("/proc/stat").ok()?)
    }

    fn read(stat: &str) -> Option<Cores> {
        let rows = stat.lines().filter(|row| {
            let number = row.strip_prefix("cpu").and_then(|rest| rest.chars().next());
            number.is_some_and(|digit| digit.is_ascii_digit())
        });
        let core = |row: &str| -> Option<(u64, u64)> {
            let times: Vec<u64> =
                row.split_whitespace().skip(1).map_while(|time| time.parse().ok()).collect();
            // Guest time is part of user time.
            let all: u64 = times.iter().take(8).sum();
            let idle = times.get(3)? + times.get(4)?;
            Some((all.checked_sub(idle)?, all))
        };
        let cores: Option<Vec<(u64, u64)>> = rows.map(core).collect();
        cores.filter(|cores| !cores.is_empty()).map(Cores)
    }

    /// The busiest core since then, and all of them on average: shares from 0 to 1.
    pub(crate) fn since(&self, before: &Cores) -> Option<(f64, f64)> {
        let shares: Vec<f64> = (self.0.iter().zip(&before.0))
            .filter_map(|(now, then)| {
                let all = now.1.checked_sub(then.1).filter(|all| *all > 0)?;
                Some(now.0.saturating_sub(then.0) as f64 / all as f64)
            })
            .collect();
        let busiest = shares.iter().copied().fold(0.0, f64::max);
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        (!shares.is_empty()).then_some((busiest, mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_core_is_found() {
        let before =
            Cores::read("cpu  9 9 9 9 9\ncpu0 10 0 0 90 0 0 0 0\ncpu1 0 0 0 100 0 0 0 0\n");
        let after = Cores::read("cpu0 20 0 0 180 0 0 0 0\ncpu1 90 0 5 105 0 0 0 0\nintr 5\n");
        let (busiest, mean) = after.expect("read").since(&before.expect("read")).expect("known");
        assert!((busiest - 0.95).abs() < 1e-9 && (mean - 0.525).abs() < 1e-9, "{busiest} {mean}");
        assert_eq!(Cores::read("intr 1\n"), None);
    }
}
