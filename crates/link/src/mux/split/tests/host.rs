//! A host that speaks TCP, as plainly as that is right: it sends what it has as far as the window lets it, sends all again after a timeout,
//! and takes what comes in any order, into a buffer that is read slowly.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use arqway_units::{Span, Time};
use etherparse::TcpOptionElement::{SelectiveAcknowledgementPermitted, Timestamp, WindowScale};
use etherparse::{NetHeaders, PacketBuilder, PacketHeaders, TcpHeader, TransportHeader};

/// How a host is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// What it has to send, in octets.
    pub(super) data: u32,
    /// Its first number.
    pub(super) first: u32,
    /// What it takes before it is read, and how much of that is read in a millisecond.
    pub(super) buffer: u32,
    pub(super) reads: u32,
    pub(super) scale: Option<u8>,
    pub(super) has_times: bool,
    /// Options of its first segment that nobody knows.
    pub(super) is_odd: bool,
}

#[derive(Debug)]
pub(super) struct Host {
    manner: Manner,
    ports: (u16, u16),
    is_left: bool,
    /// How many octets of its own, counted from its first segment, the other has acknowledged and it has sent; and may send.
    acknowledged: u32,
    sent: u32,
    edge: u32,
    /// Of the other: its first number, how much is there, what is beyond that, and what was read.
    other: Option<u32>,
    got: u32,
    beyond: BTreeMap<u32, u32>,
    read: u32,
    ended_at: Option<u32>,
    other_scale: Option<u8>,
    other_has_times: bool,
    newest_time: u32,
    timeout: Option<(Time, Span)>,
    pub(super) is_reset: bool,
    /// Whether it has got a segment with the bit by which both ends agree.
    pub(super) offers_seen: bool,
    /// When all that it had to say had been acknowledged.
    pub(super) was_heard: Option<Time>,
    to_send: VecDeque<Vec<u8>>,
}

const SEGMENT: u32 = 1000;
const TIMEOUT: Span = Span::from_milliseconds(300);

/// What the octet at a place of a host's data is.
fn octet(is_left: bool, place: u32) -> u8 {
    u8::try_from((place / 7 + place * 13 + u32::from(is_left)) % 251).unwrap_or_default()
}

impl Host {
    pub(super) fn new(is_left: bool, manner: Manner) -> Self {
        Self {
            manner,
            ports: if is_left { (4000, 80) } else { (80, 4000) },
            is_left,
            acknowledged: 0,
            sent: 0,
            edge: 1,
            other: None,
            got: 0,
            beyond: BTreeMap::new(),
            read: 0,
            ended_at: None,
            other_scale: None,
            other_has_times: false,
            newest_time: 0,
            timeout: None,
            is_reset: false,
            offers_seen: false,
            was_heard: None,
            to_send: VecDeque::new(),
        }
    }

    /// The first segment, the data, and the last one.
    fn numbers(&self) -> u32 {
        self.manner.data + 2
    }

    pub(super) fn is_done(&self) -> bool {
        self.acknowledged == self.numbers() && self.ended_at.is_some_and(|end| self.got >= end)
    }

    fn segment(&mut self, from: u32, data: u32, now: Time) {
        let (is_first, is_last) = (from == 0, from + data == self.numbers() - 1 && from > 0);
        let mut tcp = TcpHeader::new(self.ports.0, self.ports.1, self.manner.first.wrapping_add(from), 0);
        (tcp.syn, tcp.fin) = (is_first, is_last && from + data < self.numbers());
        if let Some(other) = self.other {
            (tcp.ack, tcp.acknowledgment_number) = (true, other.wrapping_add(self.got));
        }
        let scale = if is_first { 0 } else { self.manner.scale.zip(self.other_scale).map_or(0, |(own, _)| own) };
        let room = self.manner.buffer - (self.got.saturating_sub(1) - self.read).min(self.manner.buffer);
        tcp.window_size = u16::try_from(room >> scale).unwrap_or(u16::MAX);
        let mut options = Vec::new();
        if self.manner.has_times && (is_first || self.other_has_times) {
            let time = u32::try_from(now.since(Time::ZERO).as_nanoseconds() / 1_000_000).expect("a short test");
            options.push(Timestamp(self.manner.first.wrapping_add(time), self.newest_time));
        }
        if is_first {
            options.push(SelectiveAcknowledgementPermitted);
            options.extend(self.manner.scale.map(WindowScale));
        }
        tcp.set_options(&options).expect("room");
        if is_first && self.manner.is_odd {
            tcp.set_options_raw(&[30, 4, 0, 0]).expect("room");
        }
        let data: Vec<u8> = (from..from + data).map(|place| octet(self.is_left, place)).collect();
        let (own, other) = if self.is_left { (1, 2) } else { (2, 1) };
        let mut packet = Vec::new();
        let builder = PacketBuilder::ipv4([10, 0, 0, own], [10, 0, 0, other], 64).tcp_header(tcp);
        builder.write(&mut packet, &data).expect("memory");
        self.to_send.push_back(packet);
    }

