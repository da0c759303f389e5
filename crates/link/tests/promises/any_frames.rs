//! What a peer may do to a service: send anything at all.

use arqway_link::rlc::um::{self, Reception, UmdSize};
use arqway_link::{
    Bounded, Checked, Departure, Frame, Kind, LinkService, Packet, Resequencing, ServiceConfig, Side, Start, Tag, fec,
    go_back_n, rlc, rlp, sscop,
};
use arqway_units::{Octets, Span, Time};
use proptest::prelude::*;

/// With 7 or 15-bit length indicators, by the size.
fn unacknowledged(octets: u16, reception: Reception) -> ServiceConfig {
    let pdu_size = UmdSize::new(octets).expect("a size");
    ServiceConfig::RlcUm(um::Config { pdu_size, reception, alternative_e_bit: octets == 8, ..um::Config::default() })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// It is counted or answered, within the contract that `Checked` asserts.
    #[test]
    fn whatever_frames_arrive_no_service_breaks_its_contract(frames in proptest::collection::vec((0u8..8, proptest::collection::vec(any::<u8>(), 0..24), 0u64..200), 0..120)) {
        let (window, timer) = (Bounded::new(8).expect("below 64"), Span::from_milliseconds(100));
        let as_received = rlp::Config { resequencing: Resequencing::as_received(), ..rlp::Config::default() };
        for service in [
            ServiceConfig::GoBackN(go_back_n::Config::default()),
            ServiceConfig::Rlp(rlp::Config::default()),
            ServiceConfig::Rlp(as_received),
            ServiceConfig::XorFec(fec::Config::default()),
            ServiceConfig::RlcTm(rlc::tm::Config::default()),
            ServiceConfig::Sscop(sscop::Config::default()),
            ServiceConfig::Sscop(sscop::Config { established: true, order_filter: false, ..sscop::Config::default() }),
            unacknowledged(8, Reception::InSequence),
            unacknowledged(200, Reception::Windowed { window: Bounded::new(64).expect("below 128") }),
            unacknowledged(20, Reception::Reordering { window, timer }),
            unacknowledged(20, Reception::OutOfSequence { window, timer }),
        ] {
            let mut end = Checked::new(service.build(&Side::Client.into()));
            let mut now = Time::ZERO;
            for (kind, octets, milliseconds) in &frames {
                now += Span::from_milliseconds(*milliseconds);
                if end.poll_timeout().is_some_and(|deadline| deadline <= now) {
                    end.handle_timeout(now);
                }
                let _ = end.handle_packet(Packet::new(octets.clone()), now);
                end.handle_frame(Frame::from_wire(Tag::of_kind(Kind::new(*kind)), octets.clone().into()), now);
                while let Some(mut frame) = end.poll_frame(now, Octets::MAX) {
                    if end.start_frame(&mut frame, now) == Start::Send
                        && let Some(ticket) = frame.ticket
                    {
                        end.handle_departure(frame.tag, ticket, Departure::Sent, now);
                    }
                }
                while end.poll_packet().is_some() {}
            }
        }
    }
}
