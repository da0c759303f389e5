//! Media Distribution: the lecture that the papers send to a wireless client over UDP (monet08 §III). It is an on/off source: CBR
//! voice during talk spurts, nothing during silences.
//!
//! ```text
//!     silence        talk spurt: a packet every 35.7 ms  silence
//!     ..............||||||||||||||||||||||||||||........||||||...
//! ```
//!
//! The lengths of talk spurts and silences are exponential. A talk spurt is rounded to whole packets and has at least one, and
//! the first begins after a silence, as in ns-2's `Application/Traffic/Exponential`. Duplicates count once. The source may
//! adapt its rate: `adaptation.rs`.
//!
//! Packets of a video frame come at once, and so much farther apart from those of the next.

mod adaptation;
mod config;
mod outcome;

use super::{End, Hosts, Model, Quantity, Setup};
use crate::host::Host;
use crate::kernel::Random;
use crate::packet::{Headers, Memory, PacketSize, ipv4, write_total_length};
use adaptation::{Adaptation, Report};
pub use adaptation::{Adapts, Ladder, LadderError, ToLoss, ToTheLink};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use arqway_link::Hint;
use arqway_link::mux::Ds;
use arqway_units::{BitRate, Span, Time, ToFloat, truncate};
use bytes::Bytes;
pub use config::MediaConfig;
use etherparse::{IpNumber, UdpHeader};
pub use outcome::MediaOutcome;

/// An IPv4 and a UDP header.
const HEADERS: usize = 28;
/// Of its packets, at both hosts.
pub(super) const PORT: u16 = 5004;
/// Behind the headers stands when the packet was sent.
const STAMP: usize = 8;

/// A packet a microsecond: more than any link carries.
const SHORTEST_INTERVAL: Span = Span::from_nanoseconds(1000);

/// For how many of the latest packets the client detects duplicates: two minutes of voice, far longer than a link delays a
/// copy.
const REMEMBERED: usize = 4096;

/// A packet that has not arrived by then is lost, unless a later one has.
const OVERDUE: Span = Span::from_milliseconds(60_000);

/// Its timers.
mod timer {
    pub(super) const SEND: u8 = 0;
    pub(super) const REPORT: u8 = 1;
}

/// The source at the server, and what has arrived at the client.
#[derive(Debug)]
pub(crate) struct Media {
    random: Random,
    /// Between two packets at the highest rate, and now.
    shortest_interval: Span,
    interval: Span,
    adaptation: Option<Box<Adaptation>>,
    talk: Span,
    mean_spurt_packets: f64,
    silence: Span,
    /// Packets left of this talk spurt, and when the next one is sent.
    left: u64,
    next: Time,
    /// Packets that are sent at once, and how many of these are left.
    at_once: u64,
    left_at_once: u64,
    size: PacketSize,
    header: [u8; HEADERS],
    /// When the latest packets were sent, and whether each has arrived; no two were sent at once.
    recent: VecDeque<(Time, bool)>,
    sent: u64,
    received: u64,
    delay_sum: f64,
    /// The sum of the squared differences from the mean, kept up as Welford does, and the mean that it is kept with.
    squares: f64,
    running_mean: f64,
    shortest_delay: Span,
    longest_delay: Span,
    /// A packet has arrived since the last report.
    has_news: bool,
    report_header: [u8; HEADERS],
    /// What the outcome is to say of the delay.
    delay_deviations: f64,
    within: Option<Span>,
    playout: Option<Span>,
}

impl Media {
    /// A source that is silent at first.
    fn new(config: &MediaConfig, headers: Headers, random: Random) -> Self {
        let size = PacketSize::new(config.packet, headers, HEADERS);
        // A rate beyond all links would put a whole talk spurt into one instant.
        let interval = config.rate.time_to_send(config.packet.octets()).max(SHORTEST_INTERVAL);
        let mut media = Self {
            random,
            shortest_interval: interval,
            interval,
            adaptation: Adaptation::new(&config.adapts, config.rate).map(Box::new),
            talk: config.talk,
            mean_spurt_packets: config.talk.as_seconds() / interval.as_seconds(),
            silence: config.silence,
            left: 0,
            next: Time::ZERO,
            at_once: config.packets_at_once.get().into(),
            left_at_once: 0,
            size,
            header: header(size.on_wire, Host::Server, config.ds),
            recent: VecDeque::with_capacity(REMEMBERED),
            sent: 0,
            received: 0,
            delay_sum: 0.0,
            squares: 0.0,
            running_mean: 0.0,
            shortest_delay: Span::MAX,
            longest_delay: Span::ZERO,
            has_news: false,
            report_header: header(HEADERS + Report::OCTETS, Host::Client, config.ds),
            delay_deviations: config.delay_deviations,
            within: config.within,
            playout: config.playout,
        };
        media.schedule(Time::ZERO);
        media
    }

