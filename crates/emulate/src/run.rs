//! The loop in real time, until it is told to stop.

use crate::emulation::{Emulation, Next, Now};
use crate::statistics::Report;
use arqway_net::{Awaited, Clock, Interest, Interface, NetError, Wait, Waker};
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

impl Emulation<Interface, Clock> {
    /// Runs until `stop` is woken, or an interface is gone.
    pub fn run(mut self, stop: &Waker, mut tell: impl FnMut(Progress)) -> Outcome {
        let failure = self.until_stopped(stop, &mut tell).err();
        let (summary, files) = self.finish();
        Outcome { summary, files, failure }
    }

    fn until_stopped(&mut self, stop: &Waker, tell: &mut impl FnMut(Progress)) -> Result<(), NetError> {
        let (wait, clock) = (Wait::new()?, *self.clock());
        // Without the right to it, lateness is what it is, and is told.
        let _ = wait.prefer_this_thread();
        let mut report_at = Time::ZERO + EVERY;
        loop {
            let next = self.turn()?;
            if clock.now() >= report_at {
                tell(Progress::Second(Box::new(self.report())));
                if let Some(failed) = self.failed_file() {
                    tell(Progress::File(failed));
                }
                // A second that was missed altogether has no report of its own.
                while report_at <= clock.now() {
                    report_at += EVERY;
                }
            }
            let Next::Wait(due) = next else { continue };
            let until = due.map_or(report_at, |due| due.min(report_at));
            let ready = {
                let [client, server] = self.ends();
                let awaited =
                    [(Source::Stop, stop.as_fd()), (Source::Client, client.as_fd()), (Source::Server, server.as_fd())];
                let awaited = awaited.map(|(name, descriptor)| Awaited { name, descriptor, interest: Interest::Read });
                wait.on(&awaited, Some(until), &clock)?
            };
            if ready.has(Source::Stop) {
                return Ok(());
            }
            if ready.is_empty() {
                self.woken_for(until);
            }
        }
    }
}
