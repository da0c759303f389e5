//! Marks of congestion, from the datagrams that met it to the packets in them (RFC 6040; RFC 9599, section 4.6).
//!
//! ```text
//!     datagrams   |= CE =|======|======|          900 octets were marked
//!     packets          |#########|######|         so packets of 900 octets are, to the next whole one
//! ```
//!
//! Packets are cut, packed, held back and sent again, so a packet is not told which datagrams it came in. Octets are counted
//! instead, and what was marked goes on with the next packets of that peer that can be. All packets in a datagram that may be marked
//! can be: so its sender has it ([`Ecn::with`]). None is dropped in place of a mark.

use arqway_link::{Ecn, Outline, Packet, mark_congestion};
use arqway_units::{Span, Time};

/// Congestion so long ago is no news.
const NEWS: Span = Span::from_milliseconds(1000);
/// More octets than that are not owed: some packets, where datagrams came that packets have not followed.
const MOST: i64 = 64 * 1024;

/// What was marked of a peer's datagrams, and not yet of its packets.
#[derive(Debug, Default)]
pub(crate) struct Congestion {
    /// In octets; less than none if the last packet was larger.
    owed: i64,
    latest: Time,
}

impl Congestion {
    /// A datagram of so many octets met congestion.
    pub(crate) fn met(&mut self, octets: usize, now: Time) {
        self.owed = (self.owed + signed(octets)).min(MOST);
        self.latest = now;
    }

    /// A packet, with a mark if it is to tell of it.
    pub(crate) fn pass_on(&mut self, packet: Packet, now: Time) -> Packet {
        if self.owed <= 0 || now.since(self.latest) >= NEWS {
            self.owed = self.owed.min(0);
            return packet;
        }
        let marked = mark_congestion(&packet.octets);
        // One that has a mark tells of it, too.
        if marked.is_some() || packet.ecn() == Ecn::Ce {
            self.owed -= signed(packet.octets.len());
        }
        match marked {
            Some(marked) => Packet { octets: marked.into(), headers: packet.headers.map(Outline::marked), ..packet },
            None => packet,
        }
    }
}

fn signed(octets: usize) -> i64 {
    i64::try_from(octets).unwrap_or(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An IPv4 packet whose headers have been read.
    fn packet(ecn: Ecn, octets: usize) -> Packet {
        let mut packet = vec![0; octets];
        (packet[0], packet[1]) = (0x45, ecn.bits());
        packet[2..4].copy_from_slice(&u16::try_from(octets).expect("short").to_be_bytes());
        Packet::read(packet).expect("a packet").0
    }

    /// What its octets say, and what goes with them.
    fn said(packet: &Packet) -> Ecn {
        assert_eq!(packet.headers, Outline::read(&packet.octets));
        packet.ecn()
    }

    /// Which of these packets are marked after datagrams were of which so many octets met congestion.
    fn marked(met: &[usize], packets: &[(Ecn, usize)]) -> Vec<bool> {
        let mut congestion = Congestion::default();
        met.iter().for_each(|octets| congestion.met(*octets, Time::ZERO));
        let passed = packets.iter().map(|(ecn, octets)| congestion.pass_on(packet(*ecn, *octets), Time::ZERO));
        passed.map(|packet| said(&packet) == Ecn::Ce).collect()
    }

    #[test]
    fn as_many_octets_are_marked_as_were_and_to_the_next_whole_packet() {
        use Ecn::{Ce, Ect0, Ect1, NotEct};
        assert_eq!(marked(&[], &[(Ect0, 100)]), [false]);
        assert_eq!(marked(&[1000], &[(Ect0, 980), (Ect0, 980), (Ect0, 980)]), [true, true, false]);
        // One packet in five pieces, five in one datagram.
        assert_eq!(marked(&[300; 5], &[(Ect1, 1500), (Ect1, 1500)]), [true, false]);
        assert_eq!(marked(&[500], &[(Ect0, 100); 6]), [true, true, true, true, true, false]);
        // What a packet is marked too much, the next is less.
        assert_eq!(marked(&[100], &[(Ect0, 1400)]), [true]);
        assert_eq!(marked(&[900], &[(NotEct, 900), (Ect0, 900), (Ect0, 900)]), [false, true, false]);
        assert_eq!(marked(&[900], &[(Ce, 900), (Ect0, 900)]), [true, false]);
    }

    #[test]
    fn what_was_marked_too_much_is_taken_off_the_next_datagram() {
        let mut congestion = Congestion::default();
        let mut marks = 0;
        for _ in 0..140 {
            congestion.met(100, Time::ZERO);
            let passed = congestion.pass_on(packet(Ecn::Ect0, 1400), Time::ZERO);
            marks += u32::from(said(&passed) == Ecn::Ce);
        }
        assert_eq!(marks, 10);
    }

    #[test]
    fn congestion_of_long_ago_and_without_bound_is_forgotten() {
        let mut congestion = Congestion::default();
        (0..1000).for_each(|_| congestion.met(1400, Time::ZERO));
        let mut marks = 0;
        while said(&congestion.pass_on(packet(Ecn::Ect0, 1400), Time::ZERO)) == Ecn::Ce {
            marks += 1;
        }
        assert!((40..=50).contains(&marks), "{marks}");
        congestion.met(1400, Time::ZERO);
        congestion.met(1400, Time::ZERO);
        let late = congestion.pass_on(packet(Ecn::Ect0, 100), Time::ZERO + NEWS);
        assert_eq!(said(&late), Ecn::Ect0);
    }
}
