//! Any configuration of any service, mostly small ones, whose limits are soon reached; and how many packets an end so
//! configured may keep.

use super::input::Input;
use arqway_link::mux::{self, Class, Ds, Measured, Ports, Protocol, Rates, Rule, Scfq, SchedulerConfig};
use arqway_link::rlc::{tm, um};
use arqway_link::selective_repeat::{EstimatorConfig, Policy, Rejects, Timeout, WindowSize};
use arqway_link::sscop;
use arqway_link::{
    Bounded, Others, Resequencing, ServiceConfig, Side, TimerStarts, Unordered, fec, go_back_n, raw, rlp,
    selective_repeat, snoop,
};
use arqway_units::Span;
use std::num::{NonZeroU32, NonZeroUsize};

pub(crate) fn side(input: &mut Input<'_>) -> Side {
    if input.flag() { Side::Client } else { Side::AccessPoint }
}

/// A service of any kind.
pub(crate) fn any(input: &mut Input<'_>) -> ServiceConfig {
    match input.index(8) {
        0 => selective_repeat(input),
        1 => go_back_n(input),
        2 => rlp(input),
        3 => xor_fec(input),
        4 => raw(input),
        6 => rlc_um(input),
        7 => rlc_tm(input),
        _ => snoop(input),
    }
}

fn at_least_one(input: &mut Input<'_>, most: u16) -> NonZeroUsize {
    NonZeroUsize::new(input.between(1, most).into()).unwrap_or(NonZeroUsize::MIN)
}

fn count<const LEAST: u16, const MOST: u16>(input: &mut Input<'_>) -> Bounded<LEAST, MOST> {
    let most = if input.flag() { MOST } else { MOST.min(LEAST + 6) };
    Bounded::new(input.between(LEAST, most)).expect("a number between the bounds")
}

fn timer_starts(input: &mut Input<'_>) -> TimerStarts {
    input.one_of(&[TimerStarts::Departure, TimerStarts::Start, TimerStarts::HandOver])
}

/// Any order of packets, by an octet.
fn resequencing(octet: u8) -> Resequencing {
    match octet % 8 {
        0 => Resequencing::Full,
        1 => Resequencing::as_received(),
        2 => Resequencing::PerFlow,
        _ => Resequencing::None(unordered(octet)),
    }
}

/// Any settings of no order, by an octet.
pub(crate) fn unordered(octet: u8) -> Unordered {
    let which = octet % 8;
    Unordered {
        tcp_filter: which != 3,
        others: [Others::PerFlow, Others::Full, Others::None][usize::from(which) % 3],
        regenerate_acknowledgements: which > 5,
        connections: NonZeroUsize::new(1 + usize::from(octet >> 6)).unwrap_or(NonZeroUsize::MIN),
    }
}

/// Whether packets of one flow, of UDP, leave in the order in which they were sent.
pub(crate) fn keeps_udp_in_order(resequencing: &Resequencing) -> bool {
    !matches!(resequencing, Resequencing::None(Unordered { others: Others::None, .. }))
}

pub(crate) fn raw(input: &mut Input<'_>) -> ServiceConfig {
    ServiceConfig::Raw(raw::Config { buffer: at_least_one(input, 20) })
}

pub(crate) fn selective_repeat(input: &mut Input<'_>) -> ServiceConfig {
    let window = if input.flag() { input.between(1, WindowSize::MAX) } else { input.between(1, 8) };
    let timeout = if input.flag() {
        Timeout::Adaptive(Policy { srtt: f64::from(input.octet()) / 50.0, srttvar: f64::from(input.octet()) / 50.0 })
    } else {
        Timeout::Fixed(input.span(20, 2000))
    };
    let mut config = selective_repeat::Config {
        window: WindowSize::new(window).expect("from 1 to half the modulus"),
        timeout,
        estimator: EstimatorConfig { floor: input.span(20, 500), ..EstimatorConfig::default() },
        timer_starts: timer_starts(input),
        rejects: input.one_of(&[Rejects::Multireject, Rejects::EachOnce, Rejects::OneAtATime]),
        delayed_acknowledgement: input.span(0, 600),
        ..selective_repeat::Config::default()
    };
    let last = input.octet();
    (config.drop_stale_copies, config.resequencing) = (last & 1 == 1, resequencing(last >> 1));
    ServiceConfig::SelectiveRepeat(config)
}

