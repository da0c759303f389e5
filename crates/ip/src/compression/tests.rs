use super::*;
use alloc::vec;
use alloc::vec::Vec;
use etherparse::{PacketBuilder, TcpHeader, TcpOptionElement};
use proptest::prelude::*;

/// What a segment has that may change.
#[derive(Debug, Clone)]
struct Told {
    is_ipv6: bool,
    port: u16,
    identification: u16,
    hops: u8,
    sequence: u32,
    acknowledgement: u32,
    window: u16,
    times: Option<(u32, u32)>,
    push: bool,
    payload: usize,
}

impl Default for Told {
    fn default() -> Self {
        Self {
            is_ipv6: false,
            port: 80,
            identification: 7,
            hops: 64,
            sequence: 1_000_000,
            acknowledgement: 1,
            window: 500,
            times: Some((1000, 2000)),
            push: false,
            payload: 1348,
        }
    }
}

impl Told {
    fn packet(&self) -> Bytes {
        let mut tcp = TcpHeader::new(self.port, 4000, self.sequence, self.window);
        (tcp.ack, tcp.acknowledgment_number, tcp.psh) = (true, self.acknowledgement, self.push);
        if let Some((stamp, echo)) = self.times {
            use TcpOptionElement::{Noop, Timestamp};
            tcp.set_options(&[Noop, Noop, Timestamp(stamp, echo)]).expect("room");
        }
        let builder = if self.is_ipv6 {
            PacketBuilder::ipv6([1; 16], [2; 16], self.hops)
        } else {
            let mut ip =
                etherparse::Ipv4Header::new(0, self.hops, 6.into(), [10, 0, 0, 1], [10, 0, 0, 2]).expect("short");
            ip.identification = self.identification;
            PacketBuilder::ip(etherparse::IpHeaders::Ipv4(ip, etherparse::Ipv4Extensions::default()))
        };
        let mut octets = Vec::new();
        builder.tcp_header(tcp).write(&mut octets, &vec![b'x'; self.payload]).expect("memory");
        octets.into()
    }

    /// What TCP sends next.
    fn next(&self) -> Self {
        let mut next = self.clone();
        next.identification = self.identification.wrapping_add(1);
        next.sequence = self.sequence.wrapping_add(self.payload as u32);
        next
    }
}

/// A compressor, and a decompressor that gets all of it.
#[derive(Default)]
struct Ends {
    compressor: Compressor,
    decompressor: Decompressor,
    /// How many packets went in.
    packets: u64,
}

impl Ends {
    /// What goes out when the other end is known to have all before it.
    fn compress(&mut self, packet: &Bytes) -> Bytes {
        self.packets += 1;
        self.compressor.compress(packet, FlowKey::of_packet(packet), self.packets..self.packets)
    }

    /// How many octets fewer it is on the link; it must come out as it was.
    #[track_caller]
    fn saves(&mut self, packet: &Bytes) -> isize {
        let sent = self.compress(packet);
        let length = sent.len();
        assert_eq!(self.decompressor.decompress(sent).as_ref(), Some(packet));
        packet.len() as isize - length as isize
    }
}

#[test]
fn the_segments_of_a_connection_take_four_octets_of_headers_behind_the_first_and_some_for_what_changes() {
    for (is_ipv6, headers) in [(false, 52), (true, 72)] {
        let mut ends = Ends::default();
        let first = Told { is_ipv6, sequence: u32::MAX - 2000, identification: u16::MAX - 1, ..Told::default() };
        assert_eq!(ends.saves(&first.packet()), -1, "the context");
        let mut last = first.clone();
        for _ in 0..5 {
            last = last.next();
            assert_eq!(ends.saves(&last.packet()), headers - 4, "round the numbers' end");
        }
        let later = Told { times: Some((1010, 2000)), push: true, ..last.next() };
        assert_eq!(ends.saves(&later.packet()), headers - 6);
        let after_a_loss = Told { times: Some((2000, 2900)), window: 499, ..later.next().next() };
        assert_eq!(ends.saves(&after_a_loss.packet()), headers - if is_ipv6 { 11 } else { 12 });
        let again = Told { sequence: later.sequence, ..after_a_loss.clone() };
        assert_eq!(ends.saves(&again.packet()), headers - if is_ipv6 { 6 } else { 7 });
        let other_way = Told { hops: 63, ..again.next() };
        assert_eq!(ends.saves(&other_way.packet()), -1, "a route changed");
        assert_eq!(ends.saves(&other_way.next().packet()), headers - 4);
    }
}

