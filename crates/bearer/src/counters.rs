//! What a bearer counts besides what its services count.

/// Events since the bearer was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BearerCounters {
    /// Datagrams handed over, of any content.
    pub datagrams_sent: u64,
    /// Their octets, without the overhead.
    pub octets_sent: u64,
    /// Datagrams of this epoch that arrived for the first time.
    pub datagrams_received: u64,
    /// Frames that went in datagrams.
    pub frames_sent: u64,
    /// Those of them that shared a datagram with others.
    pub frames_packed: u64,
    /// Frames that were too large for a datagram, and went in pieces.
    pub frames_in_pieces: u64,
    /// Packets that no service can carry on this path; they were handed back.
    pub packets_too_large: u64,
    /// Reports sent, by themselves or with frames.
    pub reports_sent: u64,
    /// Hellos sent.
    pub hellos_sent: u64,
    /// Questions whether the link is still there.
    pub pings_sent: u64,
    /// Datagrams of zeros that look for a larger size, or confirm one.
    pub probes_sent: u64,
    /// Datagrams that arrived again, or too late to tell.
    pub duplicates_received: u64,
    /// Datagrams of another epoch.
    pub of_other_epochs: u64,
    /// Datagrams that no bearer wrote, or parts of them.
    pub malformed_received: u64,
    /// How often the link went down.
    pub outages: u64,
    /// How often large datagrams vanished while small ones did not.
    pub black_holes: u64,
    /// How often the peer restarted.
    pub peer_restarts: u64,
}
