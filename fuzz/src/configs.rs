//! Any configuration of any service, mostly small ones, whose limits are soon reached.

use arqway_link::fuzz::Input;
use arqway_link::mux::{self, Class, Ds, Measured, Ports, Protocol, QueueLimits, Rates, Rule, Scfq, SchedulerConfig};
use arqway_link::{ServiceConfig, Side};
use arqway_units::BitRate;

pub(crate) fn side(input: &mut Input<'_>) -> Side {
    if input.flag() { Side::Client } else { Side::AccessPoint }
}

/// A service of this kind.
pub(crate) fn of_kind(kind: &str, input: &mut Input<'_>) -> ServiceConfig {
    ServiceConfig::any(kind, input).expect("a kind of service")
}

/// A service of any kind that the list has: none can be left out.
pub(crate) fn any(input: &mut Input<'_>) -> ServiceConfig {
    let mut kinds = ServiceConfig::kinds_that_rest();
    let kind = kinds.nth(input.index(kinds.len())).expect("one of them");
    of_kind(kind, input)
}

/// Several services of any kind, told apart by protocol, port and codepoint, some of them with shares by what they carry.
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
        Class::new(rule, any(input))
    });
    let mut classes: Vec<Class> = classes.collect();
    let rates = input.one_of(&[Rates::Given, Rates::Measured(Measured::default())]);
    let schedulers = [SchedulerConfig::Fcfs, SchedulerConfig::Scfq(Scfq { rates })];
    let scheduler = input.one_of(&schedulers);
    let depth = input.at_least_one(4);
    // Nothing more is drawn, so that older inputs mean what they did.
    let limits = QueueLimits { packets: depth.saturating_mul(depth), ..QueueLimits::default() };
    let queue = depth.get().is_multiple_of(2).then_some(limits);
    let link_rate = BitRate::from_bits_per_second(1_000_000);
    if depth.get() > 2 && scheduler == SchedulerConfig::Scfq(Scfq { rates: Rates::Given }) {
        // Every other one: the rest has what is left. Of five classes none says more than the link has.
        classes.iter_mut().step_by(2).for_each(|class| class.carries = BitRate::from_bits_per_second(300_000));
    }
    mux::Config { classes, scheduler, depth, queue, link_rate, ..mux::Config::new(default_service) }
}