#[test]
fn the_octets_are_those_of_the_pages() {
    let mut ends = Ends::default();
    let first = Told { payload: 3, ..Told::default() };
    let kept = ends.compress(&first.packet());
    assert_eq!((kept[0], &kept[1..]), (0x80, &first.packet()[..]));
    let next = Told { times: Some((1100, 2000)), window: 499, payload: 2, ..first.next() };
    let checksum = &next.packet()[36..38];
    let shortened = ends.compress(&next.packet());
    assert_eq!(shortened, [&[0xc0, 0b010_1000, 0x01, 0xc8, 0x01], checksum, b"xx"].concat());
}

#[test]
fn what_may_be_lost_or_overtaken_is_not_shortened_and_changes_nothing() {
    let mut ends = Ends::default();
    let first = Told::default();
    ends.saves(&first.packet());
    let acknowledgement = Told { payload: 0, acknowledgement: 9, ..first.next() };
    assert_eq!(ends.saves(&acknowledgement.packet()), 0);
    // Its sender gives it up.
    let lost = ends.compressor.leave(&first.next().packet());
    assert_eq!(lost, first.next().packet());
    assert_eq!(ends.saves(&first.next().packet()), 48);
}

#[test]
fn segments_that_may_be_marked_for_congestion_are_left_so_that_it_can_be_read() {
    for is_ipv6 in [false, true] {
        let mut ends = Ends::default();
        let first = Told { is_ipv6, ..Told::default() };
        ends.saves(&first.packet());
        let mut capable = first.next().packet().to_vec();
        capable[1] |= if is_ipv6 { 0x20 } else { 0x02 };
        assert_eq!(ends.saves(&capable.into()), 0);
    }
}

#[test]
fn what_is_no_packet_of_ip_comes_out_as_it_went_in() {
    let mut ends = Ends::default();
    for octets in [&b""[..], b"\x00", b"\x80\x45", b"\xc0", b"\x39abc", b"\x45", b"\x60", b"\x4f\x00"] {
        ends.saves(&Bytes::copy_from_slice(octets));
    }
}

#[test]
fn nothing_comes_of_changes_to_headers_that_were_never_told() {
    let mut decompressor = Decompressor::default();
    for octets in [&b""[..], b"\x01", b"\x3f", b"\x80", b"\x80\x45", b"\xc0\x00\x00\x00a"] {
        assert_eq!(decompressor.decompress(Bytes::copy_from_slice(octets)), None, "{octets:?}");
    }
    let mut ends = Ends::default();
    let first = Told::default();
    let kept = ends.compress(&first.packet());
    let shortened = ends.compress(&first.next().packet());
    assert!(decompressor.decompress(kept).is_some());
    for length in 0..5 {
        assert_eq!(decompressor.decompress(shortened.slice(..length)), None, "{length} octets");
    }
    let mut unknown_field = shortened.to_vec();
    unknown_field[1] |= 0x80;
    assert_eq!(decompressor.decompress(unknown_field.into()), None);
    assert!(decompressor.decompress(shortened).is_some(), "the context is what it was");
}

#[test]
fn a_hundred_connections_at_once_come_through_64_contexts() {
    let mut ends = Ends::default();
    let mut connections: Vec<_> = (0..100).map(|port| Told { port, ..Told::default() }).collect();
    for _ in 0..10 {
        for connection in &mut connections {
            ends.saves(&connection.packet());
            *connection = connection.next();
        }
    }
    assert_eq!(ends.compressor.connections.len(), 64);
}

#[test]
fn a_connection_leaves_its_context_to_another_once_all_of_it_has_arrived() {
    let mut compressor = Compressor::default();
    let of_port = |port| Told { port, ..Told::default() };
    let mut send = |told: &Told, unknown| {
        let packet = told.packet();
        let first = compressor.compress(&packet, FlowKey::of_packet(&packet), unknown)[0];
        if first == packet[0] { None } else { Some(first) }
    };
    for port in 0..64 {
        assert_eq!(send(&of_port(port), 0..u64::from(port)), Some(0x80 + port as u8));
    }
    assert_eq!(send(&of_port(0).next(), 0..64), Some(0xc0));
    assert_eq!(send(&of_port(64), 1..65), None, "of number 1 nobody knows");
    assert_eq!(send(&of_port(64), 2..66), Some(0x81));
    assert_eq!(send(&of_port(1).next(), 2..67), None);
    assert_eq!(send(&of_port(0).next().next(), 2..68), Some(0xc0));
}

