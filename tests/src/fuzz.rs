//! What the fuzz targets of `fuzz/` do with their input. They are here so that the corpus can be
//! replayed without a fuzzer, and without nightly.
//!
//! Each takes any bytes, and panics where the product has a fault.

mod mutate;

use std::sync::LazyLock;

use lineside_backends::Workload;
use lineside_backends::host::{Lines, parse_line};
use lineside_backends::journal::{self, History};
use lineside_line::bundle::Reader;
use lineside_line::trace::{Names, Record, write_event};
use lineside_line::{Line, Look, NoFiles, Problem, render};
use toml::{Table, Value};

use crate::calls;
use crate::compare::difference;
use crate::generate::{Random, generate};
use crate::liveness;
use crate::model;
use crate::plan::{Reasons, events_max, plan};
use crate::shrink::write;

pub use mutate::mutate;

/// A target: its name, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// Every target there is.
pub const TARGETS: [Target; 7] = [
    ("bundle", bundle as fn(&[u8])),
    ("calls", calls),
    ("line_file", line_file),
    ("line_structured", line_structured),
    ("trace", trace),
    ("journal", journal),
    ("worker", worker),
];

/// What may be planned: the rest takes too long for what it shows.
const JOBS_MAX: usize = 24;
const UNITS_MAX: usize = 16;
const IMAGES_MAX: u64 = 300;
const EVENTS_MAX: u64 = 20_000;

/// Bytes as a bundle, or as header and parts of one whose checksum is right: it is refused, or
/// every path of it stays inside of its folder, no two are one file, and its parts are what it
/// says.
///
/// # Panics
///
/// If that is not so.
pub fn bundle(bytes: &[u8]) {
    bundle_sound(bytes);
    let Some((&length, rest)) = bytes.split_first() else { return };
    let (header, parts) = rest.split_at(usize::from(length).min(rest.len()));
    bundle_sound(&lineside_line::bundle::sealed(header, parts));
}

fn bundle_sound(bytes: &[u8]) {
    let Ok(mut reader) = Reader::open(bytes) else { return };
    let header = reader.header().clone();
    let mut paths: Vec<String> = Vec::new();
    for part in header.parts() {
        let mut names = part.path.split('/');
        assert!(names.all(|name| !["", ".", ".."].contains(&name)), "{:?}", part.path);
        assert!(!part.path.contains(['\\', ':', '\0']), "{:?}", part.path);
        paths.push(part.path.to_lowercase());
    }
    paths.sort();
    assert!(paths.windows(2).all(|pair| pair[0] != pair[1]), "{paths:?}");
    let mut read = 0;
    loop {
        let mut part = Vec::new();
        match reader.next_part(&mut part) {
            Ok(Some(of)) => assert_eq!(of.size, part.len() as u64),
            Ok(None) => break,
            Err(_) => return,
        }
        read += part.len();
    }
    assert_eq!(header.size(), read as u64);
}

/// Bytes as calls: the core and the reference model give the same answers and events.
///
/// # Panics
///
/// At the first difference, or where an invariant of the core does not hold.
pub fn calls(bytes: &[u8]) {
    let script = calls::script_of_bytes(bytes);
    if let Err(difference) = calls::play(&script) {
        panic!("call {}: {}\n{script}", difference.call, difference.text);
    }
}

/// Bytes as a journal: it is refused in good order, or it is one whose records come to the same
/// when they are written down again.
///
/// # Panics
///
/// If the reader does, or if it takes what can't be.
pub fn journal(bytes: &[u8]) {
    check_journal(bytes);
    // Checksums are hard to hit by chance: the same bytes as records, each behind its length.
    let mut sealed = Vec::new();
    let mut rest = bytes;
    while let Some((&length, behind)) = rest.split_first() {
        let (record, behind) = behind.split_at(behind.len().min(length.into()));
        journal::seal(record, &mut sealed);
        rest = behind;
    }
    check_journal(&sealed);
}

fn check_journal(bytes: &[u8]) {
    let Ok(journal) = journal::read(bytes) else { return };
    assert!(journal.sound <= bytes.len());
    let mut again = Vec::new();
    let mut history = History::default();
    for record in &journal.records {
        journal::encode(record, &mut again);
        history.take(record).expect("it was taken before");
        let (free, leased) = history.slots();
        let slots: u64 = history.units.iter().map(|unit| u64::from(unit.slots)).sum();
        assert_eq!(free + leased, slots);
    }
    assert_eq!(history, journal.history);
    let again = journal::read(&again).expect("it was just written");
    assert_eq!(again.records, journal.records);
    // Whatever was cut off, what is left is the same.
    let cut = journal::read(&bytes[..journal.sound]).expect("it was sound");
    assert_eq!(cut.records, journal.records);
}

/// Bytes as what a worker says: each line is understood or refused in words, however they come.
///
/// # Panics
///
/// If the reader does, or if it depends on how the bytes are cut.
pub fn worker(bytes: &[u8]) {
    let mut whole = Lines::default();
    let mut pieces = Lines::default();
    let taken = whole.push(bytes).is_ok();
    let mut in_pieces = Vec::new();
    let mut all_taken = true;
    for piece in bytes.chunks(7) {
        all_taken &= pieces.push(piece).is_ok();
        in_pieces.extend(std::iter::from_fn(|| pieces.next_line()));
    }
    assert_eq!(taken, all_taken);
    let lines: Vec<Vec<u8>> = std::iter::from_fn(|| whole.next_line()).collect();
    if taken {
        assert_eq!(lines, in_pieces);
    }
    for line in lines {
        if let Err(nonsense) = parse_line(&line) {
            let text = nonsense.to_string();
            assert!(!text.is_empty() && text.len() < 2_000 && !text.contains('\n'));
        }
    }
}

