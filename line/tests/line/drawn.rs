//! Problems as they are drawn, and as JSON.

use insta::assert_snapshot;
use lineside_line::{Look, NoFiles, read, render};

fn drawn(text: &str, look: Look) -> String {
    let problems = match read(text, &NoFiles) {
        Ok(checked) => checked.warnings,
        Err(problems) => problems,
    };
    render(&problems, text, "line.toml", look)
}

const DEVICE: &str = "[[device]]\nname = \"g\"\nmemory = \"8GiB\"\n";

#[test]
fn a_fault_with_other_places() {
    let text = format!(
        "{DEVICE}slots = 4\n[[job]]\nname = \"decode\"\nimages = 10\n[[job]]\nname = \"stats\"\n\
         after = [\"decode\"]\n[[job]]\nname = \"compose\"\nimages = 10\n\
         after = [{{ job = \"decode\", mode = \"stream\", depth = 2 }}, \"stats\"]\n"
    );
    assert_snapshot!(drawn(&text, Look::default()));
}

#[test]
fn wide_characters_tabs_and_long_lines() {
    let text = "[[job]]\r\nname = \"检测\"\r\n\tafter\t= [\"检查\"]\r\ntime = \"1.5s\"\r\n";
    assert_snapshot!("wide", drawn(text, Look::default()));
    let list = "\"1ms\", ".repeat(40);
    let long = format!("{DEVICE}[[job]]\nname = \"a\"\ntime = [{list}\"5 ms\", {list}]\n");
    assert_snapshot!("long", drawn(&long, Look { width: 60, colour: false }));
}

#[test]
fn the_end_of_the_file() {
    assert_snapshot!("unclosed", drawn("[[job]]\nname = \"a\"\nafter = [", Look::default()));
    assert_snapshot!("empty", drawn("", Look::default()));
    assert_snapshot!("header", drawn("[[job", Look::default()));
}

#[test]
fn reasons_why_jobs_never_fit() {
    let text = "[[device]]\nname = \"gpu0\"\nmemory = \"8GiB\"\n[[device]]\nname = \"gpu1\"\n\
                memory = \"6GiB\"\n[[model]]\nname = \"m\"\nweights = \"3GiB\"\n\
                [[job]]\nname = \"large\"\nmemory = \"20GiB\"\n\
                [[job]]\nname = \"both\"\nmemory = \"5GiB\"\nmodel = \"m\"\n\
                [[job]]\nname = \"wide\"\nmemory = \"6GiB\"\ngpus = 2\n\
                [[job]]\nname = \"cpu\"\nneeds = \"cpu\"\n\
                [[job]]\nname = \"slice\"\nprofile = \"1g.5gb\"\n\
                [[job]]\nname = \"near\"\nmemory = 7730941134\n";
    assert_snapshot!(drawn(text, Look::default()));
}

#[test]
fn colour_when_asked() {
    let text = "[policy]\nheadroom = 101\n";
    let drawn = drawn(text, Look { colour: true, ..Look::default() });
    assert_snapshot!(drawn.replace('\u{1b}', "ESC"));
}

#[test]
fn controls_of_the_file_do_not_reach_the_terminal() {
    let drawn = drawn("[policy]\norder = \"\u{202e}\\u001b[31mx\"\n", Look::default());
    assert!(!drawn.contains(['\u{202e}', '\u{1b}']), "{drawn:?}");
}

#[test]
fn json_is_flat() {
    let problems = read("[policy]\nheadroom = 101\n", &NoFiles).unwrap_err();
    let json = serde_json::to_string(&problems).unwrap();
    assert_eq!(
        json,
        r#"[{"code":"out-of-range","severity":"error","message":"`headroom` is from 0 to 100","#
            .to_owned()
            + r#""line":2,"column":12,"end_line":2,"end_column":15,"#
            + r#""help":"write 100, for instance"}]"#
    );
}
