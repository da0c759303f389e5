//! `arqway top [LINK]`: a live view of the tunnels that run, in the terminal.
//!
//! ```text
//!     each second   status, flows  ->  history of the last minutes  ->  screen      until `q`
//! ```
//!
//! | file | what |
//! | --- | --- |
//! | `history.rs` | what was seen of each tunnel lately |
//! | `screen/` | how that is drawn |

mod history;
mod screen;

use crate::failure::Failure;
use crate::signals;
use crate::tunnel_status::{failure, not_understood};
use arqway_net::Clock;
use arqway_tunnel::{Answers, AskError, FlowsStatus, Status, ask, running};
use arqway_units::Span;
use history::History;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::io::{IsTerminal as _, stdin, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const EXAMPLES: &str =
    "Keys: `q` ends it, `p` stops the picture and goes on, the arrows and Page Up, Page Down move it.

Examples:
  arqway top                         all tunnels of this network namespace
  arqway top home                    the tunnel of home.toml
  arqway status home --watch --json  the same for whoever reads from a pipe";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The interface of a tunnel that runs in this network namespace [default: all of them]
    #[arg(value_name = "LINK")]
    link: Option<String>,
}

/// How often it looks.
const INTERVAL: Span = Span::from_milliseconds(1000);
/// How long a key is waited for at a time: whoever ends it by a signal waits no longer.
const PATIENCE: Span = Span::from_milliseconds(100);

pub(crate) fn main(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(Failure::Usage(
            "`arqway top` needs a terminal; `arqway status --watch` prints to a file or a pipe".to_owned(),
        ));
    }
    let clock = Clock::start();
    let mut view = View::new(arguments.link.clone());
    // What is asked for in vain is said before the screen is taken.
    view.look()?;
    let ends = Arc::new(AtomicBool::new(false));
    let (interrupted, terminated) = (Arc::clone(&ends), Arc::clone(&ends));
    signals::watch(
        move || interrupted.store(true, Ordering::Relaxed),
        move |_| terminated.store(true, Ordering::Relaxed),
    )?;
    let mut terminal = ratatui::try_init()?;
    let shown = show(&mut terminal, &mut view, &clock, &ends);
    ratatui::try_restore()?;
    shown.map(|()| ExitCode::SUCCESS)
}

/// Shows what there is until somebody wants no more.
fn show(terminal: &mut DefaultTerminal, view: &mut View, clock: &Clock, ends: &AtomicBool) -> Result<(), Failure> {
    let mut looked_at = clock.now();
    while !ends.load(Ordering::Relaxed) {
        if !view.is_paused && clock.now() >= looked_at + INTERVAL {
            looked_at = clock.now();
            view.look()?;
        }
        terminal.draw(|frame| screen::draw(frame, view))?;
        let wait = Duration::from_nanos(PATIENCE.as_nanoseconds());
        while event::poll(if ends.load(Ordering::Relaxed) { Duration::ZERO } else { wait })? {
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release && !view.press(key) => return Ok(()),
                // What follows may be more of it.
                Event::Key(_) => {}
                _ => break,
            }
            terminal.draw(|frame| screen::draw(frame, view))?;
        }
    }
    Ok(())
}

/// What is looked at, and how.
#[derive(Debug)]
struct View {
    /// One tunnel, or all.
    link: Option<String>,
    history: History,
    is_paused: bool,
    /// How many rows are above the screen.
    scrolled: u16,
    /// How many rows there are, and how many of them fit.
    rows: (u16, u16),
}

impl View {
    fn new(link: Option<String>) -> Self {
        Self { link, history: History::default(), is_paused: false, scrolled: 0, rows: (0, 0) }
    }

    /// A key; whether it goes on.
    fn press(&mut self, key: KeyEvent) -> bool {
        let page = self.rows.1.saturating_sub(2).max(1);
        let most = self.rows.0.saturating_sub(self.rows.1);
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return false,
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return false,
            KeyCode::Char('p' | ' ') => self.is_paused = !self.is_paused,
            KeyCode::Up => self.scrolled = self.scrolled.saturating_sub(1),
            KeyCode::Down => self.scrolled += 1,
            KeyCode::PageUp => self.scrolled = self.scrolled.saturating_sub(page),
            KeyCode::PageDown => self.scrolled += page,
            KeyCode::Home => self.scrolled = 0,
            KeyCode::End => self.scrolled = most,
            _ => {}
        }
        self.scrolled = self.scrolled.min(most);
        true
    }

    /// Asks the tunnels.
    fn look(&mut self) -> Result<(), Failure> {
        let links = match &self.link {
            Some(link) => vec![link.clone()],
            None => running().map_err(|error| Failure::Failed(format!("cannot look for tunnels: {error}")))?,
        };
        self.history.keep_only(&links);
        for link in links {
            match asked(&link) {
                Ok(told) => {
                    let (status, flows) = told.map_err(|error| not_understood(&link, &error))?;
                    self.history.add(link, status, flows);
                }
                // One that has ended since its name was read is no news.
                Err(AskError::NotRunning(_)) if self.link.is_none() => {}
                Err(error) => return Err(failure(error)),
            }
        }
        Ok(())
    }
}

/// What a tunnel says of itself and of the flows in it.
fn asked(link: &str) -> Result<serde_json::Result<(Status, FlowsStatus)>, AskError> {
    let status = ask(link, "status").and_then(Answers::only)?;
    let flows = ask(link, "flows").and_then(Answers::only)?;
    Ok(serde_json::from_str(&status).and_then(|status| Ok((status, serde_json::from_str(&flows)?))))
}
