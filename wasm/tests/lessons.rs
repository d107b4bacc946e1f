//! Each lesson of the playground shows what its moral says.

use std::fs;
use std::path::Path;

use lineside_line::Line;
use lineside_wasm::{Budget, Columns, EVENTS, Plan};

const MS: u64 = 1_000_000;

/// A lesson, planned.
struct Lesson {
    line: Line,
    plan: Plan,
}

fn lesson(name: &str) -> Lesson {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/lessons");
    let text = fs::read_to_string(folder.join(name).with_extension("toml")).expect("a lesson");
    let checked = lineside_line::read(&text, &lineside_line::NoFiles).expect("it is legal");
    assert!(checked.warnings.is_empty(), "{name}: {:?}", checked.warnings);
    let plan = Plan::make(&text, &mut Budget { events: 100_000, go_on: &mut || true });
    Lesson { line: checked.line, plan }
}

impl Lesson {
    fn columns(&self) -> &Columns {
        self.plan.columns()
    }

    fn job(&self, name: &str) -> u32 {
        let found = self.line.jobs.iter().position(|job| job.name == name);
        found.unwrap_or_else(|| panic!("no job {name}")) as u32
    }

    /// Rows of the trace of one kind, of one job.
    fn rows(&self, event: &str, job: &str) -> Vec<usize> {
        let (kind, job) = (EVENTS.iter().position(|it| *it == event), self.job(job));
        let kind = kind.expect("a word of the trace") as u8;
        let columns = self.columns();
        let all = 0..columns.t.len();
        all.filter(|&at| columns.ev[at] == kind && columns.who[at] == job).collect()
    }

    fn times(&self, event: &str, job: &str) -> Vec<u64> {
        self.rows(event, job).into_iter().map(|at| self.columns().t[at] / MS).collect()
    }

    fn starts_at(&self, job: &str) -> u64 {
        self.times("start", job)[0]
    }

    fn ends_at(&self, job: &str) -> u64 {
        self.times("end", job)[0]
    }

    /// 0 done, 1 failed, 2 cancelled, 3 skipped.
    fn state(&self, job: &str) -> u32 {
        self.columns().a[self.rows("end", job)[0]]
    }

    fn makespan(&self) -> u64 {
        self.columns().t.last().copied().unwrap_or(0) / MS
    }

    fn cold(&self) -> usize {
        let columns = self.columns();
        (0..columns.t.len()).filter(|&at| columns.ev[at] == 2 && columns.b[at] & 1 != 0).count()
    }

    fn evictions(&self) -> usize {
        self.columns().ev.iter().filter(|&&ev| ev == 1).count()
    }

    /// The most leases at once of jobs that a test picks.
    fn most_leases(&self, picks: impl Fn(&str) -> bool) -> usize {
        let columns = self.columns();
        let (mut now, mut most) = (0, 0);
        for at in 0..columns.t.len() {
            if ![2, 7].contains(&columns.ev[at]) {
                continue;
            }
            if picks(&self.line.jobs[columns.who[at] as usize].name) {
                now = if columns.ev[at] == 2 { now + 1 } else { now - 1 };
                most = most.max(now);
            }
        }
        most
    }

    /// Mean time in the queue, in microseconds.
    fn mean_wait(&self) -> u64 {
        let columns = self.columns();
        let mut since = vec![0; self.line.jobs.len()];
        let (mut sum, mut count) = (0, 0);
        for at in 0..columns.t.len() {
            let job = columns.who[at] as usize;
            match columns.ev[at] {
                0 => since[job] = columns.t[at],
                2 => {
                    sum += columns.t[at] - since[job];
                    count += 1;
                }
                _ => {}
            }
        }
        sum / count / 1000
    }

    /// Of a unit, the share of the makespan during which something was in flight, in per cent.
    fn utilisation(&self, unit: &str) -> u64 {
        let columns = self.columns();
        let unit = self.line.units.iter().position(|it| it.name == unit).expect("a unit") as u32;
        let (mut busy, mut running, mut since) = (0, 0, 0);
        for at in 0..columns.t.len() {
            let (ev, t) = (columns.ev[at], columns.t[at]);
            if !(3..=5).contains(&ev) || !columns.units_of(columns.lease[at]).contains(&unit) {
                continue;
            }
            if running > 0 {
                busy += t - since;
            }
            since = t;
            running = if ev == 3 { running + 1 } else { running - 1 };
        }
        100 * busy / columns.t.last().copied().unwrap_or(1)
    }
}

#[test]
fn standard_holds_the_gpu_to_the_last_image() {
    let lesson = lesson("standard-holds");
    assert_eq!(lesson.times("ready", "B"), [15]);
    assert_eq!(lesson.starts_at("B"), 80);
    assert_eq!(lesson.times("release", "A"), [80]);
}

#[test]
fn legacy_tools_take_turns() {
    let lesson = lesson("legacy-rotates");
    assert_eq!(lesson.starts_at("B"), 20);
    assert_eq!(lesson.ends_at("B"), 70);
    assert_eq!(lesson.makespan(), 110);
}

#[test]
fn a_standard_tool_goes_before_legacy_ones_with_lower_tickets() {
    let lesson = lesson("standard-first");
    assert_eq!(lesson.times("ready", "inspect"), [22]);
    assert_eq!(lesson.starts_at("inspect"), 30);
    assert_eq!(lesson.times("release", "inspect"), [70]);
    assert!(lesson.times("ready", "barcode").iter().any(|&t| t < 22));
    assert!(!lesson.times("start", "barcode").iter().any(|&t| (30..70).contains(&t)));
}

