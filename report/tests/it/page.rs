use lineside_report::report_html;
use serde_json::Value;

use crate::support;

/// The elements of a page, checked to be closed in order; without what is inside scripts.
fn elements(page: &str) -> Vec<String> {
    const VOID: [&str; 3] = ["meta", "input", "br"];
    let mut open: Vec<String> = Vec::new();
    let mut all = Vec::new();
    let mut rest = page.strip_prefix("<!doctype html>").expect("a doctype");
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "closes what is open");
            continue;
        }
        let name = tag.split([' ', '\n', '/']).next().expect("a name").to_string();
        all.push(tag.to_string());
        if tag.ends_with('/') || VOID.contains(&name.as_str()) {
            continue;
        }
        if name == "script" || name == "style" {
            let end = rest.find(&format!("</{name}>")).expect("it ends");
            rest = &rest[end..];
        }
        open.push(name);
    }
    assert!(open.is_empty(), "all is closed: {open:?}");
    all
}

fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").expect("data");
    let (json, _) = rest.split_once("</script>").expect("it ends");
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn pages_are_well_formed_and_load_nothing() {
    for (name, line, record) in support::cases() {
        let page = report_html(&line, &record, Some(&support::slower(&record)));
        for tag in elements(&page) {
            assert!(!tag.contains("src="), "{name}: {tag}");
            assert!(!tag.contains("href=\"") || tag.contains("href=\"#"), "{name}: {tag}");
            assert!(!tag.starts_with("link"), "{name}: {tag}");
        }
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for address in ["http:", "https:", "url(//", "@import", "fetch(", "XMLHttpRequest"] {
            assert!(!page.contains(address), "{name}: {address}");
        }
    }
}

#[test]
fn the_data_holds_every_lease_while_they_are_few() {
    let (line, record) = support::case("25-stream-withheld");
    let page = report_html(&line, &record, None);
    let data = data(&page);
    let grants = data["grants"].as_u64().expect("a number") as usize;
    for column in ["job", "from", "length", "waited", "flags", "why", "first", "count", "lanes"] {
        assert_eq!(data["leases"][column].as_array().map(Vec::len), Some(grants), "{column}");
    }
    assert_eq!(data["merged"], Value::Null);
}

#[test]
fn the_data_is_merged_when_they_are_many() {
    let (line, record) = support::crowd(6, 9, 50_000, 1_000);
    let data = data(&report_html(&line, &record, None));
    assert_eq!(data["grants"], 50_000);
    let marks = data["merged"]["marks"].as_array().expect("marks");
    let failed: u64 = marks.iter().filter(|it| it[2] == 0).filter_map(|it| it[3].as_u64()).sum();
    assert_eq!(failed, 50);
    assert_eq!(data["merged"]["lanes"].as_array().map(Vec::len), Some(6));
}

#[test]
fn the_plan_stands_beside_the_run_only_if_there_is_one() {
    let (line, record) = support::case("13-device-lost");
    assert!(!report_html(&line, &record, None).contains("Planned and actual"));
    let page = report_html(&line, &support::slower(&record), Some(&record));
    assert!(page.contains("Planned makespan 50 ms, actual 56.3 ms"));
}
