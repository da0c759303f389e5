//! What a packet costs from the network layer of one end to that of the other: multiplexer, bearer and raw at both ends, over
//! memory, in nanoseconds and allocations. The goal is 1,000 and 0.1.

use allocation_counter::measure;
use arqway_link::bearer::{Bearer, Config, Mtu};
use arqway_link::mux::{self, Class, Protocol, QueueLimits};
use arqway_link::{Departure, Frame, LinkContext, LinkService, Mux, Packet, ServiceConfig, Side, Start, raw};
use arqway_units::{Octets, Span, Time};
use bytes::{BufMut, Bytes, BytesMut};
use std::process::ExitCode;

const PACKETS: u32 = 200_000;
const RUNS: usize = 7;
/// Beyond this the benchmark fails, on any machine.
const MOST_ALLOCATIONS: f64 = 0.1;

fn main() -> ExitCode {
    println!("command: cargo bench -p arqway-link --bench bearer");
    println!("{PACKETS} packets, the fastest and the slowest of {RUNS} runs\n");
    println!("{:>8} {:>12} {:>12} {:>12} {:>12}", "octets", "a datagram", "ns a packet", "slowest", "allocations");
    let mut holds = true;
    for (length, in_one) in [(1400, 1), (300, 1), (40, 20)] {
        let mut ends = Ends::new(length);
        ends.carry(PACKETS / 10, in_one);
        let runs: Vec<f64> =
            (0..RUNS).map(|_| time(|| ends.carry(PACKETS, in_one)) / f64::from(PACKETS) * 1e9).collect();
        let allocated = measure(|| ends.carry(PACKETS, in_one)).count_total as f64 / f64::from(PACKETS);
        let (fastest, slowest) =
            (runs.iter().copied().fold(f64::INFINITY, f64::min), runs.iter().copied().fold(0.0, f64::max));
        println!("{length:>8} {in_one:>12} {fastest:>12.0} {slowest:>12.0} {allocated:>12.3}");
        holds &= allocated <= MOST_ALLOCATIONS;
    }
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn time(work: impl FnOnce()) -> f64 {
    let start = std::time::Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// Two ends, and the time between them.
struct Ends {
    near: Bearer<Mux>,
    far: Bearer<Mux>,
    now: Time,
    packet: Bytes,
    wire: BytesMut,
    delivered: u64,
}

impl Ends {
    fn new(length: usize) -> Self {
        let raw = || ServiceConfig::Raw(raw::Config::default());
        let queue = Some(QueueLimits::default());
        let classes = vec![Class::of_protocol(Protocol::UDP, raw())];
        let plan = mux::Config { classes, queue, ..mux::Config::new(raw()) }.plan().expect("two services");
        let end = |side, boot| {
            let plan = plan.clone();
            let build = move |context: &LinkContext| plan.build(context);
            let config = Config { mtu_least: Mtu::ETHERNET, ..Config::default() };
            Bearer::new(config, build, LinkContext::from(side), boot, Time::ZERO)
        };
        let mut packet = vec![0; length];
        (packet[0], packet[9]) = (0x45, 17);
        packet[2..4].copy_from_slice(&u16::try_from(length).expect("a packet").to_be_bytes());
        let (near, far) = (end(Side::AccessPoint, 1), end(Side::Client, 2));
        Self { near, far, now: Time::ZERO, packet: packet.into(), wire: BytesMut::new(), delivered: 0 }
    }

    /// So many packets cross, with so many at once.
    fn carry(&mut self, packets: u32, in_one: u32) {
        let until = self.delivered + u64::from(packets);
        while self.delivered < until {
            self.now += Span::from_nanoseconds(100_000);
            for _ in 0..in_one {
                // Before the ends know each other there is no room for long.
                let _ = self.near.handle_packet(Packet::new(self.packet.clone()), self.now);
            }
            let Self { near, far, now, wire, .. } = self;
            let mut delivered = 0;
            exchange(near, far, wire, *now, &mut delivered);
            exchange(far, near, wire, *now, &mut 0);
            self.delivered += delivered;
        }
    }
}

/// What one end sends at this time arrives at the other.
fn exchange(from: &mut Bearer<Mux>, to: &mut Bearer<Mux>, wire: &mut BytesMut, now: Time, delivered: &mut u64) {
    if from.poll_timeout().is_some_and(|deadline| deadline <= now) {
        from.handle_timeout(now);
    }
    while let Some(mut datagram) = from.poll_frame(now, Octets::MAX) {
        if from.start_frame(&mut datagram, now) == Start::Withdraw {
            continue;
        }
        // As a socket writes it, and as a buffer that is used again has it.
        if wire.capacity() < 2048 {
            wire.reserve(128 * 1024);
        }
        datagram.parts().into_iter().for_each(|part| wire.put_slice(part));
        let arrived = Frame::from_wire(datagram.tag, wire.split().freeze());
        if let Some(ticket) = datagram.ticket {
            from.handle_departure(datagram.tag, ticket, Departure::Sent, now);
        }
        to.handle_frame(arrived, now);
        while to.poll_packet().is_some() {
            *delivered += 1;
        }
    }
}
