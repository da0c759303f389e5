//! Datagrams of this turn, sealed in the buffer that they are sent from: one call of the system takes many.
//!
//! ```text
//!     |head|payload|tag|head|payload|tag|head|pay|tag|   |message|
//!      `----- a run: to one address, all of one size ---'  another
//! ```

use crate::line::Line;
use arqway_link::{Frame, LineId, bearer};
use arqway_net::{Again, Arrival, NetError, Sent};
use arqway_session::{Endpoint, HEAD_ROOM, MOST_MESSAGE, NotSealed, PeerId, TAG};
use arqway_units::Time;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::ops::Range;

/// What one turn sends at most before the system is asked to take it.
const ROOM: usize = 256 * 1024;
/// The largest UDP payload over IPv4, and so the longest run.
const LONGEST: usize = 65_535 - 28;
/// The session's own datagrams find so much room where packets find none: what keeps keys alive does not wait for these.
const RESERVE: usize = 16 * 1024;
/// How many datagrams a run has at most: `UDP_MAX_SEGMENTS`, udp(7).
const MOST: usize = 64;

/// Datagrams that go with one call.
#[derive(Debug)]
struct Run {
    to: SocketAddr,
    /// Where what they answer arrived.
    answered: Option<Arrival>,
    octets: Range<usize>,
    each: usize,
    count: usize,
    /// The last one is shorter, so no other can follow.
    is_closed: bool,
    /// DSCP and ECN.
    traffic_class: u8,
}

#[derive(Debug)]
pub(crate) struct Outbox {
    octets: Box<[u8]>,
    end: usize,
    runs: VecDeque<Run>,
    /// Where the datagrams begin of the peer that is served.
    share: usize,
    /// The line had no room, and when it can be tried again.
    blocked: Option<Again>,
    /// Datagrams that nobody will get: the line refused them.
    pub(crate) lost: u64,
    /// Datagrams that the line took.
    pub(crate) sent: u64,
}

impl Outbox {
    pub(crate) fn new() -> Self {
        let octets = vec![0; ROOM].into_boxed_slice();
        Self { octets, end: 0, share: 0, runs: VecDeque::new(), blocked: None, lost: 0, sent: 0 }
    }

    /// Whether another datagram of any size finds room.
    pub(crate) fn has_room(&self) -> bool {
        !self.is_blocked() && self.octets.len() - self.end >= LONGEST + HEAD_ROOM + RESERVE
    }

    /// Another peer is served.
    pub(crate) fn begin_share(&mut self) {
        self.share = self.end;
    }

    /// Whether the peer that is served may send another datagram: at most as much as one call takes, then others have their turn.
    pub(crate) fn has_share(&self) -> bool {
        self.has_room() && self.end - self.share < LONGEST
    }

    /// Whether another datagram of the session's own does.
    pub(crate) fn has_room_for_own(&self) -> bool {
        !self.is_blocked() && self.octets.len() - self.end >= MOST_MESSAGE
    }

    /// Whether it waits for the line.
    pub(crate) fn is_blocked(&self) -> bool {
        self.blocked.is_some()
    }

    /// When the line can be tried again that had no room.
    pub(crate) fn blocked(&self) -> Option<Again> {
        self.blocked
    }

    /// Seals a frame for a peer behind what waits.
    pub(crate) fn seal(
        &mut self,
        session: &mut Endpoint,
        peer: PeerId,
        frame: &Frame,
        traffic_class: u8,
        now: Time,
    ) -> Result<(), NotSealed> {
        let before = session.head_length(peer);
        let payload = before..before + frame.size().as_usize();
        let buffer = self.octets.get_mut(self.end..self.end + payload.end + TAG).ok_or(NotSealed::NoRoom)?;
        write(frame, &mut buffer[payload.clone()]);
        let sealed = session.seal(peer, frame.line(), buffer, payload, now)?;
        let Range { start, end } = sealed.datagram;
        // A probe of the path's MTU may be refused, and must take nothing else with it.
        self.append(self.end + start..self.end + end, sealed.to, None, traffic_class, bearer::is_probe(frame));
        Ok(())
    }

    /// Appends a datagram of the session's own, which may answer something that arrived somewhere.
    pub(crate) fn push(&mut self, to: SocketAddr, answered: Option<Arrival>, message: &[u8]) {
        let at = self.end..self.end + message.len();
        if let Some(room) = self.octets.get_mut(at.clone()) {
            room.copy_from_slice(message);
            self.append(at, to, answered, 0, false);
        } else {
            self.lost += 1;
        }
    }

    fn append(
        &mut self,
        datagram: Range<usize>,
        to: SocketAddr,
        answered: Option<Arrival>,
        traffic_class: u8,
        is_alone: bool,
    ) {
        let length = datagram.len();
        self.end = datagram.end;
        if let Some(run) = self.runs.back_mut() {
            let is_like = (run.to, run.answered, run.traffic_class) == (to, answered, traffic_class);
            let follows =
                !is_alone && is_like && run.octets.end == datagram.start && !run.is_closed && length <= run.each;
            if follows && run.count < MOST && datagram.end - run.octets.start <= LONGEST {
                (run.octets.end, run.count, run.is_closed) = (datagram.end, run.count + 1, length < run.each);
                return;
            }
        }
        let run = Run { to, answered, octets: datagram, each: length, count: 1, is_closed: is_alone, traffic_class };
        self.runs.push_back(run);
    }

