//! Paced ends: no queue in the modem, and none of the pace lost.

use super::*;

#[test]
fn paced_a_little_below_its_rate_a_modem_has_no_queue() {
    let mut world = World::new(Setting::new("raw").with_rate("1.96 Mbit/s"));
    world.packets(0, 1000, 3000, 500, 3000);
    world.run_until(2000);
    world.machines[0].deepest_queue();
    world.run_until(9000);
    assert!(world.machines[0].deepest_queue() < 2);
    let mut unpaced = World::new(Setting::new("raw"));
    unpaced.packets(0, 1000, 3000, 500, 3000);
    unpaced.run_until(9000);
    assert!(unpaced.machines[0].deepest_queue() > 300, "the queue stands in the modem");
}

#[test]
fn an_end_that_is_woken_four_milliseconds_late_keeps_its_pace_whatever_its_service_waits_for() {
    for service in ["raw", "tally"] {
        let mut setting = Setting::new(service).with_rate("10 Mbit/s");
        setting.late = Span::from_milliseconds(4);
        for way in &mut setting.ways {
            // Where frames are lost tally has one or two that have not departed.
            (way.rate, way.lost) = ("20 Mbit/s".parse().expect("a rate"), 20);
        }
        let mut world = World::new(setting);
        // More than the pace carries, in bursts: between them only time wakes the end, and feedback.
        for burst in 0..15 {
            world.packets(0, 1200, 250, 500 + 200 * burst, 0);
        }
        world.run_until(3500);
        let within = |time| at(1000) < time && time <= at(3000);
        let octets: usize = world.machines[0].sent.iter().filter(|(time, _)| within(*time)).map(|(_, size)| size).sum();
        assert!((2_375_000..=2_525_000).contains(&octets), "{service}: {octets} octets in two seconds, of 2,500,000");
    }
}
