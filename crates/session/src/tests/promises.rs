//! What is promised whatever happens to datagrams: the world of `world.rs`, at random.

use super::world::World;
use super::*;
use proptest::prelude::*;

/// A peer that lost its keys is noticed after 5 s, and asked at either of its addresses after two waits of up to 4.3 s. Then
/// three round trips of 0.1 s are enough, or one more where both ends ask for cookies.
const AT_MOST: Span = Span::from_milliseconds(5_000 + 2 * 4_300 + 4 * 100 + 100);

/// Anything happens for a while, one operation after another.
fn trouble(world: &mut World, operations: u64) {
    for _ in 0..operations {
        match world.dice.below(40) {
            0 => {
                let index = usize::from(world.dice.one_in(2));
                world.restart(index);
            }
            1 | 2 => {
                let (index, home) = (usize::from(world.dice.one_in(2)), world.dice.one_in(2));
                world.go(index, home);
            }
            3..10 => world.intrude(),
            // A long time without anything, in which keys may become too old.
            10 if world.dice.one_in(4) => world.run(Span::from_milliseconds(100_000)),
            _ => {
                let index = usize::from(world.dice.one_in(2));
                world.seal(index);
            }
        }
        let span = Span::from_milliseconds(world.dice.below(400));
        world.run(span);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
    #[test]
    fn once_the_way_is_open_packets_cross_and_nothing_is_opened_twice_forged_or_late(
        seed in any::<u64>(), operations in 0u64..250, who_is_home in 0usize..2,
    ) {
        let mut world = World::new(seed);
        trouble(&mut world, operations);
        // Whoever has lost all keys knows no more than where its user says the other one is.
        world.go(who_is_home, true);
        world.is_open = true;
        let took = world.until_packets_cross(AT_MOST);
        prop_assert!(took.is_some(), "no packets in {} s", AT_MOST.as_seconds());
        // And they go on doing so.
        for _ in 0..3 {
            world.run(Span::from_milliseconds(1000));
            let took = world.until_packets_cross(Span::from_milliseconds(300));
            prop_assert!(took.is_some(), "packets crossed once, and no more");
        }
    }

    #[test]
    fn at_rest_nothing_is_sent_but_keepalives_and_then_nothing_at_all(seed in any::<u64>(), operations in 0u64..150) {
        let mut world = World::new(seed);
        trouble(&mut world, operations);
        // A handshake under way ends or is given up; a last packet is answered; keys are retired.
        world.run(Span::from_milliseconds(100_000));
        let before = world.own;
        world.run(Span::from_milliseconds(200_000));
        prop_assert_eq!(world.own, before, "at rest");
        for end in &world.ends {
            prop_assert_eq!(end.endpoint.poll_timeout(), None);
        }
    }
}
