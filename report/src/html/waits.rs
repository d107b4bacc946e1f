//! The longest waits, and the grants; both with their reasons.

use std::collections::BTreeMap;

use super::{job_cell, note_of_more};
use crate::advice::could_use;
use crate::duration::{duration, moment};
use crate::text::xml;
use crate::timeline::{Lease, Timeline, Wait, WaitOutcome};
use crate::words;

/// Waits that are listed.
const WAITS: usize = 20;

/// Grants that are listed where no script runs.
const GRANTS: usize = 100;

pub(super) fn longest(page: &mut String, timeline: &Timeline<'_>) {
    let mut waits: Vec<&Wait> = timeline.waits.iter().filter(|wait| wait.length() > 0).collect();
    if waits.is_empty() {
        return;
    }
    let rank = |wait: &&Wait| (std::cmp::Reverse(wait.length()), wait.from, wait.job);
    if waits.len() > WAITS {
        waits.select_nth_unstable_by_key(WAITS, rank);
        waits.truncate(WAITS);
    }
    waits.sort_by_key(rank);
    page.push_str("<section id=\"waits\">\n<h2>The longest waits</h2>\n<div class=\"scroll\">");
    page.push_str("<table>\n<thead><tr><th scope=\"col\">Job</th>");
    page.push_str(
        "<th scope=\"col\" class=\"n\">Waited</th><th scope=\"col\" class=\"n\">From</th>",
    );
    page.push_str("<th scope=\"col\">What happened</th></tr></thead>\n<tbody>\n");
    for wait in waits {
        let (length, from) = (duration(wait.length()), moment(wait.from));
        page.push_str(&format!(
            "<tr>{}<td class=\"n\">{length}</td>",
            job_cell(timeline, wait.job)
        ));
        page.push_str(&format!("<td class=\"n\">{from}</td>"));
        page.push_str(&format!("<td class=\"why\">{}</td></tr>\n", xml(&story(timeline, wait))));
    }
    page.push_str("</tbody></table></div>\n</section>\n");
}

/// How a wait ended, and who had the units meanwhile.
fn story(timeline: &Timeline<'_>, wait: &Wait) -> String {
    let mut parts = Vec::new();
    match wait.outcome {
        WaitOutcome::Granted(lease) => {
            let lease = &timeline.leases[lease as usize];
            let units = timeline.units_of(lease);
            parts.push(match lease.why {
                Some(why) => format!("Then it got {units}: {why}."),
                None => format!("Then it got {units}."),
            });
        }
        WaitOutcome::Left => {
            let end = words::end(timeline.line, &timeline.jobs[wait.job as usize]);
            parts.push(format!("It left the queue: {end}."));
        }
        WaitOutcome::Open => parts.push(match timeline.stuck_reason(wait.job) {
            Some(reason) => format!("It waits still: {reason}."),
            None => "It waits still.".to_string(),
        }),
    }
    let meanwhile = meanwhile(timeline, wait);
    if !meanwhile.is_empty() {
        parts.push(format!("Meanwhile {}.", meanwhile.join(", ")));
    }
    parts.join(" ")
}

/// Which jobs held the units that the waiting one could have used, the longest first.
fn meanwhile(timeline: &Timeline<'_>, wait: &Wait) -> Vec<String> {
    let line = timeline.line;
    let spec = &line.jobs[wait.job as usize];
    let mut held: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let after = timeline.leases.partition_point(|lease| lease.from < wait.to);
    for lease in timeline.leases[..after].iter().filter(|lease| lease.to > wait.from) {
        let time = lease.to.min(wait.to) - lease.from.max(wait.from);
        for place in timeline.places_of(lease) {
            *held.entry((lease.job, place.unit)).or_default() += time;
        }
    }
    held.retain(|&(_, unit), _| could_use(line, spec, &line.units[unit as usize]));
    let mut held: Vec<((u32, u32), u64)> = held.into_iter().collect();
    held.sort_by_key(|&(key, time)| (std::cmp::Reverse(time), key));
    let text = |((job, unit), time): ((u32, u32), u64)| {
        let (job, unit) = (timeline.job_name(job), timeline.unit_name(unit));
        format!("{job} had {unit} for {}", duration(time))
    };
    held.into_iter().take(3).map(text).collect()
}

pub(super) fn grants(page: &mut String, timeline: &Timeline<'_>) {
    if timeline.leases.is_empty() {
        return;
    }
    page.push_str("<section id=\"grants\">\n<div class=\"bar\"><h2>Grants, and why</h2>");
    page.push_str("<input type=\"search\" hidden placeholder=\"job, unit or reason\" ");
    page.push_str("aria-label=\"Show grants with this job, unit or reason\"></div>\n");
    page.push_str("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">Job</th>");
    page.push_str("<th scope=\"col\" class=\"n\">At</th><th scope=\"col\">Units</th>");
    page.push_str("<th scope=\"col\" class=\"n\">Waited</th><th scope=\"col\">Why</th>");
    page.push_str("</tr></thead>\n<tbody>\n");
    for lease in timeline.leases.iter().take(GRANTS) {
        grant(page, timeline, lease);
    }
    page.push_str("</tbody></table></div>\n<div class=\"more\">");
    note_of_more(page, timeline.leases.len().saturating_sub(GRANTS), "more grant", "");
    page.push_str("</div>\n</section>\n");
}

fn grant(page: &mut String, timeline: &Timeline<'_>, lease: &Lease<'_>) {
    let units = xml(&timeline.units_of(lease));
    let waited = lease.wait.map_or(0, |wait| timeline.waits[wait as usize].length());
    let (at, waited) = (moment(lease.from), duration(waited));
    page.push_str(&format!("<tr>{}<td class=\"n\">{at}</td>", job_cell(timeline, lease.job)));
    page.push_str(&format!("<td>{units}</td><td class=\"n\">{waited}</td><td class=\"why\">"));
    if lease.cold {
        page.push_str("<em>cold</em> ");
    }
    if lease.fallback {
        page.push_str("<em>fallback</em> ");
    }
    page.push_str(&format!("{}</td></tr>\n", xml(lease.why.unwrap_or(""))));
}
