//! What this box is, as `[[hardware]]` names it, and how busy its CPU is.

use std::collections::BTreeMap;
use std::fs;
use std::thread;

use lineside_devices::Inventory;
use lineside_line::Line;
use lineside_report::CpuUse;

use crate::machine::Machine;
use crate::terminal;
use crate::words::printable;

/// The name of this kind of box, the same on every box of the model: the cards that can be used,
/// with their memory in whole GiB, and the threads of the CPU.
pub(crate) fn name_of(inventory: &Inventory) -> String {
    let mut cards: BTreeMap<(String, Option<u64>), u32> = BTreeMap::new();
    for device in inventory.devices.iter().filter(|device| device.is_usable()) {
        // What drivers keep for themselves differs a little.
        let memory = device.memory.map(|memory| (memory + (1 << 29)) >> 30);
        *cards.entry((device.card.clone(), memory)).or_default() += 1;
    }
    let mut name = String::new();
    for ((card, memory), count) in cards {
        let memory = memory.map_or(String::new(), |memory| format!(" {memory} GiB"));
        name += &format!("{count} x {card}{memory}, ");
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    name + &format!("{threads} CPU threads")
}

/// Says which settings a run has, where the line has some for certain boxes.
pub(crate) fn tell(line: &Line, machine: &Machine) {
    if line.hardware.is_empty() {
        return;
    }
    let text = match line.hardware.iter().find(|hardware| hardware.is_here) {
        Some(hardware) => format!("note: settings for {}\n", printable(&hardware.name)),
        None => format!(
            "note: this box ({}) is none of the line's `[[hardware]]`: jobs run with the settings \
             of their own; `lineside tune` finds better ones\n",
            printable(&machine.name())
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

    /// The busiest core since then, and all of them on average.
    pub(crate) fn since(&self, before: &Cores) -> Option<CpuUse> {
        let shares: Vec<u64> = (self.0.iter().zip(&before.0))
            .filter_map(|(now, then)| {
                let all = now.1.checked_sub(then.1).filter(|all| *all > 0)?;
                Some((now.0.saturating_sub(then.0) * 1000 / all).min(1000))
            })
            .collect();
        let (busiest, cores) = (*shares.iter().max()?, shares.len() as u64);
        let mean = shares.iter().sum::<u64>() / cores;
        Some(CpuUse { busiest: busiest as u32, mean: mean as u32, cores: cores as u32 })
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
        let cpu = after.expect("read").since(&before.expect("read"));
        assert_eq!(cpu, Some(CpuUse { busiest: 950, mean: 525, cores: 2 }));
        assert_eq!(Cores::read("intr 1\n"), None);
    }
}
