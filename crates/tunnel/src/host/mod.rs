//! What a tunnel has and sets on its host. All of it ends with the device or with this process, however that ends.
//!
//! | file | what |
//! | --- | --- |
//! | `mod.rs` | [`Host`]: the device, routes, name servers, masquerading |
//! | `device.rs` | [`TunDevice`]: the network layer |
//! | `resolver.rs` | [`Resolver`]: where peers are whose endpoint is a name |

mod device;
mod resolver;

pub(crate) use resolver::{Resolver, UNTIL_RESOLVED, resolve};

use crate::line::SystemLine;
use crate::settings::Settings;
use crate::start_error::StartError;
use arqway_net::{Device, Interface, Masquerade, Underlay, Way, ask_name_servers};
use arqway_units::Octets;
use device::TunDevice;
use std::net::{IpAddr, SocketAddr};

/// Packets that the device holds until they are read here: a burst, since each class has a queue of its own.
const TRANSMIT_QUEUE: u32 = 500;

/// What is kept while a tunnel runs.
pub(crate) struct Host {
    pub(crate) device: TunDevice,
    _masquerade: Option<Masquerade>,
}

impl Host {
    /// Makes the device, sets what the settings ask for, and leads the line's datagrams around the device where routes could take them into
    /// it; peers are at `endpoints`, as far as that is known.
    pub(crate) fn set_up(
        name: &str,
        settings: &Settings,
        lines: &mut [Box<dyn SystemLine>],
        endpoints: &[SocketAddr],
    ) -> Result<Self, StartError> {
        let addresses = settings.addresses.iter().map(|address| (address.address, address.prefix)).collect();
        let device = Device { name: name.to_owned(), addresses, mtu: settings.mtu, transmit_queue: TRANSMIT_QUEUE };
        let device = Interface::tun_with_offloads(&device)?;
        let routed = settings.routed();
        device.add_routes(&routed, settings.initial_window.as_ref().map(|window| window.value.get().into()))?;
        // A line with one other end has no routes.
        let with_routes = lines.iter_mut().filter(|line| !routed.is_empty() && line.other_end().is_none());
        for line in with_routes {
            let mut underlay = device.underlay()?;
            if let Some(interface) = endpoints.iter().find_map(|endpoint| underlay.strict_filter(endpoint.ip())) {
                return Err(StartError::StrictFilter { interface });
            }
            check_source(line.address(), endpoints, &mut underlay)?;
            line.go_around(underlay);
        }
        let servers: Vec<IpAddr> = settings.dns.iter().map(|server| server.value.0).collect();
        if !servers.is_empty() {
            ask_name_servers(device.name(), &servers)?;
        }
        let addresses = settings.addresses.iter().map(|address| address.address);
        let masquerade = settings.masquerade.then(|| device.masquerade(addresses)).transpose()?;
        Ok(Self { device: TunDevice::new(device, Octets::new(settings.mtu.into())), _masquerade: masquerade })
    }
}

/// From one address of IPv6 the system sends as its routes have it, whatever interface is asked for: it cannot send around the device.
fn check_source(listen: SocketAddr, endpoints: &[SocketAddr], underlay: &mut Underlay) -> Result<(), StartError> {
    if listen.is_ipv4() || listen.ip().is_unspecified() {
        return Ok(());
    }
    let followed = endpoints.iter().find(|endpoint| underlay.way_to(endpoint.ip()) != Way::AsRouted);
    followed.map_or(Ok(()), |endpoint| Err(StartError::OneSource { listen, endpoint: *endpoint }))
}