    /// The packet that is due.
    fn send(&mut self, now: Time, memory: &mut Memory) -> Bytes {
        self.sent += 1;
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back((now, false));
        self.schedule(now);
        let mut stamped = [0; HEADERS + STAMP];
        stamped[..HEADERS].copy_from_slice(&self.header);
        stamped[HEADERS..].copy_from_slice(&now.as_nanoseconds().to_be_bytes());
        memory.packet(&stamped, self.size.on_wire)
    }

    fn schedule(&mut self, now: Time) {
        let between = SHORTEST_INTERVAL * (self.at_once - 1);
        let mut wait = if self.left_at_once > 0 { SHORTEST_INTERVAL } else { self.interval * self.at_once - between };
        self.left_at_once = self.left_at_once.checked_sub(1).unwrap_or(self.at_once - 1);
        if self.left == 0 {
            wait = self.interval * self.at_once - between;
            self.left_at_once = self.at_once - 1;
            let packets = libm::floor(self.random.exponential(self.mean_spurt_packets) + 0.5);
            self.left = truncate(packets).max(1);
            wait += self.random.exponential_span(self.silence);
        }
        self.left -= 1;
        self.next = now + wait;
    }

    /// A packet arrives at the client: its delay, or `None` for a duplicate.
    fn receive(&mut self, packet: &[u8], now: Time) -> Option<Span> {
        let stamp = packet.get(HEADERS..HEADERS + STAMP)?;
        let sent = Time::from_nanoseconds(u64::from_be_bytes(stamp.try_into().ok()?));
        if let Ok(place) = self.recent.binary_search_by_key(&sent, |(sent, _)| *sent)
            && core::mem::replace(&mut self.recent[place].1, true)
        {
            return None;
        }
        let delay = now.since(sent);
        self.has_news = true;
        self.received += 1;
        let seconds = delay.as_seconds();
        self.delay_sum += seconds;
        let difference = seconds - self.running_mean;
        self.running_mean += difference / self.received.to_f64();
        self.squares += difference * (seconds - self.running_mean);
        self.shortest_delay = self.shortest_delay.min(delay);
        self.longest_delay = self.longest_delay.max(delay);
        Some(delay)
    }

    /// How long a packet may take and still be played: as long as the fastest, and what the playout buffer waits.
    fn played_within(&self) -> Option<Span> {
        Some(self.shortest_delay + self.playout?)
    }

    /// How often the client reports, if it does.
    fn reports_every(&self) -> Option<Span> {
        Some(self.adaptation.as_ref()?.reports()?.0)
    }

    /// The client's report, if anything has arrived since the last: which packets are missing before the last that arrived, as
    /// it knows from their numbers.
    fn report(&mut self, memory: &mut Memory) -> Option<Bytes> {
        let (_, window) = self.adaptation.as_ref()?.reports()?;
        let is_news = core::mem::take(&mut self.has_news);
        let mut until_last = self.recent.iter().rev().skip_while(|(_, heard)| !heard).peekable();
        let last_sent = until_last.peek().filter(|_| is_news)?.0;
        let within = until_last.take_while(|(sent, _)| last_sent.since(*sent) < window);
        let (all, missed) =
            within.fold((0u32, 0u32), |(all, missed), (_, heard)| (all + 1, missed + u32::from(!heard)));
        let report = Report { last_sent, loss: f64::from(missed) / f64::from(all) };
        let mut octets = [0; HEADERS + Report::OCTETS];
        octets[..HEADERS].copy_from_slice(&self.report_header);
        octets[HEADERS..].copy_from_slice(&report.to_octets());
        Some(memory.packet(&octets, octets.len()))
    }

    /// The source gets a report.
    fn take_report(&mut self, packet: &[u8], now: Time) {
        let octets = packet.get(HEADERS..).and_then(|octets| octets.try_into().ok());
        if let (Some(octets), Some(adaptation)) = (octets, &mut self.adaptation) {
            adaptation.take(&Report::from_octets(octets), now);
            self.change_rate();
        }
    }

    /// The link offers this much toward the client.
    fn fit(&mut self, offered: BitRate) {
        if let Some(adaptation) = &mut self.adaptation {
            adaptation.fit(offered);
            self.change_rate();
        }
    }

