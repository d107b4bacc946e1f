//! Where it was measured, and what the core's tables take up.

use std::fs;

use lineside_core::{EdgeSlot, JobSlot, LeaseSlot, Scheduler, UnitSlot};

use crate::table::{Row, Table};

/// Processor and version, in a line.
pub(crate) fn describe() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "lineside {} on {} ({threads} threads)",
        env!("CARGO_PKG_VERSION"),
        model.unwrap_or(std::env::consts::ARCH),
    )
}

/// Bytes of each kind of slot.
pub(crate) fn memory_rows(table: &mut Table) {
    // The order and the pending list have four bytes a job each, the open list four a unit.
    let sizes = [
        ("a job", size_of::<JobSlot>() + 8),
        ("a unit", size_of::<UnitSlot>() + 4),
        ("an edge", size_of::<EdgeSlot>()),
        ("a lease", size_of::<LeaseSlot>()),
        ("the scheduler", size_of::<Scheduler<'_>>()),
    ];
    for (name, bytes) in sizes {
        table.add(Row::new(&format!("memory of the core, {name}"), "bytes", bytes as f64));
    }
}
