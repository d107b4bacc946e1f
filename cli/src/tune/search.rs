//! The search: one change at a time, kept only if it helps by more than the noise.

use lineside_line::Line;

use super::settings::{Knob, Settings};

/// What one pass over the line showed. Shares are from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pass {
    /// Nanoseconds.
    pub(super) time: f64,
    /// Time in which the units that count computed.
    pub(super) busy: f64,
    /// Time in which they were leased.
    pub(super) held: f64,
    /// Some of these units take several leases at once, so they may be busy and have room.
    pub(super) shared: bool,
    /// The busiest core of the CPU, if that is known.
    pub(super) core: Option<f64>,
    /// The fullest unit.
    pub(super) memory: f64,
    /// Every image came out.
    pub(super) complete: bool,
}

/// What keeps the line from being faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bottleneck {
    /// The units compute nearly all the time: only faster kernels help.
    Kernel,
    /// One core of the CPU does: only less work on it, or more threads, help.
    Core,
    /// The units are leased, and wait for images.
    Feeding,
    /// The units are free: jobs wait for one another, or for images.
    Line,
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) settings: Settings,
    pub(super) mean: Pass,
    pub(super) passes: usize,
    pub(super) verdict: Verdict,
}

/// What became of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is the one to compare with.
    First,
    /// It is better, and was kept.
    Kept,
    /// It is no better by more than the noise.
    NoBetter,
    /// Results were lost.
    Lost,
    /// The memory would be, or was, above the cap.
    Memory,
    /// It could not be measured, and why.
    Failed(String),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tuned {
    pub(super) best: Settings,
    pub(super) rows: Vec<Row>,
    pub(super) bottleneck: Bottleneck,
    /// A larger batch would not have fitted.
    pub(super) full: bool,
}

/// What is looked for, and how carefully.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Share of the memory of a unit that may be used.
    pub(super) memory: f64,
    /// Passes of one setting at most.
    pub(super) passes: usize,
    /// A gain below this share is none.
    pub(super) gain: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { memory: 0.85, passes: 9, gain: 0.01 }
    }
}

/// Passes of one setting.
struct Sample {
    settings: Settings,
    passes: Vec<Pass>,
}

/// How often everything is tried at most.
const ROUNDS_MAX: usize = 4;

/// Passes of a setting at least, before anything is said of it.
const PASSES_MIN: usize = 3;

impl Sample {
    fn mean(&self) -> Pass {
        let mean = |of: &dyn Fn(&Pass) -> f64| {
            self.passes.iter().map(of).sum::<f64>() / self.passes.len() as f64
        };
        let cores = self.passes.iter().filter_map(|pass| pass.core);
        Pass {
            time: mean(&|pass| pass.time),
            busy: mean(&|pass| pass.busy),
            held: mean(&|pass| pass.held),
            shared: self.passes.iter().any(|pass| pass.shared),
            core: cores.fold(None, |most: Option<f64>, core| Some(most.unwrap_or(0.0).max(core))),
            memory: self.passes.iter().fold(0.0, |most, pass| pass.memory.max(most)),
            complete: self.passes.iter().all(|pass| pass.complete),
        }
    }

    /// The square of the standard error of the mean time.
    fn error(&self) -> f64 {
        let (mean, count) = (self.mean().time, self.passes.len() as f64);
        let squares = self.passes.iter().map(|pass| (pass.time - mean).powi(2)).sum::<f64>();
        squares / (count - 1.0).max(1.0) / count
    }
}

/// Measures one pass with some settings.
pub(super) type Measure<'m> = dyn FnMut(&Settings) -> Result<Pass, String> + 'm;

/// Searches for better settings of a line. `tell` is told each row as it is known.
///
/// # Errors
///
/// Why the line can't even be measured as it is.
pub(super) fn search(
    line: &Line,
    limits: Limits,
    measure: &mut Measure<'_>,
    tell: &mut dyn FnMut(&Row),
) -> Result<Tuned, String> {
    let mut search = Search { line, limits, measure, tell, rows: Vec::new(), full: false };
    let mut best = search.first()?;
    // What was kept may let something help that did not.
    for _ in 0..ROUNDS_MAX {
        let before = best.settings.clone();
        for knob in [Knob::Batch, Knob::Depth, Knob::Leases] {
            for job in 0..line.jobs.len() {
                best = search.turn(best, job, knob);
            }
        }
        if best.settings == before {
            break;
        }
    }
    let bottleneck = bottleneck(&best.mean());
    Ok(Tuned { best: best.settings, rows: search.rows, bottleneck, full: search.full })
}

struct Search<'s, 'm> {
    line: &'s Line,
    limits: Limits,
    measure: &'s mut Measure<'m>,
    tell: &'s mut dyn FnMut(&Row),
    rows: Vec<Row>,
    full: bool,
}

