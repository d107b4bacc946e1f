//! How much memory of each unit is free, as the rules count it.

use std::collections::BTreeMap;

use lineside_line::{Job, Line, Pool};

use lineside_line::trace::UnitState;

use crate::record::{Record, What};

/// What is on a unit.
#[derive(Debug, Default, Clone)]
struct Loaded {
    leases: u64,
    /// By model: whether it is resident, and how many leases use it.
    models: BTreeMap<u32, (bool, u32)>,
    /// Where its last value stands in the list.
    last: Option<usize>,
}

/// Each time at which the free memory of a unit changed: time, unit, bytes.
pub(super) fn free(line: &Line, record: &Record) -> Vec<(u64, u32, u64)> {
    let mut units = vec![Loaded::default(); line.units.len()];
    let mut out = Vec::new();
    for unit in 0..units.len() as u32 {
        note(line, &mut units, unit, 0, &mut out);
    }
    for entry in &record.entries {
        let changed: &[u32] = match &entry.what {
            What::Grant { job, units: granted, .. } | What::Release { job, units: granted, .. } => {
                let Some(job) = line.jobs.get(*job as usize) else { continue };
                let take = matches!(entry.what, What::Grant { .. });
                for &unit in granted {
                    if let Some(loaded) = units.get_mut(unit as usize) {
                        loaded.lease(line, job, take);
                    }
                }
                granted
            }
            What::Evict { unit, model } => {
                if let Some(loaded) = units.get_mut(*unit as usize) {
                    loaded.models.remove(model);
                }
                std::slice::from_ref(unit)
            }
            What::Unit { unit, state: UnitState::Down } => {
                if let Some(loaded) = units.get_mut(*unit as usize) {
                    loaded.lose_models();
                }
                std::slice::from_ref(unit)
            }
            _ => continue,
        };
        for &unit in changed {
            note(line, &mut units, unit, entry.t, &mut out);
        }
    }
    out
}

impl Loaded {
    fn lease(&mut self, line: &Line, job: &Job, take: bool) {
        let Some(model) = job.model else {
            self.count(job.memory, take);
            return;
        };
        self.count(job.memory, take);
        let (resident, users) = self.models.entry(model).or_default();
        if take {
            *resident = true;
            *users += 1;
            return;
        }
        *users = users.saturating_sub(1);
        *resident &= line.policy.pool == Pool::Keep || *users > 0;
        if !*resident && *users == 0 {
            self.models.remove(&model);
        }
    }

    fn count(&mut self, memory: u64, take: bool) {
        self.leases = match take {
            true => self.leases.saturating_add(memory),
            false => self.leases.saturating_sub(memory),
        };
    }

    /// A model that is in use counts until its last lease there is given back.
    fn lose_models(&mut self) {
        self.models.retain(|_, (_, users)| *users > 0);
        self.models.values_mut().for_each(|(resident, _)| *resident = false);
    }
}

fn note(line: &Line, units: &mut [Loaded], unit: u32, t: u64, out: &mut Vec<(u64, u32, u64)>) {
    let Some(loaded) = units.get_mut(unit as usize) else { return };
    let weights = loaded.models.keys().filter_map(|&model| line.models.get(model as usize));
    let weights: u64 = weights.map(|model| model.weights).fold(0, u64::saturating_add);
    let budget = line.units[unit as usize].budget;
    let free = budget.saturating_sub(loaded.leases.saturating_add(weights));
    match loaded.last.map(|last| out[last]) {
        Some((_, _, same)) if same == free => {}
        Some((at, _, _)) if at == t => out[loaded.last.unwrap_or_default()].2 = free,
        _ => {
            loaded.last = Some(out.len());
            out.push((t, unit, free));
        }
    }
}
