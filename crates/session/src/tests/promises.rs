//! What is promised whatever happens to datagrams: the world of `fuzz/world.rs`, at random.

use super::*;
use crate::fuzz::situation::{ROUND_TRIP, Situation};
use crate::fuzz::world::World;
use proptest::prelude::*;
use std::collections::BTreeMap;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
    #[test]
    fn once_the_way_is_open_packets_cross_and_nothing_is_opened_twice_forged_or_late(
        seed in any::<u64>(), operations in 0u64..250, who_is_home in 0usize..2,
    ) {
        let mut world = World::new(Chance::of_seed(seed));
        (0..operations).for_each(|_| world.trouble());
        // Whoever has lost all keys knows no more than where its user says the other one is.
        world.go(who_is_home, true);
        world.open();
        // The longest of all; what each situation takes is asked below, and by fuzzing.
        let at_most = Situation::LostKeys.at_most(2, Span::from_milliseconds(4_000));
        let took = world.until_packets_cross(at_most);
        prop_assert!(took.is_some(), "no packets in {} s", at_most.as_seconds());
        // And they go on doing so, once keys that were almost too old have been changed.
        for _ in 0..15 {
            (0..2).for_each(|index| world.seal(index));
            world.run(Span::from_milliseconds(1000));
        }
        for _ in 0..3 {
            world.run(Span::from_milliseconds(1000));
            let took = world.until_packets_cross(ROUND_TRIP * 3);
            prop_assert!(took.is_some(), "packets crossed once, and no more");
        }
    }

    #[test]
    fn at_rest_nothing_is_sent_but_keepalives_and_then_nothing_at_all(seed in any::<u64>(), operations in 0u64..150) {
        let mut world = World::new(Chance::of_seed(seed));
        (0..operations).for_each(|_| world.trouble());
        // A handshake under way ends or is given up after 90 s, and its last message may have made the other end begin one, which
        // has as long; a last packet is answered; keys are retired.
        world.run(Span::from_milliseconds(200_000));
        let before = world.own;
        world.run(Span::from_milliseconds(200_000));
        prop_assert_eq!(world.own, before, "at rest");
        for end in &world.ends {
            prop_assert_eq!(end.endpoint.poll_timeout(), None);
            prop_assert_eq!(end.endpoint.indices(), 0, "indices of keys that are gone");
        }
    }
}

#[test]
fn packets_cross_after_as_long_as_the_page_says_for_what_the_ends_have_of_each_other() {
    let mut longest: BTreeMap<Situation, (u32, Span)> = BTreeMap::new();
    for seed in 0..400 {
        let mut world = World::new(Chance::of_seed(seed));
        (0..seed % 250).for_each(|_| world.trouble());
        world.go(usize::from(seed % 7 < 3), true);
        world.open();
        let (situation, at_most) = world.situation();
        let took = world.until_packets_cross(at_most);
        let took = took.unwrap_or_else(|| panic!("{situation:?}: nothing in {} s, seed {seed}", at_most.as_seconds()));
        let (count, most) = longest.entry(situation).or_insert((0, Span::ZERO));
        (*count, *most) = (*count + 1, took.max(*most));
    }
    println!("{longest:?}");
    assert!(longest.len() == 4 && longest.values().all(|(count, _)| *count >= 10), "{longest:?}");
    // Nor is the table idle talk: whoever waits needs longer than whoever does not.
    assert!(longest[&Situation::Waits].1 > Situation::NoKeys.at_most(2, Span::ZERO));
}
