//! The table of the jobs.

use lineside_line::Kind;

use super::{job_cell, note_of_more, state_class, time_cell};
use crate::duration::duration;
use crate::summary::{Summary, share};
use crate::text::xml;
use crate::timeline::Timeline;
use crate::words;

/// Jobs that are listed at most.
const JOBS: usize = 500;

pub(super) fn section(page: &mut String, timeline: &Timeline<'_>, numbers: &Summary) {
    if numbers.jobs.is_empty() {
        return;
    }
    page.push_str("<section id=\"jobs\">\n<h2>Jobs</h2>\n");
    page.push_str("<div class=\"scroll\"><table class=\"sorts\">\n<thead><tr>");
    for name in ["Job", "Outcome", "In the queue"] {
        page.push_str(&format!("<th scope=\"col\">{name}</th>"));
    }
    for name in ["Waited", "Longest", "Images", "Leases", "Cold", "Began", "Ended"] {
        page.push_str(&format!("<th scope=\"col\" class=\"n\">{name}</th>"));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    let shown = numbers.notable(JOBS);
    for &job in &shown {
        row(page, timeline, numbers, job);
    }
    page.push_str("</tbody></table></div>\n");
    let why = "of those that are done and waited less";
    note_of_more(page, numbers.jobs.len() - shown.len(), "more job", why);
    page.push_str("</section>\n");
}

fn row(page: &mut String, timeline: &Timeline<'_>, numbers: &Summary, at: usize) {
    let job = &numbers.jobs[at];
    let spec = &timeline.line.jobs[at];
    page.push_str(&format!("<tr>{}", job_cell(timeline, at as u32)));
    let outcome = xml(&words::end(timeline.line, &timeline.jobs[at]));
    let kind = if spec.kind == Kind::Legacy { " <small>legacy</small>" } else { "" };
    let class = state_class(job.state);
    page.push_str(&format!("<td class=\"{class}\">{outcome}{kind}</td>"));
    // The queue as a part of the job's own time, from its first `ready` to its end.
    let first = timeline.jobs[at].first_ready.unwrap_or(0);
    let life = job.end_ns.unwrap_or(numbers.makespan_ns).saturating_sub(first);
    let part = (share(job.wait_ns, life) * 100.0).min(100.0);
    page.push_str(&format!(
        "<td class=\"wide\" data-n=\"{part:.3}\">\
         <span class=\"wait\" style=\"--b:{part:.2}%\"></span></td>"
    ));
    for time in [job.wait_ns, job.wait_max_ns] {
        page.push_str(&format!("<td class=\"n\" data-n=\"{time}\">{}</td>", duration(time)));
    }
    for number in [job.images, job.grants, job.cold] {
        let text = words::grouped(number);
        page.push_str(&format!("<td class=\"n\" data-n=\"{number}\">{text}</td>"));
    }
    page.push_str(&time_cell(job.first_start_ns).replace("<td ", "<td class=\"n\" "));
    page.push_str(&time_cell(job.end_ns).replace("<td ", "<td class=\"n\" "));
    page.push_str("</tr>\n");
}