#[test]
fn in_the_steady_state_a_segment_asks_for_memory_less_than_once_in_ten() {
    let mut ends = Ends::default();
    let mut last = Told::default();
    let mut next = || {
        last = last.next();
        last.packet()
    };
    ends.saves(&next());
    let packets: Vec<_> = (0..1000).map(|_| next()).collect();
    let taken = allocation_counter::measure(|| packets.iter().for_each(|packet| assert_eq!(ends.saves(packet), 48)));
    assert!(taken.count_total < 100, "{} times for 1,000 packets", taken.count_total);
}

fn segments() -> impl Strategy<Value = Vec<(usize, Told)>> {
    let changes = (
        (0..3usize, prop::bool::weighted(0.1), 0..2000usize, prop::bool::weighted(0.05)),
        (0..3u16, prop::option::weighted(0.3, any::<u32>()), prop::option::weighted(0.3, any::<u32>())),
        (prop::option::weighted(0.3, any::<u16>()), prop::option::weighted(0.3, any::<(u32, u32)>()), any::<bool>()),
    );
    prop::collection::vec(changes, 1..40).prop_map(|all| {
        let mut last = [0u16, 1, 2].map(|port| Told { port, is_ipv6: port == 1, ..Told::default() });
        let mut segments = Vec::new();
        for ((of, hops, payload, times), (identification, sequence, acknowledgement), (window, stamps, push)) in all {
            let told = &mut last[of];
            *told = told.next();
            told.identification = told.identification.wrapping_add(identification);
            told.hops -= u8::from(hops && told.hops > 1);
            told.sequence = sequence.unwrap_or(told.sequence);
            told.acknowledgement = acknowledgement.unwrap_or(told.acknowledgement);
            told.window = window.unwrap_or(told.window);
            told.times = if times { None } else { stamps.or(told.times) };
            (told.push, told.payload) = (push, payload);
            segments.push((of, told.clone()));
        }
        segments
    })
}

proptest! {
    #[test]
    fn every_segment_comes_out_octet_by_octet_as_it_went_in_whatever_the_others_of_its_connection_were(told in segments()) {
        let mut ends = Ends::default();
        for (_, told) in told {
            ends.saves(&told.packet());
        }
    }

    #[test]
    fn connections_may_overtake_each_other_where_each_keeps_its_order(told in segments(), late in 0..3usize) {
        let mut ends = Ends::default();
        let sent: Vec<_> = told.iter().map(|(of, told)| (*of, told.packet(), ends.compress(&told.packet()))).collect();
        let (now, later): (Vec<_>, Vec<_>) = sent.into_iter().partition(|(of, ..)| *of != late);
        for (_, packet, octets) in now.into_iter().chain(later) {
            prop_assert_eq!(ends.decompressor.decompress(octets), Some(packet));
        }
    }

    #[test]
    fn any_packet_comes_out_as_it_went_in(octets in prop::collection::vec(any::<u8>(), 0..100)) {
        Ends::default().saves(&octets.into());
    }

    #[test]
    fn whatever_comes_is_a_packet_or_nothing(
        all in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 0..100)), 0..20),
        changes in prop::collection::vec((0usize..80, any::<u8>()), 0..4), is_ipv6: bool, payload in 0usize..4,
    ) {
        let mut kept = Told { is_ipv6, payload, ..Told::default() }.packet().to_vec();
        kept.insert(0, KEPT);
        for (place, octet) in changes {
            if let Some(changed) = kept.get_mut(1 + place) {
                *changed = octet;
            }
        }
        let mut decompressor = Decompressor::default();
        for (is_kept, told) in all {
            // Headers that were changed on their way to be kept, or something shortened after those.
            let octets = if is_kept { kept.clone() } else { [&[SHORTENED], &told[..]].concat() };
            decompressor.decompress(octets.into());
        }
    }
}
