//! Mermaid and Graphviz.

use lineside_line::{Edge, Mode, On};
use lineside_report::{dot, mermaid};

use crate::support;

/// Checks that quotes are closed in each row, outside of which there is nothing odd.
pub(crate) fn check_dot(text: &str) {
    for row in text.lines() {
        let mut quoted = false;
        let mut chars = row.chars();
        while let Some(c) = chars.next() {
            match (quoted, c) {
                (_, '"') => quoted = !quoted,
                (true, '\\') => assert!(chars.next().is_some(), "{row}"),
                (false, c) => assert!(c.is_ascii() && !c.is_ascii_control(), "{row}"),
                (true, c) => assert!(!c.is_control(), "{row}"),
            }
        }
        assert!(!quoted, "{row}");
    }
}

#[test]
fn a_graph_names_its_edges() {
    let mut line = support::line(&["gpu0"], &["a", "b \"x\"", "c\\", "d"]);
    let edge = |upstream, mode, depth, on| Edge { upstream, mode, depth, on };
    line.jobs[1].after = vec![edge(0, Mode::Stream, 4, On::Success)];
    line.jobs[2].after = vec![edge(1, Mode::Barrier, 0, On::End)];
    line.jobs[3].after = vec![edge(0, Mode::Stream, 0, On::Success)];
    let graph = dot(&line);
    check_dot(&graph);
    assert!(graph.contains(r#""a" -> "b \"x\"" [label="stream, depth 4", style=solid];"#));
    assert!(graph.contains(r#""b \"x\"" -> "c\\" [label="barrier, any end", style=dashed];"#));
    assert!(graph.contains(r#""a" -> "d" [label="stream", style=solid];"#));
    assert!(graph.contains(r#"{ rank=same; "b \"x\""; "d"; }"#));
}

#[test]
fn graphs_of_all_cases_are_quoted() {
    for (_, line, _) in support::cases() {
        check_dot(&dot(&line));
    }
}

#[test]
fn a_chart_has_a_task_a_lease_and_a_section_a_lane() {
    for (name, line, record) in support::cases() {
        let Ok(chart) = mermaid(&line, &record) else { panic!("{name} is small") };
        for row in chart.lines().skip(7) {
            let row = row.trim_start();
            if row.starts_with("section ") {
                assert!(!row.contains([':', '#', ';']), "{name}: {row}");
                continue;
            }
            let (_, task) = row.split_once(" :").expect("a task");
            let task = task.trim_start_matches("crit, ").trim_start_matches("milestone, ");
            let (from, to) = task.split_once(", ").expect("two dates");
            assert!(from <= to || from.len() < to.len(), "{name}: {row}");
        }
    }
}

#[test]
fn names_in_a_chart_hold_no_syntax() {
    let (mut line, record) = support::case("01-standard-fifo");
    let names = ["a:b", "c#d;e", "section of 10 %% x", "title\nsection y"];
    line.jobs.iter_mut().zip(names).for_each(|(job, name)| job.name = name.to_string());
    line.units[0].name = "gpu: #1;".to_string();
    let chart = mermaid(&line, &record).expect("small");
    assert!(chart.lines().skip(7).all(|row| row.matches(':').count() <= 1), "{chart}");
    assert!(!chart.contains(['#', ';', '\r']) && !chart.contains("%%"), "{chart}");
    let sections = chart.lines().filter(|row| row.trim_start().starts_with("section "));
    assert_eq!(sections.count(), 1, "{chart}");
}

#[test]
fn a_chart_that_nobody_would_draw_is_refused_with_its_size() {
    let (line, record) = support::crowd(2, 3, 3000, 3000);
    let error = mermaid(&line, &record).expect_err("too large");
    assert!(error.characters > error.most);
    assert!(error.to_string().contains("50000"), "{error}");
}
