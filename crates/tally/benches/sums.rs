//! What a sum of tally's frames costs: to make it, and to work lost frames out of it, in microseconds and in nanoseconds for each frame that it
//! is of. The goal is 1 us a frame at each end: tally lets a sum be of 1.5 million frames for each second that a frame
//! takes on the line, which is a seventh of a processor where one frame in ten is a repair frame.

use arqway_contract::{Departure, End, Frame, LinkContext, LinkService, Packet, Service, Side, Start};
use arqway_tally::{Config, Mechanism, Pdu, Tally, parse};
use arqway_units::{Octets, Span, Time};
use bytes::Bytes;

const OCTETS: usize = 1400;
/// Of so many frames one is lost.
const LOST: usize = 33;
const RUNS: usize = 20;

fn main() {
    println!("command: cargo bench -p arqway-tally --bench sums");
    println!("frames of {OCTETS} octets, of which one in {LOST} is lost; the median of {RUNS} runs, and the slowest\n");
    println!(
        "{:>8} {:>6} {:>14} {:>12} {:>10} {:>18} {:>12} {:>10}",
        "frames", "sums", "us to make one", "ns a frame", "slowest", "us to work it out", "ns a frame", "slowest"
    );
    for frames in [16, 64, 256, 430] {
        let runs: Vec<_> = (0..RUNS).map(|_| run(frames)).collect();
        let sums = runs[0].2;
        let of = |time: fn(&(f64, f64, usize)) -> f64| {
            let mut times: Vec<f64> = runs.iter().map(|run| time(run) / run.2 as f64 * 1e6).collect();
            times.sort_by(f64::total_cmp);
            (times[RUNS / 2], times[RUNS - 1])
        };
        let ((make, slowest_make), (solve, slowest_solve)) = (of(|run| run.0), of(|run| run.1));
        let each = |time: f64| time / frames as f64 * 1e3;
        println!(
            "{frames:>8} {sums:>6} {make:>14.1} {:>12.0} {:>10.0} {solve:>18.1} {:>12.0} {:>10.0}",
            each(make),
            each(slowest_make),
            each(solve),
            each(slowest_solve)
        );
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn time<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = std::time::Instant::now();
    let done = work();
    (start.elapsed().as_secs_f64(), done)
}

/// A sender and a receiver that have carried frames, of which some were lost.
struct Ends {
    sender: End<Tally>,
    receiver: End<Tally>,
    now: Time,
    sent: usize,
}

impl Ends {
    fn new() -> Self {
        // No packet is cut to learn whether shorter frames are lost less often.
        let without = Some(Mechanism::Cuts);
        let config = Config { repair: true, without, ..Config::default() };
        let end =
            |side| config.build(&LinkContext { delay: Some(Span::from_milliseconds(250)), ..LinkContext::from(side) });
        Self { sender: end(Side::Client), receiver: end(Side::AccessPoint), now: Time::ZERO, sent: 0 }
    }

    fn later(&mut self, milliseconds: u64) {
        self.now += Span::from_milliseconds(milliseconds);
        for end in [&mut self.sender, &mut self.receiver] {
            if end.poll_timeout().is_some_and(|due| due <= self.now) {
                end.handle_timeout(self.now);
            }
        }
    }

    /// A frame starts, takes a millisecond, and is lost or not.
    fn pass(&mut self, mut frame: Frame, is_lost: bool) -> f64 {
        let start = self.sender.start_frame(&mut frame, self.now);
        assert_eq!(start, Start::Send);
        self.now += Span::from_milliseconds(1);
        if let Some(ticket) = frame.ticket {
            self.sender.handle_departure(frame.tag, ticket, Departure::Sent, self.now);
        }
        if is_lost {
            return 0.0;
        }
        // As it comes off a wire.
        let frame = Frame::from_wire(frame.tag, frame.parts().concat().into());
        let (took, ()) = time(|| self.receiver.handle_frame(frame, self.now));
        while self.receiver.poll_packet().is_some() {}
        took
    }

    /// So many packets go out, and the sums behind them: how long it took to make these, to work lost frames out of them, and how many they were.
    fn burst(&mut self, frames: usize) -> (f64, f64, usize) {
        for _ in 0..frames {
            let packet = Packet::new(Bytes::from_static(&[7; OCTETS]));
            self.sender.handle_packet(packet, self.now).expect("room for a packet");
            let frame = self.sender.poll_frame(self.now, Octets::MAX).expect("a frame with it");
            self.sent += 1;
            self.pass(frame, self.sent.is_multiple_of(LOST));
        }
        let (mut made, mut solved, mut sums) = (0.0, 0.0, 0);
        while let (took, Some(frame)) = time(|| self.sender.poll_frame(self.now, Octets::MAX)) {
            assert!(matches!(parse(frame.clone(), true), Some(Pdu::Repair(_))), "all data are out");
            (made, sums) = (made + took, sums + 1);
            solved += self.pass(frame, false);
        }
        (made, solved, sums)
    }

    /// All that was lost is told of and sent again.
    fn settle(&mut self) {
        while self.sender.poll_timeout().is_some() {
            self.later(500);
            while let Some(mut frame) = self.receiver.poll_frame(self.now, Octets::MAX) {
                let _: Start = self.receiver.start_frame(&mut frame, self.now);
                if let Some(ticket) = frame.ticket {
                    self.receiver.handle_departure(frame.tag, ticket, Departure::Sent, self.now);
                }
                self.sender.handle_frame(Frame::from_wire(frame.tag, frame.parts().concat().into()), self.now);
            }
            while let Some(frame) = self.sender.poll_frame(self.now, Octets::MAX) {
                self.pass(frame, false);
            }
        }
    }
}

fn run(frames: usize) -> (f64, f64, usize) {
    let mut ends = Ends::new();
    // The share that is lost becomes known, and the receiver begins to keep frames.
    for _ in 0..20 {
        ends.burst(100);
        ends.settle();
    }
    ends.burst(frames)
}
