//! What is said and done while emulations run, one of each link.

use super::screen::{self, Screen};
use super::{Arguments, Message};
use crate::failure::Failure;
use crate::terminal::{note, print};
use arqway_emulate::{Outcome, Progress, Report, TOO_LATE};
use arqway_net::{Clock, Waker};
use arqway_units::{Span, Time};
use signal_hook::consts::SIGINT;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// A second Ctrl-C within this time ends a command that took no notice of the first.
const IMPATIENCE: Span = Span::from_milliseconds(2000);
/// That a machine is too slow is said again after so many seconds of it.
const REMIND: u32 = 10;

/// An emulation, as the thread sees it that talks to the user.
pub(super) struct Session<'a> {
    arguments: &'a Arguments,
    stop: &'a Waker,
    screen: Screen,
    /// What has become of each link, once it has ended.
    ended: Vec<Option<Box<Outcome>>>,
    clock: Clock,
    /// How the command ended.
    status: Option<ExitStatus>,
    interrupted: Option<Time>,
    /// By which signal it was told to end, the first one.
    stopped_by: Option<i32>,
    late_seconds: u32,
}

impl<'a> Session<'a> {
    pub(super) fn new(arguments: &'a Arguments, stop: &'a Waker, links: Vec<String>) -> Self {
        Self {
            arguments,
            stop,
            ended: links.iter().map(|_| None).collect(),
            screen: Screen::new(arguments.json, links),
            clock: Clock::start(),
            status: None,
            interrupted: None,
            stopped_by: None,
            late_seconds: 0,
        }
    }

    /// Until all have ended, as they do with the first.
    pub(super) fn follow(mut self, heard: &Receiver<Message>) -> Result<ExitCode, Failure> {
        loop {
            match self.next(heard) {
                Ok(Message::Progress(link, Progress::Second(report))) => self.second(link, &report)?,
                Ok(Message::Progress(_, Progress::File(error))) => note(error),
                Ok(Message::Ended(link, outcome)) => {
                    self.stop.wake();
                    self.ended[link] = Some(outcome);
                    if self.ended.iter().all(Option::is_some) {
                        return self.end();
                    }
                }
                Ok(Message::Command(ended)) => {
                    self.status = Some(ended?);
                    self.stop.wake();
                }
                Ok(Message::Interrupt) => self.interrupt(),
                Ok(Message::Terminate(signal)) => self.stop(signal),
                Err(_) => self.stop.wake(),
            }
        }
    }

    /// What comes next, or that the time is up.
    fn next(&self, heard: &Receiver<Message>) -> Result<Message, RecvTimeoutError> {
        let left = self.arguments.length.map(|length| length - self.clock.now().since(Time::ZERO));
        match left.filter(|left| *left > Span::ZERO) {
            Some(left) => heard.recv_timeout(Duration::from_nanos(left.as_nanoseconds())),
            // Without an end, or after it, when only the emulation has something to say.
            None => {
                if left.is_some() {
                    self.stop.wake();
                }
                heard.recv().map_err(|_| RecvTimeoutError::Disconnected)
            }
        }
    }

    fn second(&mut self, link: usize, report: &Report) -> Result<(), Failure> {
        if self.has_the_screen() || self.arguments.every_second {
            let line = self.screen.second(link, report);
            self.print(&line)?;
        }
        if report.is_too_late() {
            if self.late_seconds.is_multiple_of(REMIND) {
                note(too_late(report, "in the last second"));
            }
            self.late_seconds += 1;
        }
        Ok(())
    }

    /// Ctrl-C is the command's where there is one, and ours where that takes no notice.
    fn interrupt(&mut self) {
        let now = self.clock.now();
        let again = self.interrupted.replace(now).is_some_and(|before| now.since(before) <= IMPATIENCE);
        if again || self.has_the_screen() {
            self.stop(SIGINT);
        }
    }

    /// Ends it, which takes no time; whoever asks once more would leave namespaces behind.
    fn stop(&mut self, signal: i32) {
        self.stopped_by.get_or_insert(signal);
        self.stop.wake();
    }

    fn end(mut self) -> Result<ExitCode, Failure> {
        let outcomes: Vec<_> = self.ended.drain(..).flatten().collect();
        for (link, outcome) in outcomes.iter().enumerate() {
            let Outcome { summary, files, .. } = &**outcome;
            self.print(&self.screen.summary(link, summary))?;
            if summary.is_too_late() {
                note(too_late(summary, "altogether"));
            }
            files.iter().for_each(note);
        }
        let has_lost_files = outcomes.iter().any(|outcome| !outcome.files.is_empty());
        if let Some(failure) = outcomes.into_iter().find_map(|outcome| outcome.failure) {
            return Err(Failure::failed(failure));
        }
        Ok(match self.status {
            _ if has_lost_files => ExitCode::FAILURE,
            Some(status) => exit_code(status),
            None => self.stopped_by.map_or(ExitCode::SUCCESS, by_signal),
        })
    }

    /// Whether stdout is ours: a command's is its own.
    fn has_the_screen(&self) -> bool {
        self.arguments.command.is_empty()
    }

    fn print(&self, text: &str) -> Result<(), Failure> {
        if self.has_the_screen() {
            print(text)?;
        } else {
            note(text.trim_end());
        }
        Ok(())
    }
}

fn too_late(report: &Report, when: &str) -> String {
    let p99 = screen::milliseconds(report.lateness.p99_s);
    let overruns = match report.overruns {
        0 => String::new(),
        overruns => format!(", and {overruns} packets were lost before they reached the link"),
    };
    format!(
        "this machine is too slow for this link {when}: 1 packet in 100 was more than {p99} late (expected {TOO_LATE}){overruns}"
    )
}

/// That of the command; of one that a signal ended, as a shell gives it.
fn exit_code(status: ExitStatus) -> ExitCode {
    status.code().or(status.signal().map(|signal| 128 + signal)).map_or(ExitCode::FAILURE, code)
}

fn by_signal(signal: i32) -> ExitCode {
    code(128 + signal)
}

fn code(code: i32) -> ExitCode {
    u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
}
