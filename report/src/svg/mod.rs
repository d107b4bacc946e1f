//! The Gantt chart as one SVG: a lane a unit, a row a job, and the length of the queue.

mod draw;
mod jobs;
mod lanes;
mod queue;

use lineside_line::Line;

use crate::colour;
use crate::duration::{duration, ticks};
use crate::record::Record;
use crate::summary::{self, Summary};
use crate::text::{cut_pixels, pixels, xml};
use crate::timeline::Timeline;
use crate::words;
use draw::{Area, Drawing, num};
pub(crate) use queue::steps;

const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 24.0;
/// Where time begins and ends.
const PLOT: (f64, f64) = (200.0, 1100.0);
/// The baseline of what the axis says.
const AXIS: f64 = 88.0;

/// The Gantt chart of a plan or a run, as one SVG file that needs nothing else.
///
/// A lane a unit (one a slot, where it has several): solid where something is in flight, hatched
/// where a lease starves, in the colour of the job. Below, a row a job: grey while it waits in the
/// queue, coloured while it holds a lease, with the time from its first `ready` to its end.
/// Failures, revoked leases, evictions and outages are marked, and tooltips say why. Light or dark
/// as the reader likes.
///
/// Beyond 5,000 bars short neighbours are merged, so that the file stays below 2 MB; failures are
/// marked all the same.
///
/// ```
/// use lineside_line::Line;
/// use lineside_report::{Record, gantt_svg};
/// let svg = gantt_svg(&Line::default(), &Record::default());
/// assert!(svg.starts_with("<svg "));
/// ```
pub fn gantt_svg(line: &Line, record: &Record) -> String {
    figure(&Timeline::read(line, record), Limits::FILE)
}

/// How much a figure may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Bars that are drawn one by one; beyond, those of crowded rows are merged.
    pub(crate) bars: usize,
    /// Merged bars, over all rows.
    pub(crate) segments: usize,
    /// Marks, over all rows.
    pub(crate) marks: usize,
    /// Lanes of units.
    pub(crate) lanes: usize,
    /// Rows of jobs.
    pub(crate) jobs: usize,
    /// Characters of a reason in a tooltip.
    pub(crate) why: usize,
}

impl Limits {
    /// A file of its own.
    pub(crate) const FILE: Limits =
        Limits { bars: 5000, segments: 12_000, marks: 2000, lanes: 200, jobs: 60, why: 300 };
    /// A page that draws its own chart where scripts run: for print, and for where they don't.
    pub(crate) const PAGE: Limits =
        Limits { bars: 600, segments: 2000, marks: 300, lanes: 64, jobs: 40, why: 160 };
}

/// A figure as it grows downwards.
struct Figure<'t, 'a> {
    timeline: &'t Timeline<'a>,
    limits: Limits,
    body: Drawing,
    y: f64,
    /// What the legend must explain.
    seen: Seen,
}

/// What occurs in a figure.
#[derive(Debug, Default)]
struct Seen {
    starved: bool,
    waiting: bool,
    cold: bool,
    failed: bool,
    revoked: bool,
    evicted: bool,
    down: bool,
    draining: bool,
    merged: bool,
}

/// The chart of a timeline.
pub(crate) fn figure(timeline: &Timeline<'_>, limits: Limits) -> String {
    let body = Drawing::default();
    let mut figure = Figure { timeline, limits, body, y: AXIS + 14.0, seen: Seen::default() };
    figure.unit_lanes();
    figure.job_rows();
    figure.queue_strip();
    let plot_end = figure.y - 8.0;
    figure.legend();
    figure.assemble(plot_end)
}

impl Figure<'_, '_> {
    /// Where a time is.
    fn x(&self, t: u64) -> f64 {
        PLOT.0 + summary::share(t, self.timeline.end) * (PLOT.1 - PLOT.0)
    }

    /// A caption above a group of rows, and one above the numbers at their ends.
    fn caption(&mut self, text: &str, of_numbers: &str) {
        self.body.text("g-cap", MARGIN, self.y + 10.0, text);
        if !of_numbers.is_empty() {
            self.body.text("g-cap g-end", WIDTH - MARGIN, self.y + 10.0, of_numbers);
        }
        self.y += 20.0;
    }

    /// A note below a group of rows.
    fn note(&mut self, text: &str) {
        self.body.text("g-soft", MARGIN, self.y + 10.0, text);
        self.y += 20.0;
    }

