//! What Snoop promises under anything that happens: files on their way over a bad link, and packets of any kind in any
//! order.

use super::*;
use crate::snoop::{Estimator, Resend};
use arqway_units::Octets;
use core::num::{NonZeroU32, NonZeroUsize};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

fn config() -> impl Strategy<Value = Config> {
    let bounds = (3usize..60, 1usize..40, 1usize..5);
    let rules = (1u32..5, any::<bool>(), 0u32..12, any::<bool>());
    let timer = (0u64..300, 0u64..300, 1u64..200);
    (bounds, rules, timer).prop_map(
        |((buffer, cache, connections), (threshold, shared, retransmissions, first), timer)| {
            let [buffer, cache, connections] =
                [buffer, cache, connections].map(|count| NonZeroUsize::new(count).expect("not zero"));
            let (initial_srtt, initial_srttvar, floor) = timer;
            let [initial_srtt, initial_srttvar, floor] =
                [initial_srtt, initial_srttvar, floor].map(Span::from_milliseconds);
            Config {
                buffer,
                cache,
                connections,
                duplicate_threshold: NonZeroU32::new(threshold).expect("not zero"),
                shared_duplicate_counter: shared,
                retransmissions,
                resend: if first { Resend::First } else { Resend::Behind },
                estimator: Estimator { initial_srtt, initial_srttvar, floor, ..Estimator::default() },
                ..Config::default()
            }
        },
    )
}

/// Numbers at which a connection begins: some just before they wrap.
fn beginning() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), (0..40 * LENGTH).prop_map(|before| u32::MAX - before)]
}

/// What a way does to packets, in turn: how many copies arrive, and how many milliseconds later. After the last, nothing.
fn fates() -> impl Strategy<Value = VecDeque<(u8, u64)>> {
    let copies = prop_oneof![5 => Just(1u8), 3 => Just(0), 1 => Just(2)];
    let late = prop_oneof![3 => Just(0u64), 1 => 0u64..300];
    proptest::collection::vec((copies, late), 0..200).prop_map(VecDeque::from)
}

#[derive(Debug, Clone)]
struct Setting {
    config: Config,
    /// Of each connection, where its numbers begin and how many segments it has.
    files: Vec<(u32, u32)>,
    window: u32,
    time_on_line: u64,
    wired: VecDeque<(u8, u64)>,
    down: VecDeque<(u8, u64)>,
    up: VecDeque<(u8, u64)>,
}

fn setting() -> impl Strategy<Value = Setting> {
    let files = proptest::collection::vec((beginning(), 0u32..60), 1..4);
    (config(), files, 1u32..30, 0u64..30, fates(), fates(), fates()).prop_map(
        |(mut config, files, window, time_on_line, wired, down, up)| {
            config.connections = config.connections.max(NonZeroUsize::new(files.len()).expect("not zero"));
            Setting { config, files, window, time_on_line, wired, down, up }
        },
    )
}

enum Event {
    FromServer(Bytes),
    LineIsFree,
    ToClient(Bytes),
    FromClient(Bytes),
    ToServer(Bytes),
    ServerTimer(usize),
}

/// One file: the server's half, which sends again after three duplicates or 2 s, and the client's.
struct File {
    tcp: Tcp,
    beginning: u32,
    segments: u32,
    acknowledged: u32,
    sent: u32,
    duplicates: u32,
    received: BTreeSet<u32>,
    in_order: u32,
}

struct Exchange {
    setting: Setting,
    access_point: AccessPoint,
    files: Vec<File>,
    events: BTreeMap<(Time, u64), Event>,
    scheduled: u64,
    line_is_busy: bool,
    /// What the network layer gave to the access point, and what it got.
    given: BTreeSet<Bytes>,
    released: BTreeSet<Bytes>,
}

impl Exchange {
    fn new(setting: Setting) -> Self {
        let file = |(index, (beginning, segments)): (usize, &(u32, u32))| File {
            tcp: Tcp { port: index as u16, version: if index == 1 { 6 } else { 4 } },
            beginning: *beginning,
            segments: *segments,
            acknowledged: 0,
            sent: 0,
            duplicates: 0,
            received: BTreeSet::new(),
            in_order: 0,
        };
        let files: Vec<File> = setting.files.iter().enumerate().map(file).collect();
        let access_point = AccessPoint::new(setting.config.clone());
        Self {
            setting,
            access_point,
            files,
            events: BTreeMap::new(),
            scheduled: 0,
            line_is_busy: false,
            given: BTreeSet::new(),
            released: BTreeSet::new(),
        }
    }

