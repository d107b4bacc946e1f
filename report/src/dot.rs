//! The graph of the jobs, for Graphviz.

use std::fmt::Write;

use lineside_line::{Edge, Job, Kind, Line, Mode, On, Phase};

use crate::words;

/// The jobs of a line and their edges as a Graphviz graph: `| dot -Tsvg`.
///
/// Stream edges are solid and name their depth; barriers are dashed, and say so where any end of
/// the upstream will do. Jobs stand in ranks by the longest way from a job without upstreams.
///
/// ```
/// use lineside_line::Line;
/// assert!(lineside_report::dot(&Line::default()).starts_with("digraph "));
/// ```
pub fn dot(line: &Line) -> String {
    let mut out = String::new();
    let name = quoted(line.name.as_deref().unwrap_or("line"));
    out.push_str(&format!("digraph {name} {{\n"));
    out.push_str("  rankdir=LR;\n");
    out.push_str("  graph [fontname=\"sans-serif\"];\n");
    out.push_str("  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n");
    out.push_str("  edge [fontname=\"sans-serif\", fontsize=10];\n");
    for job in &line.jobs {
        node(&mut out, line, job);
    }
    for job in &line.jobs {
        for edge in &job.after {
            arrow(&mut out, line, job, edge);
        }
    }
    ranks(&mut out, line);
    out.push_str("}\n");
    out
}

fn node(out: &mut String, line: &Line, job: &Job) {
    let kind = match (job.kind, job.phase) {
        (Kind::Standard, Phase::Process) => "standard",
        (Kind::Standard, Phase::Train) => "standard, training",
        (Kind::Legacy, Phase::Process) => "legacy",
        (Kind::Legacy, Phase::Train) => "legacy, training",
    };
    let mut facts = vec![kind.to_string(), words::count(u64::from(job.images), "image")];
    let model = job.model.and_then(|model| line.models.get(model as usize));
    facts.extend(model.map(|model| format!("model {}", model.name)));
    let stream = job.stream.and_then(|stream| line.streams.get(stream as usize));
    facts.extend(stream.map(|stream| format!("stream {}", stream.name)));
    if job.gpus > 1 {
        facts.push(format!("{} units", job.gpus));
    }
    let label = format!("{}\n{}", job.name, facts.join(", "));
    let style = if job.kind == Kind::Legacy { ", style=\"rounded,dashed\"" } else { "" };
    // Writing into a `String` cannot fail.
    let _ = writeln!(out, "  {} [label={}{style}];", quoted(&job.name), quoted(&label));
}

fn arrow(out: &mut String, line: &Line, job: &Job, edge: &Edge) {
    let Some(upstream) = line.jobs.get(edge.upstream as usize) else { return };
    let (label, style) = match (edge.mode, edge.on, edge.depth) {
        (Mode::Stream, _, 0) => ("stream".to_string(), "solid"),
        (Mode::Stream, _, depth) => (format!("stream, depth {depth}"), "solid"),
        (Mode::Barrier, On::Success, _) => ("barrier".to_string(), "dashed"),
        (Mode::Barrier, On::End, _) => ("barrier, any end".to_string(), "dashed"),
    };
    let (from, to, label) = (quoted(&upstream.name), quoted(&job.name), quoted(&label));
    let _ = writeln!(out, "  {from} -> {to} [label={label}, style={style}];");
}

/// Puts the jobs that are equally far from the first ones in a rank.
fn ranks(out: &mut String, line: &Line) {
    let mut levels: Vec<Vec<usize>> = Vec::new();
    let mut level = vec![0; line.jobs.len()];
    for (at, job) in line.jobs.iter().enumerate() {
        // Upstreams stand earlier in a line, so theirs are known.
        let ups = job.after.iter().filter_map(|edge| level.get(edge.upstream as usize));
        level[at] = ups.max().map_or(0, |up: &usize| up + 1);
        levels.resize_with(levels.len().max(level[at] + 1), Vec::new);
        levels[level[at]].push(at);
    }
    for jobs in levels.iter().filter(|jobs| jobs.len() > 1) {
        let names: Vec<String> = jobs.iter().map(|&job| quoted(&line.jobs[job].name)).collect();
        let _ = writeln!(out, "  {{ rank=same; {}; }}", names.join("; "));
    }
}

/// A quoted id or label. In it a backslash would begin an escape, so it is doubled.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_stay_inside() {
        assert_eq!(quoted(r#"a"b\c"#), r#""a\"b\\c""#);
        assert_eq!(quoted("a\nb"), r#""a\nb""#);
    }
}
