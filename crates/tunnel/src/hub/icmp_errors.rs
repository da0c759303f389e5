//! Errors of ICMP to whoever sends a packet that cannot go on. They are limited in rate, as RFC 4443 asks (section 2.4 (f)).

use super::network::NetworkLayer;
use arqway_link::{IcmpError, Packet, icmp_error};
use arqway_net::NetError;
use arqway_units::{Span, Time};

/// A thousand a second, in bursts of at most so many.
const EACH: Span = Span::from_milliseconds(1);
const AT_ONCE: u64 = 100;

/// The rate limit: a token bucket, kept as the time at which it is full.
#[derive(Debug, Default)]
pub(crate) struct IcmpErrors {
    /// When a whole burst may be sent again.
    full_at: Time,
}

impl IcmpErrors {
    /// Says why a packet cannot go on, to whoever sent it.
    pub(crate) fn send(
        &mut self,
        packet: &Packet,
        why: IcmpError,
        network: &mut impl NetworkLayer,
        now: Time,
    ) -> Result<(), NetError> {
        let full_at = self.full_at.max(now) + EACH;
        if full_at.since(now) <= EACH * AT_ONCE
            && let Some(error) = icmp_error(&packet.octets, packet.headers, why)
        {
            self.full_at = full_at;
            network.deliver(&error)?;
        }
        Ok(())
    }
}