    fn run(mut self) {
        for file in 0..self.files.len() {
            self.server_sends(file);
            self.schedule(2_000, Event::ServerTimer(file));
        }
        for _ in 0..200_000 {
            let deadline = self.access_point.snoop.poll_timeout();
            let event = self.events.first_key_value().map(|((at, _), _)| *at);
            let Some(next) = deadline.into_iter().chain(event).min() else { return self.is_over() };
            self.access_point.now = next;
            if event == Some(next) {
                let (_, event) = self.events.pop_first().expect("an event");
                self.happen(event);
            } else {
                self.access_point.snoop.handle_timeout(next);
            }
            self.fill_line();
            self.holds_no_more_than_it_may();
        }
        panic!("it does not come to rest");
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::FromServer(packet) => {
                self.given.insert(packet.clone());
                let _ = self.access_point.snoop.handle_packet(Packet::new(packet), self.access_point.now);
            }
            Event::LineIsFree => self.line_is_busy = false,
            Event::ToClient(packet) => self.client_receives(&packet),
            Event::FromClient(packet) => self.access_point_hears(packet),
            Event::ToServer(packet) => self.server_receives(&packet),
            Event::ServerTimer(file) => self.server_sends_again(file),
        }
    }

    fn access_point_hears(&mut self, packet: Bytes) {
        let snoop = &mut self.access_point.snoop;
        snoop.handle_frame(Frame::new(Kind::new(0), &[], packet.clone()), self.access_point.now);
        match snoop.poll_packet() {
            Some(passed) => {
                assert_eq!(passed.octets, packet, "it passes at once and as it is");
                self.released.insert(packet.clone());
                self.schedule(5, Event::ToServer(packet));
            }
            None => assert!(self.released.contains(&packet), "only what passed once is withheld"),
        }
        assert_eq!(self.access_point.snoop.poll_packet(), None, "none is made up");
    }

    fn fill_line(&mut self) {
        if self.line_is_busy {
            return;
        }
        let Some(frame) = self.access_point.snoop.poll_frame(self.access_point.now, Octets::MAX) else { return };
        assert!(self.given.contains(&frame.body), "a frame is a packet that was given");
        self.line_is_busy = true;
        self.schedule(self.setting.time_on_line, Event::LineIsFree);
        let (copies, late) = self.setting.down.pop_front().unwrap_or((1, 0));
        for _ in 0..copies {
            self.schedule(self.setting.time_on_line + 3 + late, Event::ToClient(frame.body.clone()));
        }
    }

    fn server_sends(&mut self, file: usize) {
        loop {
            let of = &mut self.files[file];
            if of.sent >= of.segments.min(of.acknowledged + self.setting.window) {
                return;
            }
            of.sent += 1;
            let segment = of.sent - 1;
            self.server_sends_segment(file, segment);
        }
    }

    fn server_sends_segment(&mut self, file: usize, segment: u32) {
        let of = &self.files[file];
        let packet = of.tcp.down(of.number(segment), LENGTH, ACK);
        let (copies, late) = self.setting.wired.pop_front().unwrap_or((1, 0));
        for _ in 0..copies {
            self.schedule(5 + late, Event::FromServer(packet.clone()));
        }
    }

    fn server_sends_again(&mut self, file: usize) {
        if self.files[file].acknowledged < self.files[file].segments {
            self.server_sends_segment(file, self.files[file].acknowledged);
            self.schedule(2_000, Event::ServerTimer(file));
        }
    }

    fn server_receives(&mut self, packet: &[u8]) {
        let (file, number) = self.of(packet, true);
        let of = &mut self.files[file];
        let acknowledged = of.segment(number);
        if acknowledged > of.acknowledged {
            (of.acknowledged, of.duplicates) = (acknowledged, 0);
            self.server_sends(file);
        } else if acknowledged == of.acknowledged {
            of.duplicates += 1;
            if of.duplicates == 3 && acknowledged < of.sent {
                self.server_sends_segment(file, acknowledged);
            }
        }
    }

    fn client_receives(&mut self, packet: &[u8]) {
        let (file, number) = self.of(packet, false);
        let of = &mut self.files[file];
        of.received.insert(of.segment(number));
        while of.received.remove(&of.in_order) {
            of.in_order += 1;
        }
        let ack = of.tcp.up(of.number(of.in_order), u16::MAX);
        let (copies, late) = self.setting.up.pop_front().unwrap_or((1, 0));
        for _ in 0..copies {
            self.schedule(3 + late, Event::FromClient(ack.clone()));
        }
    }

    /// The file a packet belongs to, and its sequence or acknowledgement number.
    fn of(&self, packet: &[u8], is_acknowledgement: bool) -> (usize, u32) {
        let tcp = &packet[if packet[0] >> 4 == 6 { 40 } else { 20 }..];
        let (port, number) = if is_acknowledgement { (1, 8) } else { (3, 4) };
        let number = u32::from_be_bytes(*tcp[number..].first_chunk().expect("four octets"));
        (tcp[port].into(), number)
    }

    fn schedule(&mut self, milliseconds: u64, event: Event) {
        self.scheduled += 1;
        let at = self.access_point.now + Span::from_milliseconds(milliseconds);
        self.events.insert((at, self.scheduled), event);
    }

    fn holds_no_more_than_it_may(&self) {
        let (connections, cached) = self.access_point.watched();
        let config = &self.setting.config;
        assert!(connections <= config.connections.get() && cached <= connections * config.cache.get());
        assert!(self.access_point.snoop.inner().entity().outgoing.len() <= config.buffer.get());
    }

    fn is_over(&self) {
        for file in &self.files {
            assert_eq!((file.acknowledged, file.in_order), (file.segments, file.segments), "the file has come");
        }
        assert_eq!(self.access_point.watched().1, 0, "what the client has is not kept");
    }
}

