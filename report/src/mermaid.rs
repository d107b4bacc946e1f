//! A Gantt chart that Markdown viewers draw.

use std::fmt;

use lineside_line::Line;

use crate::record::Record;
use crate::text::one_line;
use crate::timeline::{How, Lane, Timeline};

/// What Mermaid draws at most by default (`maxTextSize`); some sites draw less.
const MAX_CHARACTERS: usize = 50_000;

const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1000 * MILLISECOND;

/// A chart is too large for Mermaid to draw.
///
/// What to do about it is in its message: it is for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    /// How large it would be.
    pub characters: usize,
    /// How large it may be.
    pub most: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooLarge { characters, most } = self;
        write!(
            f,
            "this chart has {characters} characters, and Mermaid draws at most {most}: \
             write it as SVG (`--gantt`) or as a page (`--report`)"
        )
    }
}

impl std::error::Error for TooLarge {}

/// A plan or a run as a Mermaid Gantt chart: a section a unit or slot, a task a lease.
///
/// What Mermaid would read as syntax in a name (`:`, `#`, `;` and others) is replaced by its
/// full-width twin.
///
/// # Errors
///
/// [`TooLarge`] where Mermaid, as it comes, would refuse to draw.
///
/// ```
/// use lineside_line::Line;
/// use lineside_report::{Record, mermaid};
/// let chart = mermaid(&Line::default(), &Record::default()).unwrap();
/// assert!(chart.contains("\ngantt\n"));
/// ```
pub fn mermaid(line: &Line, record: &Record) -> Result<String, TooLarge> {
    let timeline = Timeline::read(line, record);
    let scale = Scale::of(timeline.end);
    let mut chart = Chart::default();
    // One row a lane, where Mermaid would give each lease its own.
    for row in ["---", "displayMode: compact", "---", "gantt"] {
        chart.row(row);
    }
    let name = safe(line.name.as_deref().unwrap_or("Lineside"));
    chart.row(&format!("    title {name}{}", scale.note));
    chart.row(&format!("    dateFormat {}", scale.date_format));
    chart.row(&format!("    axisFormat {}", scale.axis_format));
    for lane in timeline.lanes().iter().filter(|lane| !lane.leases.is_empty()) {
        section(&mut chart, &timeline, lane, &scale);
    }
    chart.finish()
}

fn section(chart: &mut Chart, timeline: &Timeline<'_>, lane: &Lane, scale: &Scale) {
    let unit = safe(timeline.unit_name(lane.unit));
    match lane.of {
        1 => chart.row(&format!("    section {unit}")),
        _ => chart.row(&format!("    section {unit} slot {}", lane.lane)),
    }
    for &at in &lane.leases {
        let lease = &timeline.leases[at as usize];
        let starts = timeline.starts_of(lease);
        let bad = lease.revoked.is_some() || starts.iter().any(|start| start.how == How::Failed);
        let (from, to) = (scale.date(lease.from), scale.date(lease.to));
        let tag = match (bad, from == to) {
            (true, false) => "crit, ",
            (true, true) => "crit, milestone, ",
            (false, true) => "milestone, ",
            (false, false) => "",
        };
        let name = safe(timeline.job_name(lease.job));
        chart.row(&format!("    {name} :{tag}{from}, {to}"));
    }
}

/// Rows, and how long they are together; those that nobody would draw are not kept.
#[derive(Default)]
struct Chart {
    text: String,
    characters: usize,
}

impl Chart {
    fn row(&mut self, row: &str) {
        self.characters += row.chars().count() + 1;
        if self.characters <= MAX_CHARACTERS {
            self.text.push_str(row);
            self.text.push('\n');
        }
    }

    fn finish(self) -> Result<String, TooLarge> {
        match self.characters {
            0..=MAX_CHARACTERS => Ok(self.text),
            characters => Err(TooLarge { characters, most: MAX_CHARACTERS }),
        }
    }
}