    /// What it sends now.
    pub(super) fn poll(&mut self, now: Time) -> Vec<Vec<u8>> {
        if self.is_reset {
            return Vec::new();
        }
        let before = self.manner.buffer.saturating_sub(self.got.saturating_sub(1) - self.read);
        self.read = (self.read + self.manner.reads).min(self.got.saturating_sub(1));
        // Whoever had no room says that there is some.
        if before < SEGMENT && self.manner.buffer - (self.got.saturating_sub(1) - self.read) >= SEGMENT {
            self.segment(self.sent, 0, now);
        }
        if let Some((due, wait)) = self.timeout
            && due <= now
            && self.acknowledged < self.numbers()
        {
            self.sent = self.acknowledged;
            self.timeout = Some((now + wait * 2, wait * 2));
            // A window that is closed is probed with an octet.
            self.edge = self.edge.max(self.acknowledged + 1);
        }
        if self.sent == 0 && (self.is_left || self.other.is_some()) {
            self.segment(0, 0, now);
            (self.sent, self.timeout) = (1, Some((now + TIMEOUT * 3, TIMEOUT * 3)));
        }
        while self.acknowledged > 0 && self.sent < self.numbers().min(self.edge) {
            let end = self.numbers() - 1;
            let data = SEGMENT.min(end.saturating_sub(self.sent)).min(self.edge - self.sent);
            self.segment(self.sent, data, now);
            self.sent += data;
            if self.sent == end {
                self.sent = self.numbers();
            }
            self.timeout = self.timeout.or(Some((now + TIMEOUT, TIMEOUT)));
        }
        self.to_send.drain(..).collect()
    }

    /// A packet has come: its checksums are right, its data as the other sent them.
    pub(super) fn take(&mut self, packet: &[u8], now: Time) {
        let headers = PacketHeaders::from_ip_slice(packet).expect("a packet");
        let (Some(TransportHeader::Tcp(tcp)), Some(NetHeaders::Ipv4(ip, _))) = (headers.transport, headers.net) else {
            panic!("no segment")
        };
        let data = headers.payload.slice();
        assert_eq!(tcp.checksum, tcp.calc_checksum_ipv4(&ip, data).expect("short"));
        self.offers_seen |= packet[32] & 0x0f != 0;
        if tcp.rst {
            self.is_reset = true;
            return;
        }
        self.read_options(&tcp);
        if tcp.syn {
            self.other = Some(tcp.sequence_number);
            self.got = self.got.max(1);
        }
        let Some(other) = self.other else { return };
        if tcp.ack {
            self.acknowledge(&tcp, now);
        }
        let from = tcp.sequence_number.wrapping_sub(other);
        let to = from.wrapping_add(u32::try_from(data.len()).expect("short"));
        if tcp.syn {
            if !self.is_left {
                return;
            }
            self.segment(self.sent, 0, now);
            return;
        }
        if from > 1 << 31 || (data.is_empty() && !tcp.fin) {
            // Asks whether anyone is there.
            if from.wrapping_add(1) == self.got {
                self.segment(self.sent, 0, now);
            }
            return;
        }
        assert!(
            data.iter().zip(from..).all(|(is, place)| *is == octet(!self.is_left, place)),
            "other data than were sent"
        );
        self.keep(from, to, tcp.fin);
        self.segment(self.sent, 0, now);
    }

    fn read_options(&mut self, tcp: &TcpHeader) {
        for option in tcp.options_iterator().flatten() {
            match option {
                WindowScale(scale) => self.other_scale = Some(scale),
                Timestamp(time, _) => {
                    assert!(
                        tcp.syn || time.wrapping_sub(self.newest_time) < 1 << 31,
                        "older than before: {tcp:?} {self:?}"
                    );
                    let time = if tcp.syn { self.newest_time.max(time) } else { time };
                    (self.newest_time, self.other_has_times) = (time, self.other_has_times || tcp.syn);
                }
                _ => {}
            }
        }
    }

    /// Keeps what has come, if there is room for it.
    fn keep(&mut self, from: u32, to: u32, ends: bool) {
        if to.saturating_sub(1) - self.read.min(to.saturating_sub(1)) <= self.manner.buffer {
            let end = to + u32::from(ends);
            if ends {
                self.ended_at = Some(end);
            }
            let known = self.beyond.entry(from).or_default();
            *known = end.max(*known);
            while let Some((&first, &last)) = self.beyond.first_key_value()
                && first <= self.got
            {
                self.beyond.pop_first();
                self.got = self.got.max(last);
            }
        }
    }

    fn acknowledge(&mut self, tcp: &TcpHeader, now: Time) {
        let number = tcp.acknowledgment_number.wrapping_sub(self.manner.first);
        if number > self.numbers() || number < self.acknowledged {
            return;
        }
        let scale = if tcp.syn { 0 } else { self.manner.scale.and(self.other_scale).unwrap_or(0) };
        self.edge = number + (u32::from(tcp.window_size) << scale);
        if number > self.acknowledged {
            self.acknowledged = number;
            self.sent = self.sent.max(number);
            self.timeout = (number < self.numbers()).then_some((now + TIMEOUT, TIMEOUT));
            if number >= self.numbers() - 1 {
                self.was_heard = self.was_heard.or(Some(now));
            }
        }
    }
}
