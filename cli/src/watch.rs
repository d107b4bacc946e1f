//! `lineside run --watch`: the line on a full screen while it runs.

mod draw;
mod view;

use std::io::{Stderr, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lineside_backends::Observer;
use lineside_core::{Event, Reason, Scheduler};
use lineside_line::Line;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{ExecutableCommand, cursor};

use crate::Refusal;
use crate::words::Words;
use view::View;

/// Often enough for the eye; also how long a key may wait.
const FRAME: Duration = Duration::from_millis(100);

/// Looks on for another observer, and shows what happens.
pub(crate) struct Watch<'l, O> {
    pub(crate) inner: O,
    words: Words<'l>,
    view: Arc<Mutex<View>>,
    looked: Option<Instant>,
    screen: Option<Screen>,
}

/// The thread that draws, and listens to keys.
struct Screen {
    over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl<'l, O> Watch<'l, O> {
    /// Takes over the terminal. `interrupt` does what Ctrl-C does elsewhere, and says it.
    pub(crate) fn new(
        line: &'l Line,
        inner: O,
        interrupt: impl Fn() -> &'static str + Send + 'static,
    ) -> Result<Self, Refusal> {
        let view = Arc::new(Mutex::new(View::new(line)));
        let over = Arc::new(AtomicBool::new(false));
        let terminal = take_terminal()
            .map_err(|error| Refusal(format!("error: can't draw on this terminal: {error}")))?;
        let (shared, is_over) = (view.clone(), over.clone());
        let thread = std::thread::spawn(move || show(terminal, &shared, &is_over, interrupt));
        let screen = Some(Screen { over, thread });
        Ok(Watch { inner, words: Words::new(line), view, looked: None, screen })
    }

    /// Asks why those in the queue wait; not in every round, for that costs some time.
    pub(crate) fn look(&mut self, scheduler: &mut Scheduler<'_>) {
        if self.looked.is_some_and(|looked| looked.elapsed() < FRAME) {
            return;
        }
        self.looked = Some(Instant::now());
        let queue = lock(&self.view).queue();
        let now = scheduler.now();
        let reasons = queue.into_iter().filter_map(|job| {
            let wait = scheduler.why(now, job).ok()?;
            Some((job, self.words.wait_in_full(scheduler, job, &wait)))
        });
        let reasons = reasons.collect();
        lock(&self.view).set_reasons(reasons);
    }

    /// Says something to whoever looks on.
    pub(crate) fn say(&self, text: &str) {
        lock(&self.view).say(text);
    }

    /// Leaves the terminal as it was.
    pub(crate) fn finish(mut self) -> O {
        if let Some(screen) = self.screen.take() {
            screen.over.store(true, Ordering::Relaxed);
            // If it has panicked, the terminal was given back by then.
            let _ = screen.thread.join();
        }
        self.inner
    }
}

impl<O: Observer> Observer for Watch<'_, O> {
    fn event(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        self.inner.event(scheduler, event);
        lock(&self.view).event(scheduler, event);
    }

    fn wants_reasons(&self) -> bool {
        self.inner.wants_reasons()
    }

    fn reason(&mut self, reason: Reason) {
        self.inner.reason(reason);
    }
}

fn lock(view: &Mutex<View>) -> MutexGuard<'_, View> {
    view.lock().unwrap_or_else(PoisonError::into_inner)
}

type Tty = Terminal<CrosstermBackend<Stderr>>;

/// On stderr: stdout is for data.
fn take_terminal() -> std::io::Result<Tty> {
    enable_raw_mode()?;
    let taken = stderr()
        .execute(EnterAlternateScreen)
        .map(|_| ())
        .and_then(|()| Terminal::new(CrosstermBackend::new(stderr())));
    if taken.is_err() {
        give_terminal_back();
    }
    taken
}

fn give_terminal_back() {
    // There is nobody to tell if the terminal is gone.
    let _ = stderr().execute(LeaveAlternateScreen).and_then(|out| out.execute(cursor::Show));
    let _ = disable_raw_mode();
}

/// Gives the terminal back, also after a panic.
struct GiveBack;

impl Drop for GiveBack {
    fn drop(&mut self) {
        give_terminal_back();
    }
}

fn show(
    mut terminal: Tty,
    view: &Mutex<View>,
    over: &AtomicBool,
    interrupt: impl Fn() -> &'static str,
) {
    let _give_back = GiveBack;
    let began = Instant::now();
    let mut asked = 0;
    let mut ask = || {
        asked += 1;
        if asked == 3 {
            // It does not come back from this.
            give_terminal_back();
        }
        let told = interrupt();
        lock(view).say(told);
    };
    while !over.load(Ordering::Relaxed) {
        let now = began.elapsed().as_nanos().try_into().unwrap_or(u64::MAX);
        let drawn = terminal.draw(|frame| draw::draw(frame, &mut lock(view), now));
        // A terminal that is gone ends nothing: the line runs on.
        if drawn.is_err() {
            return;
        }
        while event::poll(FRAME).unwrap_or(false) {
            let Ok(event::Event::Key(key)) = event::read() else { break };
            if key.kind == KeyEventKind::Release {
                continue;
            }
            let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
            match key.code {
                KeyCode::Char('c') if is_control => ask(),
                KeyCode::Char('q') => ask(),
                KeyCode::Down | KeyCode::Char('j') => lock(view).scroll(1),
                KeyCode::Up | KeyCode::Char('k') => lock(view).scroll(-1),
                _ => {}
            }
            break;
        }
    }
}
