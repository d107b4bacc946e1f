//! The report: one page that needs nothing else.

mod compare;
mod data;
mod jobs;
mod units;
mod waits;

use lineside_line::Line;

use crate::advice::{self, Advice, AdviceCode};
use crate::colour;
use crate::duration::duration;
use crate::record::Record;
use crate::summary::{self, JobState, Summary};
use crate::svg::{self, Limits};
use crate::text::{script_json, xml};
use crate::timeline::Timeline;
use crate::words;

/// A plan or a run as one HTML page: the summary, what to change, a chart to zoom and to ask, the
/// units, the jobs, the longest waits, and the grants with their reasons. If `plan` is given, what
/// was planned stands beside what happened.
///
/// The page asks the network for nothing and forbids itself to. Without scripts, and on paper, it
/// shows the chart of [`gantt_svg`](crate::gantt_svg) and all its tables. Names are always text.
///
/// Beyond 40,000 bars the chart holds merged ones, and the list of grants ends after 5,000.
///
/// ```
/// use lineside_line::Line;
/// use lineside_report::{Record, report_html};
/// let page = report_html(&Line::default(), &Record::default(), None);
/// assert!(page.starts_with("<!doctype html>"));
/// ```
pub fn report_html(line: &Line, record: &Record, plan: Option<&Record>) -> String {
    let timeline = Timeline::read(line, record);
    let numbers = summary::of(&timeline);
    let mut page = String::with_capacity(64 * 1024);
    page.push_str("<!doctype html>\n<html lang=\"en\">\n");
    head(&mut page, line);
    page.push_str("<body>\n");
    header(&mut page, line, &timeline, &numbers);
    page.push_str("<main>\n");
    advice_section(&mut page, &advice::of(&timeline));
    chart_section(&mut page, &timeline);
    if let Some(plan) = plan {
        compare::section(&mut page, &timeline, &numbers, &Timeline::read(line, plan));
    }
    units::section(&mut page, &timeline, &numbers);
    jobs::section(&mut page, &timeline, &numbers);
    waits::longest(&mut page, &timeline);
    waits::grants(&mut page, &timeline);
    page.push_str("</main>\n");
    page.push_str(
        "<footer>Made by <code>lineside</code>. Times count from the start of the line. ",
    );
    page.push_str("This page is one file and loads nothing.</footer>\n");
    scripts(&mut page, &data::json(&timeline));
    page.push_str("</body>\n</html>\n");
    page
}

/// Nothing from anywhere: names are text already, and this is the second wall.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

fn head(page: &mut String, line: &Line) {
    let name = xml(line.name.as_deref().unwrap_or("Lineside"));
    page.push_str("<head>\n<meta charset=\"utf-8\">\n");
    page.push_str(&format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n",
        xml(POLICY)
    ));
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.push_str("<meta name=\"color-scheme\" content=\"light dark\">\n");
    page.push_str(&format!("<title>{name} · Lineside report</title>\n<style>\n"));
    page.push_str(include_str!("../assets/report.css"));
    for (at, colour) in colour::JOBS.iter().enumerate() {
        page.push_str(&format!(".k{at}{{--k:{colour}}}"));
    }
    page.push_str("\n</style>\n</head>\n");
}

fn scripts(page: &mut String, data: &str) {
    page.push_str("<script type=\"application/json\" id=\"data\">");
    page.push_str(&script_json(data));
    page.push_str("</script>\n<script>\n(() => {\n'use strict';\n");
    for part in [
        include_str!("../assets/words.js"),
        include_str!("../assets/rows.js"),
        include_str!("../assets/chart.js"),
        include_str!("../assets/input.js"),
        include_str!("../assets/tables.js"),
    ] {
        page.push_str(part);
    }
    page.push_str("})();\n</script>\n");
}

fn header(page: &mut String, line: &Line, timeline: &Timeline<'_>, numbers: &Summary) {
    page.push_str("<header>\n");
    page.push_str(&format!("<h1>{}</h1>\n", xml(line.name.as_deref().unwrap_or("Lineside"))));
    if let Some(description) = &line.description {
        page.push_str(&format!("<p class=\"about\">{}</p>\n", xml(description)));
    }
    page.push_str("<dl class=\"tiles\">\n");
    tile(page, "Makespan", &duration(numbers.makespan_ns), "from the start to the last event");
    let (class, done) = outcome_tile(numbers);
    let all = words::grouped(numbers.jobs.len() as u64);
    tile(page, "Jobs done", &format!("{} of {all}", words::grouped(done)), &class);
    let images: u64 = numbers.jobs.iter().map(|job| job.images).sum();
    tile(page, "Images", &words::grouped(images), &rate(images, numbers.makespan_ns));
    let wait = numbers.wait_ns;
    let note = format!("p95 {}, longest {}", duration(wait.p95), duration(wait.max));
    tile(page, "Mean wait", &duration(wait.mean), &note);
    let units = numbers.units.len() as f64;
    let busy = numbers.units.iter().map(|unit| unit.utilization).sum::<f64>() / units.max(1.0);
    let note = format!("{} in all", words::count(timeline.leases.len() as u64, "lease"));
    tile(page, "Units busy", &words::percent(busy), &note);
    if let Some(cpu) = &numbers.cpu {
        let share = |thousandths: u32| words::percent(f64::from(thousandths) / 1000.0);
        let cores = words::count(u64::from(cpu.cores), "core");
        let note = format!("{cores} on average {}", share(cpu.mean));
        tile(page, "Busiest core", &share(cpu.busiest), &note);
    }
    page.push_str("</dl>\n</header>\n");
}

