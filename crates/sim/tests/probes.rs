//! What a probe sees of a run: every frame from the queue to the other end, every packet from host to host.

use arqway_link::selective_repeat::{self, Timeout, TimerStarts};
use arqway_link::{Frame, ServiceConfig};
use arqway_sim::channel::{Direction, ErrorModel, Uniform};
use arqway_sim::{Host, NoProbe, Probe, Queue, Room, Scenario, Streams, World};
use arqway_units::{Octets, Ratio, Time};
use std::collections::VecDeque;

/// Follows the frames of one direction; a frame that does anything out of turn is a failure.
#[derive(Default)]
struct Followed {
    waiting: VecDeque<Frame>,
    handed_over: Option<Frame>,
    taken: Option<Frame>,
    under_way: VecDeque<Frame>,
    /// In both directions, as outcomes count them.
    dropped: u64,
    withdrawn: u64,
    lost: u64,
    received: u64,
    packets: [u64; 2],
}

impl Followed {
    fn settle(&mut self) {
        self.waiting.extend(self.handed_over.take());
        self.withdrawn += u64::from(self.taken.take().is_some());
    }
}

impl Probe for Followed {
    fn frame_queued(&mut self, direction: Direction, frame: &Frame, _: Time) {
        if direction == Direction::Down {
            self.settle();
            self.handed_over = Some(frame.clone());
        }
    }

    fn frame_dropped(&mut self, direction: Direction, frame: &Frame, _: Time) {
        self.dropped += 1;
        if direction == Direction::Down {
            assert_eq!(self.handed_over.take().as_ref(), Some(frame), "only what was handed over last is dropped");
        }
    }

    fn frame_taken(&mut self, direction: Direction, frame: &Frame, _: Time) {
        if direction == Direction::Down {
            self.settle();
            assert_eq!(self.waiting.pop_front().as_ref(), Some(frame), "the queue is first in, first out");
            self.taken = Some(frame.clone());
        }
    }

    fn frame_sent(&mut self, direction: Direction, frame: &Frame, arrives: bool, _: Time) {
        if direction == Direction::Down {
            let taken = self.taken.take().expect("a frame is taken before it is sent");
            assert_eq!((taken.tag, taken.body), (frame.tag, frame.body.clone()));
            self.lost += u64::from(!arrives);
            self.under_way.extend(arrives.then(|| frame.clone()));
        }
    }

    fn frame_received(&mut self, direction: Direction, frame: &Frame, _: Time) {
        if direction == Direction::Down {
            assert_eq!(self.under_way.pop_front().as_ref(), Some(frame), "a frame arrives as it went out");
            self.received += 1;
        }
    }

    fn packet_sent(&mut self, host: Host, _: &[u8], _: Time) {
        self.packets[0] += u64::from(host == Host::Server);
    }

    fn packet_received(&mut self, host: Host, _: &[u8], _: Time) {
        self.packets[1] += u64::from(host == Host::Client);
    }
}

/// Selective Repeat that times out too early, over a queue too small for it, and withdraws what it repeated in vain.
fn hurried() -> Scenario {
    let mut scenario = Scenario::default();
    scenario.link_layer.service = ServiceConfig::SelectiveRepeat(selective_repeat::Config {
        timeout: Timeout::Fixed("0.2 s".parse().expect("a length of time")),
        timer_starts: TimerStarts::HandOver,
        ..selective_repeat::Config::default()
    });
    scenario.wireless.queue = Queue::DropTail(Room::of(12));
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.05).expect("a share") });
    scenario.file_transfer.size = Octets::new(50_000);
    scenario
}

#[test]
fn a_probe_follows_every_frame_from_the_queue_to_the_other_end() {
    let mut followed = Followed::default();
    let outcome = World::new(&hurried(), &Streams::new(1, 0), &mut followed).expect("one service").run();
    followed.settle();
    assert!(followed.dropped > 0 && followed.lost > 0 && followed.received > 200);
    assert_eq!(
        (followed.dropped, followed.withdrawn),
        (outcome.network.queue_drops, outcome.network.access_point.frames_withdrawn)
    );
    assert!(followed.withdrawn > 0);
}

#[test]
fn a_probe_sees_every_packet_at_both_hosts() {
    let mut scenario = hurried();
    scenario.wireless.errors = ErrorModel::None;
    scenario.wireless.queue = Queue::DropTail(Room::of(256));
    scenario.link_layer = arqway_link::LinkLayer::default();
    let mut followed = Followed::default();
    World::new(&scenario, &Streams::new(1, 0), &mut followed).expect("one service").run();
    assert_eq!(followed.packets, [200, 200], "50 kB in packets of 250 octets, none of them lost");
}

#[test]
fn a_watched_run_is_the_same_run() {
    let world = |streams: &Streams| World::new(&hurried(), streams, NoProbe).expect("one service").run();
    let mut pair = (Some(Followed::default()), None::<Followed>);
    let watched = World::new(&hurried(), &Streams::new(1, 0), &mut pair).expect("one service").run();
    assert_eq!(watched, world(&Streams::new(1, 0)));
    assert!(pair.0.is_some_and(|followed| followed.received > 200));
}
