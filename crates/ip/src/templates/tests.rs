use super::*;
use alloc::vec;
use alloc::vec::Vec;
use etherparse::{IpHeaders, Ipv4Header, PacketBuilder};
use proptest::prelude::*;

/// What a packet has that may change.
#[derive(Debug, Clone)]
struct Told {
    is_ipv6: bool,
    port: u16,
    identification: u16,
    hops: u8,
    ecn: u8,
    payload: Vec<u8>,
}

impl Default for Told {
    fn default() -> Self {
        Self { is_ipv6: false, port: 5004, identification: 0, hops: 64, ecn: 0, payload: rtp(7, 160) }
    }
}

/// A packet of RTP, its time 160 a packet.
fn rtp(number: u16, octets: usize) -> Vec<u8> {
    let time = u32::from(number) * 160;
    let head = [&[0x80, 0][..], &number.to_be_bytes(), &time.to_be_bytes(), &[1, 2, 3, 4]].concat();
    [head, vec![number.to_be_bytes()[1]; octets]].concat()
}

impl Told {
    fn packet(&self) -> Bytes {
        let mut octets = Vec::new();
        let builder = if self.is_ipv6 {
            PacketBuilder::ipv6([1; 16], [2; 16], self.hops)
        } else {
            let mut ip = Ipv4Header::new(0, self.hops, 17.into(), [10, 0, 0, 1], [10, 0, 0, 2]).expect("short");
            ip.identification = self.identification;
            ip.ecn = etherparse::IpEcn::try_new(self.ecn).expect("two bits");
            PacketBuilder::ip(IpHeaders::Ipv4(ip, etherparse::Ipv4Extensions::default()))
        };
        builder.udp(self.port, 4000).write(&mut octets, &self.payload).expect("memory");
        octets.into()
    }
}

/// Both ends, of which the second hears what is not lost.
#[derive(Default)]
struct Ends {
    shortener: Shortener,
    restorer: Restorer,
    now: Time,
}

impl Ends {
    fn shorten(&mut self, packet: &Bytes) -> Bytes {
        self.now += Span::from_milliseconds(20);
        self.shortener.shorten(packet, FlowKey::of_packet(packet), self.now)
    }

    /// A packet crosses, and what confirms its template comes back. How many octets it had on the way.
    #[track_caller]
    fn crosses(&mut self, packet: &Bytes) -> usize {
        let sent = self.shorten(packet);
        let length = sent.len();
        match self.restorer.restore(sent) {
            Some(Restored::Packet(restored)) => assert_eq!(&restored, packet),
            Some(Restored::Template(restored, template)) => {
                assert_eq!(&restored, packet);
                self.shortener.heard(template);
            }
            other => panic!("{other:?}"),
        }
        length
    }
}

#[test]
fn a_call_has_five_octets_of_headers_and_one_with_rtp_nine_once_the_other_end_has_confirmed_them() {
    for (is_ipv6, headers) in [(false, 28), (true, 48)] {
        let mut ends = Ends::default();
        let packet = |number: u16, has_rtp: bool| {
            let payload =
                if has_rtp { rtp(number, 20) } else { [vec![1; 12], vec![number.to_be_bytes()[1]; 20]].concat() };
            Told { is_ipv6, identification: number, payload, ..Told::default() }.packet()
        };
        let lengths: Vec<_> = (0..8).map(|number| ends.crosses(&packet(number, false))).collect();
        assert_eq!(
            lengths[..5],
            [headers + 32, headers + 32, headers + 32, headers + 32, headers + 32 + HEAD_OF_TEMPLATE]
        );
        // The checksum, and for IPv4 an octet of the identification, which began at zero.
        assert_eq!(lengths[5..], [20 + 1 + 2 + usize::from(!is_ipv6); 3]);
        let mut ends = Ends::default();
        let lengths: Vec<_> = (0..600).map(|number| ends.crosses(&packet(number, true))).collect();
        // Number and time, two octets each, which now and then another one joins.
        assert_eq!(lengths[599], 20 + 1 + 2 + 2 * usize::from(!is_ipv6) + 2 + 3, "of {}", headers + 32);
        let whole = lengths[5..].iter().filter(|length| **length > 40).count();
        assert!(whole <= 5, "{whole} were sent whole: {lengths:?}");
    }
}

#[test]
fn until_it_is_confirmed_a_template_goes_with_the_first_second_fourth_and_each_eighth_packet_and_packets_whole() {
    let mut ends = Ends::default();
    let packet = |number: u16| Told { payload: vec![number.to_be_bytes()[1]; 40], ..Told::default() }.packet();
    let lengths: Vec<_> = (0..24).map(|number| ends.shorten(&packet(number)).len() - 68).collect();
    let templates: Vec<_> = (0..24).filter(|number| lengths[*number] == HEAD_OF_TEMPLATE).collect();
    assert_eq!(templates, [4, 5, 7, 11, 19]);
    assert_eq!(lengths.iter().sum::<usize>(), HEAD_OF_TEMPLATE * templates.len());
}