fn tile(page: &mut String, name: &str, value: &str, note: &str) {
    let (name, value, note) = (xml(name), xml(value), xml(note));
    page.push_str(&format!(
        "<div><dt>{name}</dt><dd><b>{value}</b><span>{note}</span></dd></div>\n"
    ));
}

fn outcome_tile(numbers: &Summary) -> (String, u64) {
    let outcomes = words::outcomes(numbers);
    let done = outcomes.iter().find(|(state, _)| *state == JobState::Done);
    let others = outcomes.iter().filter(|(state, _)| *state != JobState::Done);
    let others: Vec<String> =
        others.map(|(state, count)| format!("{count} {}", state.word())).collect();
    let note = if others.is_empty() { "all went well".to_string() } else { others.join(", ") };
    (note, done.map_or(0, |(_, count)| *count))
}

/// Images a second, or an hour where they are few.
fn rate(images: u64, makespan: u64) -> String {
    if makespan == 0 || images == 0 {
        return "done".to_string();
    }
    let second = images as f64 * 1e9 / makespan as f64;
    match second {
        second if second >= 100.0 => format!("{} a second", words::grouped(second as u64)),
        second if second >= 1.0 => format!("{second:.1} a second"),
        second if second * 60.0 >= 1.0 => format!("{:.1} a minute", second * 60.0),
        second => format!("{:.1} an hour", second * 3600.0),
    }
}

fn advice_section(page: &mut String, advice: &[Advice]) {
    if advice.is_empty() {
        return;
    }
    page.push_str("<section id=\"advice\">\n<h2>What to change</h2>\n<ul class=\"advice\">\n");
    for Advice { code, text } in advice {
        let class = match code {
            AdviceCode::Stuck | AdviceCode::Failed => "bad",
            _ => "warn",
        };
        let word = code.word().replace('-', " ");
        let text = with_code(text);
        page.push_str(&format!("<li class=\"{class}\"><span>{word}</span><p>{text}</p></li>\n"));
    }
    page.push_str("</ul>\n</section>\n");
}

/// Escaped text; what stands between backquotes is set as code.
fn with_code(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('`').enumerate() {
        match at % 2 {
            0 => out.push_str(&xml(part)),
            _ => out.push_str(&format!("<code>{}</code>", xml(part))),
        }
    }
    out
}

fn chart_section(page: &mut String, timeline: &Timeline<'_>) {
    page.push_str("<section id=\"chart\">\n<div class=\"bar\"><h2>Timeline</h2>\n");
    page.push_str("<div class=\"tools\" hidden>");
    for (act, sign, name) in
        [("in", "+", "Zoom in"), ("out", "−", "Zoom out"), ("fit", "Fit", "Show all")]
    {
        page.push_str(&format!(
            "<button type=\"button\" data-act=\"{act}\" title=\"{name}\" aria-label=\"{name}\">\
             {sign}</button>"
        ));
    }
    page.push_str("</div></div>\n<div class=\"figure\">\n");
    page.push_str(&svg::figure(timeline, Limits::PAGE));
    page.push_str("</div>\n");
    page.push_str("<div id=\"live\" hidden>\n<div id=\"view\" tabindex=\"0\" role=\"group\" ");
    page.push_str("aria-label=\"Timeline of units and jobs\" aria-describedby=\"keys\">");
    page.push_str("<canvas aria-hidden=\"true\"></canvas><div id=\"tall\"></div></div>\n");
    page.push_str("<p class=\"hint legend\"><span class=\"key solid\"></span>in flight");
    for (class, meaning) in [
        ("hatch", "leased, nothing in flight"),
        ("queued", "in the queue"),
        ("cold", "loading its model"),
        ("bad", "failed"),
        ("warn", "revoked"),
        ("evict", "model evicted"),
        ("down", "unit down"),
        ("drain", "unit draining"),
    ] {
        page.push_str(&format!(" <span class=\"key {class}\"></span>{meaning}"));
    }
    page.push_str("</p>\n<p id=\"keys\" class=\"hint\"></p>\n");
    page.push_str("<div id=\"detail\" role=\"status\" aria-live=\"polite\"></div>\n</div>\n");
    page.push_str("<div id=\"tip\" hidden></div>\n</section>\n");
}

/// The class of a cell that says how a job ended.
fn state_class(state: JobState) -> &'static str {
    match state {
        JobState::Done => "good",
        JobState::Failed | JobState::Stuck => "bad",
        JobState::Cancelled | JobState::Skipped => "warn",
    }
}

/// A job's name with its colour before it.
fn job_cell(timeline: &Timeline<'_>, job: u32) -> String {
    let name = xml(timeline.job_name(job));
    format!("<th scope=\"row\"><i class=\"chip k{}\"></i>{name}</th>", colour::of(job))
}

/// A time as a cell that sorts by its number.
fn time_cell(t: Option<u64>) -> String {
    match t {
        Some(t) => format!("<td data-n=\"{t}\">{}</td>", duration(t)),
        None => "<td data-n=\"-1\">–</td>".to_string(),
    }
}

/// A note below a table that does not show everything.
fn note_of_more(page: &mut String, hidden: usize, noun: &str, why: &str) {
    if hidden > 0 {
        let more = words::count(hidden as u64, noun);
        page.push_str(&format!("<p class=\"hint\">and {more} {why}</p>\n"));
    }
}
