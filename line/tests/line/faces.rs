//! Faces: patterns become jobs, and what is wrong with them is told once.

use lineside_line::{Action, Line, Match, Mode};

use crate::{refused, taken};

const FACES: &str = r#"
[[device]]
name = "g"
memory = "64GiB"
[[model]]
name = "small"
[[model]]
name = "large"
[[face]]
name = "front"
match = "cam1/*"
model = "large"
images = 4
level = 7
[[face]]
name = "back"
match = { camera = "b*" }
model = "small"
images = 2
level = 9
"#;

fn line(jobs: &str) -> Line {
    taken(&format!("{FACES}{jobs}")).line
}

fn names(line: &Line) -> Vec<&str> {
    line.jobs.iter().map(|job| job.name.as_str()).collect()
}

#[test]
fn a_pattern_is_a_job_for_each_of_its_faces_in_their_order() {
    let line = line(
        "[[job]]\nname = \"find\"\nface = \"*\"\nmodel = \"{face.model}\"\n\
         [[job]]\nname = \"once\"\nface = [\"back\"]\nimages = 9\n[[job]]\nname = \"plain\"\n",
    );
    assert_eq!(names(&line), ["front-find", "back-find", "back-once", "plain"]);
    assert_eq!(line.faces[1].matching, Match::Fields(vec![("camera".into(), "b*".into())]));
    let of = |job: usize| (line.jobs[job].face, line.jobs[job].model, line.jobs[job].images);
    assert_eq!(of(0), (Some(0), Some(1), 4));
    assert_eq!(of(1), (Some(1), Some(0), 2));
    assert_eq!(of(2), (Some(1), None, 9));
    assert_eq!(of(3), (None, None, 1));
}

#[test]
fn within_a_face_a_name_is_its_own_and_from_outside_it_is_all_of_them() {
    let line = line(
        "[[job]]\nname = \"find\"\nface = \"*\"\nkind = \"legacy\"\n\
         [[job]]\nname = \"sort\"\nface = \"*\"\nkind = \"legacy\"\nafter = [\"find\"]\n\
         [[job]]\nname = \"all\"\nafter = [{ job = \"sort\", on = \"end\" }]\n",
    );
    let upstreams = |name: &str| -> Vec<(&str, Mode)> {
        let job = line.jobs.iter().find(|job| job.name == name).expect("it is there");
        let edges = job.after.iter();
        edges.map(|edge| (line.jobs[edge.upstream as usize].name.as_str(), edge.mode)).collect()
    };
    assert_eq!(upstreams("back-sort"), [("back-find", Mode::Stream)]);
    assert_eq!(upstreams("all"), [("front-sort", Mode::Barrier), ("back-sort", Mode::Barrier)]);
}

#[test]
fn what_a_face_says_stands_in_the_place_of_placeholders() {
    let line = line(
        "[[job]]\nname = \"find\"\nface = \"front\"\npriority = \"{face.level}\"\n\
         kernel = { tool = \"x\", level = \"{face.level}\", note = \"{face}: {face.level}\" }\n",
    );
    assert_eq!(line.jobs[0].priority, 7);
    let Action::Kernel { settings, .. } = &line.jobs[0].action else { panic!("a kernel") };
    let shown: Vec<String> = settings.values().map(|setting| format!("{setting:?}")).collect();
    assert_eq!(shown, ["Int(7)", "Text(\"front: 7\")"]);
}

#[test]
fn faults_of_faces_are_told_once_and_nothing_that_follows_from_them() {
    let with = |jobs: &str| refused(&format!("{FACES}{jobs}"));
    let job = |says: &str| with(&format!("[[job]]\nname = \"a\"\nface = \"*\"\n{says}\n"));
    assert_eq!(job("model = \"{face.wrong}\""), ["unknown-face-key 24:9", "unknown-face-key 24:9"]);
    assert_eq!(job("imags = 4"), ["unknown-key 24:1"]);
    assert_eq!(job("time = \"4 ms\""), ["bad-duration 24:8"]);
    assert_eq!(
        with("[[job]]\nname = \"a\"\nface = \"side\"\n[[job]]\nname = \"b\"\nafter = [\"a\"]\n"),
        ["unknown-face 23:8"]
    );
    assert_eq!(with("[[face]]\nname = \"back\"\n"), ["duplicate-name 22:8"]);
    assert_eq!(with("[[face]]\nname = \"top\"\nmatch = 4\n"), ["wrong-type 23:9"]);
}

#[test]
fn faces_and_patterns_can_not_make_a_long_line_of_a_short_text() {
    let mut text = String::from("[[device]]\nname = \"g\"\n");
    for at in 0..400 {
        text += &format!("[[face]]\nname = \"f{at}\"\n[[job]]\nname = \"j{at}\"\nface = \"*\"\n");
    }
    assert_eq!(refused(&text).len(), 1);
}
