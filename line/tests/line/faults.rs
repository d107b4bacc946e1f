//! Each fault, its code and its place.

use lineside_line::{Code, NoFiles, read};

use super::{places, refused, taken};

const DEVICE: &str = "[[device]]\nname = \"g\"\nmemory = \"8GiB\"\n";

/// The faults of a job with these keys, beside a device. Its first key is on line 6.
fn job(keys: &str) -> Vec<String> {
    match read(&format!("{DEVICE}[[job]]\nname = \"a\"\n{keys}\n"), &NoFiles) {
        Ok(_) => Vec::new(),
        Err(problems) => places(&problems),
    }
}

/// The faults of a file.
fn file(text: &str) -> Vec<String> {
    match read(text, &NoFiles) {
        Ok(_) => Vec::new(),
        Err(problems) => places(&problems),
    }
}

const NONE: [&str; 0] = [];

#[test]
fn twelve_faults_are_told_at_once_each_at_its_place() {
    let text = r#"
[policy]
ordr = "fifo"
headroom = 101
[[device]]
name = "gpu0"
memory = "8 GiB"
[[device]]
name = "gpu1"
memory = "8GiB"
[[device]]
name = "gpu1"
gpu = "A100-40"
[[job]]
name = "load"
kind = "legasy"
time = "1.5ms"
[[job]]
name = "train"
batch = 0
model = "resnet"
after = ["laod"]
[[job]]
after = "train"
"#;
    let expected = [
        "unknown-key 3:1",
        "out-of-range 4:12",
        "bad-memory 7:10",
        "duplicate-name 12:8",
        "unknown-gpu 13:7",
        "unknown-value 16:8",
        "bad-duration 17:8",
        "out-of-range 20:9",
        "unknown-model 21:9",
        "unknown-job 22:10",
        "missing-key 23:1",
        "wrong-type 24:9",
    ];
    assert_eq!(refused(text), expected);
}

#[test]
fn faults_of_syntax_stand_beside_others() {
    let text =
        "[[device]]\nname = g\nmemory = \"8 GiB\"\n[[job]]\nname = \"a\"\nbatch\npriority = 300\n";
    let expected = ["syntax 2:8", "bad-memory 3:10", "syntax 6:6", "out-of-range 7:12"];
    assert_eq!(refused(text), expected);
}

#[test]
fn what_a_fault_of_syntax_swallows_is_not_missed() {
    // The list goes on to the end: neither the rest nor what is lost in it is blamed.
    let open =
        format!("{DEVICE}[[job]]\nname = \"a\"\nafter = [\"b\"\n[[job]]\nname = \"b\"\nx = 1\n");
    assert_eq!(refused(&open), ["syntax 6:9"]);
    let text =
        format!("{DEVICE}[[job]]\nname = \"a\"\nafter = [\"b\"]\n[[job]]\nname = '''b\nx = 1\n");
    assert_eq!(refused(&text), ["syntax 8:8"]);
    let header = "[[device]\nname = \"g\"\n[[job]]\nname = \"a\"\nmemory = \"1GiB\"\n";
    assert_eq!(refused(header), ["syntax 1:10"]);
    let nameless = format!("{DEVICE}[[job]]\nname\n[[job]]\nname = \"b\"\nafter = [\"a\"]\n");
    assert_eq!(refused(&nameless), ["syntax 5:5"]);
}

#[test]
fn syntax_is_explained() {
    let cases = [
        ("name = 10ms", "syntax 2:8", "\"10ms\""),
        ("name = True", "syntax 2:8", "`true`"),
        ("name = “x”", "syntax 2:8", "\"x\""),
        ("name = ", "syntax 2:8", "a value"),
        ("name: 1", "syntax 2:5", "`=`"),
        ("name", "syntax 2:5", "`name = `"),
        ("name = \"x", "syntax 2:8", "quote"),
        ("name = '''x", "syntax 2:8", "three quotes"),
        ("[[job", "syntax 2:6", "]]"),
        ("name = [1", "syntax 2:8", "`]`"),
        ("name = { b = [", "syntax 2:8", "`}`"),
        ("name = 1 2", "syntax 2:8", "\"1 2\""),
    ];
    for (text, place, help) in cases {
        let mut problems = read(&format!("[line]\n{text}"), &NoFiles).unwrap_err();
        problems.retain(|problem| problem.code == Code::Syntax);
        assert_eq!(places(&problems), [place], "{text}");
        let given = problems[0].help.as_ref().expect(text);
        assert!(given.contains(help), "{text}: {given}");
    }
}