/// How times are written. Mermaid knows nothing below a millisecond, so a short line is drawn with
/// a larger unit, and its title says so.
struct Scale {
    date_format: &'static str,
    axis_format: &'static str,
    note: &'static str,
    /// Nanoseconds that stand for Mermaid's millisecond.
    unit: u64,
}

impl Scale {
    fn of(end: u64) -> Scale {
        const TENTH: u64 = SECOND / 10;
        let (unit, axis_format, note) = match end {
            0..MILLISECOND => (1, "%Q", " (ns)"),
            MILLISECOND..TENTH => (1000, "%Q", " (µs)"),
            TENTH..SECOND => (MILLISECOND, "%Q", " (ms)"),
            _ if end < 60 * SECOND => (MILLISECOND, "%S.%L", " (s)"),
            _ if end < 3600 * SECOND => (MILLISECOND, "%M:%S", ""),
            _ if end < 86_400 * SECOND => (MILLISECOND, "%H:%M:%S", ""),
            _ => (MILLISECOND, "%j %H:%M", " (day, time)"),
        };
        // Numbers count from 1970 in Greenwich, and the axis shows the reader's own clock: where
        // hours or days show, the dates must be the reader's too.
        let date_format = if end < 60 * SECOND { "x" } else { "YYYY-MM-DD HH:mm:ss.SSS" };
        Scale { date_format, axis_format, note, unit }
    }

    fn date(&self, t: u64) -> String {
        let at = t / self.unit;
        if self.date_format == "x" {
            return at.to_string();
        }
        let (day, seconds) = (at / 86_400_000, at / 1000);
        let (year, month, day) = date(day);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let milli = at % 1000;
        format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{milli:03}")
    }
}

/// The date some days after the start of 2001, a year that is not a leap year. Longer than a year,
/// a chart begins again: its axis shows no years.
fn date(days: u64) -> (u64, u64, u64) {
    const MONTHS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let (years, mut rest) = (days / 365, days % 365);
    for (month, length) in (1..).zip(MONTHS) {
        if rest < length {
            return (2001 + years % 1000, month, rest + 1);
        }
        rest -= length;
    }
    (2001, 12, 31)
}

/// A name without what Mermaid takes for syntax.
fn safe(name: &str) -> String {
    // A task whose line begins so is read as the statement.
    const STATEMENTS: [&str; 18] = [
        "title",
        "section",
        "dateformat",
        "axisformat",
        "tickinterval",
        "excludes",
        "includes",
        "todaymarker",
        "inclusiveenddates",
        "topaxis",
        "weekday",
        "weekend",
        "click",
        "call",
        "href",
        "acctitle",
        "accdescr",
        "gantt",
    ];
    let twin = |c: char| match c {
        ':' => '：',
        '#' => '＃',
        ';' => '；',
        '<' => '＜',
        '>' => '＞',
        '&' => '＆',
        '%' => '％',
        '"' => '＂',
        '`' => '｀',
        '{' => '｛',
        '}' => '｝',
        '\\' => '＼',
        c => c,
    };
    let safe: String = one_line(name).chars().map(twin).collect();
    let lower = safe.to_lowercase();
    match STATEMENTS.iter().any(|statement| lower.starts_with(statement)) {
        true => format!("· {safe}"),
        false => safe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_no_syntax() {
        assert_eq!(safe("a:b#c;d"), "a：b＃c；d");
        assert_eq!(safe("Section 9"), "· Section 9");
        assert_eq!(safe("缺陷\n检测"), "缺陷\u{FFFD}检测");
    }

    #[test]
    fn dates_go_on_over_months() {
        let scale = Scale::of(400 * 86_400 * SECOND);
        assert_eq!(scale.date(0), "2001-01-01 00:00:00.000");
        assert_eq!(scale.date(59 * 86_400 * SECOND), "2001-03-01 00:00:00.000");
        assert_eq!(scale.date(3_661 * SECOND + 5 * MILLISECOND), "2001-01-01 01:01:01.005");
        assert_eq!(Scale::of(500).date(250), "250");
    }
}
