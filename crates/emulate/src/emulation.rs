//! The loop: packets from both ends into the link, and out of it when they are due.
//!
//! ```text
//!     turn:  read what both ends sent -> offer it to the link
//!            what the link says is due -> hand it to the other end
//!            what is due next -> wait until then, or until an end sends something
//! ```
//!
//! A [turn](Emulation::turn) knows the time from its clock alone, and its ends may be in memory: so tests run it in virtual
//! time against the simulator.

use crate::capture::Capture;
use crate::end::End;
use crate::fate_log::FateLog;
use crate::file_writer::FileError;
use crate::link::EmulatedLink;
use crate::statistics::{Report, Statistics};
use arqway_net::{NetError, Next};
use arqway_pcapng::LinkType;
use arqway_sim::PipeEvent;
use arqway_sim::channel::Direction;
use arqway_slab::Slab;
use arqway_units::Time;
use bytes::Bytes;
use std::path::Path;

/// So many packets are read from one end before the other has its turn, and the link.
const BATCH: usize = 32;

/// Whoever knows the time since the start.
pub trait Now {
    /// It never decreases.
    fn now(&self) -> Time;
}

/// A link between two ends.
#[derive(Debug)]
pub struct Emulation<E, C> {
    link: EmulatedLink,
    client: E,
    server: E,
    clock: C,
    slab: Slab,
    statistics: Statistics,
    log: Option<FateLog>,
    capture: Option<Capture>,
}

impl<E: End, C: Now> Emulation<E, C> {
    /// Joins two ends by a link.
    pub fn new(link: EmulatedLink, client: E, server: E, clock: C) -> Self {
        let (slab, statistics) = (Slab::new(), Statistics::new());
        Self { link, client, server, clock, slab, statistics, log: None, capture: None }
    }

    /// Writes the fate of each packet into a file; `about` says of what.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn log(&mut self, path: &Path, about: &str) -> Result<(), FileError> {
        self.log = Some(FateLog::create(path, about)?);
        Ok(())
    }

    /// Writes the packets of both ends into a file; `about` says of what, `ends` where.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn capture(&mut self, path: &Path, about: &str, ends: [&str; 2]) -> Result<(), FileError> {
        let link = if self.client.header_octets() == 0 { LinkType::RawIp } else { LinkType::Ethernet };
        self.capture = Some(Capture::create(path, about, link, ends)?);
        Ok(())
    }

    /// Does all that is to be done now.
    ///
    /// # Errors
    /// An end is gone.
    pub fn turn(&mut self) -> Result<Next, NetError> {
        let read = [self.read(Direction::Up)?, self.read(Direction::Down)?];
        let now = self.clock.now();
        while let Some((way, event)) = self.link.poll(now) {
            match event {
                PipeEvent::Started(start) => {
                    self.statistics.start(way, &start);
                    if let Some(log) = &mut self.log {
                        log.start(way, start);
                    }
                    if let Some(capture) = &mut self.capture {
                        capture.started(way, &start);
                    }
                }
                PipeEvent::Arrived { number, at, load } => self.deliver(way, number, at, load)?,
            }
        }
        Ok(if read.contains(&BATCH) { Next::Turn } else { Next::Wait(self.link.next()) })
    }

    /// Reads what one end has sent, up to a batch.
    fn read(&mut self, way: Direction) -> Result<usize, NetError> {
        let now = self.clock.now();
        for count in 0..BATCH {
            let end = match way {
                Direction::Down => &mut self.server,
                Direction::Up => &mut self.client,
            };
            let Some(packet) = end.receive(&mut self.slab)? else { return Ok(count) };
            let size = end.size(&packet);
            self.statistics.offer(way, size);
            let to_capture = self.capture.as_ref().map(|_| packet.clone());
            let is_queued = self.link.offer(way, packet, size, now).is_ok();
            if !is_queued {
                self.statistics.queue_full(way);
                if let Some(log) = &mut self.log {
                    log.queue_full(way, size, now);
                }
            }
            if let (Some(capture), Some(packet)) = (&mut self.capture, to_capture) {
                if is_queued { capture.offered(way, now, packet) } else { capture.queue_full(way, now, packet) }
            }
        }
        Ok(BATCH)
    }

    fn deliver(&mut self, way: Direction, number: u64, due: Time, packet: Bytes) -> Result<(), NetError> {
        let end = match way {
            Direction::Down => &mut self.client,
            Direction::Up => &mut self.server,
        };
        // Read again for each packet: those in front of it took their time.
        let now = self.clock.now();
        let is_taken = end.send(&packet)?;
        self.statistics.deliver(way, end.size(&packet), is_taken, now.since(due));
        if let Some(log) = &mut self.log {
            log.deliver(way, number, now.since(due));
        }
        if let Some(capture) = &mut self.capture {
            capture.delivered(way, now, packet);
        }
        Ok(())
    }

    /// The process was woken for a turn at this time.
    pub(crate) fn woken_for(&mut self, due: Time) {
        let now = self.clock.now();
        if now >= due {
            self.statistics.wake_up(now.since(due));
        }
    }

    /// What happened since the last report. What is known goes into the files.
    pub fn report(&mut self) -> Report {
        if let Some(log) = &mut self.log {
            log.flush();
        }
        if let Some(capture) = &mut self.capture {
            capture.flush();
        }
        let (now, waiting, overruns) = self.state();
        self.statistics.report(now, waiting, overruns)
    }

    /// A file that has failed since this was last asked.
    pub fn failed_file(&mut self) -> Option<FileError> {
        let of_log = self.log.as_mut().and_then(FateLog::failure);
        of_log.or_else(|| self.capture.as_mut().and_then(Capture::failure))
    }

    /// Ends the files; says what happened since the start, and which files are not complete.
    pub fn finish(mut self) -> (Report, Vec<FileError>) {
        let (now, waiting, overruns) = self.state();
        let of_log = self.log.map(FateLog::finish);
        let of_capture = self.capture.map(Capture::finish);
        let errors = [of_log, of_capture].into_iter().flatten().filter_map(Result::err).collect();
        (self.statistics.summary(now, waiting, overruns), errors)
    }

    pub(crate) fn ends(&self) -> [&E; 2] {
        [&self.client, &self.server]
    }

    pub(crate) fn clock(&self) -> &C {
        &self.clock
    }

    fn state(&mut self) -> (Time, [usize; 2], u64) {
        let waiting = [Direction::Down, Direction::Up].map(|way| self.link.waiting(way));
        (self.clock.now(), waiting, self.client.overruns() + self.server.overruns())
    }
}