#[test]
fn tables_and_keys_stand_once() {
    assert_eq!(file("[policy]\norder = \"fifo\"\norder = \"fifo\"\n"), ["duplicate-key 3:1"]);
    assert_eq!(file("[policy]\n[policy]\n"), ["duplicate-key 2:2"]);
    assert_eq!(file("[line]\nname = \"x\"\n[[line]]\n"), ["duplicate-key 3:3"]);
}

#[test]
fn lists_of_tables_have_two_brackets() {
    assert_eq!(
        file("[device]\nname = \"g\"\nmemory = \"8 GiB\"\n"),
        ["wrong-type 1:1", "bad-memory 3:10"]
    );
    assert_eq!(file("[[policy]]\nheadroom = -1\n"), ["wrong-type 1:1", "out-of-range 2:12"]);
    assert_eq!(file("device = 3\njob = [1]\n"), ["wrong-type 1:10", "wrong-type 2:8"]);
    assert_eq!(file("device = [{ name = \"g\" }]\njob = [{ name = \"a\" }]\n"), NONE);
    assert_eq!(file("policy.order = \"fifo\"\n"), NONE);
}

#[test]
fn unknown_keys_are_told_in_every_table() {
    assert_eq!(file("[machine]\n"), ["unknown-key 1:2"]);
    assert_eq!(file("[line]\ntitle = \"x\"\n"), ["unknown-key 2:1"]);
    assert_eq!(file("[[model]]\nname = \"m\"\nwieghts = 1\n"), ["unknown-key 3:1"]);
    assert_eq!(file("[[stream]]\nname = \"s\"\nlimits = 1\n"), ["unknown-key 3:1"]);
    assert_eq!(file("[[device]]\nname = \"s\"\nheadroom = 1\n"), ["unknown-key 3:1"]);
    assert_eq!(job("inject = [{ image = 0, time = 1 }]"), ["unknown-key 6:24"]);
    let edge = format!(
        "{DEVICE}[[job]]\nname = \"a\"\n[[job]]\nname = \"b\"\nafter = [{{ jobs = \"a\" }}]\n"
    );
    assert_eq!(file(&edge), ["unknown-key 8:12"]);
    assert_eq!(
        file(&format!(
            "{DEVICE}[[job]]\nname = \"a\"\n\
             [[fault]]\nat = \"1s\"\njob = \"a\"\nevnt = \"cancel\"\n"
        )),
        ["unknown-key 9:1"]
    );
}

#[test]
fn the_nearest_key_is_named() {
    let help = |keys: &str| {
        let text = format!("{DEVICE}[[job]]\nname = \"a\"\n{keys}\n");
        read(&text, &NoFiles).unwrap_err()[0].help.clone().unwrap()
    };
    assert!(help("prioritty = 1").contains("`priority`"));
    assert!(help("depends_on = []").contains("`after`"));
    assert!(help("frobnicate = 1").contains("the nearest key is `"));
    assert!(help("headroom = 1").contains("[policy]"));
}

#[test]
fn a_slip_in_a_key_is_one_fault() {
    // The name is there, only its key is not: nobody misses it.
    let text = format!("{DEVICE}[[job]]\nnmae = \"a\"\n[[job]]\nname = \"b\"\nafter = [\"a\"]\n");
    assert_eq!(file(&text), ["unknown-key 5:1"]);
}

