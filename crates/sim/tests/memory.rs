//! What a run takes of memory: an event in steady state allocates nothing but, now and then, room for new packets; and
//! a long run needs no more than a short one.

use arqway_link::selective_repeat::{self, TimerStarts};
use arqway_link::{ServiceConfig, mux::Class, mux::Protocol, raw};
use arqway_sim::channel::{ErrorModel, Uniform};
use arqway_sim::{NoProbe, Probe, Queue, Room, Scenario, Streams, World, tcp};
use arqway_units::{Octets, Ratio, Time};

/// Everything at once: Selective Repeat with a fixed timeout under contention, and a link that loses frames.
fn busy_world(megabytes: u64) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.wireless.queue = Queue::DropTail(Room::of(256));
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.054).expect("a share") });
    scenario.link_layer.service = ServiceConfig::SelectiveRepeat(selective_repeat::Config {
        timer_starts: TimerStarts::HandOver,
        drop_stale_copies: false,
        ..selective_repeat::Config::default()
    });
    let service = ServiceConfig::Raw(raw::Config::default());
    scenario.link_layer.classes = vec![Class { protocol: Protocol::UDP, service }];
    scenario.media.enabled = true;
    scenario.file_transfer.size = Octets::new(megabytes * 1_000_000);
    scenario
}

#[derive(Default)]
struct PacketCount(u64);

impl Probe for PacketCount {
    fn tcp_sent(&mut self, _: tcp::Transmission, _: &tcp::Sender, _: Time) {
        self.0 += 1;
    }
}

#[test]
fn an_event_in_steady_state_allocates_at_most_the_packet_it_creates() {
    let mut packets = PacketCount::default();
    let mut world = World::new(&busy_world(10), &Streams::new(1, 0), &mut packets).expect("two services");
    world.start();
    for _ in 0..200_000 {
        assert!(world.step(), "the file takes longer than that");
    }
    let measured = allocation_counter::measure(|| {
        for _ in 0..200_000 {
            assert!(world.step(), "the file takes longer than that");
        }
    });
    drop(world);
    // One allocation holds some 260 packets; TCP alone has sent thousands by now.
    assert!(packets.0 > 5000, "{} packets were sent", packets.0);
    assert!(measured.count_total < 500, "{} allocations in 200,000 events", measured.count_total);
}

#[test]
fn the_memory_of_a_run_does_not_grow_with_its_length() {
    let peak = |megabytes| {
        let scenario = busy_world(megabytes);
        let run = || World::new(&scenario, &Streams::new(1, 0), NoProbe).expect("two services").run().events;
        allocation_counter::measure(|| assert!(run() > 0)).bytes_max
    };
    let (short, long) = (peak(2), peak(40));
    // A packet's octets live in a slab of 64 KiB until its last neighbour is gone, so a peak may differ by a few slabs;
    // eight octets kept of each packet would be a megabyte.
    assert!(long <= short + 4 * 65_536, "2 MB: {short} octets, 40 MB: {long} octets");
    assert!(long < 2_000_000, "{long} octets");
}