impl File {
    fn number(&self, segment: u32) -> u32 {
        self.beginning.wrapping_add(segment * LENGTH)
    }

    fn segment(&self, number: u32) -> u32 {
        number.wrapping_sub(self.beginning) / LENGTH
    }
}

/// What may happen to an access point.
#[derive(Debug, Clone)]
enum Happening {
    Down(Bytes),
    Up(Bytes),
    Passes(u64),
}

/// Packets of a few connections with numbers near each other, of any kind, and octets that may be anything.
fn happening() -> impl Strategy<Value = Happening> {
    let number = (0u32..30).prop_map(|number| (number * 50).wrapping_sub(700));
    let flags = prop_oneof![20 => Just(ACK), 1 => Just(SYN), 1 => Just(RST), 2 => any::<u8>()];
    let length = prop_oneof![3 => Just(100u32), 1 => Just(0), 1 => 0u32..300];
    let version = prop_oneof![Just(4u8), Just(6)];
    let segment = (0u16..6, version, number, flags, length);
    let down = segment.clone().prop_map(|(port, version, number, flags, length)| {
        Happening::Down(Tcp { port, version }.down(number, length, flags))
    });
    let up =
        (segment, any::<bool>(), any::<bool>()).prop_map(|((port, version, number, flags, length), bare, open)| {
            let (length, window) = (if bare { 0 } else { length }, if open { 1000 } else { 2000 });
            Happening::Up(Tcp { port, version }.packet(false, 0, number, flags, window, length))
        });
    let octets = (any::<bool>(), proptest::collection::vec(any::<u8>(), 1..80), 0u8..4).prop_map(
        |(to_client, mut octets, kind)| {
            // Most begin as an IP packet does, one as ESP.
            octets[0] = [octets[0], 0x45, 0x60, 0x45][usize::from(kind)];
            if let (3, Some(protocol)) = (kind, octets.get_mut(9)) {
                *protocol = 50;
            }
            if to_client { Happening::Down(octets.into()) } else { Happening::Up(octets.into()) }
        },
    );
    let passes = prop_oneof![4 => 0u64..40, 1 => 0u64..2000, 1 => 0u64..200_000].prop_map(Happening::Passes);
    prop_oneof![6 => down, 6 => up, 1 => octets, 3 => passes]
}

/// Addresses, ports and acknowledgement number of a TCP packet of ours; `None` for others.
fn says(packet: &Bytes) -> Option<(Vec<u8>, Bytes)> {
    let (addresses, tcp) = match packet.first()? >> 4 {
        4 => (12..20, 20),
        6 => (8..40, 40),
        _ => return None,
    };
    let hosts = [packet.get(addresses)?, packet.get(tcp..tcp + 4)?].concat();
    Some((hosts, packet.get(tcp + 8..tcp + 12).map(Bytes::copy_from_slice)?))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn files_come_over_loss_duplication_and_reordering_on_every_way_and_it_comes_to_rest(setting in setting()) {
        Exchange::new(setting).run();
    }

    #[test]
    fn whatever_happens_no_acknowledgement_is_invented_delayed_or_withheld_unless_it_repeats_one(
        config in config(), happenings in proptest::collection::vec(happening(), 0..400)
    ) {
        let mut access_point = AccessPoint::new(config.clone());
        let (mut given, mut passed) = (BTreeSet::new(), BTreeSet::new());
        let mut sent_again = Vec::new();
        for happening in happenings {
            match happening {
                Happening::Down(packet) => {
                    access_point.send(&packet);
                    given.insert(packet);
                }
                Happening::Up(packet) => {
                    let (passes, again) = access_point.hear(&packet);
                    sent_again.extend(again);
                    if passes {
                        passed.insert(says(&packet));
                    } else {
                        prop_assert!(passed.contains(&says(&packet)), "new, but withheld: {packet:?}");
                    }
                }
                Happening::Passes(milliseconds) => {
                    let until = access_point.now.as_nanoseconds() / 1_000_000 + milliseconds;
                    sent_again.extend(access_point.wait_until(until).into_iter().map(|(_, packet)| packet));
                }
            }
            let (connections, cached) = access_point.watched();
            prop_assert!(connections <= config.connections.get() && cached <= connections * config.cache.get());
        }
        prop_assert!(sent_again.iter().all(|packet| given.contains(packet)), "only what was given is sent again");
        let over = access_point.now.as_nanoseconds() / 1_000_000 + 200_000;
        access_point.wait_until(over);
        prop_assert_eq!((access_point.watched().1, access_point.snoop.poll_timeout()), (0, None), "it comes to rest");
    }
}
