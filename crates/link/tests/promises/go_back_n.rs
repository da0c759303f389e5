//! Go-back-n delivers everything once and in order over a link that loses and doubles frames but reorders none.

use crate::common::{Fate, Queue, Setting, run};
use crate::{assert_complete_and_in_order, setting};
use arqway_link::go_back_n::Config;
use arqway_link::{Bounded, ServiceConfig, Side, TimerStarts};
use arqway_units::Span;
use proptest::prelude::*;

fn config() -> impl Strategy<Value = Config> {
    let moment = prop_oneof![Just(TimerStarts::HandOver), Just(TimerStarts::Start), Just(TimerStarts::Departure)];
    let window = prop_oneof![3 => 1u16..=255, 1 => Just(1), 1 => Just(255)];
    (window, 20u64..2000, moment, 0u64..600, any::<bool>()).prop_map(|(window, timeout, timer_starts, delay, drop)| {
        Config {
            window: Bounded::new(window).expect("from 1 to 255"),
            timeout: Span::from_milliseconds(timeout),
            timer_starts,
            delayed_acknowledgement: Span::from_milliseconds(delay),
            drop_stale_copies: drop,
        }
    })
}

fn assert_promise(config: &Config, setting: &Setting) {
    let end = || ServiceConfig::GoBackN(config.clone()).build(&Side::Client.into());
    assert_complete_and_in_order(&run([end(), end()], setting), setting.packets);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 300, ..ProptestConfig::default() })]

    /// Whatever the timeout: one far below the round trip wastes the link, but every turn begins with the frame that the
    /// peer awaits.
    #[test]
    fn go_back_n_delivers_every_packet_once_in_order_and_comes_to_rest(config in config(), setting in setting()) {
        assert_promise(&config, &setting);
    }
}

/// More frames in a row than there are numbers: with the largest window a wrong turn of the numbers would show.
#[test]
fn a_burst_longer_than_the_number_space_loses_nothing() {
    for lost in [254, 255, 256, 257, 700] {
        let mut fates = vec![Fate { copies: 1, delay: Span::ZERO }; 100];
        fates.resize(100 + lost, Fate { copies: 0, delay: Span::ZERO });
        let setting = Setting {
            packets: [600, 40],
            fates: [fates.clone(), fates],
            queue: Queue::BackPressured(300),
            time_on_line: Span::from_milliseconds(2),
            outage: None,
        };
        let window = Bounded::new(255).expect("from 1 to 255");
        assert_promise(&Config { window, ..Config::default() }, &setting);
    }
}
