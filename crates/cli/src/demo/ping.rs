//! A small packet to the server and back, five times a second: UDP to the port of echo.

use super::period::{FirstBack, Period};
use super::stream::{received, stamp, stamped};
use arqway_emulate::ECHO;
use arqway_units::Span;
use std::io;
use std::net::{IpAddr, UdpSocket};
use std::time::Duration;

/// As long as those of ping(8).
const PAYLOAD: usize = 56;
const INTERVAL: Span = Span::from_milliseconds(200);
/// The last ones are waited for so long.
const PATIENCE: Span = Span::from_milliseconds(1000);
/// A timeout of zero would be none.
const LEAST: Span = Span::from_milliseconds(1);

pub(super) fn open(client: IpAddr) -> io::Result<UdpSocket> {
    UdpSocket::bind((client, 0))
}

/// The round-trip times of those that came back, and how long after a cut link was back the first of them.
pub(super) fn ping(socket: &UdpSocket, server: IpAddr, period: &Period<'_>) -> io::Result<(Vec<Span>, Option<Span>)> {
    let (mut packet, mut number, mut due) = ([0; PAYLOAD], 0, period.now());
    let (mut round_trips, mut back) = (Vec::new(), FirstBack::default());
    while period.goes_on_for(PATIENCE) {
        if period.now() >= due && period.goes_on() {
            stamp(&mut packet, number, period.now());
            socket.send_to(&packet, (server, ECHO)).ok();
            (number, due) = (number + 1, due + INTERVAL);
        }
        let wait = due.since(period.now()).max(LEAST).min(INTERVAL);
        socket.set_read_timeout(Some(Duration::from_nanos(wait.as_nanoseconds())))?;
        if received(socket.recv(&mut packet))?.is_some()
            && let Some((_, sent)) = stamped(&packet)
        {
            round_trips.push(period.now().since(sent));
            back.arrives(period);
        }
    }
    Ok((round_trips, back.after(period)))
}

/// So many of a hundred are not longer, by the nearest rank.
pub(super) fn percentile(round_trips: &[Span], percent: usize) -> Option<Span> {
    let mut sorted = round_trips.to_vec();
    sorted.sort_unstable();
    sorted.get((sorted.len() * percent).div_ceil(100).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_units::Time;

    #[test]
    fn a_percentile_is_the_nearest_rank_and_nothing_has_none() {
        let spans: Vec<Span> = [40, 10, 30, 20].map(Span::from_milliseconds).to_vec();
        let found = [50, 95].map(|percent| percentile(&spans, percent));
        assert_eq!(found, [20, 40].map(|milliseconds| Some(Span::from_milliseconds(milliseconds))));
        assert_eq!(percentile(&[], 50), None);
    }

    #[test]
    fn what_is_stamped_is_read_again_and_what_is_too_short_is_not() {
        let (mut packet, now) = ([0; PAYLOAD], Time::ZERO + PATIENCE);
        stamp(&mut packet, 7, now);
        assert_eq!((stamped(&packet), stamped(&packet[..15])), (Some((7, now)), None));
    }
}