#[test]
fn what_is_no_small_whole_packet_of_udp_or_speaks_of_congestion_goes_as_it_is() {
    let whole = Told::default().packet();
    let mut others = vec![
        Told { ecn: 2, ..Told::default() }.packet(),
        Told { payload: vec![0; 373], ..Told::default() }.packet(),
        whole.slice(..whole.len() - 1),
        [&whole[..], b"x"].concat().into(),
        Bytes::new(),
        Bytes::from_static(b"\xc0\x01"),
    ];
    let mut changed = |place: usize, to: u8| {
        let mut octets = whole.to_vec();
        octets[place] = to;
        others.push(octets.into());
    };
    [(0, 0x46), (6, 0x20), (7, 1), (9, 6), (10, 0xff), (25, 1)].into_iter().for_each(|(place, to)| changed(place, to));
    for packet in others {
        let mut ends = Ends::default();
        for _ in 0..20 {
            let sent = ends.shorten(&packet);
            let in_front = usize::from(!matches!(packet.first(), Some(0x40..0x80)));
            assert_eq!(sent[in_front..], packet, "{packet:?}");
            assert_eq!(ends.restorer.restore(sent), Some(Restored::Packet(packet.clone())));
        }
    }
}

#[test]
fn a_context_that_was_used_within_ten_seconds_is_not_given_to_others() {
    let mut ends = Ends::default();
    let packet = |port: u16, number: u16| Told { port, payload: vec![number.to_be_bytes()[1]; 40], ..Told::default() };
    // Each takes a context: the first four packets, then the template.
    let lengths = |ends: &mut Ends, port: u16| -> Vec<usize> {
        (0..7).map(|number| ends.crosses(&packet(port, number).packet())).collect()
    };
    for port in 0..CONTEXTS as u16 {
        assert!(lengths(&mut ends, port)[6] < 68);
    }
    assert_eq!(lengths(&mut ends, 1000), [68; 7]);
    ends.now += UNUSED;
    assert!(lengths(&mut ends, 1000)[6] < 68);
    // The flow whose context that was goes on, with another one.
    assert!(lengths(&mut ends, 0)[6] < 68);
    // Many flows of which each sends once are forgotten.
    for port in 2000..6000 {
        ends.crosses(&packet(port, 1).packet());
        ends.now += Span::from_milliseconds(100);
    }
    assert!(ends.shortener.flows.len() <= FLOWS && lengths(&mut ends, 7000)[6] < 68);
}

#[test]
fn a_confirmation_that_comes_after_the_context_was_given_to_another_flow_confirms_nothing() {
    let mut ends = Ends::default();
    let packet = |port: u16, number: u8| Told { port, payload: vec![number; 40], ..Told::default() }.packet();
    let template_of = |ends: &mut Ends, port: u16| {
        let sent: Vec<_> = (0..5).map(|number| ends.shorten(&packet(port, number))).collect();
        match ends.restorer.restore(sent[4].clone()) {
            Some(Restored::Template(_, template)) => template,
            other => panic!("{other:?}"),
        }
    };
    let first = template_of(&mut ends, 1);
    ends.now += UNUSED;
    // All others are used before one is used again.
    for port in 2..=CONTEXTS as u16 {
        template_of(&mut ends, port);
    }
    let sent: Vec<_> = (0..5).map(|number| ends.shorten(&packet(1000, number))).collect();
    assert_eq!(
        (sent[4].len(), sent[4][0] % 64),
        (68 + HEAD_OF_TEMPLATE, first.context),
        "the context of the first flow"
    );
    ends.shortener.heard(first);
    assert_eq!(ends.shorten(&packet(1000, 5)).len(), 68 + HEAD_OF_TEMPLATE, "this template was not confirmed");
}

proptest! {
    /// Losses, doubles and any order, of packets and of confirmations; all of a packet may change at any time.
    #[test]
    fn whatever_is_lost_doubled_or_late_what_comes_out_is_a_packet_that_was_sent(
        steps in proptest::collection::vec((0_u16..4, any::<u8>(), 0_u8..20, 0_usize..6, 0_u8..10), 1..400),
    ) {
        let (mut shortener, mut restorer) = (Shortener::default(), Restorer::default());
        let mut under_way: Vec<(Bytes, Bytes)> = Vec::new();
        let mut now = Time::ZERO;
        let (mut short, mut came) = (0, 0);
        for (number, (port, hops, changes, take, fate)) in (0..).zip(steps) {
            now += Span::from_milliseconds(20);
            let hops = if changes == 0 { hops.max(1) } else { 64 };
            let payload = rtp(number, usize::from(port) * 30);
            let packet = Told { port, identification: number, hops, payload, is_ipv6: port == 3, ..Told::default() }.packet();
            let sent = shortener.shorten(&packet, FlowKey::of_packet(&packet), now);
            short += u32::from(sent[0] >= SHORT);
            under_way.push((packet, sent));
            if fate < 7 {
                let (packet, sent) = under_way[under_way.len() - 1 - take.min(under_way.len() - 1)].clone();
                came += 1;
                match restorer.restore(sent).expect("it was confirmed, or says all") {
                    Restored::Packet(restored) => prop_assert_eq!(restored, packet),
                    Restored::Template(restored, context) => {
                        prop_assert_eq!(restored, packet);
                        if fate < 5 {
                            shortener.heard(context);
                        }
                    }
                    Restored::Heard(_) => panic!("nobody said so"),
                }
            }
        }
        prop_assert!(came < 200 || short > 0);
    }

    #[test]
    fn whatever_octets_come_they_are_read_without_harm(
        all in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..80), 0..20),
    ) {
        let (mut shortener, mut restorer) = (Shortener::default(), Restorer::default());
        let packet = Told::default().packet();
        restorer.restore([&[TEMPLATE][..], &[0xff; 8], &packet].concat().into());
        for octets in all {
            if let Some(Restored::Heard(context)) = restorer.restore(octets.into()) {
                shortener.heard(context);
            }
        }
    }
}