impl Search<'_, '_> {
    /// The line as it is.
    fn first(&mut self) -> Result<Sample, String> {
        let mut sample = Sample { settings: Settings::of(self.line), passes: Vec::new() };
        self.pass(&mut sample, PASSES_MIN)?;
        if !sample.mean().complete {
            return Err("images are lost with the settings as they are".to_owned());
        }
        self.note(&sample, Verdict::First);
        Ok(sample)
    }

    /// Turns a knob for as long as that helps, and what is in the way stays the same.
    fn turn(&mut self, mut best: Sample, job: usize, knob: Knob) -> Sample {
        let before = bottleneck(&best.mean());
        while bottleneck(&best.mean()) == before && helps(knob, before, &best.mean()) {
            let Some(settings) = best.settings.turned(self.line, job, knob) else { break };
            if self.rows.iter().any(|row| row.settings == settings) {
                break;
            }
            if fullest(self.line, &settings) > self.limits.memory {
                self.full |= knob == Knob::Batch;
                break;
            }
            let mut other = Sample { settings, passes: Vec::new() };
            let verdict = self.compare(&mut best, &mut other);
            let kept = verdict == Verdict::Kept;
            self.full |= verdict == Verdict::Memory && knob == Knob::Batch;
            self.note(&other, verdict);
            if !kept {
                break;
            }
            best = other;
        }
        best
    }

    /// Measures both until the difference is above the noise, or it is plain that it is not.
    fn compare(&mut self, best: &mut Sample, other: &mut Sample) -> Verdict {
        let mut wanted = PASSES_MIN;
        loop {
            if let Err(why) = self.pass(other, wanted).and_then(|()| self.pass(best, wanted)) {
                return Verdict::Failed(why);
            }
            let (old, new) = (best.mean(), other.mean());
            if !new.complete {
                return Verdict::Lost;
            }
            if new.memory > self.limits.memory {
                return Verdict::Memory;
            }
            let gain = old.time - new.time;
            let noise = 2.0 * (best.error() + other.error()).sqrt();
            if gain.abs() > noise || wanted >= self.limits.passes {
                let enough = gain > noise && gain > self.limits.gain * old.time;
                return if enough { Verdict::Kept } else { Verdict::NoBetter };
            }
            wanted = (wanted + 2).min(self.limits.passes);
        }
    }

    fn pass(&mut self, sample: &mut Sample, wanted: usize) -> Result<(), String> {
        while sample.passes.len() < wanted {
            let pass = (self.measure)(&sample.settings)?;
            sample.passes.push(pass);
            // What loses results or memory is not measured again.
            if !pass.complete || pass.memory > self.limits.memory {
                break;
            }
        }
        Ok(())
    }

    fn note(&mut self, sample: &Sample, verdict: Verdict) {
        let mean = match sample.passes.is_empty() {
            true => Pass {
                time: f64::NAN,
                busy: 0.0,
                held: 0.0,
                shared: false,
                core: None,
                memory: 0.0,
                complete: false,
            },
            false => sample.mean(),
        };
        let (settings, passes) = (sample.settings.clone(), sample.passes.len());
        let row = Row { settings, mean, passes, verdict };
        (self.tell)(&row);
        self.rows.push(row);
    }
}

/// What is in the way.
pub(super) fn bottleneck(pass: &Pass) -> Bottleneck {
    const NEARLY_ALL: f64 = 0.9;
    match pass {
        _ if pass.busy >= NEARLY_ALL => Bottleneck::Kernel,
        _ if pass.core.is_some_and(|core| core >= NEARLY_ALL) => Bottleneck::Core,
        _ if pass.held >= NEARLY_ALL => Bottleneck::Feeding,
        _ => Bottleneck::Line,
    }
}

/// Whether there is any use in turning a knob. A larger batch may make kernels faster; more images
/// ahead or more at once do nothing for a unit that computes all the time and takes no second
/// lease, nor for a full core.
fn helps(knob: Knob, bottleneck: Bottleneck, pass: &Pass) -> bool {
    match (knob, bottleneck) {
        (Knob::Batch, _) => true,
        (Knob::Leases, Bottleneck::Kernel) => pass.shared,
        (Knob::Depth | Knob::Leases, Bottleneck::Kernel | Bottleneck::Core) => false,
        (Knob::Depth | Knob::Leases, Bottleneck::Feeding | Bottleneck::Line) => true,
    }
}

/// The share of memory that one lease of a job with its model would take, on the largest unit.
fn fullest(line: &Line, settings: &Settings) -> f64 {
    let largest = line.units.iter().map(|unit| unit.memory).max().unwrap_or(0);
    let jobs = line.jobs.iter().zip(&settings.jobs).map(|(job, settings)| {
        let weights = job.model.map_or(0, |model| line.models[model as usize].weights);
        weights.saturating_add(settings.memory)
    });
    let most = jobs.max().unwrap_or(0);
    if largest == 0 { 0.0 } else { most as f64 / largest as f64 }
}
