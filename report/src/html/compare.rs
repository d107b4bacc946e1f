//! What was planned beside what happened.

use super::{job_cell, note_of_more, state_class};
use crate::duration::duration;
use crate::summary::{self, JobSummary, Summary, share};
use crate::text::xml;
use crate::timeline::Timeline;
use crate::words;

/// Jobs that are listed at most.
const JOBS: usize = 500;

pub(super) fn section(
    page: &mut String,
    timeline: &Timeline<'_>,
    actual: &Summary,
    plan: &Timeline<'_>,
) {
    let planned = summary::of(plan);
    let scale = actual.makespan_ns.max(planned.makespan_ns);
    page.push_str("<section id=\"plan\">\n<h2>Planned and actual</h2>\n");
    page.push_str(&headline(planned.makespan_ns, actual.makespan_ns));
    page.push_str("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">Job</th>");
    page.push_str("<th scope=\"col\">Planned over actual</th>");
    for name in ["Planned end", "Actual end", "Later by", "Planned wait", "Actual wait"] {
        page.push_str(&format!("<th scope=\"col\" class=\"n\">{name}</th>"));
    }
    page.push_str("<th scope=\"col\">Outcome</th></tr></thead>\n<tbody>\n");
    let mut jobs: Vec<usize> = (0..actual.jobs.len().min(planned.jobs.len())).collect();
    let all = jobs.len();
    if all > JOBS {
        let apart = |&at: &usize| {
            let ends = (actual.jobs[at].end_ns, planned.jobs[at].end_ns);
            let ends = (ends.0.unwrap_or(scale), ends.1.unwrap_or(scale));
            std::cmp::Reverse(ends.0.abs_diff(ends.1))
        };
        jobs.sort_by_cached_key(apart);
        jobs.truncate(JOBS);
        jobs.sort_unstable();
    }
    for at in jobs {
        page.push_str(&format!("<tr>{}", job_cell(timeline, at as u32)));
        row(page, &planned.jobs[at], &actual.jobs[at], scale);
    }
    page.push_str("</tbody></table></div>\n");
    note_of_more(page, all.saturating_sub(JOBS), "more job", "that went more as planned");
    page.push_str("</section>\n");
}

fn headline(planned: u64, actual: u64) -> String {
    let (was, is) = (duration(planned), duration(actual));
    let apart = xml(&words::percent(share(planned.abs_diff(actual), planned)));
    let verdict = match planned.cmp(&actual) {
        std::cmp::Ordering::Equal => "as planned".to_string(),
        std::cmp::Ordering::Less => format!("{apart} more"),
        std::cmp::Ordering::Greater => format!("{apart} less"),
    };
    format!("<p>Planned makespan {was}, actual {is}: {verdict}.</p>\n")
}

fn row(page: &mut String, planned: &JobSummary, actual: &JobSummary, scale: u64) {
    let span = |job: &JobSummary| {
        let from = job.first_start_ns.unwrap_or(0);
        let to = job.end_ns.unwrap_or(if job.first_start_ns.is_some() { scale } else { 0 });
        let (from, to) = (share(from, scale) * 100.0, share(to.max(from), scale) * 100.0);
        format!("--a:{from:.2}%;--b:{:.2}%", to - from)
    };
    page.push_str(&format!(
        "<td class=\"wide\"><span class=\"span2\"><i class=\"was\" style=\"{}\"></i>\
         <i class=\"is\" style=\"{}\"></i></span></td>",
        span(planned),
        span(actual)
    ));
    for end in [planned.end_ns, actual.end_ns] {
        page.push_str(&format!("<td class=\"n\">{}</td>", end.map_or("–".into(), duration)));
    }
    let later = match (planned.end_ns, actual.end_ns) {
        (Some(was), Some(is)) if was < is => format!("+{}", duration(is - was)),
        (Some(was), Some(is)) if was > is => format!("−{}", duration(was - is)),
        (Some(_), Some(_)) => "0 s".to_string(),
        _ => "–".to_string(),
    };
    page.push_str(&format!("<td class=\"n\">{later}</td>"));
    for job in [planned, actual] {
        page.push_str(&format!("<td class=\"n\">{}</td>", duration(job.wait_ns)));
    }
    let outcome = match planned.state == actual.state {
        true => actual.state.word().to_string(),
        false => format!("{} (planned: {})", actual.state.word(), planned.state.word()),
    };
    page.push_str(&format!("<td class=\"{}\">{outcome}</td></tr>\n", state_class(actual.state)));
}
