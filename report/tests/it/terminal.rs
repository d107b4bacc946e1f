use lineside_report::terminal;
use unicode_width::UnicodeWidthStr;

use crate::support;

/// The text without escape sequences.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = after.split_once('m').expect("a sequence ends").1;
    }
    out + rest
}

#[test]
fn what_a_terminal_shows() {
    let show = |name: &str, width| {
        let (line, record) = support::case(name);
        insta::assert_snapshot!(format!("{name}-{width}"), terminal(&line, &record, width, false));
    };
    show("03-standard-overtakes-legacy", 80);
    show("13-device-lost", 60);
    show("14-failure-skips-dependents", 100);
    show("21-yolo-dag", 120);
    let (line, record) = support::chinese();
    insta::assert_snapshot!("chinese-80", terminal(&line, &record, 80, false));
}

#[test]
fn no_row_is_wider_than_the_terminal() {
    let mut lines: Vec<_> =
        support::cases().into_iter().map(|(_, line, record)| (line, record)).collect();
    lines.push(support::chinese());
    lines.push(support::crowd(40, 60, 5000, 100));
    for (line, record) in lines {
        for width in [40, 60, 80, 97, 132, 200] {
            for row in terminal(&line, &record, width, false).lines() {
                assert!(row.width() <= width, "{width}: {row:?} is {}", row.width());
            }
        }
    }
}

#[test]
fn colour_changes_nothing_but_colour() {
    let (line, record) = support::chinese();
    let coloured = terminal(&line, &record, 100, true);
    assert!(coloured.contains("\u{1b}["));
    // The mark in a job's colour is a space where there is no colour.
    let without = plain(&coloured).replace('■', " ");
    assert_eq!(without, terminal(&line, &record, 100, false));
}

#[test]
fn many_jobs_are_cut_and_counted() {
    let (line, record) = support::crowd(2, 33, 3300, 4000);
    let text = terminal(&line, &record, 80, false);
    assert!(text.contains("and 13 more jobs"), "{text}");
}
