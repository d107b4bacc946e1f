//! What a checked line says.

use std::collections::BTreeMap;

use lineside_line::{
    Action, Code, Edge, Fallback, FaultEvent, KernelFault, Kind, Mode, Needs, On, Order, Phase,
    Place, Placement, Policy, Pool, Program, Setting, Surroundings, Template, read,
};

use super::{places, taken};

const DEVICE: &str = "[[device]]\nname = \"g\"\nmemory = \"8GiB\"\n";

/// Files for globs, and one tool.
struct Shop;

impl Surroundings for Shop {
    fn files(&self, glob: &str) -> Result<Vec<String>, String> {
        match glob {
            "in/*.png" => Ok(["in/b.png", "in/a.png", "in/B.png", "in/é.png", "in/a.png"]
                .map(String::from)
                .into()),
            "none/*" => Ok(Vec::new()),
            _ => Err("a `[` is not closed".into()),
        }
    }

    fn kernel_faults(&self, tool: &str, settings: &BTreeMap<String, Setting>) -> Vec<KernelFault> {
        let fault = |setting: Option<&str>| KernelFault {
            setting: setting.map(String::from),
            message: "no".into(),
            help: None,
        };
        match (tool, settings.get("size")) {
            ("blur", Some(Setting::Int(3))) => Vec::new(),
            ("blur", _) => vec![fault(Some("size"))],
            (_, _) => vec![fault(None)],
        }
    }
}

#[test]
fn defaults_are_those_of_the_rules() {
    let line = taken(&format!("{DEVICE}[[job]]\nname = \"a\"\n")).line;
    assert_eq!(line.policy, Policy::default());
    let unit = &line.units[0];
    assert_eq!((unit.place, unit.memory, unit.slots), (Place::Cuda, 8 << 30, 1));
    assert_eq!(unit.budget, (8 << 30) - (8 << 30) / 10);
    let job = &line.jobs[0];
    assert_eq!((job.kind, job.phase), (Kind::Standard, Phase::Process));
    assert_eq!((job.images, job.batch, job.inflight, job.threads), (1, 1, 1, 1));
    assert_eq!((job.priority, job.memory, job.gpus, job.needs), (0, 0, 1, Needs::Gpu));
    assert_eq!((job.time.as_slice(), job.startup, job.arrive), (&[0][..], 0, 0));
    assert_eq!((job.every, job.timeout, job.retries), (None, None, 0));
    assert_eq!((job.fallback, &job.action), (Fallback::Forbid, &Action::None));
}

/// Every key, none with its default.
const EVERYTHING: &str = r#"
[line]
name = "boards"
description = "two stages"
[policy]
order = "critical-path"
placement = "pack"
overtake = 3
patience = "2s"
fallback = "allow"
pool = "free"
headroom = 5
[[device]]
name = "g"
place = "vulkan"
memory = 1000
slots = 4
[[device]]
name = "c"
place = "cpu"
memory = "1kB"
[[model]]
name = "m"
weights = "1B"
cold = "3ms"
[[stream]]
name = "s"
limit = 2
[[stream]]
name = "t"
[[job]]
name = "b"
kind = "legacy"
images = 4
batch = 2
inflight = 3
threads = 2
priority = -3
memory = 7
gpus = 1
needs = "vulkan"
model = "m"
stream = "s"
after = [{ job = "a", depth = 2 }, { job = "c", mode = "barrier", on = "end" }]
time = ["1ms", "2ms"]
startup = "3ms"
cpu_time = "4ms"
arrive = "5ms"
every = "6ms"
timeout = "7ms"
retries = 8
fallback = "forbid"
inject = [{ image = 1 }, { image = 2, times = 3 }]
run = ["prog", "{index}"]
[[job]]
name = "a"
kind = "legacy"
images = 4
worker = ["w"]
[[job]]
name = "c"
images = 0
"#;

