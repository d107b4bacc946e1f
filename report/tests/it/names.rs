//! Names are text, whatever they hold.

use lineside_report::{dot, gantt_svg, mermaid, metrics, perfetto, report_html, terminal};

use crate::support::{EVIL, evil};

#[test]
fn a_name_is_never_markup() {
    let (line, record) = evil();
    let svg = gantt_svg(&line, &record);
    roxmltree::Document::parse(&svg).expect("well-formed");
    let page = report_html(&line, &record, Some(&record));
    for text in [&svg, &page] {
        assert!(!text.contains("<img"), "no element comes from a name");
        assert!(!text.contains("]]>"), "nothing ends a section");
        assert!(!text.contains('\0') && !text.contains('\u{1b}'), "no control characters");
    }
    assert_eq!(page.matches("</script>").count(), 2, "the data's and the program's");
}

#[test]
fn a_name_does_not_move_the_cursor() {
    let (line, record) = evil();
    let plain = terminal(&line, &record, 100, false);
    assert!(plain.chars().all(|c| c == '\n' || !c.is_control()));
    assert!(!plain.contains('\u{202e}'));
    let coloured = terminal(&line, &record, 100, true);
    assert!(!coloured.contains("\u{1b}[2J"));
}

#[test]
fn a_name_stays_a_name_in_the_formats_of_other_tools() {
    let (line, record) = evil();
    let trace: serde_json::Value = serde_json::from_str(&perfetto(&line, &record)).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    assert!(events.iter().any(|event| event["name"] == format!("{EVIL}0")));
    let chart = mermaid(&line, &record).expect("small enough");
    assert!(!chart.contains(['<', '>', '#', ';', '"', '\0', '\u{1b}']));
    crate::metrics::check(&metrics(&line, &record));
    crate::graphs::check_dot(&dot(&line));
}
