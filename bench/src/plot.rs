//! The growth of a decision's cost, as a chart: over the length of the queue and over the units.

use std::fmt::Write;

use crate::decision::{self, Setting};
use crate::{peers, table};

/// Decisions a point, and runs; the median counts.
const DECISIONS: u64 = 200_000;
const RUNS: usize = 3;

const QUEUES: [usize; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
const UNITS: [usize; 5] = [1, 10, 100, 1_000, 10_000];

/// Size of a panel, and where it begins.
const WIDTH: f64 = 330.0;
const HEIGHT: f64 = 260.0;
const TOP: f64 = 50.0;
const LEFTS: [f64; 2] = [60.0, 450.0];
/// Nanoseconds at the foot and at the head of a panel.
const LEAST: f64 = 10.0;
const MOST: f64 = 10_000.0;

const NAMES: [(&str, &str); 3] =
    [("lineside", "#0b6bcb"), ("floor", "#777777"), ("plain", "#c2410c")];

/// Measures and draws.
pub(crate) fn growth() -> String {
    let over_queue: Vec<[f64; 3]> = QUEUES.iter().map(|&jobs| measure(jobs, 8.min(jobs))).collect();
    let over_units: Vec<[f64; 3]> = UNITS.iter().map(|&units| measure(100_000, units)).collect();
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 820 370\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"820\" height=\"370\" fill=\"#ffffff\"/>\n",
    );
    panel(&mut svg, LEFTS[0], "jobs queued, 8 units", &QUEUES, &over_queue);
    panel(&mut svg, LEFTS[1], "units, 100,000 jobs queued", &UNITS, &over_units);
    svg + "</svg>\n"
}

/// Ours, the floor, and what people write.
fn measure(jobs: usize, units: usize) -> [f64; 3] {
    let median = |cost: &dyn Fn() -> f64| table::median((0..RUNS).map(|_| cost()).collect());
    [
        median(&|| decision::cost_over(Setting::Rotation, jobs, units, DECISIONS)),
        median(&|| peers::floor(jobs, units, DECISIONS)),
        median(&|| peers::plain(jobs, units, DECISIONS)),
    ]
}

/// Both axes are logarithmic. Writing to a string can't fail.
fn panel(svg: &mut String, left: f64, title: &str, sizes: &[usize], points: &[[f64; 3]]) {
    let (first, last) = (sizes[0] as f64, sizes[sizes.len() - 1] as f64);
    let x = |size: usize| left + WIDTH * (size as f64 / first).ln() / (last / first).ln();
    let y = |ns: f64| {
        let share = (ns.clamp(LEAST, MOST) / LEAST).ln() / (MOST / LEAST).ln();
        TOP + HEIGHT * (1.0 - share)
    };
    let _ = writeln!(svg, "<text x=\"{left}\" y=\"30\">ns a decision, over {title}</text>");
    for ns in [10.0, 100.0, 1_000.0, 10_000.0] {
        let (at, right, text) = (y(ns), left + WIDTH, left - 6.0);
        let label = table::count(ns as usize);
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#dddddd\"/>\
             <text x=\"{text}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            at + 4.0
        );
    }
    for &size in sizes {
        let label = table::count(size);
        let (at, foot) = (x(size), TOP + HEIGHT + 18.0);
        let _ =
            writeln!(svg, "<text x=\"{at:.1}\" y=\"{foot}\" text-anchor=\"middle\">{label}</text>");
    }
    for (line, (name, colour)) in NAMES.iter().enumerate() {
        let at = sizes.iter().zip(points).map(|(&size, row)| (x(size), y(row[line])));
        let path: Vec<String> = at.clone().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        let legend = left + 110.0 * line as f64;
        let _ = writeln!(svg, "<text x=\"{legend}\" y=\"355\" fill=\"{colour}\">{name}</text>");
    }
}