/// Bytes as a line file: they are refused in good order, or planned to an end.
///
/// # Panics
///
/// If reader, core, driver or simulator do, or if a plan breaks what it should keep.
pub fn line_file(bytes: &[u8]) {
    let problems = match lineside_line::read_bytes(bytes, &NoFiles) {
        Ok(checked) => return plan_small(&checked.line),
        Err(problems) => problems,
    };
    let valid =
        std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), |text| text.len());
    // Places are those of the sound part, if it is not UTF-8.
    let sound = std::str::from_utf8(&bytes[..valid]).expect("it is valid up to there");
    check_problems(&problems, sound);
}

/// Plans a line, if it is small enough, and sees to it that it comes to rest as it should.
fn plan_small(line: &Line) {
    if is_small(line) {
        // The number of events, and the invariants, are looked after there.
        plan(&Workload::from_line(line), Reasons::Asked, |_, _| {});
    }
}

fn is_small(line: &Line) -> bool {
    let images: u64 = line.jobs.iter().map(|job| u64::from(job.images)).sum();
    line.jobs.len() <= JOBS_MAX
        && line.units.len() <= UNITS_MAX
        && images <= IMAGES_MAX
        && events_max(&Workload::from_line(line)) <= EVENTS_MAX
}

/// There is a fault, it lies within the text, and it can be drawn.
fn check_problems(problems: &[Problem], text: &str) {
    assert!(!problems.is_empty(), "a refused file has a fault");
    for problem in problems {
        let at = problem.span.bytes;
        assert!(at.start <= at.end, "{problem}");
        assert!(at.end as usize <= text.len(), "{problem}");
    }
    let drawn = render(problems, text, "fuzz.toml", Look::default());
    assert!(drawn.contains("error["), "a refused file is refused for an error");
}

/// A valid line file, by its seed, with changes: both readers take it, or both refuse it, and
/// product and model come to the same trace.
///
/// # Panics
///
/// Where the two differ, or where the product panics.
pub fn line_structured(bytes: &[u8]) {
    let (seed, changes) = bytes.split_at(bytes.len().min(2));
    let seed = seed.iter().fold(0, |seed, &byte| seed << 8 | u64::from(byte));
    let mut file: Table = generate(seed).parse().expect("a generated line is TOML");
    let mut random = Random::of_bytes(changes);
    for _ in 0..8 {
        if !random.is_spent() {
            mutate(&mut file, &mut random);
        }
    }
    let text = write(&file);
    if !names_many_images(&file) {
        check_on_both_sides(&text);
    }
}

/// The model keeps every image, so a file with millions of them is not for it.
fn names_many_images(file: &Table) -> bool {
    let jobs = file.get("job").and_then(Value::as_array).into_iter().flatten();
    let images = jobs.filter_map(|job| job.get("images").and_then(Value::as_integer));
    images.map(|images| images.clamp(0, 1 << 40) as u64).sum::<u64>() > IMAGES_MAX
}

fn check_on_both_sides(text: &str) {
    let product = lineside_line::read(text, &NoFiles);
    match (product, model::read(text)) {
        (Ok(checked), Ok(line)) => {
            if is_small(&checked.line) {
                compare(text, &checked.line, &line);
            }
        }
        (Err(problems), Err(_)) => check_problems(&problems, text),
        (Ok(_), Err(why)) => panic!("only the model refuses it: {why}\n{text}"),
        (Err(problems), Ok(_)) => panic!("only the product refuses it: {problems:#?}\n{text}"),
    }
}

fn compare(text: &str, line: &Line, twin: &model::Line) {
    let workload = Workload::from_line(line);
    let (plan, true_reasons) =
        plan(&workload, Reasons::NotAsked, |core, plan| liveness::check(twin, core, plan));
    if let Some(difference) = difference(twin, &model::simulate(twin), &plan) {
        panic!("{difference}\n{text}");
    }
    if let Err(untrue) = true_reasons {
        panic!("{untrue}\n{text}");
    }
}

/// Bytes as a trace: what can be read can be written, and is then read as the same.
///
/// # Panics
///
/// If it is not.
pub fn trace(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let line = &*TRACE_LINE;
    let names = Names::new(line);
    for record in text.lines().filter_map(|line| Record::parse(line).ok()) {
        let (mut units, mut again) = (Vec::new(), Vec::new());
        let Ok(event) = record.event(&names, &mut units) else { continue };
        let mut written = String::new();
        write_event(&mut written, line, &event, &[]).expect("a string takes everything");
        let reread = Record::parse(&written).expect("what was written is a line of a trace");
        assert_eq!(reread.event(&names, &mut again).as_ref(), Ok(&event), "{written}");
    }
}

/// The line whose traces are read: with names that have to be escaped.
static TRACE_LINE: LazyLock<Line> = LazyLock::new(|| {
    let text = "[[device]]\nname = \"g\"\n[[device]]\nname = \"\\u0001\\\"\"\n\
                [[model]]\nname = \"m\\\\\"\n[[job]]\nname = \"a\"\n[[job]]\nname = \"é\\n\"\n";
    lineside_line::read(text, &NoFiles).expect("the line is legal").line
});
