//! What is said and done while an emulation runs.

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
    clock: Clock,
    /// How the command ended.
    status: Option<ExitStatus>,
    interrupted: Option<Time>,
    /// By which signal it was told to end, the first one.
    stopped_by: Option<i32>,
    late_seconds: u32,
}

impl<'a> Session<'a> {
    pub(super) fn new(arguments: &'a Arguments, stop: &'a Waker) -> Self {
        Self {
            arguments,
            stop,
            screen: Screen::new(arguments.json),
            clock: Clock::start(),
            status: None,
            interrupted: None,
            stopped_by: None,
            late_seconds: 0,
        }
    }

    /// Until the emulation has ended.
    pub(super) fn follow(mut self, heard: &Receiver<Message>) -> Result<ExitCode, Failure> {
        loop {
            match self.next(heard) {
                Ok(Message::Progress(Progress::Second(report))) => self.second(&report)?,
                Ok(Message::Progress(Progress::File(error))) => note(error),
                Ok(Message::Ended(outcome)) => return self.end(&outcome),
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

    fn second(&mut self, report: &Report) -> Result<(), Failure> {
        if self.has_the_screen() || self.arguments.every_second {
            let line = self.screen.second(report);
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

    fn end(&self, outcome: &Outcome) -> Result<ExitCode, Failure> {
        let Outcome { summary, files, failure } = outcome;
        let summarised = self.screen.summary(summary);
        self.print(&summarised)?;
        if summary.is_too_late() {
            note(too_late(summary, "altogether"));
        }
        files.iter().for_each(note);
        if let Some(failure) = failure {
            return Err(Failure::failed(failure));
        }
        Ok(match self.status {
            _ if !files.is_empty() => ExitCode::FAILURE,
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