    /// Changes to the rate that the adaptation says. The current talk spurt keeps its length, in fewer packets or more.
    fn change_rate(&mut self) {
        let share = self.adaptation.as_ref().map_or(1.0, |adaptation| adaptation.share().as_f64());
        let longer = Span::from_seconds(self.shortest_interval.as_seconds() / share);
        let interval = if share == 1.0 { self.shortest_interval } else { longer };
        if self.interval == interval {
            return;
        }
        let left = self.left.to_f64() * self.interval.as_seconds() / interval.as_seconds();
        self.left = truncate(libm::floor(left + 0.5));
        self.mean_spurt_packets = self.talk.as_seconds() / interval.as_seconds();
        self.interval = interval;
    }
}

impl Model for Media {
    type Config = MediaConfig;
    type Outcome = MediaOutcome;
    type Connection = ();

    const QUANTITIES: &'static [Quantity] = outcome::QUANTITIES;

    fn build(config: &MediaConfig, setup: &mut Setup<'_>) -> Self {
        let mut media = Self::new(config, setup.headers, setup.streams.stream("app.media"));
        media.fit(setup.link_rate);
        media
    }

    fn start(&mut self, hosts: &mut Hosts<'_>) {
        hosts.wake_at(self.next, timer::SEND);
        if let Some(interval) = self.reports_every() {
            hosts.wake_at(hosts.now + interval, timer::REPORT);
        }
    }

    fn handle_timer(&mut self, timer: u8, hosts: &mut Hosts<'_>) {
        match timer {
            timer::SEND => {
                let packet = self.send(hosts.now, hosts.memory);
                hosts.wake_at(self.next, timer::SEND);
                hosts.send(Host::Server, packet);
            }
            _ => {
                let report = self.report(hosts.memory);
                if let Some(interval) = self.reports_every() {
                    hosts.wake_at(hosts.now + interval, timer::REPORT);
                }
                if let Some(packet) = report {
                    hosts.send(Host::Client, packet);
                }
            }
        }
    }

    fn handle_packet(&mut self, at: Host, packet: &[u8], hosts: &mut Hosts<'_>) -> bool {
        if packet.get(9) != Some(&IpNumber::UDP.0) {
            return false;
        }
        match at {
            Host::Client => self.receive(packet, hosts.now).into_iter().for_each(|delay| hosts.record_delivery(delay)),
            Host::Server => self.take_report(packet, hosts.now),
        }
        true
    }

    /// A source that follows the link changes its rate when there is another link.
    fn handle_hint(&mut self, at: Host, hint: &Hint) {
        if let (Host::Server, Hint::HandoffEnds { link, .. }) = (at, hint) {
            self.fit(link.down.rate);
        }
    }

    fn outcome(&self, end: &End<'_>) -> MediaOutcome {
        MediaOutcome::new(self, end)
    }
}