#[test]
fn the_highest_priority_waits_for_what_runs() {
    let lesson = lesson("never-pre-empted");
    assert_eq!(lesson.starts_at("urgent"), 120);
    assert_eq!(lesson.ends_at("routine"), 120);
    assert_eq!(lesson.starts_at("nightly"), 130);
}

#[test]
fn a_chain_with_a_barrier_and_one_image_by_image() {
    let barrier = lesson("chain-barrier");
    assert_eq!((barrier.starts_at("classify"), barrier.makespan()), (60, 90));
    let stream = lesson("chain-per-image");
    assert_eq!((stream.starts_at("classify"), stream.makespan()), (10, 65));
}

#[test]
fn balance_leases_both_gpus_for_as_long() {
    let lesson = lesson("balance");
    assert_eq!(lesson.makespan(), 120);
    assert_eq!((lesson.utilisation("gpu0"), lesson.utilisation("gpu1")), (100, 100));
}

#[test]
fn depth_and_loaders_alone_feed_a_starved_gpu() {
    let (starved, fed) = (lesson("prefetch-starved"), lesson("prefetch-fed"));
    assert_eq!(starved.utilisation("gpu0"), 11);
    assert!(fed.utilisation("gpu0") > 70, "{} %", fed.utilisation("gpu0"));
    assert!(starved.makespan() > 5 * fed.makespan());
    let mut same = fed.line.clone();
    same.name.clone_from(&starved.line.name);
    same.jobs[0].inflight = starved.line.jobs[0].inflight;
    same.jobs[1].after.clone_from(&starved.line.jobs[1].after);
    assert_eq!(same, starved.line, "nothing but `inflight` and `depth` differs");
}

#[test]
fn slices_run_three_at_once_and_waits_shrink_to_a_quarter() {
    let (whole, sliced) = (lesson("whole-card"), lesson("sliced-card"));
    assert_eq!(whole.most_leases(|_| true), 1);
    assert_eq!(sliced.most_leases(|_| true), 3);
    assert_eq!((whole.mean_wait(), sliced.mean_wait()), (100_000, 24_000));
}

#[test]
fn two_overtake_and_then_gpus_are_kept() {
    let lesson = lesson("overtake-bound");
    assert_eq!(lesson.starts_at("pair"), 25);
    let smalls = (1..=6).map(|number| lesson.starts_at(&format!("small{number}")));
    assert_eq!(smalls.filter(|&start| start < 25).count(), 2);
    assert!(lesson.times("release", "small1") == [20], "gpu0 is free from then on");
}

#[test]
fn patience_ends_a_wait_behind_a_stream_of_others() {
    let lesson = lesson("patience");
    assert_eq!(lesson.times("ready", "report")[0], 5);
    assert_eq!(lesson.starts_at("report"), 60);
    assert!(lesson.times("ready", "camera").iter().any(|&t| t < 60));
}

#[test]
fn warm_models_are_used_again_and_idle_ones_evicted() {
    let warm = lesson("warm-models");
    assert_eq!((warm.cold(), warm.evictions()), (3, 1));
    assert_eq!(warm.starts_at("read"), 170);
    let off = lesson("pool-off");
    assert_eq!((off.cold(), off.evictions()), (14, 0));
}

#[test]
fn tokens_and_streams_bound_what_runs_at_once() {
    let lesson = lesson("token-queue");
    assert_eq!(lesson.most_leases(|_| true), 4);
    assert_eq!(lesson.most_leases(|name| name == "top-detect"), 1);
}

#[test]
fn a_job_goes_on_after_its_gpu_is_lost() {
    let lesson = lesson("lost-device");
    let [first, second] = lesson.rows("ready", "inspect")[..] else { panic!("two entries") };
    assert_eq!(lesson.columns().a[first], lesson.columns().a[second], "under the old ticket");
    assert_eq!(lesson.times("revoke", "inspect"), [35]);
    let starts = lesson.rows("start", "inspect");
    let images: Vec<u32> = starts.iter().map(|&at| lesson.columns().a[at]).collect();
    assert_eq!(images, [0, 1, 2, 3, 3, 4, 5, 6, 7], "the images that are done stay done");
    assert_eq!(lesson.times("grant", "inspect"), [0, 40]);
}

#[test]
fn success_is_needed_by_some_and_any_end_by_others() {
    let lesson = lesson("failure-skips");
    assert_eq!(lesson.rows("fail", "segment").len(), 2);
    assert_eq!(["segment", "measure", "report"].map(|job| lesson.state(job)), [1, 3, 0]);
}

#[test]
fn the_cpu_stages_of_a_training_hold_no_gpu() {
    let lesson = lesson("yolo-dag");
    assert_eq!(lesson.starts_at("train"), 140);
    let (columns, lease) = (lesson.columns(), lesson.rows("grant", "train")[0]);
    assert_eq!(columns.units_of(columns.lease[lease]).len(), 2);
    assert!(lesson.times("start", "other-team").iter().filter(|&&t| t < 130).count() >= 6);
}

#[test]
fn every_lesson_of_the_folder_is_planned_to_its_end() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/lessons");
    let files = fs::read_dir(folder).expect("the lessons").flatten();
    let names: Vec<String> = files
        .map(|file| file.path().file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert!(names.len() >= 17, "{}", names.len());
    for name in names {
        let lesson = lesson(&name);
        assert!(lesson.plan.stuck().is_empty() && lesson.plan.stopped().is_empty(), "{name}");
    }
}