    /// Gives the line what waits, as far as it has room. Whether nothing waits any more.
    pub(crate) fn flush(&mut self, line: &mut (impl Line + ?Sized)) -> Result<bool, NetError> {
        self.blocked = None;
        while let Some(run) = self.runs.front_mut() {
            let sent =
                line.send(run.to, run.answered, &self.octets[run.octets.clone()], run.each, run.traffic_class)?;
            let (done, counter) = match sent {
                Sent::Taken(octets) => (octets, &mut self.sent),
                Sent::Lost(octets) => (octets, &mut self.lost),
                Sent::NoRoom(again) => {
                    self.blocked = Some(again);
                    return Ok(false);
                }
            };
            *counter += arqway_units::count(done.div_ceil(run.each));
            run.octets.start += done;
            if run.octets.is_empty() {
                self.runs.pop_front();
            }
        }
        self.end = 0;
        Ok(true)
    }
}

/// An outbox for each line of this machine. What goes by a line that it has not got goes by the last one: a machine with one line may have a
/// peer with more.
#[derive(Debug)]
pub(crate) struct Outboxes(Vec<Outbox>);

impl Outboxes {
    /// One line's.
    pub(crate) fn new() -> Self {
        Self(vec![Outbox::new()])
    }

    /// There are so many lines.
    pub(crate) fn reach(&mut self, lines: usize) {
        while self.0.len() < lines {
            self.0.push(Outbox::new());
        }
    }

    fn place(&self, line: LineId) -> usize {
        line.index().min(self.0.len() - 1)
    }

    pub(crate) fn of(&self, line: LineId) -> &Outbox {
        &self.0[self.place(line)]
    }

    pub(crate) fn of_mut(&mut self, line: LineId) -> &mut Outbox {
        let place = self.place(line);
        &mut self.0[place]
    }

    /// Another peer is served.
    pub(crate) fn begin_share(&mut self) {
        self.0.iter_mut().for_each(Outbox::begin_share);
    }

    /// Whether the peer that is served may send another datagram by every line. Where there are several, one that waits for its line keeps
    /// nobody waiting: all have their turn when that has room again.
    pub(crate) fn have_share(&self) -> bool {
        let are_several = self.0.len() > 1;
        self.0.iter().all(|outbox| outbox.has_share() || are_several && outbox.is_blocked())
    }

    /// Whether all wait for their lines.
    pub(crate) fn are_blocked(&self) -> bool {
        self.0.iter().all(Outbox::is_blocked)
    }

    /// Whether another datagram of the session's own finds room by some line.
    pub(crate) fn have_room_for_own(&self) -> bool {
        self.0.iter().any(Outbox::has_room_for_own)
    }

    /// The lines that have no room, and when each can be tried again.
    pub(crate) fn blocked(&self) -> impl Iterator<Item = (usize, Again)> {
        self.0.iter().enumerate().filter_map(|(place, outbox)| Some((place, outbox.blocked()?)))
    }

    /// Gives the lines what waits, as far as they have room. Whether one has room again that had none.
    pub(crate) fn flush(&mut self, lines: &mut [&mut dyn Line]) -> Result<bool, NetError> {
        let mut has_room_again = false;
        for (outbox, line) in self.0.iter_mut().zip(lines) {
            let was_blocked = outbox.is_blocked();
            has_room_again |= outbox.flush(*line)? && was_blocked;
        }
        Ok(has_room_again)
    }

    /// Whether another datagram of any size finds room by some line, once those that are full were given to theirs.
    pub(crate) fn make_room(&mut self, lines: &mut [&mut dyn Line]) -> Result<bool, NetError> {
        let mut has_room = false;
        for (outbox, line) in self.0.iter_mut().zip(lines) {
            has_room |= outbox.has_room() || (!outbox.is_blocked() && outbox.flush(*line)?);
        }
        Ok(has_room)
    }

    /// Datagrams that the lines took, and that they refused for ever.
    pub(crate) fn sent_and_lost(&self) -> (u64, u64) {
        self.0.iter().fold((0, 0), |(sent, lost), outbox| (sent + outbox.sent, lost + outbox.lost))
    }
}

/// Writes a frame as it goes onto a wire.
fn write(frame: &Frame, room: &mut [u8]) {
    let Some((tag, mut rest)) = room.split_first_mut() else { return };
    *tag = frame.tag.as_octet();
    for part in frame.parts() {
        let (room, behind) = rest.split_at_mut(part.len());
        room.copy_from_slice(part);
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_no_packet_finds_room_there_is_some_for_the_session() {
        let to = SocketAddr::from(([192, 0, 2, 1], 51820));
        let mut outbox = Outbox::new();
        while outbox.has_room() {
            outbox.push(to, None, &[0; LONGEST]);
        }
        for _ in 0..60 {
            assert!(outbox.has_room_for_own());
            outbox.push(to, None, &[1; 190]);
        }
        assert_eq!(outbox.lost, 0);
        while outbox.has_room_for_own() {
            outbox.push(to, None, &[1; 190]);
        }
        assert_eq!(outbox.lost, 0, "what finds no room says so before");
    }
}
