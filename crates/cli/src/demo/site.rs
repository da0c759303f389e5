//! A copy of the link, or of some of several: two namespaces, a device in each for every link, and the emulated links between them.

use super::world::World;
use crate::addresses::Address;
use crate::emulate::ends::in_namespaces;
use crate::emulate::links::NamedLink;
use crate::failure::Failure;
use arqway_emulate::{EmulatedLink, Emulation, Outcome, Report};
use arqway_net::{Clock, Interface, Namespace, Waker};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// The addresses of client and server on the first link.
pub(super) const ADDRESSES: [IpAddr; 2] =
    [IpAddr::V4(Ipv4Addr::new(10, 81, 0, 1)), IpAddr::V4(Ipv4Addr::new(10, 81, 0, 2))];

pub(super) struct Site {
    namespaces: [Namespace; 2],
    stop: Arc<Waker>,
    emulations: Vec<JoinHandle<Outcome>>,
}

impl Site {
    /// A copy of these links.
    pub(super) fn make(world: &World, links: &[NamedLink]) -> Result<Self, Failure> {
        let namespaces = [Namespace::anonymous()?, Namespace::anonymous()?];
        let address = |link: u8, end: u8| Address { address: Ipv4Addr::new(10, 81, link, end).into(), prefix: 24 };
        let addresses: Vec<_> = (0..).zip(links).map(|(link, _)| [address(link, 1), address(link, 2)]).collect();
        let ends = in_namespaces(&namespaces, &addresses, world.mtu)?;
        let stop = Arc::new(Waker::new()?);
        let clock = Clock::start();
        let start = |(link, [client, server]): (&NamedLink, [Interface; 2])| {
            let link = EmulatedLink::new(&link.settings, world.seed);
            let (emulation, stop) = (Emulation::new(link, client, server, clock), Arc::clone(&stop));
            let thread = thread::Builder::new().name("emulation".to_owned());
            thread.spawn(move || emulation.run(&stop, drop)).map_err(Failure::failed)
        };
        let emulations = links.iter().zip(ends).map(start).collect::<Result<_, _>>()?;
        Ok(Self { namespaces, stop, emulations })
    }

    pub(super) fn client(&self) -> &Namespace {
        &self.namespaces[0]
    }

    pub(super) fn server(&self) -> &Namespace {
        &self.namespaces[1]
    }

    /// How many links it has.
    pub(super) fn links(&self) -> usize {
        self.emulations.len()
    }

    /// Ends it. What happened on each link.
    pub(super) fn remove(self) -> Result<Vec<Report>, Failure> {
        self.stop.wake();
        let end = |emulation: JoinHandle<Outcome>| {
            let outcome = emulation.join().map_err(|_| Failure::failed("the emulation ended in a panic"))?;
            outcome.failure.map_or(Ok(outcome.summary), |failure| Err(failure.into()))
        };
        let reports = self.emulations.into_iter().map(end).collect::<Result<_, Failure>>();
        for namespace in self.namespaces {
            namespace.remove()?;
        }
        reports
    }
}
