//! The frames that `frames.md` works out by hand are those that the services make.

use std::fs;

use arqway_link::mux::{self, Class, Protocol};
use arqway_link::{
    AnyService, Bounded, Checked, Departure, Frame, LineId, LineState, LinkService, Mux, Packet, Resequencing,
    ServiceConfig, ShortForm, Side, Tag, WorldDefaults, fec, rlp, selective_repeat, sscop, tally,
};
use arqway_units::{Octets, Span, Time};

use super::{cells, project, quoted};

/// An end of a link that is always free, whose peer is the test.
struct Script<S>(Checked<S>);

fn scheme(form: &str) -> ServiceConfig {
    let form: ShortForm = form.parse().expect("a scheme");
    form.in_world(&WorldDefaults::default()).expect("a service")
}

fn end(config: &ServiceConfig) -> Script<AnyService> {
    Script(Checked::new(config.build(&Side::AccessPoint.into())))
}

/// Three packets, of which the last has to follow the first where packets stay in the order of their flow: the second is of
/// another one.
fn three() -> [Packet; 3] {
    let mut of_another_flow = vec![0; 24];
    (of_another_flow[0], of_another_flow[3], of_another_flow[9]) = (0x45, 24, 17);
    [Packet::new("a"), Packet::new(of_another_flow), Packet::new("c")]
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

impl<S: LinkService> Script<S> {
    fn takes(&mut self, packets: &[Packet]) -> &mut Self {
        for packet in packets {
            self.0.handle_packet(packet.clone(), at(0)).expect("room for a packet");
        }
        self
    }

    /// A frame of the peer: its tag and what follows.
    fn hears(&mut self, octets: &[u8]) -> &mut Self {
        let (tag, rest) = octets.split_first().expect("a tag");
        self.0.handle_frame(Frame::from_wire(Tag::from_octet(*tag), rest.to_vec().into()), at(0));
        self
    }

    /// The link has several lines.
    fn has_lines(&mut self) -> &mut Self {
        let state = LineState::up(None, Span::ZERO);
        self.0.handle_line(LineId::FIRST, state, at(0));
        self
    }

    /// Everything that it sends, as octets on the wire.
    fn sends(&mut self, now: Time) -> Vec<Vec<u8>> {
        self.sends_in(Octets::MAX, now)
    }

    /// The same in frames of this room.
    fn sends_in(&mut self, room: Octets, now: Time) -> Vec<Vec<u8>> {
        if self.0.poll_timeout().is_some_and(|deadline| deadline <= now) {
            self.0.handle_timeout(now);
        }
        std::iter::from_fn(|| {
            let mut frame = self.0.poll_frame(now, room)?;
            let _: arqway_link::Start = self.0.start_frame(&mut frame, now);
            if let Some(ticket) = frame.ticket {
                self.0.handle_departure(frame.tag, ticket, Departure::Sent, now);
            }
            Some([&[frame.tag.as_octet()], &frame.parts().concat()[..]].concat())
        })
        .collect()
    }

    fn sends_last(&mut self) -> Vec<u8> {
        self.sends(at(0)).pop().expect("a frame")
    }
}

/// A tag names its service: here the third of a multiplexer.
fn acknowledgement_of_service_2() -> Vec<u8> {
    let class = |protocol| Class::of_protocol(protocol, scheme("go-back-n"));
    let classes = vec![class(Protocol::TCP), class(Protocol::UDP)];
    let config = mux::Config { classes, ..mux::Config::new(scheme("raw")) };
    let mut end = Script(Checked::new(Mux::new(&config, &Side::AccessPoint.into()).expect("three services")));
    end.hears(b"\x10\0\0a").sends(at(1000)).concat()
}

fn retransmitting() -> Vec<(&'static str, Vec<u8>)> {
    let resequencing = Resequencing::PerFlow;
    let linked = selective_repeat::Config { resequencing, ..selective_repeat::Config::default() };
    let [full, linked] = [scheme("sr"), ServiceConfig::SelectiveRepeat(linked)];
    let go_back_n = scheme("go-back-n");
    Vec::from([
        ("selective-repeat data", end(&full).hears(b"\0\0\0a").takes(&three()).sends_last()),
        ("selective-repeat acknowledgement", end(&full).hears(b"\0\0\0a").sends(at(1000)).concat()),
        ("selective-repeat reject", end(&full).hears(b"\0\0\0a").hears(b"\0\0\x03d").sends_last()),
        ("selective-repeat linked data", end(&linked).hears(b"\x03\0\0\0a").takes(&three()).sends_last()),
        ("go-back-n data", end(&go_back_n).hears(b"\0\0\0a").takes(&three()).sends_last()),
        ("go-back-n acknowledgement", end(&go_back_n).hears(b"\0\0\0a").sends(at(1000)).concat()),
    ])
}

/// Numbers from 256 on, which take both octets.
fn of_rlp() -> Vec<(&'static str, Vec<u8>)> {
    let far = |resequencing| {
        let config = rlp::Config { resequencing, window: Bounded::new(20).expect("20"), ..rlp::Config::default() };
        let mut end = end(&ServiceConfig::Rlp(config));
        for _ in 0..256 {
            end.takes(&[Packet::new("x")]).sends(at(0));
        }
        end
    };
    let [mut plain, mut linked] = [far(Resequencing::Full), far(Resequencing::PerFlow)];
    let mut long = far(Resequencing::Full);
    long.has_lines();
    let mut receiver = far(Resequencing::Full);
    receiver.hears(b"\x03\x01\0").sends(at(0));
    Vec::from([
        ("rlp data", plain.takes(&three()).sends_last()),
        ("rlp repair", plain.hears(b"\x02\x01\x02").sends_last()),
        ("rlp NACK", receiver.hears(b"\0\x02c").hears(b"\0\x04e").sends_last()),
        ("rlp keepalive", plain.sends(at(20)).concat()),
        ("rlp linked data", linked.takes(&three()).sends_last()),
        ("rlp linked repair", linked.hears(b"\x02\x01\x02").sends_last()),
        ("rlp long data", long.takes(&three()).sends_last()),
        ("rlp long repair", long.hears(b"\x02\x01\x02").sends_last()),
    ])
}

/// The first block is two packets, the second these two.
fn of_fec() -> Vec<(&'static str, Vec<u8>)> {
    let config = fec::Config { block: Bounded::new(2).expect("two"), ..fec::Config::default() };
    let mut end = end(&ServiceConfig::XorFec(config));
    let packets = ["a", "b", "12345678", "9"].map(Packet::new);
    let sent = end.takes(&packets).sends(at(0));
    let [.., data, _, parity] = &sent[..] else { panic!("two blocks") };
    Vec::from([("xor-fec data", data.clone()), ("xor-fec parity", parity.clone())])
}

/// Of 259 packets two are missing at the other end; of three one is, which is told: so the others have parity, too.
fn of_deadline() -> Vec<(&'static str, Vec<u8>)> {
    let [mut far, mut at_rest, mut receiver, mut few] = [(); 4].map(|()| end(&scheme("deadline")));
    for number in 0..=255 {
        far.takes(&[Packet::new("x")]).sends(at(0));
        at_rest.takes(&[Packet::new("x")]).sends(at(0));
        receiver.hears(&[0, number, b'x']);
    }
    few.takes(&[Packet::new("a")]).sends(at(0));
    few.hears(b"\x02\0\0").takes(&["12345678", "9"].map(Packet::new)).sends(at(0));
    Vec::from([
        ("deadline data", far.takes(&["a", "b", "c"].map(Packet::new)).sends_last()),
        ("deadline again", far.hears(b"\x02\x01\x02").sends_last()),
        ("deadline NACK", receiver.hears(b"\0\x01b").hears(b"\0\x03d").sends_last()),
        ("deadline parity", few.sends(at(40)).concat()),
        (
            "deadline keepalive",
            at_rest.takes(&three()).sends(at(0)).into_iter().skip(3).chain(at_rest.sends(at(40))).flatten().collect(),
        ),
    ])
}

fn of_standards() -> Vec<(&'static str, Vec<u8>)> {
    let overhead = Bounded::new(12).expect("12");
    let resequencing = Resequencing::PerFlow;
    let config = sscop::Config { established: true, overhead, resequencing, ..sscop::Config::default() };
    let second = |form| {
        let mut end = end(&scheme(form));
        end.takes(&[Packet::new("a")]).sends(at(0));
        end.takes(&[Packet::new("p")]).sends_last()
    };
    Vec::from([
        ("sscop SD", end(&ServiceConfig::Sscop(config)).takes(&three()).sends_last()),
        ("rlc-tm data", second("rlc-tm")),
        ("rlc-um data", second("rlc-um")),
        ("rlc data", second("rlc")),
        ("rlc STATUS", end(&scheme("rlc")).hears(b"\0\x80\x02a").hears(b"\0\x80\x0eb").sends_last()),
    ])
}

/// Its first frame is one of a packet "a"; the peer's second transmission is the first that arrives.
fn of_tally() -> Vec<(&'static str, Vec<u8>)> {
    let with = |change: fn(&mut tally::Config)| {
        let mut config = tally::Config::default();
        change(&mut config);
        end(&ServiceConfig::Tally(config))
    };
    let new = || with(|config| config.resequencing = Resequencing::Full);
    let c = [Packet::new("c")];
    let mut linked = with(|config| config.resequencing = Resequencing::PerFlow);
    let mut aging = with(|config| config.persistence = Some(Span::from_milliseconds(50)));
    let mut far = new();
    for _ in 0..1024 {
        far.takes(&[Packet::new("x")]).sends(at(0));
    }
    // All arrived, a second later: so many more may be outstanding.
    far.0.handle_frame(Frame::from_wire(Tag::from_octet(4), vec![0x80, 0x10, 0].into()), at(1000));
    for _ in 0..1024 {
        far.0.handle_packet(Packet::new("x"), at(1000)).expect("room for a packet");
        far.sends(at(1000));
    }
    far.0.handle_packet(c[0].clone(), at(1000)).expect("room for a packet");
    let mut cut = new();
    cut.takes(&[Packet::new("abcdefghijklmnopqrstuvwx")]).sends(at(0));
    let pieces = cut.hears(b"\x04\0\0\x04").sends_in(Octets::new(24), at(0));
    let slow = |resequencing| {
        let mut end = end(&ServiceConfig::Tally(tally::Config { resequencing, ..tally::Config::default() }));
        let mut frame = end.takes(&three()[1..2]).0.poll_frame(at(0), Octets::MAX).expect("frame 0");
        let _: arqway_link::Start = end.0.start_frame(&mut frame, at(0));
        end.0.handle_departure(frame.tag, frame.ticket.expect("a ticket"), Departure::Sent, at(5));
        end.0.handle_frame(Frame::from_wire(Tag::from_octet(4), vec![0, 0x20, 4].into()), at(5));
        end.0.handle_packet(c[0].clone(), at(5)).expect("room for a packet");
        end.sends(at(5)).concat()
    };
    Vec::from([
        ("tally data", new().takes(&c).sends_last()),
        ("tally data with feedback", new().hears(b"\0\0\0\x0ba").takes(&c).sends_last()),
        ("tally data with feedback and runs", new().hears(b"\0\0\x20\x0bb").takes(&c).sends_last()),
        ("tally linked data", linked.takes(&three()).sends_last()),
        ("tally data, long", far.sends(at(1000)).concat()),
        ("tally feedback", new().hears(b"\0\0\x20\x0bb").sends_last()),
        ("tally feedback, long", new().hears(b"\0\0\x20\x0bb").hears(b"\x05\0\0\xc0").sends_last()),
        ("tally poll", {
            let mut end = new();
            end.takes(&c).sends(at(0));
            end.sends(at(100)).concat()
        }),
        ("tally piece", pieces[0].clone()),
        ("tally piece", pieces[1].clone()),
        ("tally given up", {
            aging.takes(&c).sends(at(0));
            aging.sends(at(50)).concat()
        }),
        ("tally sum", sum_of_tally(with(|config| (config.resequencing, config.repair) = (Resequencing::Full, true)))),
        ("tally whole packet", slow(Resequencing::Full)),
        ("tally whole packet", slow(Resequencing::PerFlow)),
    ])
}

/// The first of four frames was lost, and the last two were not told of. Each takes a millisecond.
fn sum_of_tally(mut end: Script<AnyService>) -> Vec<u8> {
    end.takes(&["a", "b", "c", "12"].map(Packet::new));
    let mut now = 0;
    let mut sends = |end: &mut Script<AnyService>| {
        let mut frame = end.0.poll_frame(at(now), Octets::MAX).expect("a frame");
        let _: arqway_link::Start = end.0.start_frame(&mut frame, at(now));
        now += 1;
        end.0.handle_departure(frame.tag, frame.ticket.expect("a ticket"), Departure::Sent, at(now));
        [&[frame.tag.as_octet()], &frame.parts().concat()[..]].concat()
    };
    for _ in 0..4 {
        sends(&mut end);
    }
    end.0.handle_frame(Frame::from_wire(Tag::from_octet(4), vec![0, 0, 8, 2, 1].into()), at(4));
    sends(&mut end);
    sends(&mut end)
}

#[test]
fn the_frames_that_the_page_works_out_by_hand_are_those_that_the_services_make() {
    let p = [Packet::new("p")];
    let mut made = vec![("go-back-n acknowledgement of service 2", acknowledgement_of_service_2())];
    made.extend(["raw", "snoop"].map(|form| (form, end(&scheme(form)).takes(&p).sends_last())));
    made.extend([retransmitting(), of_rlp(), of_fec(), of_deadline(), of_standards(), of_tally()].concat());
    let page = fs::read_to_string(project().join("crates/link/tests/pages/frames.md")).expect("the page");
    let rows: Vec<_> = page.lines().map(cells).filter(|cells| cells.len() == 3 && cells[1].starts_with('`')).collect();
    assert_eq!(rows.len(), made.len(), "a frame for each row, in their order");
    for (row, (frame, octets)) in rows.iter().zip(made) {
        assert!(row[0].starts_with(frame), "{} is not {frame}", row[0]);
        let hex: Vec<String> = octets.iter().map(|octet| format!("{octet:02x}")).collect();
        assert_eq!(quoted(row[1]).collect::<String>(), hex.join(" "), "{}", row[0]);
    }
}
