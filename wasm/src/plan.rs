//! A line, planned within a budget.

use lineside_backends::{Driver, Sim, Tables, Workload};
use lineside_core::{JobId, Outcome};
use lineside_line::{Line, NoFiles, read};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::columns::{Columns, Recorder};
use crate::{json, line_json, problems, replay, why};

/// How far a plan may go.
pub struct Budget<'b> {
    /// Events at most.
    pub events: usize,
    /// Asked from time to time: may it go on?
    pub go_on: &'b mut dyn FnMut() -> bool,
}

/// Rounds between two questions whether to go on.
const ROUNDS: u32 = 256;

/// A line file that was read, and planned if it is not refused.
///
/// ```
/// use lineside_wasm::{Budget, Plan};
///
/// let text = "[[device]]\nname = \"gpu0\"\n[[job]]\nname = \"a\"\ntime = \"2ms\"\n";
/// let plan = Plan::make(text, &mut Budget { events: 1000, go_on: &mut || true });
/// assert_eq!(plan.columns().t.last(), Some(&2_000_000));
/// assert!(plan.trace().starts_with(r#"{"t":0,"ev":"ready","job":"a","ticket":0}"#));
/// ```
#[wasm_bindgen]
#[derive(Debug)]
pub struct Plan {
    problems: String,
    pub(crate) line: Line,
    pub(crate) workload: Workload,
    pub(crate) columns: Columns,
    refused: bool,
    stopped: Stopped,
    /// Jobs that have not ended, though nothing is pending any more.
    stuck: Vec<u32>,
    exit_code: u8,
}

/// Why a plan is not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stopped {
    No,
    Events,
    Time,
}

impl Plan {
    /// Reads and plans a line file.
    pub fn make(text: &str, budget: &mut Budget<'_>) -> Plan {
        let read = read(text, &NoFiles);
        let problems = problems::json(text, &read);
        let refused = read.is_err();
        let line = read.map(|checked| checked.line).unwrap_or_default();
        let workload = Workload::from_line(&line);
        let mut plan = Plan {
            problems,
            line,
            workload,
            columns: Columns::default(),
            refused,
            stopped: Stopped::No,
            stuck: Vec::new(),
            exit_code: if refused { 2 } else { 0 },
        };
        if !refused {
            plan.run(budget);
        }
        plan
    }

    /// The trace.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    fn run(&mut self, budget: &mut Budget<'_>) {
        let mut tables = Tables::for_workload(&self.workload);
        let mut recorder = Recorder::new(self.line.units.len(), None);
        let sim = Sim::new(&self.workload);
        let mut driver = Driver::new(&self.workload, tables.storage(), sim, &mut recorder)
            .expect("a checked line fits the tables that were made for it");
        let mut rounds = 0_u32;
        while driver.round(&mut recorder) {
            rounds = rounds.wrapping_add(1);
            if recorder.columns.t.len() > budget.events {
                self.stopped = Stopped::Events;
                break;
            }
            if rounds.is_multiple_of(ROUNDS) && !(budget.go_on)() {
                self.stopped = Stopped::Time;
                break;
            }
        }
        for job in 0..self.line.jobs.len() as u32 {
            match driver.scheduler().outcome(JobId { index: job, generation: 0 }) {
                Ok(Some(Outcome::Done)) | Err(_) => {}
                Ok(Some(_)) => self.exit_code = self.exit_code.max(1),
                Ok(None) if self.stopped == Stopped::No => {
                    self.exit_code = 3;
                    self.stuck.push(job);
                }
                Ok(None) => {}
            }
        }
        self.columns = recorder.columns;
    }

    /// How often a job was granted units up to and with an instant.
    fn grants_of(&self, job: &str, until: u64) -> u32 {
        let Some(job) = self.line.jobs.iter().position(|other| other.name == job) else { return 0 };
        let Columns { t, ev, who, .. } = &self.columns;
        let rows = (0..t.len()).take_while(|&at| t[at] <= until);
        rows.filter(|&at| ev[at] == 2 && who[at] as usize == job).count() as u32
    }
}

#[wasm_bindgen]
impl Plan {
    /// As `lineside check --json`, with `from` and `to` in UTF-16.
    #[wasm_bindgen(getter)]
    pub fn problems(&self) -> String {
        self.problems.clone()
    }