#[test]
fn values_have_their_types() {
    let cases = [
        ("time = 10", "wrong-type 6:8"),
        ("time = [\"1ms\", 2]", "wrong-type 6:16"),
        ("memory = 1.5", "wrong-type 6:10"),
        ("memory = -1", "out-of-range 6:10"),
        ("memory = 99999999999999999999", "out-of-range 6:10"),
        ("memory = \"99999999TiB\"", "out-of-range 6:10"),
        ("batch = \"2\"", "wrong-type 6:9"),
        ("batch = 1.0", "wrong-type 6:9"),
        ("batch = 4294967296", "out-of-range 6:9"),
        ("kind = true", "wrong-type 6:8"),
        ("kind = \"Standard\"", "unknown-value 6:8"),
        ("priority = 128", "out-of-range 6:12"),
        ("priority = -129", "out-of-range 6:12"),
        ("images = -1", "out-of-range 6:10"),
        ("images = 4294967296", "out-of-range 6:10"),
        ("images = 1.5", "wrong-type 6:10"),
        ("images = \"*.png\"", "no-files 6:10"),
        ("arrive = 2026-01-01", "wrong-type 6:10"),
        ("arrive = \"4611686018427387904ns\"", "out-of-range 6:10"),
        ("every = \"0s\"", "out-of-range 6:9"),
        ("timeout = \"0ms\"", "out-of-range 6:11"),
        ("inflight = 0", "out-of-range 6:12"),
        ("threads = 0", "out-of-range 6:11"),
        ("gpus = 0", "out-of-range 6:8"),
        ("retries = -1", "out-of-range 6:11"),
        ("time = []", "empty-list 6:8"),
        ("cpu_time = []", "empty-list 6:12"),
        ("run = []", "empty-list 6:7"),
        ("run = \"prog\"", "wrong-type 6:7"),
        ("run = [1]", "wrong-type 6:8"),
        ("inject = [3]", "wrong-type 6:11"),
        ("inject = [{ times = 1 }]", "missing-key 6:11"),
        ("after = [3]", "wrong-type 6:10"),
        ("after = 3", "wrong-type 6:9"),
        ("after = [{ mode = \"stream\" }]", "missing-key 6:10"),
        ("kernel = \"blur\"", "wrong-type 6:10"),
        ("kernel = { size = 3 }", "missing-key 6:10"),
        ("kernel = { tool = \"blur\", size = [3] }", "wrong-type 6:34"),
    ];
    for (keys, place) in cases {
        assert_eq!(job(keys), [place], "{keys}");
    }
}

#[test]
fn the_bounds_themselves_are_taken() {
    let cases = [
        "time = \"0s\"",
        "memory = 0",
        "images = 0",
        "images = 4294967295",
        "priority = -128",
        "priority = 127",
        "arrive = \"4611686018427387903ns\"",
        "every = \"1ns\"",
        "timeout = \"1ns\"",
        "inject = [{ image = 0, times = 0 }]",
        "retries = 4294967295",
        "after = []",
        "inject = []",
        "batch = 4294967295",
        "run = [\"prog\", \"{index}\"]",
        "worker = [\"prog\"]",
        "kernel = { tool = \"blur\", size = 3, sigma = 0.5, fast = true, of = \"x\" }",
    ];
    for keys in cases {
        assert_eq!(job(keys), NONE, "{keys}");
    }
}

#[test]
fn feeds_end_before_time_does() {
    assert_eq!(job("images = 4\nevery = \"1152921504606846976ns\""), ["out-of-range 7:9"]);
    assert_eq!(job("images = 4\nevery = \"1152921504606846975ns\""), NONE);
    let late = "images = 4\narrive = \"4ns\"\nevery = \"1152921504606846975ns\"";
    assert_eq!(job(late), ["out-of-range 8:9"]);
}

#[test]
fn names_are_there_and_unique() {
    assert_eq!(file("[[model]]\nweights = 1\n"), ["missing-key 1:1"]);
    assert_eq!(file("[[model]]\nname = \"\"\n"), ["empty-name 2:8"]);
    assert_eq!(file("[[model]]\nname = \"m\"\n[[model]]\nname = \"m\"\n"), ["duplicate-name 4:8"]);
    assert_eq!(
        file("[[stream]]\nname = \"m\"\n[[stream]]\nname = \"m\"\n"),
        ["duplicate-name 4:8"]
    );
    // Each table has names of its own.
    assert_eq!(file(&format!("{DEVICE}[[job]]\nname = \"g\"\n[[model]]\nname = \"g\"\n")), NONE);
    let slice = "[[device]]\nname = \"g\"\ngpu = \"A30-24GB\"\nmig = [\"2g.12gb\"]\n\
                 [[device]]\nname = \"g/0\"\n";
    assert_eq!(file(slice), ["duplicate-name 6:8"]);
}

