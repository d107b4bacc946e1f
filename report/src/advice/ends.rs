//! Jobs that did not come to a good end.

use std::collections::BTreeMap;

use super::some_of;
use crate::timeline::Timeline;
use crate::words;
use lineside_line::trace::{End, FailCause};

pub(super) fn stuck(timeline: &Timeline<'_>) -> Vec<String> {
    let known = timeline.stuck.iter().filter(|(job, _)| (*job as usize) < timeline.jobs.len());
    let mut texts: Vec<String> = known
        .map(|(job, reason)| format!("`{}` is stuck: {reason}", timeline.job_name(*job)))
        .collect();
    if texts.len() > super::EACH_AT_MOST {
        let more = texts.len() - super::EACH_AT_MOST;
        let last = &mut texts[super::EACH_AT_MOST - 1];
        last.push_str(&format!(" ({} stuck too)", words::count(more as u64, "more job")));
    }
    texts
}

pub(super) fn failed(timeline: &Timeline<'_>) -> Vec<String> {
    let mut taken: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    // Upstreams stand earlier, so the root of each upstream is known when it is asked for.
    let mut roots: Vec<u32> = (0..timeline.jobs.len() as u32).collect();
    for job in 0..timeline.jobs.len() as u32 {
        if let Some((_, End::Skipped { upstream: up })) = timeline.jobs[job as usize].end
            && let Some(&root) = roots.get(up as usize)
        {
            roots[job as usize] = root;
            taken.entry(root).or_default().push(timeline.job_name(job));
        }
    }
    let mut texts = Vec::new();
    for (job, track) in timeline.jobs.iter().enumerate() {
        let Some((_, End::Failed(cause))) = track.end else { continue };
        let skipped = match taken.get(&(job as u32)) {
            Some(names) => format!(", and {} with it", some_of(names.iter().copied())),
            None => String::new(),
        };
        let spec = &timeline.line.jobs[job];
        let advice = match cause {
            FailCause::Timeout => "its `timeout` is too short for it, or it hangs".to_string(),
            FailCause::Device => "it lost its unit three times in a row: look at the device".into(),
            FailCause::Error => {
                format!("`retries = {}` forgives one failure more in a row", spec.retries + 1)
            }
        };
        let name = &spec.name;
        let ends = words::count(track.failures, "failed start");
        texts.push(match track.failures {
            0 => format!("`{name}` failed{skipped}; {advice}."),
            _ => format!("`{name}` failed after {ends}{skipped}; {advice}."),
        });
    }
    texts
}
