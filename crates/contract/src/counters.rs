//! What every service counts, by the same names everywhere.

/// Declares the counters once: the fields, and their sum.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Events since the service was made.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Counters {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Counters {
            /// Each with its name.
            pub fn named(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name)),*].into_iter()
            }
        }

        impl core::ops::Add for Counters {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self { $($name: self.$name + other.$name),* }
            }
        }
    };
}

counters! {
    /// Packets taken from the network layer.
    packets_taken,
    /// Packets for which there was no room: handed back because the service held all it may, or dropped in favour of later ones.
    packets_refused,
    /// Packets without octets, dropped when the network layer gave them.
    packets_empty,
    /// Packets released to the network layer.
    packets_delivered,
    /// Packets of the peer found missing that are not asked for, or no longer; other frames may still bring them back
    /// ([`frames_recovered`](Self::frames_recovered)). Only where the service knows: see
    /// [`KNOWS_LOSSES`](crate::Service::KNOWS_LOSSES).
    packets_missed,
    /// Packets given up at the sending end: not sent in time or often enough, or in front of others that had no room.
    packets_discarded,
    /// Packets that had waited too long, and went with a mark of congestion.
    packets_marked,
    /// Octets of packets put into frames for the first time, without what of their headers needs not be there.
    octets_sent,
    /// Frames with a packet handed over for the first time.
    frames_sent,
    /// Frames with a packet handed over again.
    frames_resent,
    /// Acknowledgements handed over as frames of their own.
    acknowledgements_sent,
    /// Negative acknowledgements handed over.
    rejects_sent,
    /// Retransmission timers that expired.
    timeouts,
    /// Copies withdrawn from the queue because the peer had them by then.
    frames_withdrawn,
    /// Frames that are known to be missing and no longer asked for.
    frames_abandoned,
    /// Frames that said how far the sender is, because the line was idle.
    keepalives_sent,
    /// Frames that concern the connection of both ends itself: that it begins, ends, or begins anew.
    control_sent,
    /// Frames with the parity of others.
    parity_sent,
    /// Frames that were counted as missing, and then worked out from others, or received after all.
    frames_recovered,
    /// Frames dropped because one before them was missing, or because they were received before.
    out_of_sequence_received,
    /// Frames received that were received before.
    duplicates_received,
    /// Packets that arrived before one that has to leave first, and so were held.
    packets_held,
    /// How long packets were held, all added up, in nanoseconds: over a time it makes the mean number of packets held.
    held_nanoseconds,
    /// Duplicate TCP acknowledgements withheld from the network layer.
    acknowledgements_withheld,
    /// TCP acknowledgements made here, out of one that told of much at once.
    acknowledgements_regenerated,
    /// TCP connections forgotten to make room for others.
    connections_evicted,
    /// How often both ends began anew.
    resets,
    /// Times that the peer did not answer as often as it was asked to begin anew.
    unrecoverable_errors,
    /// Frames received that cannot be, by what is known here: that nobody sent, or was not expected any more.
    protocol_errors,
    /// Frames received that could not be decoded, or that belong to no service here.
    malformed_received,
}

impl Counters {
    /// A frame with this packet is handed over for the first time.
    pub fn sent(&mut self, packet: &[u8]) {
        self.frames_sent += 1;
        self.octets_sent += packet.len() as u64;
    }
}