#[test]
fn references_are_there() {
    assert_eq!(job("model = \"m\""), ["unknown-model 6:9"]);
    assert_eq!(job("stream = \"s\""), ["unknown-stream 6:10"]);
    assert_eq!(job("profile = \"9g.9gb\""), ["unknown-profile 6:11"]);
    assert_eq!(job("after = [{ job = \"b\" }]"), ["unknown-job 6:18"]);
}

#[test]
fn devices_are_cut_as_the_table_allows() {
    let device = |keys: &str| file(&format!("[[device]]\nname = \"g\"\n{keys}\n"));
    assert_eq!(device("gpu = \"H100\""), ["unknown-gpu 3:7"]);
    assert_eq!(device("gpu = \"B200-180GB\""), ["unknown-memory 3:7"]);
    assert_eq!(device("gpu = \"B200-180GB\"\nmemory = \"170GiB\""), NONE);
    assert_eq!(device("mig = [\"1g.5gb\"]"), ["mig-needs 3:7"]);
    assert_eq!(device("gpu = \"A100-40GB\"\nmig = []"), ["empty-list 4:7"]);
    assert_eq!(device("gpu = \"A100-40GB\"\nmig = \"1g.5gb\""), ["wrong-type 4:7"]);
    assert_eq!(device("gpu = \"A100-40GB\"\nmig = [\"1g.5gb\", 5]"), ["wrong-type 4:18"]);
    assert_eq!(device("gpu = \"A100-40GB\"\nmig = [\"1g.6gb\"]"), ["unknown-profile 4:8"]);
    let vulkan = "place = \"vulkan\"\ngpu = \"A100-40GB\"\nmig = [\"1g.5gb\"]";
    assert_eq!(device(vulkan), ["mig-needs 5:7"]);
    let memory = "memory = \"1GiB\"\ngpu = \"A100-40GB\"\nmig = [\"1g.5gb\"]";
    assert_eq!(device(memory), ["memory-with-mig 3:10"]);
    let media = "gpu = \"A100-40GB\"\nmig = [\"1g.5gb+me\", \"1g.5gb+me\"]";
    assert_eq!(device(media), ["illegal-layout 4:21"]);
    let many = "gpu = \"A100-40GB\"\nmig = [\"1g.10gb\", \"1g.10gb\", \"4g.20gb\"]";
    assert_eq!(device(many), NONE);
    let many = "gpu = \"A100-40GB\"\nmig = [\"3g.20gb\", \"2g.10gb\", \"1g.10gb\", \"1g.5gb\"]";
    assert_eq!(device(many), ["illegal-layout 4:7"]);
    let many = "gpu = \"A100-40GB\"\nmig = [\"1g.10gb\", \"1g.10gb\", \"1g.10gb\", \
                \"1g.10gb\", \"1g.10gb\"]";
    assert_eq!(device(many), ["illegal-layout 4:52"]);
}

#[test]
fn edges_have_their_modes() {
    let legacy = "kind = \"legacy\"\nimages = 3\n";
    let pair = |first: &str, second: &str| {
        file(&format!("{DEVICE}[[job]]\nname = \"a\"\n{first}[[job]]\nname = \"b\"\n{second}\n"))
    };
    let depth = "after = [{ job = \"a\", depth = 1 }]";
    assert_eq!(pair("", depth), ["depth-on-barrier 8:23"]);
    assert_eq!(pair("", "after = [{ job = \"a\", depth = 0 }]"), ["depth-on-barrier 8:23"]);
    assert_eq!(pair(legacy, &format!("{legacy}{depth}")), NONE);
    let on = "after = [{ job = \"a\", depth = 1, on = \"end\" }]";
    assert_eq!(pair(legacy, &format!("{legacy}{on}")), ["depth-on-barrier 12:23"]);
    let train = format!("{legacy}phase = \"train\"\n{depth}");
    assert_eq!(pair(legacy, &train), ["depth-on-barrier 13:23"]);
    // Nothing is said of what hangs on a refused kind.
    assert_eq!(
        pair("kind = \"x\"\n", &format!("kind = \"legacy\"\n{depth}")),
        ["unknown-value 6:8"]
    );
}

