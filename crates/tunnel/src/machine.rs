//! What a tunnel sets on its machine besides its device. All of it ends with the device or with this process, however that ends.

use crate::settings::Settings;
use crate::start_error::StartError;
use arqway_net::{Interface, Masquerade, NetError, Underlay, ask_name_servers};
use std::net::{IpAddr, SocketAddr};

/// What has to be kept while the tunnel runs.
#[derive(Debug)]
pub(crate) struct Machine {
    /// The ways of the tunnel's own datagrams, where routes could take them into it.
    pub(crate) underlay: Option<Underlay>,
    _masquerade: Option<Masquerade>,
}

impl Machine {
    /// Sets what the settings ask for; peers are at `endpoints`, as far as that is known.
    pub(crate) fn set_up(
        settings: &Settings,
        device: &Interface,
        endpoints: impl Iterator<Item = SocketAddr>,
    ) -> Result<Self, StartError> {
        let routed = settings.routed();
        device.add_routes(&routed)?;
        let mut underlay = if routed.is_empty() { None } else { Some(device.underlay()?) };
        if let Some(underlay) = &mut underlay {
            let mut endpoints = endpoints;
            if let Some(interface) = endpoints.find_map(|endpoint| underlay.strict_filter(endpoint.ip())) {
                return Err(StartError::StrictFilter { interface });
            }
        }
        let servers: Vec<IpAddr> = settings.dns.iter().map(|server| server.value.0).collect();
        if !servers.is_empty() {
            ask_name_servers(device.name(), &servers)?;
        }
        let masquerade = |device: &Interface| -> Result<Masquerade, NetError> {
            let versions = settings.addresses.iter().map(|address| address.address);
            device.masquerade(versions)
        };
        let masquerade = settings.masquerade.then(|| masquerade(device)).transpose()?;
        Ok(Self { underlay, _masquerade: masquerade })
    }
}