pub(crate) fn go_back_n(input: &mut Input<'_>) -> ServiceConfig {
    ServiceConfig::GoBackN(go_back_n::Config {
        window: count(input),
        timeout: input.span(20, 2000),
        timer_starts: timer_starts(input),
        delayed_acknowledgement: input.span(0, 600),
        drop_stale_copies: input.flag(),
    })
}

pub(crate) fn rlp(input: &mut Input<'_>) -> ServiceConfig {
    ServiceConfig::Rlp(rlp::Config {
        resequencing: resequencing(input.octet()),
        retransmissions: count(input),
        nack_timeout: input.span(1, 500),
        window: count(input),
        keepalive: input.span(1, 100),
        keepalives: Bounded::new(input.between(0, 20)).expect("below 10,000"),
        buffer: at_least_one(input, 20),
    })
}

pub(crate) fn xor_fec(input: &mut Input<'_>) -> ServiceConfig {
    ServiceConfig::XorFec(fec::Config {
        block: count(input),
        idle_timeout: input.span(1, 300),
        buffer: at_least_one(input, 20),
    })
}

pub(crate) fn snoop(input: &mut Input<'_>) -> ServiceConfig {
    ServiceConfig::Snoop(snoop::Config {
        buffer: at_least_one(input, 20),
        cache: at_least_one(input, 8),
        connections: at_least_one(input, 4),
        forget_after: input.span(1, 60_000),
        duplicate_threshold: NonZeroU32::new(input.between(1, 4).into()).unwrap_or(NonZeroU32::MIN),
        shared_duplicate_counter: input.flag(),
        retransmissions: input.between(0, 4).into(),
        resend: input.one_of(&[snoop::Resend::Behind, snoop::Resend::First]),
        estimator: snoop::Estimator { floor: input.span(20, 500), ..snoop::Estimator::default() },
    })
}

pub(crate) fn rlc_um(input: &mut Input<'_>) -> ServiceConfig {
    let timer = input.span(1, 300);
    let reception = match input.index(4) {
        0 => um::Reception::InSequence,
        1 => um::Reception::Windowed { window: count(input) },
        2 => um::Reception::Reordering { window: count(input), timer },
        _ => um::Reception::OutOfSequence { window: count(input), timer },
    };
    let mut size = || um::UmdSize::new(if input.flag() { input.between(8, 40) } else { input.between(8, 1504) });
    let (pdu_size, uplink_pdu_size) = (size().expect("from 8 to 1,504"), size());
    ServiceConfig::RlcUm(um::Config {
        pdu_size,
        uplink_pdu_size,
        flexible_pdu_size: input.flag(),
        alternative_e_bit: input.flag(),
        wait_to_fill: input.span(0, 50),
        discard_after: input.flag().then(|| input.span(1, 300)),
        reception,
        buffer: at_least_one(input, 20),
        when_full: input.one_of(&[um::WhenFull::Refuse, um::WhenFull::DiscardOldest]),
    })
}

/// Without an end to its quiet: it would not come to rest.
pub(crate) fn sscop(input: &mut Input<'_>) -> ServiceConfig {
    let timer_poll = input.span(10, 400);
    ServiceConfig::Sscop(sscop::Config {
        timer_poll,
        timer_keep_alive: input.span(10, 400),
        timer_no_response: timer_poll * 2 + input.span(400, 3000),
        timer_idle: Span::ZERO,
        timer_cc: input.span(20, 1000),
        max_cc: Bounded::new(input.between(1, 5)).expect("not zero"),
        max_pd: Bounded::new(input.between(1, 30)).expect("not zero"),
        max_stat: sscop::ListLength::new(2 * input.between(1, 6) + 1).expect("odd, and 3 or more"),
        credit: sscop::Credit::new(input.between(1, 40).into()).expect("not zero"),
        clear_buffers: input.flag(),
        resequencing: resequencing(input.octet()),
        poll_after_retransmission: input.flag(),
        end_sets_s_bit: input.flag(),
        buffer: at_least_one(input, 20),
        established: input.flag(),
        order_filter: input.flag(),
        longest_reordering: input.span(1, 1000),
        overhead: count(input),
    })
}