#[test]
fn images_left_out_are_those_of_the_upstream() {
    let text = format!(
        "{DEVICE}[[job]]\nname = \"c\"\nafter = [\"a\", {{ job = \"b\", mode = \"stream\" }}]\n\
         [[job]]\nname = \"b\"\nafter = [{{ job = \"a\", mode = \"stream\" }}]\n\
         [[job]]\nname = \"a\"\nimages = 7\n[[job]]\nname = \"d\"\nafter = [\"c\"]\n"
    );
    let line = taken(&text).line;
    let images: Vec<_> = line.jobs.iter().map(|job| (job.name.as_str(), job.images)).collect();
    assert_eq!(images, [("a", 7), ("b", 7), ("c", 7), ("d", 1)]);
}

#[test]
fn cycles_are_told_once_each() {
    let job = |name: &str, after: &str| format!("[[job]]\nname = \"{name}\"\nafter = [{after}]\n");
    assert_eq!(file(&format!("{DEVICE}{}", job("a", "\"a\""))), ["cycle 6:10"]);
    let two = [job("a", "\"b\""), job("b", "\"a\""), job("c", "\"d\", \"a\""), job("d", "\"c\"")];
    assert_eq!(file(&format!("{DEVICE}{}", two.concat())), ["cycle 9:10", "cycle 15:10"]);
}

#[test]
fn nothing_that_only_follows_is_told() {
    // `b` has no known images: no edge of it is unequal, no image of it missing.
    let text = format!(
        "{DEVICE}[[job]]\nname = \"a\"\nkind = \"legacy\"\nimages = 3\n\
         [[job]]\nname = \"b\"\nkind = \"legacy\"\nimages = \"x\"\nafter = [\"a\"]\n\
         inject = [{{ image = 9 }}]\n\
         [[job]]\nname = \"c\"\nkind = \"legacy\"\nafter = [\"b\"]\n"
    );
    assert_eq!(file(&text), ["no-files 11:10"]);
    // A device that is refused may have been large enough, and may have had slices.
    let text = "[[device]]\nname = \"g\"\nmemory = \"80 GiB\"\n\
                [[job]]\nname = \"a\"\nmemory = \"40GiB\"\n\
                [[fault]]\nat = \"1s\"\nunit = \"g\"\nevent = \"down\"\n";
    assert_eq!(file(text), ["bad-memory 3:10"]);
    let text = "[[device]]\nname = \"g\"\ngpu = \"A30-24GB\"\nmig = [\"2g\"]\n\
                [[job]]\nname = \"a\"\nprofile = \"2g.12gb\"\n\
                [[fault]]\nat = \"1s\"\nunit = \"g/1\"\nevent = \"down\"\n";
    assert_eq!(file(text), ["unknown-profile 4:8"]);
}

#[test]
fn windows_hold_64_images() {
    assert_eq!(job("kind = \"legacy\"\nbatch = 65"), ["window 7:9"]);
    assert_eq!(job("kind = \"legacy\"\ninflight = 65"), ["window 7:12"]);
    assert_eq!(job("kind = \"legacy\"\nbatch = 8\ninflight = 8"), NONE);
    assert_eq!(job("kind = \"legacy\"\nphase = \"train\"\nbatch = 65"), NONE);
}

#[test]
fn injected_faults_hit_images_that_there_are() {
    assert_eq!(
        job("images = 3\ninject = [{ image = 2 }, { image = 3 }]"),
        ["inject-beyond-images 7:36"]
    );
    assert_eq!(job("images = 0\ninject = [{ image = 0 }]"), ["inject-beyond-images 7:21"]);
}

#[test]
fn a_job_does_one_thing() {
    assert_eq!(job("run = [\"a\"]\nworker = [\"b\"]"), ["two-actions 7:1"]);
    let three = "kernel = { tool = \"a\" }\nworker = [\"b\"]\nrun = [\"c\"]";
    assert_eq!(job(three), ["two-actions 7:1", "two-actions 8:1"]);
}