    fn legend(&mut self) {
        let (mut x, y) = (MARGIN, self.y + 14.0);
        let seen = &self.seen;
        let items: [(bool, &str, &str); 10] = [
            (true, "busy", "in flight (the colour is the job’s)"),
            (seen.starved, "starved", "leased, nothing in flight"),
            (seen.waiting, "w", "in the queue"),
            (seen.cold, "cold", "loading its model"),
            (seen.failed, "fail", "failed"),
            (seen.revoked, "revoke", "revoked"),
            (seen.evicted, "evict", "model evicted"),
            (seen.down, "down", "unit down"),
            (seen.draining, "drain", "unit draining"),
            (seen.merged, "merged", "merged: the paler, the less of it is used"),
        ];
        for (_, symbol, text) in items.into_iter().filter(|(shown, _, _)| *shown) {
            self.legend_symbol(symbol, x, y);
            self.body.text("g-soft", x + 22.0, y, text);
            x += 22.0 + pixels(text, 12.0) + 14.0;
        }
        self.y = y + MARGIN;
    }

    fn legend_symbol(&mut self, symbol: &str, x: f64, y: f64) {
        let area = Area { x, y: y - 9.0, width: 16.0, height: 10.0 };
        match symbol {
            "fail" | "revoke" | "evict" => {
                let (x, y) = (num(x + 8.0), num(y - 4.0));
                self.body.put(format_args!(r##"<use href="#g-{symbol}" x="{x}" y="{y}"/>"##));
            }
            "busy" => self.body.rect("g-c0", area, 2.0),
            "starved" => self.body.rect("g-s0", area, 2.0),
            "merged" => self.body.rect("g-c0 g-l2", area, 0.0),
            other => self.body.rect(&format!("g-{other}"), area, 2.0),
        }
    }

    /// Puts the ground, the heading and the axis behind the body.
    fn assemble(self, plot_end: f64) -> String {
        let height = num(self.y);
        let numbers = summary::of(self.timeline);
        let mut page = Drawing { out: String::with_capacity(self.body.out.len() + 8192) };
        page.put(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" "#
        ));
        page.put(format_args!(r#"class="g" viewBox="0 0 {WIDTH} {height}" role="img" "#));
        page.raw(r#"aria-labelledby="g-title g-desc">"#);
        let subtitle = subtitle(&numbers);
        let name = self.timeline.line.name.as_deref().unwrap_or("Lineside");
        page.put(format_args!("<title id=\"g-title\">{}</title>\n", xml(name)));
        page.put(format_args!("<desc id=\"g-desc\">{}</desc>\n", xml(&subtitle)));
        page.put(format_args!("<style>{}</style>\n<defs>", style()));
        hatches(&mut page);
        page.put(format_args!("{}</defs>\n", include_str!("../assets/symbols.svg")));
        let (x, y) = (0.0, 0.0);
        page.rect("g-ground", Area { x, y, width: WIDTH, height: self.y }, 0.0);
        let room = WIDTH - 2.0 * MARGIN;
        page.text("g-h", MARGIN, 34.0, &cut_pixels(name, room, 19.0));
        page.text("g-soft", MARGIN, 56.0, &cut_pixels(&subtitle, room, 12.0));
        self.axis(&mut page, plot_end);
        page.raw(&self.body.out);
        page.raw("</svg>\n");
        page.out
    }

    fn axis(&self, page: &mut Drawing, plot_end: f64) {
        let mut grid = String::new();
        for t in ticks(self.timeline.end, 9) {
            let x = self.x(t);
            grid.push_str(&format!("M{} {}V{}", num(x), num(AXIS + 6.0), num(plot_end)));
            page.text("g-soft g-mid", x, AXIS, &duration(t));
        }
        page.path("g-grid", &grid);
        page.raw("\n");
    }
}

/// The line below the heading.
fn subtitle(numbers: &Summary) -> String {
    let outcomes = words::outcomes(numbers);
    let outcomes = outcomes.iter().map(|(state, count)| format!("{count} {}", state.word()));
    let grants = numbers.jobs.iter().map(|job| job.grants).sum();
    let parts = [
        format!("makespan {}", duration(numbers.makespan_ns)),
        words::count(numbers.jobs.len() as u64, "job"),
        outcomes.collect::<Vec<_>>().join(", "),
        words::count(grants, "lease"),
        format!("waits: mean {}", duration(numbers.wait_ns.mean)),
        format!("longest {}", duration(numbers.wait_ns.max)),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ·  ")
}

/// The style sheet, with the colours of the jobs.
fn style() -> String {
    let mut css = include_str!("../assets/gantt.css").to_string();
    for (at, colour) in colour::JOBS.iter().enumerate() {
        css.push_str(&format!(".g-c{at}{{fill:{colour}}}.g-s{at}{{fill:url(#g-p{at})}}"));
    }
    css
}

/// One hatch a colour.
fn hatches(page: &mut Drawing) {
    for (at, colour) in colour::JOBS.iter().enumerate() {
        page.put(format_args!(
            r#"<pattern id="g-p{at}" width="6" height="6" patternUnits="userSpaceOnUse" "#
        ));
        page.put(format_args!(r#"patternTransform="rotate(45)" fill="{colour}">"#));
        page.raw(r#"<rect width="6" height="6" fill-opacity=".14"/>"#);
        page.raw(r#"<rect width="2" height="6" fill-opacity=".75"/></pattern>"#);
    }
}
