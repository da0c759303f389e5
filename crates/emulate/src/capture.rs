//! A capture of both ends that Wireshark opens: each packet where it was sent and where it was delivered.
//!
//! ```text
//!     client    0.000  out  ping                    0.541  in  reply
//!     server           0.270  in  ping   0.271 out  reply        3.1  out  data  [lost on the link]
//! ```
//!
//! A packet that does not arrive has a comment at the end that sent it. That is known only when the packet has waited its
//! turn in the queue, so packets wait for it here, too: the file is in the order of time.

use crate::file_writer::{FileError, FileWriter, Sink};
use arqway_pcapng::{Interface, LinkType, Way, Writer};
use arqway_sim::channel::Direction;
use arqway_sim::{Cause, Start};
use arqway_units::Time;
use bytes::Bytes;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

/// A capture being written.
#[derive(Debug)]
pub(crate) struct Capture(FileWriter<Record>);

#[derive(Debug)]
enum Record {
    Offered { way: Direction, at: Time, packet: Bytes },
    QueueFull { way: Direction, at: Time, packet: Bytes },
    Started { way: Direction, lost_to: Option<Cause> },
    Delivered { way: Direction, at: Time, packet: Bytes },
}

impl Capture {
    /// Begins a capture of interfaces of these names.
    pub(crate) fn create(path: &Path, about: &str, link: LinkType, ends: [&str; 2]) -> Result<Self, FileError> {
        let create = || {
            let file = BufWriter::new(File::create(path)?);
            let mut writer = Writer::new(file, concat!("arqway ", env!("CARGO_PKG_VERSION")), about)?;
            let client = writer.interface(link, "client", ends[0])?;
            let server = writer.interface(link, "server", ends[1])?;
            writer.flush()?;
            Ok(Ordered {
                writer,
                client,
                server,
                seen: VecDeque::new(),
                written: 0,
                down: VecDeque::new(),
                up: VecDeque::new(),
            })
        };
        let ordered = create().map_err(|source| FileError::Io { path: path.to_owned(), source })?;
        Ok(Self(FileWriter::start(path, ordered)?))
    }

    pub(crate) fn offered(&mut self, way: Direction, at: Time, packet: Bytes) {
        self.0.push(Record::Offered { way, at, packet });
    }

    pub(crate) fn queue_full(&mut self, way: Direction, at: Time, packet: Bytes) {
        self.0.push(Record::QueueFull { way, at, packet });
    }

    pub(crate) fn started(&mut self, way: Direction, start: &Start) {
        self.0.push(Record::Started { way, lost_to: start.lost_to });
    }

    pub(crate) fn delivered(&mut self, way: Direction, at: Time, packet: Bytes) {
        self.0.push(Record::Delivered { way, at, packet });
    }

    /// What is known so far goes into the file.
    pub(crate) fn flush(&mut self) {
        self.0.flush();
    }

    /// The failure that ended the file, once.
    pub(crate) fn failure(&mut self) -> Option<FileError> {
        self.0.failure()
    }

    pub(crate) fn finish(self) -> Result<(), FileError> {
        self.0.finish()
    }
}

/// The file, behind the packets whose fate is not known.
struct Ordered {
    writer: Writer<BufWriter<File>>,
    client: Interface,
    server: Interface,
    /// In the order of time; those that have been written are gone from the front.
    seen: VecDeque<Seen>,
    written: usize,
    /// Places of what waits in the queue of each direction, counted from the first packet of the file.
    down: VecDeque<usize>,
    up: VecDeque<usize>,
}

struct Seen {
    interface: Interface,
    way: Way,
    at: Time,
    octets: Bytes,
    comment: Option<&'static str>,
    /// It still waits in the queue.
    waits: bool,
}

impl Sink for Ordered {
    type Record = Record;

    fn write(&mut self, record: Record) -> io::Result<()> {
        match record {
            Record::Offered { way, at, packet } => {
                let place = self.written + self.seen.len();
                self.see(self.sender(way), Way::Out, at, packet);
                self.waiting(way).push_back(place);
                if let Some(packet) = self.seen.back_mut() {
                    packet.waits = true;
                }
            }
            Record::QueueFull { way, at, packet } => {
                self.see(self.sender(way), Way::Out, at, packet);
                if let Some(packet) = self.seen.back_mut() {
                    packet.comment = Some("dropped: the queue was full");
                }
            }
            Record::Delivered { way, at, packet } => self.see(self.receiver(way), Way::In, at, packet),
            Record::Started { way, lost_to } => {
                let place = self.waiting(way).pop_front().and_then(|place| place.checked_sub(self.written));
                if let Some(packet) = place.and_then(|place| self.seen.get_mut(place)) {
                    packet.waits = false;
                    packet.comment = lost_to.map(|cause| match cause {
                        Cause::Errors => "lost on the link",
                        Cause::Outage => "lost: the link was down",
                        Cause::TooLarge => "lost: larger than the link's MTU",
                    });
                }
            }
        }
        while self.seen.front().is_some_and(|packet| !packet.waits) {
            self.write_first()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    fn finish(mut self) -> io::Result<()> {
        while !self.seen.is_empty() {
            self.write_first()?;
        }
        self.writer.finish().map(drop)
    }
}

impl Ordered {
    fn sender(&self, way: Direction) -> Interface {
        match way {
            Direction::Down => self.server,
            Direction::Up => self.client,
        }
    }

    fn receiver(&self, way: Direction) -> Interface {
        match way {
            Direction::Down => self.client,
            Direction::Up => self.server,
        }
    }

    fn waiting(&mut self, way: Direction) -> &mut VecDeque<usize> {
        match way {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        }
    }

    fn see(&mut self, interface: Interface, way: Way, at: Time, octets: Bytes) {
        self.seen.push_back(Seen { interface, way, at, octets, comment: None, waits: false });
    }

    fn write_first(&mut self) -> io::Result<()> {
        let Some(Seen { interface, way, at, octets, comment, .. }) = self.seen.pop_front() else { return Ok(()) };
        self.written += 1;
        self.writer.packet(&arqway_pcapng::Packet { interface, at, way, comment, octets: &octets })
    }
}
