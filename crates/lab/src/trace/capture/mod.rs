//! A run as a capture that Wireshark opens: each frame where it starts and where it arrives, each packet at the hosts.
//!
//! ```text
//!     server IP                  access point          client           client IP
//!       |  packets                    |  frames  )))  (((  |   packets     |
//!       +-- wired --- link layer -----+                    +-- link layer -+
//! ```
//!
//! A frame that the link loses is seen on the side that sends it only, with a comment. A frame's octets are those of
//! `docs/wire.md`: tag, head, body. Times are nanoseconds since the run began; there is no wall time in it.
//!
//! The capture is a probe: it changes nothing, streams to its file and keeps one packet in memory.

mod checksum;

use arqway_link::LinkLayer;
use arqway_link::{Frame, ServiceConfig};
use arqway_pcapng::{Interface, LinkType, Way, Writer};
use arqway_sim::channel::Direction;
use arqway_sim::{Host, Probe};
use arqway_units::Time;
use std::io::{self, Write};

/// Where frames or packets are captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The frames at the access point's end of the wireless link.
    AccessPoint,
    /// The frames at the client's end.
    Client,
    /// The packets of the server's network layer.
    ServerIp,
    /// The packets of the client's network layer.
    ClientIp,
}

impl Place {
    /// Every place.
    pub const ALL: [Self; 4] = [Self::AccessPoint, Self::Client, Self::ServerIp, Self::ClientIp];
    /// Both sides of the link.
    pub const LINK: [Self; 2] = [Self::AccessPoint, Self::Client];

    /// The name of its interface.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AccessPoint => "access point",
            Self::Client => "client",
            Self::ServerIp => "server IP",
            Self::ClientIp => "client IP",
        }
    }

    /// The end of the link that sends frames in this direction.
    fn sending(direction: Direction) -> Self {
        match direction {
            Direction::Down => Self::AccessPoint,
            Direction::Up => Self::Client,
        }
    }

    fn receiving(direction: Direction) -> Self {
        match direction {
            Direction::Down => Self::Client,
            Direction::Up => Self::AccessPoint,
        }
    }

    fn of_host(host: Host) -> Self {
        match host {
            Host::Server => Self::ServerIp,
            Host::Client => Self::ClientIp,
        }
    }
}

/// What a frame that does not arrive is marked with.
const LOST: &str = "lost on the link";

/// A capture under way.
#[derive(Debug)]
pub struct Capture<W> {
    writer: Writer<W>,
    /// The interface of each place that is captured.
    interfaces: Vec<(Place, Interface)>,
    /// The packet being written.
    octets: Vec<u8>,
    packets: u64,
    /// A probe cannot fail: what went wrong first is told at the end, and nothing is written after it.
    outcome: io::Result<()>,
}

impl<W: Write> Capture<W> {
    /// Begins a capture at some places; `about` says of what, for whoever finds the file.
    ///
    /// # Errors
    /// What the file says.
    pub fn new(out: W, about: &str, link_layer: &LinkLayer, places: &[Place]) -> io::Result<Self> {
        let mut writer = Writer::new(out, &format!("arqway {}", crate::output::VERSION), about)?;
        let services = services(link_layer);
        let mut interfaces = Vec::new();
        for place in places {
            let (link_type, description) = match place {
                Place::AccessPoint | Place::Client => {
                    (LinkType::User0, format!("frames of the link; services: {services}"))
                }
                Place::ServerIp | Place::ClientIp => (LinkType::RawIp, "packets of the network layer".to_owned()),
            };
            interfaces.push((*place, writer.interface(link_type, place.name(), &description)?));
        }
        Ok(Self { writer, interfaces, octets: Vec::new(), packets: 0, outcome: Ok(()) })
    }

    /// Ends the capture: how many frames and packets it holds, and where it was written.
    ///
    /// # Errors
    /// What the file said since the capture began.
    pub fn finish(self) -> io::Result<(u64, W)> {
        self.outcome?;
        Ok((self.packets, self.writer.finish()?))
    }

    fn frame(&mut self, place: Place, frame: &Frame, way: Way, comment: Option<&str>, now: Time) {
        let Some(interface) = self.interface(place) else { return };
        self.octets.clear();
        self.octets.push(frame.tag.as_octet());
        let [before, body, behind] = frame.parts();
        self.octets.extend_from_slice(before);
        let start = self.octets.len();
        self.octets.extend_from_slice(body);
        checksum::fill(&mut self.octets[start..]);
        self.octets.extend_from_slice(behind);
        self.write(interface, way, comment, now);
    }

    fn packet(&mut self, host: Host, packet: &[u8], way: Way, now: Time) {
        let Some(interface) = self.interface(Place::of_host(host)) else { return };
        self.octets.clear();
        self.octets.extend_from_slice(packet);
        checksum::fill(&mut self.octets);
        self.write(interface, way, None, now);
    }

    fn interface(&self, place: Place) -> Option<Interface> {
        let captured = self.interfaces.iter().find(|(captured, _)| *captured == place);
        captured.filter(|_| self.outcome.is_ok()).map(|(_, interface)| *interface)
    }

    fn write(&mut self, interface: Interface, way: Way, comment: Option<&str>, now: Time) {
        let packet = arqway_pcapng::Packet { interface, at: now, way, comment, octets: &self.octets };
        self.outcome = self.writer.packet(&packet);
        self.packets += 1;
    }
}

impl<W: Write> Probe for Capture<W> {
    fn frame_sent(&mut self, direction: Direction, frame: &Frame, arrives: bool, now: Time) {
        self.frame(Place::sending(direction), frame, Way::Out, (!arrives).then_some(LOST), now);
    }

    fn frame_received(&mut self, direction: Direction, frame: &Frame, now: Time) {
        self.frame(Place::receiving(direction), frame, Way::In, None, now);
    }

    fn packet_sent(&mut self, host: Host, packet: &[u8], now: Time) {
        self.packet(host, packet, Way::Out, now);
    }

    fn packet_received(&mut self, host: Host, packet: &[u8], now: Time) {
        self.packet(host, packet, Way::In, now);
    }
}

/// `0=selective-repeat 1=raw`: what the service numbers in the tags mean. Wireshark's dissector reads it. The number behind
/// those of the services is for reports on what they carry, where there are any.
fn services(link_layer: &LinkLayer) -> String {
    let reports = link_layer.classes.iter().any(|class| class.carries.is_some()).then_some("reports");
    let services = link_layer.services().into_iter().map(ServiceConfig::kind).chain(reports);
    let numbered = services.enumerate().map(|(number, kind)| format!("{number}={kind}"));
    numbered.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
