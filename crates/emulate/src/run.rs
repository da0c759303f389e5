//! The loop in real time, until it is told to stop.

use crate::emulation::{Emulation, Now};
use crate::statistics::Report;
use arqway_net::{Awaited, Clock, Guest, Interest, Interface, NetError, Next, Ready, Wait, Waker, drive};
use arqway_units::{Span, Time};
use std::os::fd::AsFd;

/// A report comes that often.
const EVERY: Span = Span::from_milliseconds(1000);

/// What it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The word to stop.
    Stop,
    /// Packets of the client.
    Client,
    /// Packets of the server.
    Server,
}

/// What an emulation tells while it runs.
#[derive(Debug)]
pub enum Progress {
    /// What happened in the last second.
    Second(Box<Report>),
    /// A file is not complete; the emulation goes on.
    File(crate::FileError),
}

/// What an emulation has to say at its end.
#[derive(Debug)]
pub struct Outcome {
    /// What happened since the start.
    pub summary: Report,
    /// Files that are not complete.
    pub files: Vec<crate::FileError>,
    /// Why it ended before it was told to.
    pub failure: Option<NetError>,
}

impl Now for Clock {
    fn now(&self) -> Time {
        Self::now(self)
    }
}

/// An emulation as a guest of the event loop.
struct Running<'s, T> {
    emulation: Emulation<Interface, Clock>,
    stop: &'s Waker,
    tell: T,
    report_at: Time,
    /// What the wait is for, where there is one.
    until: Option<Time>,
    is_over: bool,
}

impl Emulation<Interface, Clock> {
    /// Runs until `stop` is woken, or an interface is gone.
    pub fn run(self, stop: &Waker, tell: impl FnMut(Progress)) -> Outcome {
        let clock = *self.clock();
        let report_at = Time::ZERO + EVERY;
        let mut running = Running { emulation: self, stop, tell, report_at, until: None, is_over: false };
        let failure = Wait::new().and_then(|wait| {
            // Without the right to it, lateness is what it is, and is told.
            let _ = wait.prefer_this_thread();
            drive(&mut running, &wait, &clock)
        });
        let (summary, files) = running.emulation.finish();
        Outcome { summary, files, failure: failure.err() }
    }
}

impl<T: FnMut(Progress)> Guest for Running<'_, T> {
    type Source = Source;

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn turn(&mut self, _: Time) -> Result<Next, NetError> {
        let next = self.emulation.turn()?;
        let now = self.emulation.clock().now();
        if now >= self.report_at {
            (self.tell)(Progress::Second(Box::new(self.emulation.report())));
            if let Some(failed) = self.emulation.failed_file() {
                (self.tell)(Progress::File(failed));
            }
            // A second that was missed altogether has no report of its own.
            while self.report_at <= now {
                self.report_at += EVERY;
            }
        }
        self.until = match next {
            Next::Turn => None,
            Next::Wait(due) => Some(due.map_or(self.report_at, |due| due.min(self.report_at))),
        };
        Ok(self.until.map_or(Next::Turn, |until| Next::Wait(Some(until))))
    }

    fn awaited(&self) -> impl AsRef<[Awaited<'_, Source>]> {
        let [client, server] = self.emulation.ends();
        let all =
            [(Source::Stop, self.stop.as_fd()), (Source::Client, client.as_fd()), (Source::Server, server.as_fd())];
        all.map(|(name, descriptor)| Awaited { name, descriptor, interest: Interest::Read })
    }

    fn woken(&mut self, ready: &Ready<Source>, _: Time) {
        self.is_over = ready.has(Source::Stop);
        if let Some(until) = self.until.filter(|_| ready.is_empty()) {
            self.emulation.woken_for(until);
        }
    }
}