#[test]
fn faults_have_one_target_and_an_event_of_it() {
    let fault = |keys: &str| {
        file(&format!("{DEVICE}[[job]]\nname = \"a\"\n[[fault]]\nat = \"1s\"\n{keys}\n"))
    };
    assert_eq!(fault("unit = \"g\"\nevent = \"down\""), NONE);
    assert_eq!(fault("job = \"a\"\nevent = \"cancel\""), NONE);
    assert_eq!(fault("unit = \"g\"\nevent = \"cancel\""), ["fault-target 9:9"]);
    assert_eq!(fault("job = \"a\"\nevent = \"up\""), ["fault-target 9:9"]);
    assert_eq!(fault("unit = \"g\"\nevent = \"dwon\""), ["unknown-value 9:9"]);
    assert_eq!(fault("unit = \"g\""), ["missing-key 6:1"]);
    assert_eq!(fault("event = \"down\""), ["missing-key 6:1"]);
    assert_eq!(fault("unit = \"g\"\njob = \"a\"\nevent = \"down\""), ["fault-target 9:1"]);
    assert_eq!(fault("job = \"g\"\nevent = \"cancel\""), ["unknown-job 8:7"]);
    assert_eq!(
        file("[[fault]]\nunit = \"g\"\nevent = \"up\"\n"),
        ["missing-key 1:1", "unknown-unit 2:8"]
    );
}

#[test]
fn jobs_that_never_fit_are_told_by_what_they_lack() {
    let fit = |device: &str, keys: &str| {
        file(&format!("[[device]]\nname = \"g\"\n{device}\n[[job]]\nname = \"a\"\n{keys}\n"))
    };
    assert_eq!(fit("memory = \"10GiB\"", "memory = \"9GiB\""), NONE);
    assert_eq!(fit("memory = 10", "memory = 10"), ["never-fits 6:10"]);
    assert_eq!(fit("memory = 10\nplace = \"cpu\"", "memory = 10\nneeds = \"cpu\""), NONE);
    assert_eq!(fit("memory = 10", "needs = \"cpu\""), ["never-fits 6:9"]);
    assert_eq!(fit("memory = 10", "needs = \"any\""), NONE);
    assert_eq!(fit("place = \"cpu\"", ""), ["never-fits 5:8"]);
    assert_eq!(fit("place = \"cpu\"", "fallback = \"allow\""), NONE);
    assert_eq!(fit("place = \"cpu\"", "fallback = \"allow\"\ngpus = 2"), ["never-fits 5:8"]);
    assert_eq!(fit("", "gpus = 2"), ["never-fits 6:8"]);
    // Slots do not make units.
    assert_eq!(fit("slots = 2", "gpus = 2"), ["never-fits 7:8"].map(|_| "never-fits 6:8"));
    let slices = "gpu = \"A30-24GB\"\nmig = [\"2g.12gb\", \"2g.12gb\"]";
    assert_eq!(fit(slices, "profile = \"2g.12gb\"\ngpus = 2"), NONE);
    assert_eq!(fit(slices, "profile = \"1g.6gb\""), ["never-fits 7:11"]);
    assert_eq!(fit(slices, "profile = \"1g.6gb\"\nimages = 0"), NONE);
    assert_eq!(fit(slices, "profile = \"2g.12gb\"\nneeds = \"cpu\""), ["never-fits 7:11"]);
    assert_eq!(fit(slices, "gpus = 9\nimages = 0"), NONE);
    let model = "[[model]]\nname = \"m\"\nweights = \"8GiB\"\n";
    let text = format!("{DEVICE}{model}[[job]]\nname = \"a\"\nmodel = \"m\"\nmemory = \"1GiB\"\n");
    assert_eq!(file(&text), ["never-fits 9:9"]);
}

#[test]
fn a_line_without_devices_is_one_fault() {
    assert_eq!(file("[[job]]\nname = \"a\"\n[[job]]\nname = \"b\"\n"), ["never-fits 2:8"]);
    assert_eq!(file("[[job]]\nname = \"a\"\nimages = 0\n"), NONE);
}

#[test]
fn an_empty_file_is_a_line_without_jobs() {
    for text in ["", "\n", "# nothing\r\n", "\u{feff}"] {
        let warnings = taken(text).warnings;
        assert_eq!(warnings.len(), 1, "{text:?}");
        assert_eq!(warnings[0].code, Code::NoJobs);
    }
}
