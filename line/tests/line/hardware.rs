//! `[[hardware]]`: a box has settings of its own, and what they come to is checked.

use lineside_line::{Line, Problem, Surroundings, read};

struct Here(Option<&'static str>);

impl Surroundings for Here {
    fn files(&self, _: &str) -> Result<Vec<String>, String> {
        Err("there are no files".into())
    }

    fn hardware(&self) -> Option<String> {
        self.0.map(str::to_owned)
    }
}

fn on(here: Option<&'static str>, hardware: &str) -> Result<Line, Vec<Problem>> {
    let text = format!(
        "[[device]]\nname = \"g\"\nmemory = \"9GiB\"\n[[job]]\nname = \"a\"\nkind = \"legacy\"\n\
         images = 9\nbatch = 2\n[[job]]\nname = \"b\"\nkind = \"legacy\"\n\
         after = [{{ job = \"a\", depth = 1 }}]\n{hardware}"
    );
    read(&text, &Here(here)).map(|checked| checked.line)
}

const SECTIONS: &str = "[[hardware]]\nbox = \"small\"\n[[hardware]]\nbox = \"large\"\njobs = [\n\
    { job = \"a\", batch = 8, inflight = 3, memory = \"2GiB\" },\n\
    { job = \"b\", threads = 2, depth = 4 } ]\n";

#[test]
fn the_settings_of_a_box_hold_there_and_nowhere_else() {
    let figures = |line: &Line| {
        let [a, b] = [&line.jobs[0], &line.jobs[1]];
        (a.batch, a.inflight, a.memory, b.threads, b.after[0].depth)
    };
    let plain = on(None, SECTIONS).expect("it is fine");
    let small = on(Some("small"), SECTIONS).expect("it is fine");
    let large = on(Some("large"), SECTIONS).expect("it is fine");
    let other = on(Some("another"), SECTIONS).expect("it is fine");
    for line in [&plain, &small, &other] {
        assert_eq!(figures(line), (2, 1, 0, 1, 1));
    }
    assert_eq!(figures(&large), (8, 3, 2 << 30, 2, 4));
    let here = |line: &Line| line.hardware.iter().filter(|it| it.is_here).count();
    assert_eq!([&plain, &small, &large, &other].map(here), [0, 1, 1, 0]);
}

#[test]
fn what_is_wrong_with_hardware_is_told_wherever_the_line_is_read() {
    let codes = |here, hardware: &str| -> Vec<&str> {
        on(here, hardware).expect_err("refused").iter().map(|it| it.code.name()).collect()
    };
    assert_eq!(codes(None, "[[hardware]]\n"), ["missing-key"]);
    let twice = "[[hardware]]\nbox = \"x\"\n[[hardware]]\nbox = \"x\"\n";
    assert_eq!(codes(None, twice), ["duplicate-name"]);
    let jobs = |jobs: &str| format!("[[hardware]]\nbox = \"x\"\njobs = [{jobs}]\n");
    assert_eq!(codes(None, &jobs("{ job = \"a\", batch = 0 }")), ["out-of-range"]);
    assert_eq!(codes(None, &jobs("{ job = \"a\", images = 2 }")), ["unknown-key"]);
    assert_eq!(codes(Some("x"), &jobs("{ job = \"c\", batch = 2 }")), ["unknown-job"]);
    // More than the window holds, but only on that box.
    let wide = jobs("{ job = \"a\", batch = 64, inflight = 2 }");
    assert_eq!(codes(Some("x"), &wide), ["window"]);
    assert!(on(None, &wide).is_ok());
    assert_eq!(codes(Some("x"), &jobs("{ job = \"a\", memory = \"10GiB\" }")), ["never-fits"]);
}
