//! What TCP's settings promise beyond what ns-2 has: which packets go out again, when, and how many at once.

use arqway_sim::channel::{ErrorModel, Listed, Reordering};
use arqway_sim::tcp::{DelayedDuplicates, DuplicateAcknowledgements, Sender, TcpConfig, Transmission};
use arqway_sim::{Outcome, Probe, Queue, Room, Scenario, Streams, World};
use arqway_units::{Octets, Ratio, Span, Time};

/// What TCP sends, and when.
#[derive(Default)]
struct Sent(Vec<(Transmission, Time)>);

impl Probe for Sent {
    fn tcp_sent(&mut self, transmission: Transmission, _: &Sender, now: Time) {
        self.0.push((transmission, now));
    }
}

impl Sent {
    fn again(&self) -> Vec<(i64, Time)> {
        self.0.iter().filter(|(sent, _)| sent.again).map(|(sent, at)| (sent.number, *at)).collect()
    }
}

fn watch(scenario: &Scenario, probe: impl Probe) -> Outcome {
    World::new(scenario, &Streams::new(1, 0), probe).expect("one service").run()
}

fn sent(scenario: &Scenario) -> Sent {
    let mut sent = Sent::default();
    assert_eq!(watch(scenario, &mut sent).file_complete, Some(true));
    sent
}

fn ms(milliseconds: u64) -> Span {
    Span::from_milliseconds(milliseconds)
}

fn delayed(milliseconds: u64) -> DuplicateAcknowledgements {
    DuplicateAcknowledgements::Delayed(DelayedDuplicates { delay: ms(milliseconds) })
}

/// A file over a link with room for all of TCP's window.
fn download(tcp: TcpConfig) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.file_transfer.size = Octets::new(100_000);
    scenario.wireless.queue = Queue::DropTail(Room::of(50));
    scenario.tcp = TcpConfig { clock_phase: Some(Span::ZERO), ..tcp };
    scenario
}

#[test]
fn delayed_duplicates_spare_a_link_that_overtakes_its_frames_every_retransmission() {
    let again = |duplicate_acknowledgements| {
        let mut scenario = download(TcpConfig { duplicate_acknowledgements, ..TcpConfig::default() });
        let share = Ratio::new(0.05).expect("a share");
        scenario.wireless.reordering = Some(Reordering { share, delay: ms(300) });
        sent(&scenario).again().len()
    };
    assert!(again(DuplicateAcknowledgements::AtOnce) > 5);
    assert!(again(delayed(200)) > 5, "the link takes longer than that");
    assert_eq!(again(delayed(400)), 0);
}

#[test]
fn a_lost_packet_is_sent_again_later_by_just_the_delay_of_its_duplicates() {
    let again = |duplicate_acknowledgements| {
        let mut scenario = download(TcpConfig { duplicate_acknowledgements, ..TcpConfig::default() });
        scenario.wireless.errors = ErrorModel::Listed(Listed { down: vec![20], up: vec![] });
        let again = sent(&scenario).again();
        assert_eq!(again.len(), 1);
        again[0]
    };
    let (number, at) = again(DuplicateAcknowledgements::AtOnce);
    assert_eq!(again(delayed(300)), (number, at + ms(300)));
}