pub(crate) fn rlc_tm(input: &mut Input<'_>) -> ServiceConfig {
    let discard_after = input.flag().then(|| input.span(1, 300));
    ServiceConfig::RlcTm(tm::Config { discard_after, buffer: at_least_one(input, 20) })
}

/// Whether a frame may carry a part of a packet, or several.
pub(crate) fn segments(service: &ServiceConfig) -> bool {
    matches!(service, ServiceConfig::RlcAm(_) | ServiceConfig::RlcUm(_))
}

/// Several services of any kind, told apart by protocol, port and codepoint.
pub(crate) fn mux(input: &mut Input<'_>) -> mux::Config {
    let default_service = any(input);
    let classes = (0..input.index(6)).map(|place| {
        let rule = match place {
            0 => Rule::of_protocol(Protocol::TCP),
            1 => Rule { port: Ports::range(5000, 5004), ..Rule::default() },
            2 => Rule::of_ds(Ds::EF),
            3 => Rule { destination_port: Some(Ports::one(53)), ..Rule::of_protocol(Protocol::UDP) },
            _ => Rule::of_protocol(Protocol::UDP),
        };
        let mut class = Class::new(rule, any(input));
        class.rate = None;
        class
    });
    let classes = classes.collect();
    let rates = input.one_of(&[Rates::Given, Rates::Measured(Measured::default())]);
    let schedulers = [SchedulerConfig::Fcfs, SchedulerConfig::Scfq(Scfq { rates })];
    let scheduler = input.one_of(&schedulers);
    mux::Config { classes, scheduler, depth: at_least_one(input, 4), ..mux::Config::new(default_service) }
}

/// How many packets, of its own and of its peer, one end of a service may keep. A new kind of service says so here.
pub(crate) fn kept_at_most(service: &ServiceConfig) -> usize {
    match service {
        ServiceConfig::Raw(config) => config.buffer.get(),
        ServiceConfig::SelectiveRepeat(config) => 2 * config.window.frames(),
        ServiceConfig::GoBackN(config) => config.window.as_usize(),
        ServiceConfig::Rlp(config) => config.buffer.get() + 2 * config.window.as_usize(),
        ServiceConfig::XorFec(config) => config.buffer.get() + 2 * config.block.as_usize(),
        // Its own that wait or are not acknowledged, and PDUs of the peer that wait for others.
        ServiceConfig::RlcAm(config) => {
            config.buffer.map_or(256, NonZeroUsize::get) + 2 * config.window.map_or(512, Bounded::as_usize)
        }
        // Its own that wait, and PDUs of the peer that wait for others: windows are of at most 64.
        ServiceConfig::RlcUm(config) => config.buffer.get() + 64,
        ServiceConfig::RlcTm(config) => config.buffer.get(),
        // Its own that wait or are not acknowledged, once more when they wait for the next connection; the peer's that wait for others.
        ServiceConfig::Sscop(config) => config.buffer.get() + 3 * config.credit.packets() as usize,
        ServiceConfig::Snoop(config) => config.buffer.get() + config.connections.get() * config.cache.get(),
    }
}

/// How many of its own packets an end may still keep when it is at rest, its peer having acknowledged all it saw.
pub(crate) fn own_kept_at_rest(service: &ServiceConfig) -> usize {
    match service {
        // What was sent last, for requests that may still come.
        ServiceConfig::Rlp(config) => config.window.as_usize(),
        ServiceConfig::Raw(_)
        | ServiceConfig::SelectiveRepeat(_)
        | ServiceConfig::GoBackN(_)
        | ServiceConfig::XorFec(_)
        | ServiceConfig::RlcAm(_)
        | ServiceConfig::RlcUm(_)
        | ServiceConfig::RlcTm(_)
        | ServiceConfig::Sscop(_)
        | ServiceConfig::Snoop(_) => 0,
    }
}