#[test]
fn everything_that_is_written_is_read() {
    let line = taken(EVERYTHING).line;
    assert_eq!(
        (line.name.as_deref(), line.description.as_deref()),
        (Some("boards"), Some("two stages"))
    );
    let policy = Policy {
        order: Order::CriticalPath,
        placement: Placement::Pack,
        overtake: 3,
        patience: Some(2_000_000_000),
        fallback: Fallback::Allow,
        pool: Pool::Free,
        headroom: 5,
    };
    assert_eq!(line.policy, policy);
    assert_eq!((line.units[0].budget, line.units[0].slots), (950, 4));
    assert_eq!((line.units[1].budget, line.units[1].memory), (1000, 1000));
    assert_eq!((line.models[0].weights, line.models[0].cold), (1, 3_000_000));
    assert_eq!((line.streams[0].limit, line.streams[1].limit), (Some(2), None));
    let [a, c, b] = &line.jobs[..] else { panic!("three jobs") };
    assert_eq!((a.name.as_str(), a.declared, b.declared), ("a", 1, 0));
    assert_eq!((a.fallback, b.fallback), (Fallback::Allow, Fallback::Forbid));
    assert_eq!((b.batch, b.inflight, b.threads, b.priority, b.memory), (2, 3, 2, -3, 7));
    assert_eq!((b.needs, b.model, b.stream), (Needs::Vulkan, Some(0), Some(0)));
    let stream = Edge { upstream: 0, mode: Mode::Stream, depth: 2, on: On::Success };
    let barrier = Edge { upstream: 1, mode: Mode::Barrier, depth: 0, on: On::End };
    assert_eq!(b.after, [stream, barrier]);
    assert_eq!((b.time.as_slice(), b.startup), (&[1_000_000, 2_000_000][..], 3_000_000));
    assert_eq!(b.cpu_time.as_deref(), Some(&[4_000_000][..]));
    assert_eq!((b.arrive, b.every), (5_000_000, Some(6_000_000)));
    assert_eq!((b.timeout, b.retries), (Some(7_000_000), 8));
    let inject: Vec<_> = b.inject.iter().map(|inject| (inject.image, inject.times)).collect();
    assert_eq!(inject, [(1, 1), (2, 3)]);
    let command = |words: &[&str]| Program {
        command: words.iter().map(|word| Template::parse(word).unwrap()).collect(),
        ..Program::default()
    };
    assert_eq!(b.action, Action::Run(command(&["prog", "{index}"])));
    assert_eq!(a.action, Action::Worker(command(&["w"])));
    // Startup and four images, then nothing; before it nothing.
    assert_eq!((b.path, a.path, c.path), (9_000_000, 9_000_000, 9_000_000));
}

#[test]
fn jobs_are_put_in_order_the_first_declared_first() {
    let job = |name: &str, after: &str| format!("[[job]]\nname = \"{name}\"\nafter = [{after}]\n");
    let jobs = [job("d", "\"b\""), job("c", ""), job("b", "\"a\""), job("a", ""), job("e", "")];
    let line = taken(&format!("{DEVICE}{}", jobs.concat())).line;
    let names: Vec<_> = line.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["c", "a", "b", "d", "e"]);
}

#[test]
fn paths_are_the_longest_ways_and_saturate() {
    let text = format!(
        "{DEVICE}[[job]]\nname = \"a\"\nstartup = \"1ns\"\n\
         [[job]]\nname = \"b\"\nimages = 5\ntime = [\"1ns\", \"10ns\"]\nafter = [\"a\"]\n\
         [[job]]\nname = \"c\"\nimages = 4294967295\ntime = \"100000h\"\nafter = [\"d\"]\n\
         [[job]]\nname = \"d\"\ntime = \"1ns\"\nafter = [\"a\"]\n\
         [[job]]\nname = \"e\"\nimages = 0\ntime = \"9h\"\nstartup = \"2ns\"\n"
    );
    let line = taken(&text).line;
    let path = |name: &str| line.jobs.iter().find(|job| job.name == name).unwrap().path;
    assert_eq!((path("b"), path("e")), (23, 2));
    assert_eq!((path("a"), path("c"), path("d")), (u64::MAX, u64::MAX, u64::MAX));
}

