//! Who looks on while a line runs: bars, or the whole screen. Both write down what happens.

use std::io::IsTerminal;

use lineside_backends::Observer;
use lineside_core::{Event, Reason, Scheduler};
use lineside_line::Line;
use lineside_report::Record;

use super::interrupt::Interrupts;
use crate::progress::Progress;
use crate::recorder::Recorder;
use crate::watch::Watch;
use crate::words::Words;
use crate::{Refusal, terminal};

/// How a run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    /// A bar for each job, on a terminal.
    Bars,
    /// The whole screen.
    Screen,
}

impl Show {
    /// What was asked for, if the terminal can do it.
    pub(crate) fn wanted(watch: bool) -> Result<Self, Refusal> {
        match watch {
            true if !std::io::stderr().is_terminal() => {
                Err(Refusal("error: `--watch` needs a terminal; leave it out".to_owned()))
            }
            true => Ok(Show::Screen),
            false => Ok(Show::Bars),
        }
    }
}

pub(crate) enum Onlooker<'l> {
    Bars(Progress<Recorder<'l>>),
    Screen(Watch<'l, Recorder<'l>>),
}

impl<'l> Onlooker<'l> {
    pub(crate) fn new(
        line: &'l Line,
        show: Show,
        interrupts: &Interrupts,
    ) -> Result<Self, Refusal> {
        let recorder = Recorder::new(Some(Words::new(line)));
        match show {
            Show::Bars => Ok(Onlooker::Bars(Progress::new(line, recorder))),
            Show::Screen => {
                let interrupts = interrupts.clone();
                let ask = move || interrupts.ask();
                Watch::new(line, recorder, ask).map(Onlooker::Screen)
            }
        }
    }

    /// Has a look at who waits, and why.
    pub(crate) fn look(&mut self, scheduler: &mut Scheduler<'_>) {
        match self {
            Onlooker::Bars(_) => {}
            Onlooker::Screen(watch) => watch.look(scheduler),
        }
    }

    /// Says something to whoever looks on.
    pub(crate) fn say(&self, text: &str) {
        match self {
            Onlooker::Bars(_) => terminal::talk(&format!("{text}\n")),
            Onlooker::Screen(watch) => watch.say(text),
        }
    }

    /// Leaves the terminal as it was.
    pub(crate) fn finish(self) -> Record {
        match self {
            Onlooker::Bars(bars) => bars.finish().record,
            Onlooker::Screen(watch) => watch.finish().record,
        }
    }
}

impl Observer for Onlooker<'_> {
    fn event(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        match self {
            Onlooker::Bars(bars) => bars.event(scheduler, event),
            Onlooker::Screen(watch) => watch.event(scheduler, event),
        }
    }

    fn wants_reasons(&self) -> bool {
        match self {
            Onlooker::Bars(bars) => bars.wants_reasons(),
            Onlooker::Screen(watch) => watch.wants_reasons(),
        }
    }

    fn reason(&mut self, reason: Reason) {
        match self {
            Onlooker::Bars(bars) => bars.reason(reason),
            Onlooker::Screen(watch) => watch.reason(reason),
        }
    }
}
