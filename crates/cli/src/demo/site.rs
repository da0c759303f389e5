//! A copy of the link: two namespaces, a device in each, and the emulated link between them.

use super::world::World;
use crate::failure::Failure;
use arqway_emulate::{EmulatedLink, Emulation, Outcome, Report};
use arqway_net::{Clock, Device, Interface, Namespace, Waker};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// The addresses of client and server on the link.
pub(super) const ADDRESSES: [IpAddr; 2] =
    [IpAddr::V4(Ipv4Addr::new(10, 81, 0, 1)), IpAddr::V4(Ipv4Addr::new(10, 81, 0, 2))];
/// So many packets wait in a device until the emulator reads them.
const TRANSMIT_QUEUE: u32 = 1000;

pub(super) struct Site {
    namespaces: [Namespace; 2],
    stop: Arc<Waker>,
    emulation: JoinHandle<Outcome>,
}

impl Site {
    pub(super) fn make(world: &World) -> Result<Self, Failure> {
        let namespaces = [Namespace::anonymous()?, Namespace::anonymous()?];
        let device = |end: usize| {
            let addresses = vec![(ADDRESSES[end], 24)];
            let device = Device { name: "arq0".to_owned(), addresses, mtu: world.mtu, transmit_queue: TRANSMIT_QUEUE };
            Interface::tun(&device, &namespaces[end])
        };
        let link = EmulatedLink::new(&world.settings, world.seed);
        let emulation = Emulation::new(link, device(0)?, device(1)?, Clock::start());
        let stop = Arc::new(Waker::new()?);
        let stopped = Arc::clone(&stop);
        let emulation = thread::Builder::new()
            .name("emulation".to_owned())
            .spawn(move || emulation.run(&stopped, drop))
            .map_err(Failure::failed)?;
        Ok(Self { namespaces, stop, emulation })
    }

    pub(super) fn client(&self) -> &Namespace {
        &self.namespaces[0]
    }

    pub(super) fn server(&self) -> &Namespace {
        &self.namespaces[1]
    }

    /// Ends it. What happened on the link.
    pub(super) fn remove(self) -> Result<Report, Failure> {
        self.stop.wake();
        let outcome = self.emulation.join().map_err(|_| Failure::failed("the emulation ended in a panic"))?;
        for namespace in self.namespaces {
            namespace.remove()?;
        }
        outcome.failure.map_or(Ok(outcome.summary), |failure| Err(failure.into()))
    }
}
