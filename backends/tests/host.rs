//! The host backend, with tools that are made for the test.
#![cfg(feature = "host")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lineside_backends::host::{Failure, Host, HostUnit, Product, Task, Tool, Work};
use lineside_backends::{Driver, Tables, Workload};
use lineside_core::{Event, Outcome, RevokeCause, Scheduler, UnitId};
use lineside_line::{Checked, Line, NoFiles, read};

fn line(text: &str) -> Line {
    let Checked { line, .. } = read(text, &NoFiles).expect("the line is legal");
    line
}

/// A tool made of a closure.
struct Does<F>(F);

impl<F> Tool for Does<F>
where
    F: Fn(&Task<'_>) -> Result<Product, String> + Send + Sync,
{
    fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure> {
        work.each(&self.0)
    }
}

fn does(
    work: impl Fn(&Task<'_>) -> Result<Product, String> + Send + Sync + 'static,
) -> Box<dyn Tool> {
    Box::new(Does(work))
}

/// What came of a run.
struct Ran {
    events: Vec<Event>,
    outcomes: Vec<Option<Outcome>>,
    troubles: Vec<String>,
    left: usize,
}

fn run(line: &Line, tools: Vec<Box<dyn Tool>>) -> Ran {
    let workload = Workload::from_line(line);
    let mut tables = Tables::for_workload(&workload);
    let mut events = Vec::new();
    let mut note = |_: &Scheduler<'_>, event: Event| events.push(event);
    let host = Host::new(line, tools, HostUnit::of_line(line));
    let mut driver =
        Driver::new(&workload, tables.storage(), host, &mut note).expect("the line is legal");
    driver.run(&mut note);
    driver.scheduler().verify().expect("every invariant holds at the end");
    let jobs = 0..line.jobs.len() as u32;
    let outcomes = jobs.map(|job| {
        let id = lineside_core::JobId { index: job, generation: 0 };
        driver.scheduler().outcome(id).expect("no job is removed")
    });
    Ran {
        outcomes: outcomes.collect(),
        troubles: driver.backend_mut().take_troubles().into_iter().map(|it| it.text).collect(),
        left: driver.backend_mut().products(),
        events,
    }
}

const CPU: &str = "[[device]]\nname = \"cpu\"\nplace = \"cpu\"\nmemory = \"1GiB\"\nslots = 4\n";

#[test]
fn a_product_goes_to_the_same_image_of_the_job_behind_and_is_freed() {
    let line = line(&format!(
        "{CPU}[[job]]\nname = \"make\"\nkind = \"legacy\"\nneeds = \"cpu\"\nimages = 1000\n\
         inflight = 2\n\
         [[job]]\nname = \"take\"\nkind = \"legacy\"\nneeds = \"cpu\"\nimages = 1000\n\
         after = [{{ job = \"make\", mode = \"stream\", depth = 4 }}]\n"
    ));
    // Counts the products that are alive; each holds a count of itself.
    let alive = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    struct Counted(u32, Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.1.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let (counter, highest) = (alive.clone(), most.clone());
    let make = does(move |task| {
        let now = counter.fetch_add(1, Ordering::SeqCst) + 1;
        highest.fetch_max(now, Ordering::SeqCst);
        Ok(Arc::new(Counted(task.image, counter.clone())))
    });
    let take = does(|task| {
        let Counted(image, _) = &*task.input::<Counted>()?;
        if *image == task.image { Ok(Arc::new(())) } else { Err(format!("got image {image}")) }
    });
    let ran = run(&line, vec![make, take]);
    assert_eq!(ran.troubles, Vec::<String>::new());
    assert_eq!(ran.outcomes, [Some(Outcome::Done); 2]);
    assert_eq!((ran.left, alive.load(Ordering::SeqCst)), (0, 0));
    // Four ready or being made, and one that is being taken.
    let most = most.load(Ordering::SeqCst);
    assert!(most <= 8, "{most} products were in memory at once");
}

#[test]
fn a_tool_that_panics_fails_its_start_and_nothing_else() {
    let line = line(&format!(
        "{CPU}[[job]]\nname = \"bad\"\nneeds = \"cpu\"\nretries = 1\n\
         [[job]]\nname = \"good\"\nneeds = \"cpu\"\nimages = 3\n\
         [[job]]\nname = \"behind\"\nneeds = \"cpu\"\nafter = [\"bad\"]\n"
    ));
    let bad = does(|_| panic!("out of cheese"));
    let fine = || does(|_| Ok(Arc::new(())));
    let ran = run(&line, vec![bad, fine(), fine()]);
    assert_eq!(ran.outcomes[0], Some(Outcome::Failed(lineside_core::Failure::Error)));
    assert_eq!(ran.outcomes[1], Some(Outcome::Done));
    assert!(matches!(ran.outcomes[2], Some(Outcome::Skipped(_))));
    assert_eq!(ran.troubles.len(), 2);
    assert!(ran.troubles.iter().all(|text| text.contains("out of cheese")), "{:?}", ran.troubles);
}

#[test]
fn a_start_that_takes_too_long_is_revoked_and_its_unit_is_free_only_when_the_tool_has_ended() {
    let line = line(
        "[[device]]\nname = \"cpu\"\nplace = \"cpu\"\nmemory = \"1GiB\"\n\
         [[job]]\nname = \"slow\"\nneeds = \"cpu\"\ntimeout = \"20ms\"\n\
         [[job]]\nname = \"next\"\nneeds = \"cpu\"\n",
    );
    let at_once = Arc::new(AtomicUsize::new(0));
    let (one, other) = (at_once.clone(), at_once.clone());
    let slow = does(move |task| {
        one.fetch_add(1, Ordering::SeqCst);
        while !task.is_stopped() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(30));
        one.fetch_sub(1, Ordering::SeqCst);
        Ok(Arc::new(()))
    });
    let next = does(move |_| match other.load(Ordering::SeqCst) {
        0 => Ok(Arc::new(())),
        _ => Err("the unit was leased twice".into()),
    });
    let ran = run(&line, vec![slow, next]);
    let revoked =
        |event: &&Event| matches!(event, Event::Revoke { cause: RevokeCause::Timeout, .. });
    assert_eq!(ran.events.iter().filter(revoked).count(), 1);
    assert_eq!(ran.outcomes[0], Some(Outcome::Failed(lineside_core::Failure::Timeout)));
    assert_eq!(ran.outcomes[1], Some(Outcome::Done));
}

#[test]
fn a_unit_that_is_not_here_is_down_from_the_start() {
    let line = line(&format!(
        "{CPU}[[device]]\nname = \"gpu0\"\nmemory = \"1GiB\"\n\
         [[job]]\nname = \"may\"\nfallback = \"allow\"\n[[job]]\nname = \"must\"\n"
    ));
    let fine = || does(|_| Ok(Arc::new(())));
    let ran = run(&line, vec![fine(), fine()]);
    assert_eq!(ran.outcomes, [Some(Outcome::Done), None]);
    let fell_back = |event: &Event| matches!(event, Event::Grant { fallback: true, .. });
    assert!(ran.events.iter().any(fell_back));
}

#[test]
fn a_unit_that_is_to_blame_goes_down_and_the_job_goes_on_elsewhere() {
    let line = line(
        "[[device]]\nname = \"bad\"\nplace = \"cpu\"\n\
         [[device]]\nname = \"good\"\nplace = \"cpu\"\n\
         [[job]]\nname = \"a\"\nneeds = \"cpu\"\nkind = \"legacy\"\nimages = 4\n",
    );
    struct Blames;
    impl Tool for Blames {
        fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure> {
            match work.units[0].name.as_str() {
                "bad" => Err(Failure::of_units("it fell off the bus".into(), work.unit_ids())),
                _ => Ok(work.nothing()),
            }
        }
    }
    let ran = run(&line, vec![Box::new(Blames)]);
    assert_eq!(ran.outcomes, [Some(Outcome::Done)]);
    let down = |event: &&Event| matches!(event, Event::Unit { unit: UnitId(0), .. });
    assert_eq!(ran.events.iter().filter(down).count(), 1);
    assert_eq!(ran.troubles, ["it fell off the bus"]);
}

#[test]
fn a_thousand_starts_that_fail_at_once_leak_nothing() {
    let line = line(&format!(
        "{CPU}[[job]]\nname = \"a\"\nneeds = \"cpu\"\nkind = \"legacy\"\nimages = 50\n\
         inflight = 4\nthreads = 4\nretries = 999\n"
    ));
    let fails = does(|_| Err("can't be launched".into()));
    let ran = run(&line, vec![fails]);
    assert_eq!(ran.outcomes, [Some(Outcome::Failed(lineside_core::Failure::Error))]);
    let count = |which: fn(&&Event) -> bool| ran.events.iter().filter(which).count();
    let grants = count(|event| matches!(event, Event::Grant { .. }));
    let releases = count(|event| matches!(event, Event::Release { .. }));
    assert!(grants >= 1_000);
    assert_eq!(grants, releases);
}

#[test]
fn what_a_tool_keeps_is_gone_before_another_model_takes_its_place() {
    let line = line(
        "[policy]\nheadroom = 0\n\
         [[device]]\nname = \"cpu\"\nplace = \"cpu\"\nmemory = \"3GiB\"\n\
         [[model]]\nname = \"one\"\nweights = \"2GiB\"\n\
         [[model]]\nname = \"two\"\nweights = \"2GiB\"\n\
         [[job]]\nname = \"a\"\nneeds = \"cpu\"\nmodel = \"one\"\n\
         [[job]]\nname = \"b\"\nneeds = \"cpu\"\nmodel = \"two\"\nafter = [\"a\"]\n",
    );
    /// Keeps something, and takes its time to let go of it.
    struct Keeps(Arc<AtomicUsize>);
    impl Tool for Keeps {
        fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure> {
            match self.0.fetch_add(1, Ordering::SeqCst) {
                0 => Ok(work.nothing()),
                _ => Err("two models at once".to_string().into()),
            }
        }
        fn stays(&self) -> bool {
            true
        }
        fn leave(&self, _: UnitId) -> Result<(), String> {
            std::thread::sleep(Duration::from_millis(20));
            self.0.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
    }
    let kept = Arc::new(AtomicUsize::new(0));
    let keeps = || Box::new(Keeps(kept.clone())) as Box<dyn Tool>;
    let ran = run(&line, vec![keeps(), keeps()]);
    assert_eq!(ran.outcomes, [Some(Outcome::Done); 2]);
    assert_eq!(ran.troubles, Vec::<String>::new());
}