#[test]
fn a_device_is_cut_where_it_stands() {
    let text = "[[device]]\nname = \"x\"\nmemory = 10\n\
                [[device]]\nname = \"g\"\ngpu = \"A100-40GB\"\nslots = 2\n\
                mig = [\"1g.5gb\", \"3g.20gb\", \"1g.5gb\"]\n\
                [[device]]\nname = \"y\"\ngpu = \"A30-24GB\"\n\
                [[job]]\nname = \"a\"\nprofile = \"3g.20gb\"\n\
                [[job]]\nname = \"b\"\nimages = 0\nprofile = \"7g.40gb\"\n\
                [[fault]]\nat = \"1ns\"\nunit = \"g\"\nevent = \"drain\"\n\
                [[fault]]\nat = \"2ns\"\nunit = \"g/1\"\nevent = \"up\"\n\
                [[fault]]\nat = \"2ns\"\nunit = \"y\"\nevent = \"down\"\n\
                [[fault]]\nat = \"3ns\"\njob = \"b\"\nevent = \"cancel\"\n";
    let line = taken(text).line;
    let units: Vec<_> = line.units.iter().map(|unit| (unit.name.as_str(), unit.memory)).collect();
    let expected = [
        ("x", 10),
        ("g/0", 4864 << 20),
        ("g/1", 19968 << 20),
        ("g/2", 4864 << 20),
        ("y", 24064 << 20),
    ];
    assert_eq!(units, expected);
    assert_eq!((line.units[1].slots, line.units[4].slots), (2, 1));
    assert_eq!(line.profiles, ["1g.5gb", "3g.20gb", "7g.40gb"]);
    let profiles: Vec<_> = line.units.iter().map(|unit| unit.profile).collect();
    assert_eq!(profiles, [None, Some(0), Some(1), Some(0), None]);
    assert_eq!((line.jobs[0].profile, line.jobs[1].profile), (Some(1), Some(2)));
    let events: Vec<_> = line.faults.iter().map(|fault| (fault.at, fault.event)).collect();
    let expected = [
        (1, FaultEvent::Drain(1)),
        (1, FaultEvent::Drain(2)),
        (1, FaultEvent::Drain(3)),
        (2, FaultEvent::Up(2)),
        (2, FaultEvent::Down(4)),
        (3, FaultEvent::Cancel(1)),
    ];
    assert_eq!(events, expected);
}

#[test]
fn the_order_of_slices_does_not_matter() {
    let profiles = ["1g.5gb", "1g.5gb", "2g.10gb", "3g.20gb"];
    for code in 0..24 {
        let mut left = profiles.to_vec();
        let mut layout = Vec::new();
        let mut rest = code;
        while !left.is_empty() {
            layout.push(left.remove(rest % left.len()));
            rest /= left.len() + 1;
        }
        let text = format!("[[device]]\nname = \"g\"\ngpu = \"A100-40GB\"\nmig = {layout:?}\n");
        assert_eq!(taken(&text).line.units.len(), 4);
    }
}

#[test]
fn globs_are_files_in_byte_order() {
    let text = |glob: &str| format!("{DEVICE}[[job]]\nname = \"a\"\nimages = \"{glob}\"\n");
    let line = read(&text("in/*.png"), &Shop).unwrap().line;
    assert_eq!(line.jobs[0].images, 4);
    assert_eq!(line.jobs[0].files, ["in/B.png", "in/a.png", "in/b.png", "in/é.png"]);
    for glob in ["none/*", "[", "10"] {
        let problems = read(&text(glob), &Shop).unwrap_err();
        assert_eq!(places(&problems), ["no-files 6:10"]);
    }
}

#[test]
fn tools_check_their_settings() {
    let text = |kernel: &str| format!("{DEVICE}[[job]]\nname = \"a\"\nkernel = {{ {kernel} }}\n");
    let line = read(&text("size = 3, tool = \"blur\""), &Shop).unwrap().line;
    let settings = BTreeMap::from([("size".to_owned(), Setting::Int(3))]);
    assert_eq!(line.jobs[0].action, Action::Kernel { tool: "blur".into(), settings });
    let problems = read(&text("tool = \"blur\", size = 4"), &Shop).unwrap_err();
    assert_eq!(places(&problems), ["kernel 6:34"]);
    let problems = read(&text("tool = \"x\""), &Shop).unwrap_err();
    assert_eq!(places(&problems), ["kernel 6:19"]);
    assert_eq!(problems[0].code, Code::Kernel);
}

#[test]
fn a_whole_grain_job_has_one_lease() {
    let text = format!("{DEVICE}[[job]]\nname = \"a\"\ninflight = 9\nphase = \"train\"\n");
    assert_eq!(taken(&text).line.jobs[0].inflight, 1);
}
