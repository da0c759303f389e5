//! What every service promises of an outage that it is told of, whoever drives it: it is at rest, and goes on where it was.

use crate::common::{End, Fate, Queue, Sent, Setting, carry, run_with};
use arqway_link::fuzz::{Input, Promise};
use arqway_link::{
    AnyService, LinkService, Packet, ServiceConfig, ShortForm, Side, Tag, WorldDefaults, scheme_names, tally,
};
use arqway_units::{Span, Time};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Any settings of any kind of service in the list; of one that fuzzing gives none, those that it has where nobody says
/// otherwise.
fn any_service() -> impl Strategy<Value = ServiceConfig> {
    let names: BTreeMap<&str, &str> = scheme_names().map(|(kind, name)| (kind, name.name)).collect();
    let kinds: Vec<(&str, &str)> = names.into_iter().collect();
    (prop::sample::select(kinds), proptest::collection::vec(any::<u8>(), 0..64)).prop_map(|((kind, name), octets)| {
        let default = || name.parse::<ShortForm>().ok()?.in_world(&WorldDefaults::default()).ok();
        ServiceConfig::any(kind, &mut Input::new(&octets)).or_else(default).expect("a service without a parameter")
    })
}

fn ends(config: &ServiceConfig) -> [AnyService; 2] {
    [Side::AccessPoint, Side::Client].map(|side| config.build(&side.into()))
}

fn any_fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = (prop_oneof![3 => Just(1), 2 => Just(0), 1 => Just(2)], 0u64..5)
        .prop_map(|(copies, milliseconds)| Fate { copies, delay: Span::from_milliseconds(milliseconds) });
    proptest::collection::vec(fate, 0..60)
}

/// A link without an outage, fast enough for the shortest timers that fuzzing sets: a service whose timers are shorter than the
/// round trip need not come to rest.
fn any_setting() -> impl Strategy<Value = Setting> {
    let queue = (1usize..8).prop_map(Queue::BackPressured);
    (0u32..40, 0u32..40, any_fates(), any_fates(), queue, 50u64..500).prop_map(
        |(near, far, to_far, to_near, queue, microseconds)| Setting {
            packets: [near, far],
            fates: [to_far, to_near],
            queue,
            time_on_line: Span::from_nanoseconds(1000 * microseconds),
            outage: None,
        },
    )
}

fn any_length() -> impl Strategy<Value = Span> {
    prop_oneof![0u64..300, 0u64..100_000].prop_map(Span::from_milliseconds)
}

/// Packet `number`, which ends with it: UDP of one flow.
fn udp(number: u32) -> Packet {
    let header = [0x45, 0, 0, 32, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    Packet::new([&header[..], &[0x13, 0x8c, 0, 53, 0, 12, 0, 0], &number.to_be_bytes()].concat())
}

/// Segment `number` of a TCP connection, whose acknowledgements never come: Snoop has timers for it.
fn tcp(number: u32) -> Packet {
    let header = [0x45, 0, 0, 44, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    let sequence = (1000 + 4 * number).to_be_bytes();
    let rest = [0, 0, 3, 232, 0x50, 0x10, 4, 0, 0, 0, 0, 0];
    Packet::new([&header[..], &[0, 80, 0x90, 0], &sequence, &rest, &number.to_be_bytes()].concat())
}

fn discards(ends: &[End<AnyService>; 2]) -> bool {
    ends.iter().any(|end| end.service.counters().packets_discarded > 0)
}

/// The silences in an exchange of more than a millisecond, each from its beginning to its end: no frame is on a line or on its
/// way, and another one will be.
fn silences(ends: &[End<AnyService>; 2], time_on_line: Span) -> Vec<(Time, Time)> {
    let is_on_its_way = |sent: &Sent| {
        let departure = sent.at + time_on_line;
        (sent.at, if sent.copies > 0 { departure.max(sent.arrival) } else { departure })
    };
    let mut busy: Vec<(Time, Time)> = ends.iter().flat_map(End::sent).map(is_on_its_way).collect();
    busy.sort_unstable();
    let mut silent_from = Time::ZERO;
    let mut silences = Vec::new();
    for (from, until) in busy {
        if from > silent_from + Span::from_milliseconds(1) {
            silences.push((silent_from, from));
        }
        silent_from = silent_from.max(until);
    }
    silences
}

/// What goes out at an end and what is released there, and when; from `since` on as if it were `by` earlier.
fn course(end: &End<AnyService>, since: Time, by: Span) -> Vec<(Span, Option<Tag>, Vec<u8>)> {
    let when = |at: Time| {
        let at = at.since(Time::ZERO);
        if at < since.since(Time::ZERO) + by { at } else { at - by }
    };
    let frames = end.sent().iter().map(|sent| (when(sent.at), Some(sent.frame.tag), sent.frame.body.to_vec()));
    let packets = end.received.iter().zip(&end.released);
    frames.chain(packets.map(|(packet, at)| (when(*at), None, packet.octets.to_vec()))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, max_shrink_iters: 300, ..ProptestConfig::default() })]

    /// The owner of each end polls it all the same, which finds nothing: see `common`.
    #[test]
    fn an_owner_that_polls_in_an_outage_finds_a_service_at_rest_and_all_that_is_reliable_arrives_after_it(
        service in any_service(),
        setting in any_setting(),
        (down, length) in (0u64..500, any_length()),
    ) {
        let down = Time::ZERO + Span::from_milliseconds(down);
        let ends = run_with(ends(&service), &Setting { outage: Some((down, down + length)), ..setting.clone() }, udp);
        if matches!(service.promise(), Promise::AllInOrder | Promise::AllOnce) && !discards(&ends) {
            for (end, count) in ends.iter().zip([setting.packets[1], setting.packets[0]]) {
                let mut received = end.received.clone();
                if service.promise() == Promise::AllOnce {
                    received.sort_unstable_by(|one, other| one.octets.cmp(&other.octets));
                }
                prop_assert!(received == (0..count).map(udp).collect::<Vec<_>>(), "{} of {count} packets", received.len());
            }
        }
    }

    /// Where nothing is given up because it waited too long, an outage in a silence moves what follows by its length, and
    /// changes nothing else. Tally sends more copies as the end of a packet's time nears, which an outage does not put off; and what recovery with
    /// a deadline would send again may be too old then.
    #[test]
    fn after_an_outage_in_a_silence_the_same_frames_go_out_later_by_the_outage(
        service in any_service(),
        setting in any_setting(),
        length in any_length(),
        (which, part) in (any::<prop::sample::Index>(), 1u64..8),
    ) {
        prop_assume!(!matches!(&service, ServiceConfig::Tally(tally::Config { persistence: Some(_), .. }) | ServiceConfig::Deadline(_)));
        // Of headers that are shortened not all octets are in frames.
        let run = |outage| carry(ends(&service), &Setting { outage, ..setting.clone() }, tcp);
        let without = run(None);
        let silences = silences(&without, setting.time_on_line);
        if silences.is_empty() {
            return Ok(());
        }
        let (from, until) = silences[which.index(silences.len())];
        let down = from + (until - from) / 8 * part;
        let (short, long) = (run(Some((down, down))), run(Some((down, down + length))));
        if [&without, &short, &long].into_iter().any(discards) {
            return Ok(());
        }
        for end in 0..2 {
            let shortly = course(&short[end], down, Span::ZERO);
            prop_assert_eq!(&course(&long[end], down, length), &shortly);
            if !service.speaks_when_link_is_back() {
                prop_assert_eq!(&shortly, &course(&without[end], down, Span::ZERO));
            }
        }
    }
}
