use lineside_report::gantt_svg;
use roxmltree::{Document, Node};

use crate::support;

fn with_class<'a>(svg: &'a Document<'_>, class: &str) -> Vec<Node<'a, 'a>> {
    let has = |node: &Node<'_, '_>| node.attribute("class").is_some_and(|it| it == class);
    // The lifetimes of a node are those of its document.
    svg.root().descendants().filter(has).collect()
}

fn titles(svg: &Document<'_>) -> Vec<String> {
    let titles = svg.descendants().filter(|node| node.has_tag_name("title"));
    titles.map(|node| node.text().unwrap_or("").to_string()).collect()
}

#[test]
fn charts_are_well_formed_and_need_nothing_else() {
    for (name, line, record) in support::cases() {
        let svg = gantt_svg(&line, &record);
        let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{name}: {error}"));
        for node in document.descendants() {
            for attribute in node.attributes() {
                let value = attribute.value();
                assert!(!value.contains("//"), "{name}: {value}");
                if attribute.name() == "href" {
                    assert!(value.starts_with("#g-"), "{name}: {value}");
                }
            }
        }
        assert!(!document.root_element().attribute("width").unwrap_or("").is_empty());
    }
}

#[test]
fn every_lease_has_a_bar_with_its_reason() {
    let (line, record) = support::case("21-yolo-dag");
    let svg = gantt_svg(&line, &record);
    let document = Document::parse(&svg).expect("well-formed");
    let titles = titles(&document);
    for ticket in 0..16 {
        let why = format!("why: ticket {ticket} was the lowest");
        assert!(titles.iter().any(|title| title.ends_with(&why)), "{why}");
    }
}

#[test]
fn text_stays_in_its_place() {
    let (mut line, record) = support::case("09-mig-slices");
    for job in &mut line.jobs {
        job.name =
            format!("缺陷检测 {} WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW", job.name);
    }
    for unit in &mut line.units {
        unit.name = format!("{} MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM", unit.name);
    }
    let svg = gantt_svg(&line, &record);
    let document = Document::parse(&svg).expect("well-formed");
    for node in document.descendants().filter(|node| node.has_tag_name("text")) {
        let x: f64 = node.attribute("x").and_then(|x| x.parse().ok()).expect("a place");
        let text = node.text().unwrap_or("");
        // Wide characters are as wide as the font is high; others take a good half of that.
        let width: f64 = text.chars().map(|c| if c.is_ascii() { 6.6 } else { 12.0 }).sum();
        let class = node.attribute("class").unwrap_or("");
        let end = match class {
            _ if class.contains("g-end") || class.contains("g-mid") => continue,
            "g-ink" => 200.0,
            _ => 1200.0,
        };
        assert!(x + width <= end, "{text:?} at {x} in {class}");
    }
}

#[test]
fn failures_revokes_and_outages_are_marked() {
    let marks = |name: &str, symbol: &str| {
        let (line, record) = support::case(name);
        let svg = gantt_svg(&line, &record);
        svg.matches(&format!("href=\"#g-{symbol}\"")).count()
    };
    // One is in the legend.
    assert_eq!(marks("14-failure-skips-dependents", "fail"), 1 + 2);
    assert_eq!(marks("13-device-lost", "revoke"), 1 + 1);
    assert_eq!(marks("11-warm-models", "evict"), 1 + 5);
    assert_eq!(marks("01-standard-fifo", "fail"), 0);
    let (line, record) = support::case("13-device-lost");
    let svg = gantt_svg(&line, &record);
    let document = Document::parse(&svg).expect("well-formed");
    assert_eq!(with_class(&document, "g-down").len(), 1 + 1);
}

#[test]
fn a_failure_among_a_hundred_thousand_leases_is_still_marked() {
    let (line, record) = support::crowd(6, 9, 100_000, 100_000);
    let svg = gantt_svg(&line, &record);
    assert_eq!(svg.matches("href=\"#g-fail\"").count(), 1 + 1);
}

#[test]
fn many_bars_are_merged_and_cover_the_same_time() {
    let (line, record) = support::crowd(2, 3, 20_000, 20_000);
    let svg = gantt_svg(&line, &record);
    let document = Document::parse(&svg).expect("well-formed");
    let bars = document.descendants().filter(|node| node.has_tag_name("rect")).count();
    assert!(bars < 200, "{bars}");
    let paths = document.descendants().filter(|node| {
        node.has_tag_name("path") && node.attribute("class").is_some_and(|it| it.contains("g-c"))
    });
    let columns: usize = paths.map(|path| path.attribute("d").unwrap_or("").len()).sum();
    assert!(columns > 1000, "{columns}");
}
