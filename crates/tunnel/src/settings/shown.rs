//! Settings as `--check` says them.

use super::{Checked, LineSettings, PeerSettings, Settings, UdpLineSettings};
use crate::hub::NewLink;
use arqway_link::mux::{self, Ds};
use arqway_link::{LinkLayer, ServiceConfig, bearer};
use std::fmt;

/// What the settings mean, a line each.
impl fmt::Display for Checked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { addresses, mtu, .. } = &self.settings;
        let serial = self.settings.serial();
        let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        writeln!(out, "interface {}", self.interface)?;
        writeln!(out, "  addresses       {}", addresses.join(", "))?;
        writeln!(out, "  mtu             {mtu}")?;
        match serial {
            None => writeln!(out, "  listens on      {}", self.settings.listens_on())?,
            Some((LineSettings { serial, baud, frame, .. }, _)) => {
                let (serial, baud, frame) = (serial.display(), baud.value, frame.get());
                writeln!(out, "  serial line     {serial}, {baud} baud, frames of {frame} octets")?;
            }
        }
        for (number, line) in self.settings.udp_lines().iter().enumerate() {
            let UdpLineSettings { interface, rate, spare, budget, .. } = &line.value;
            let kind = if interface.is_some() { "by interface" } else { "from" };
            let rate = rate.map_or_else(String::new, |rate| format!(", {rate}"));
            let spare = if *spare { ", spare" } else { "" };
            let budget = budget.as_ref().map_or_else(String::new, |budget| format!(", {} a month", budget.value));
            writeln!(out, "  line {number}          {kind} {}{rate}{spare}{budget}", line.value.name())?;
        }
        self.settings.fmt_host(out)?;
        let LinkLayer { classes, table, .. } = &self.link_layer;
        let services = self.link_layer.services().into_iter().map(ServiceConfig::kind);
        let services = mux::service_names(classes, table).into_iter().zip(services);
        let services = services.enumerate().map(|(number, (name, kind))| {
            let dscp = self.links.first().and_then(|link| link.dscp.get(number)).filter(|ds| **ds != Ds::default());
            dscp.map_or_else(|| format!("{name}: {kind}"), |ds| format!("{name}: {kind} ({ds})"))
        });
        let services: Vec<String> = services.collect();
        writeln!(out, "  services        {}", services.join(", "))?;
        for (peer, NewLink { bearer, .. }) in self.settings.peer.iter().zip(&self.links) {
            let PeerSettings { endpoint, allowed, .. } = &peer.value;
            let allowed: Vec<String> = allowed.iter().map(|prefix| prefix.value.to_string()).collect();
            let at = match (endpoint, serial) {
                (Some(at), _) => at.value.to_string(),
                (None, None) => "learned when it calls".to_owned(),
                (None, Some(_)) => "the other end of the line".to_owned(),
            };
            let rate = match bearer.rate {
                bearer::Rate::Unpaced => "unlimited".to_owned(),
                rate => rate.to_string(),
            };
            writeln!(out, "  peer {}", peer.value.name())?;
            writeln!(out, "    allowed       {}", allowed.join(", "))?;
            writeln!(out, "    endpoint      {at}")?;
            writeln!(out, "    rate          {rate}")?;
        }
        Ok(())
    }
}