fn header(size: usize, from: Host, ds: Ds) -> [u8; HEADERS] {
    let mut header = [0; HEADERS];
    header[..20].copy_from_slice(&ipv4(IpNumber::UDP, from, ds));
    write_total_length(&mut header, size);
    let length = u16::try_from(size - 20).unwrap_or(u16::MAX);
    let udp = UdpHeader { source_port: PORT, destination_port: PORT, length, checksum: 0 };
    header[20..].copy_from_slice(&udp.to_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Streams;

    #[test]
    fn the_mean_rate_is_the_talking_share_of_the_rate() {
        let config = MediaConfig { enabled: true, ..MediaConfig::default() };
        let mut media = Media::new(&config, Headers::CountAsData, Streams::new(3, 0).stream("media"));
        let mut memory = Memory::default();
        let end = Time::ZERO + Span::from_seconds(200_000.0);
        while media.next < end {
            let packet = media.send(media.next, &mut memory);
            assert_eq!(packet.len(), 250);
        }
        // ns-2 measured 23.8 kbit/s; 28 packets of 2,000 bits in 1 s + 1.35 s.
        let offered = media.offered_bps(end);
        assert!((offered - 23_830.0).abs() < 240.0, "{offered}");
    }

    #[test]
    fn the_packets_of_a_video_frame_go_at_once_and_the_rate_is_as_without() {
        let talk = Span::from_milliseconds(1_000_000_000);
        let config = MediaConfig {
            packets_at_once: core::num::NonZeroU32::new(5).expect("not zero"),
            talk,
            silence: Span::ZERO,
            ..MediaConfig::default()
        };
        let mut media = Media::new(&config, Headers::CountAsData, Streams::new(3, 0).stream("media"));
        let (mut memory, first) = (Memory::default(), media.next);
        let sent: alloc::vec::Vec<Span> = core::iter::repeat_with(|| {
            let now = media.next;
            media.send(now, &mut memory);
            now.since(first)
        })
        .take(501)
        .collect();
        // A packet of 2,000 bits at 56 kbit/s takes 35.714 ms.
        assert_eq!(sent[4], Span::from_nanoseconds(4000));
        for (frame, at) in sent.iter().step_by(5).enumerate() {
            assert!((at.as_seconds() - 5.0 * 2000.0 / 56_000.0 * frame as f64).abs() < 1e-6, "{frame} at {at}");
        }
    }

    #[test]
    fn a_packet_is_played_that_takes_no_longer_than_the_fastest_and_the_buffer() {
        let playout = Some(Span::from_milliseconds(60));
        let config = MediaConfig { playout, ..MediaConfig::default() };
        let mut media = Media::new(&config, Headers::CountAsData, Streams::new(3, 0).stream("media"));
        for delay in [90, 82, 400] {
            let sent = media.next;
            let packet = media.send(sent, &mut Memory::default());
            media.receive(&packet, sent + Span::from_milliseconds(delay));
        }
        assert_eq!(media.played_within(), Some(Span::from_milliseconds(142)));
        let without = Media::new(&MediaConfig::default(), Headers::CountAsData, Streams::new(3, 0).stream("media"));
        assert_eq!(without.played_within(), None);
    }

    #[test]
    fn a_packet_says_how_long_it_was_on_its_way() {
        let mut media = Media::new(&MediaConfig::default(), Headers::CountAsData, Streams::new(3, 0).stream("media"));
        let sent = media.next;
        let packet = media.send(sent, &mut Memory::default());
        let delay = Span::from_milliseconds(82);
        assert_eq!(media.receive(&packet, sent + delay), Some(delay));
        assert_eq!(media.loss(sent + delay), Some(0.0));
        assert_eq!(media.delay_deviation(), Some(0.0));
    }

    #[test]
    fn what_is_not_overdue_at_the_end_is_not_lost() {
        let mut media = Media::new(&MediaConfig::default(), Headers::CountAsData, Streams::new(3, 0).stream("media"));
        let mut memory = Memory::default();
        let moments: [Time; 5] = core::array::from_fn(|_| {
            let at = media.next;
            media.send(at, &mut memory);
            at
        });
        let packet = |at: Time| {
            let mut stamped = [0; HEADERS + STAMP];
            stamped[HEADERS..].copy_from_slice(&at.as_nanoseconds().to_be_bytes());
            Memory::default().packet(&stamped, 250)
        };
        let delay = Span::from_milliseconds(80);
        assert_eq!(media.loss(moments[4]), Some(1.0), "nothing was heard yet: nothing can be expected");
        // 0 and 2 are heard; 1 is overtaken; 3 and 4 follow every 36 ms.
        for number in [0, 2] {
            media.receive(&packet(moments[number]), moments[number] + delay);
        }
        assert_eq!(media.loss(moments[4]), Some(1.0 / 3.0));
        assert_eq!(media.loss(moments[3] + OVERDUE), Some(1.0 / 3.0), "3 and 4 may still come");
        assert_eq!(media.loss(moments[4] + OVERDUE), Some(2.0 / 4.0), "3 is overdue");
        assert_eq!(media.loss(moments[4] + OVERDUE + delay), Some(3.0 / 5.0));
    }

    #[test]
    fn the_deviation_is_that_of_the_delays() {
        let mut media = Media::new(&MediaConfig::default(), Headers::CountAsData, Streams::new(3, 0).stream("media"));
        let mut memory = Memory::default();
        for milliseconds in [100, 200, 300, 400] {
            let sent = media.next;
            let packet = media.send(sent, &mut memory);
            media.receive(&packet, sent + Span::from_milliseconds(milliseconds));
        }
        assert!(media.mean_delay().is_some_and(|mean| (mean - 0.25).abs() < 1e-12));
        assert!(media.delay_deviation().is_some_and(|deviation| (deviation - 0.0125f64.sqrt()).abs() < 1e-12));
    }

    #[test]
    fn duplicates_count_once_in_any_order() {
        let mut media = Media::new(&MediaConfig::default(), Headers::CountAsData, Streams::new(3, 0).stream("media"));
        let mut memory = Memory::default();
        let packets: [Bytes; 3] = core::array::from_fn(|_| media.send(media.next, &mut memory));
        let now = media.next;
        let heard = [1, 0, 1, 0, 1].map(|number: usize| media.receive(&packets[number], now).is_some());
        assert_eq!(heard, [true, true, false, false, false]);
        assert_eq!(media.loss(now + OVERDUE), Some(1.0 / 3.0));
    }
}