    /// Is the file refused?
    #[wasm_bindgen(getter)]
    pub fn refused(&self) -> bool {
        self.refused
    }

    /// Why the plan is not whole: empty, `events` or `time`.
    #[wasm_bindgen(getter)]
    pub fn stopped(&self) -> String {
        match self.stopped {
            Stopped::No => "",
            Stopped::Events => "events",
            Stopped::Time => "time",
        }
        .to_owned()
    }

    /// The exit code of `lineside plan`.
    #[wasm_bindgen(getter, js_name = exitCode)]
    pub fn exit_code(&self) -> u8 {
        self.exit_code
    }

    /// The jobs that have not ended though nothing is pending.
    #[wasm_bindgen(getter)]
    pub fn stuck(&self) -> Vec<u32> {
        self.stuck.clone()
    }

    /// Units, jobs, models, streams and policy of the line, as JSON.
    #[wasm_bindgen(getter)]
    pub fn line(&self) -> String {
        line_json::text(&self.line)
    }

    /// Time of each event, in nanoseconds.
    #[wasm_bindgen(getter)]
    pub fn t(&self) -> Vec<f64> {
        self.columns.t.iter().map(|&t| t as f64).collect()
    }

    /// What each event is: index into `EVENTS`.
    #[wasm_bindgen(getter)]
    pub fn ev(&self) -> Vec<u8> {
        self.columns.ev.clone()
    }

    /// Job or unit of each event.
    #[wasm_bindgen(getter)]
    pub fn who(&self) -> Vec<u32> {
        self.columns.who.clone()
    }

    /// Lease of each event.
    #[wasm_bindgen(getter)]
    pub fn lease(&self) -> Vec<u32> {
        self.columns.lease.clone()
    }

    /// Ticket, model, first image, cause or state of each event.
    #[wasm_bindgen(getter)]
    pub fn a(&self) -> Vec<u32> {
        self.columns.a.clone()
    }

    /// Flags, images or cause of each event.
    #[wasm_bindgen(getter)]
    pub fn b(&self) -> Vec<u32> {
        self.columns.b.clone()
    }

    /// The units of all leases.
    #[wasm_bindgen(getter)]
    pub fn held(&self) -> Vec<u32> {
        self.columns.held.clone()
    }

    /// The slot of each of them.
    #[wasm_bindgen(getter)]
    pub fn slot(&self) -> Vec<u32> {
        self.columns.slot.clone()
    }

    /// Where each lease ends in `held`.
    #[wasm_bindgen(getter, js_name = heldEnd)]
    pub fn held_end(&self) -> Vec<u32> {
        self.columns.held_end.clone()
    }

    /// The rule that put each lease first.
    #[wasm_bindgen(getter)]
    pub fn order(&self) -> Vec<u8> {
        self.columns.order.clone()
    }

    /// The rule that chose each lease's unit.
    #[wasm_bindgen(getter)]
    pub fn placement(&self) -> Vec<u8> {
        self.columns.placement.clone()
    }

    /// The text of the trace.
    pub fn trace(&self) -> String {
        self.columns.trace(&self.line)
    }

    /// What `lineside plan --hash` prints.
    pub fn hash(&self) -> String {
        self.columns.hash(&self.line)
    }

    /// Why things are as they are after so many events, at a time: the reasons of the grants of
    /// the last instant, what each job waits for, and what each unit says to one job. As JSON.
    pub fn why(&self, events: u32, t: f64, job: Option<u32>) -> String {
        json::text(&replay::replay(self, events, |scheduler, reasons| {
            why::look(&self.line, scheduler, reasons, t as u64, job)
        }))
    }

    /// How often a job was granted units up to and with an instant.
    pub fn grants(&self, job: &str, until: f64) -> u32 {
        self.grants_of(job, until as u64)
    }
}

/// Reads and plans a line file; `go_on` is asked from time to time.
#[wasm_bindgen]
pub fn plan(text: &str, events: u32, go_on: &js_sys::Function) -> Plan {
    let nothing = wasm_bindgen::JsValue::NULL;
    let mut go_on = || go_on.call0(&nothing).is_ok_and(|answer| answer.is_truthy());
    Plan::make(text, &mut Budget { events: events as usize, go_on: &mut go_on })
}
