//! `lineside explain`: plans a line and says why a job waits, and why it went where it went.

use lineside_backends::{Driver, Observer, Sim, Tables, Workload};
use lineside_core::{Event, JobId, Nanos, Reason, Scheduler, Wait};
use lineside_line::Line;
use lineside_line::quantity::{duration, show_duration};

use crate::arguments::Explain;
use crate::words::{Words, printable};
use crate::{DONE, Refusal, file, terminal};

/// Jobs that are followed at once without being named.
const MOST: usize = 1_000;

pub(crate) fn explain(arguments: &Explain) -> Result<u8, Refusal> {
    let file = file::open(&arguments.file)?;
    let line = &file.checked.line;
    let until = arguments.at.as_deref().map(time).transpose()?;
    let followed = match &arguments.job {
        Some(name) => vec![find(line, name)?],
        None if line.jobs.len() <= MOST => (0..line.jobs.len() as u32).collect(),
        None => {
            let text = format!("error: the line has {} jobs: name one", line.jobs.len());
            return Err(Refusal(text));
        }
    };
    let histories = follow(line, &followed, until);
    let text = if arguments.json {
        json_text(line, &histories)
    } else if arguments.job.is_some() {
        history_text(line, &histories[0], until)
    } else {
        all_text(line, &histories, until)
    };
    terminal::print(&text)?;
    Ok(DONE)
}

fn time(text: &str) -> Result<Nanos, Refusal> {
    let help = "write a whole number and ns, us, ms, s, m or h, like 12ms or 1m30s";
    duration(text).map_err(|_| Refusal(format!("error: --at {text} is no time\nhelp: {help}")))
}

fn find(line: &Line, name: &str) -> Result<u32, Refusal> {
    let found = line.jobs.iter().position(|job| job.name == name);
    found.map(|at| at as u32).ok_or_else(|| {
        let names: Vec<_> = line.jobs.iter().take(20).map(|job| printable(&job.name)).collect();
        let name = printable(name);
        Refusal(format!("error: no job `{name}`; there are: {}", names.join(", ")))
    })
}

/// What one job went through.
struct History {
    job: u32,
    steps: Vec<Step>,
}

/// From this time on, this was so.
struct Step {
    from: Nanos,
    to: Nanos,
    text: String,
    waits: bool,
}

/// Remembers the last grant of each followed job, and why it was made.
struct Grants<'l> {
    words: Words<'l>,
    why: String,
    made: Vec<(u32, String)>,
}

impl Observer for Grants<'_> {
    fn event(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        if let Event::Grant { job, lease, fallback, cold, .. } = event {
            let units = scheduler.units_of(lease).into_iter().flatten();
            let units: Vec<_> = units.map(|unit| self.words.unit(unit)).collect();
            let mut text = format!("granted {}", units.join(", "));
            if fallback {
                text += ", as a fallback";
            }
            if cold {
                text += ", cold";
            }
            text += ": ";
            text += &self.why;
            self.made.push((job.index, text));
        }
    }

    fn wants_reasons(&self) -> bool {
        true
    }

    fn reason(&mut self, reason: Reason) {
        self.why = self.words.reason(&reason);
    }
}

/// Plans the line up to a time, and asks after every round what each job waits for.
fn follow(line: &Line, followed: &[u32], until: Option<Nanos>) -> Vec<History> {
    let words = Words::new(line);
    let workload = Workload::from_line(line);
    let mut tables = Tables::for_workload(&workload);
    let mut grants = Grants { words, why: String::new(), made: Vec::new() };
    let sim = Sim::new(&workload);
    let mut driver = Driver::new(&workload, tables.storage(), sim, &mut grants)
        .expect("a checked line fits the tables that were made for it");
    let mut histories: Vec<History> =
        followed.iter().map(|&job| History { job, steps: Vec::new() }).collect();
    while driver.round(&mut grants) {
        let now = driver.scheduler().now();
        if until.is_some_and(|until| now > until) {
            break;
        }
        for history in &mut histories {
            let own = history.job;
            for (_, text) in grants.made.iter().filter(|(job, _)| *job == own) {
                history.add(now, text.clone(), false);
            }
            let job = JobId { index: history.job, generation: 0 };
            // No job is removed from a plan.
            let Ok(wait) = driver.scheduler_mut().why(now, job) else { continue };
            let text = words.wait_in_full(driver.scheduler(), job, &wait);
            let waits = !matches!(wait, Wait::Ended | Wait::Running | Wait::Arrival);
            history.add(now, text, waits);
        }
        grants.made.clear();
    }
    histories
}

impl History {
    /// Goes on with the last step if nothing has changed.
    fn add(&mut self, now: Nanos, text: String, waits: bool) {
        if let Some(last) = self.steps.last_mut() {
            last.to = now;
            if last.text == text {
                return;
            }
        }
        self.steps.push(Step { from: now, to: now, text, waits });
    }

    fn longest_wait(&self) -> Option<&Step> {
        let waits = self.steps.iter().filter(|step| step.waits && step.to > step.from);
        waits.max_by_key(|step| step.to - step.from)
    }
}

fn history_text(line: &Line, history: &History, until: Option<Nanos>) -> String {
    let mut text = format!("{}\n", printable(&line.jobs[history.job as usize].name));
    for step in &history.steps {
        text += &format!("  {:>10}  {}\n", show_duration(step.from), step.text);
    }
    if history.steps.is_empty() {
        let when = until.map_or(String::new(), |until| format!(" up to {}", show_duration(until)));
        text += &format!("  nothing happens{when}\n");
    }
    text
}

fn all_text(line: &Line, histories: &[History], until: Option<Nanos>) -> String {
    let mut all = String::new();
    for history in histories {
        let name = printable(&line.jobs[history.job as usize].name);
        let text = match (until, history.steps.last(), history.longest_wait()) {
            (Some(_), Some(last), _) => last.text.clone(),
            (None, _, Some(longest)) => format!(
                "longest wait {} (from {}): {}",
                show_duration(longest.to - longest.from),
                show_duration(longest.from),
                longest.text
            ),
            (Some(_), None, _) => "has not arrived".to_owned(),
            (None, _, None) => "never waits".to_owned(),
        };
        all += &format!("{name}: {text}\n");
    }
    all
}

fn json_text(line: &Line, histories: &[History]) -> String {
    let step = |step: &Step| {
        serde_json::json!({
            "from_ns": step.from, "to_ns": step.to, "waits": step.waits, "text": step.text,
        })
    };
    let history = |history: &History| {
        let steps: Vec<_> = history.steps.iter().map(step).collect();
        serde_json::json!({ "job": line.jobs[history.job as usize].name, "steps": steps })
    };
    let jobs: Vec<_> = histories.iter().map(history).collect();
    serde_json::to_string_pretty(&jobs).unwrap_or_default() + "\n"
}
