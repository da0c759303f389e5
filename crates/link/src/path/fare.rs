//! How each service of a link fares, for an advertisement: as measured where it carries something, and else as the link's own losses let expect.
//!
//! A path has to say what a service would do that nobody uses yet, or else nobody could be the first. So what was not
//! measured follows from the share f of frames that the link loses and the [residual loss](ServiceConfig::residual_loss) l of the service:
//!
//! ```text
//!     retransmissions of a frame   r = (f - l) / (1 - f)       what recovery brings back was sent again, and again where that was lost
//!     goodput                      g = h / (1 + r)             h: what heads leave, as of the service whose heads take most
//!     delay                        d = one way + r round trips
//! ```
//!
//! What is sent again although nothing is lost, such as a copy that goes ahead, takes room and no time: no more retransmissions count
//! for the delay than there are losses, f / (1 - f) a frame.
//!
//! After the flow's first packets the measured numbers take their place, and the next renewal sets aside what they ask for. A loss is rare, so
//! few packets say little of it: what was measured counts as its packets do, and what is expected as a thousand, or a flow that can lose one in a
//! hundred would be refused for three of two hundred.

use crate::metrics::{EndMetrics, LinkDelay, ReceiverMetrics, SenderMetrics, ServiceMetrics, share};
use crate::registry::ServiceConfig;
use alloc::vec::Vec;
use arqway_units::{Ratio, ToFloat};

/// As many packets as an expected loss is worth.
const EXPECTED: f64 = 1000.0;

/// What is known of one direction of a link.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// By service, what its sending end has measured.
    pub sender: &'a [EndMetrics],
    /// By service, what its receiving end has.
    pub receiver: &'a [EndMetrics],
    /// The share of frames that the link loses.
    pub frame_loss: Ratio,
    /// Its delays.
    pub delay: LinkDelay,
}

/// What each service does for a flow on this link.
#[must_use]
pub fn service_metrics(services: &[ServiceConfig], observed: &Observed<'_>) -> Vec<ServiceMetrics> {
    let measured = services.iter().enumerate().filter_map(|(number, service)| {
        let (_, expected) = expected(service, observed);
        let sent = sent(number, observed);
        Some(sent.goodput?.as_f64() * (1.0 + sent.retransmissions.unwrap_or(expected)))
    });
    let left_by_heads = measured.fold(1.0, f64::min);
    services.iter().enumerate().map(|(number, service)| of_service(number, service, left_by_heads, observed)).collect()
}

/// What is lost for good, and the retransmissions of a frame, as the link's losses let expect.
fn expected(service: &ServiceConfig, observed: &Observed<'_>) -> (f64, f64) {
    let frame_loss = observed.frame_loss.as_f64();
    let lost = service.residual_loss(frame_loss).min(frame_loss);
    (lost, retransmissions(frame_loss, lost))
}

/// How often a frame is sent again where all but `lost` are brought back.
fn retransmissions(frame_loss: f64, lost: f64) -> f64 {
    // Where every frame is lost none is brought back, however often it is sent.
    if frame_loss < 1.0 { (frame_loss - lost) / (1.0 - frame_loss) } else { 0.0 }
}

/// What the sending end has measured of a service that has carried something.
fn sent(number: usize, observed: &Observed<'_>) -> SenderMetrics {
    let sent = observed.sender.get(number).map(|end| end.sent);
    sent.filter(|sent| sent.octets > 0).unwrap_or_default()
}

fn of_service(number: usize, service: &ServiceConfig, left_by_heads: f64, observed: &Observed<'_>) -> ServiceMetrics {
    let ((lost, expected), sent) = (expected(service, observed), sent(number, observed));
    let received = observed.receiver.get(number).map_or_else(ReceiverMetrics::default, |end| end.received);
    let most = retransmissions(observed.frame_loss.as_f64(), 0.0);
    ServiceMetrics {
        goodput: sent.goodput.unwrap_or_else(|| share(left_by_heads / (1.0 + expected))),
        loss: share(received.loss.map_or(lost, |measured| {
            let packets = received.packets.to_f64();
            (measured.as_f64() * packets + lost * EXPECTED) / (packets + EXPECTED)
        })),
        delay: observed.delay.with_retransmissions(sent.retransmissions.unwrap_or(expected).min(most)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::SenderMetrics;
    use crate::registry::{ShortForm, WorldDefaults};
    use arqway_units::Span;

    const DELAY: LinkDelay =
        LinkDelay { one_way: Span::from_milliseconds(10), round_trip: Span::from_milliseconds(20) };

    fn service(short: &str) -> ServiceConfig {
        let form: ShortForm = short.parse().expect("a scheme");
        form.in_world(&WorldDefaults::default()).expect("in this world")
    }

    /// Goodput and loss in percent, delay in milliseconds.
    fn numbers(metrics: &ServiceMetrics) -> [f64; 3] {
        let delay = metrics.delay.as_seconds() * 1000.0;
        [metrics.goodput.as_percent(), metrics.loss.as_percent(), delay].map(|value| libm::round(value * 100.0) / 100.0)
    }

    #[test]
    fn a_service_that_carries_nothing_fares_as_the_links_losses_let_expect() {
        let frame_loss = Ratio::new(0.1).expect("a share");
        let observed = Observed { sender: &[], receiver: &[], frame_loss, delay: DELAY };
        for (short, goodput_loss_delay) in [
            ("raw", [100.0, 10.0, 10.0]),
            ("sr", [90.0, 0.0, 12.22]),
            ("go-back-n", [90.0, 0.0, 12.22]),
            ("tally", [90.0, 0.0, 12.22]),
            ("sscop-pfrs", [90.0, 0.0, 12.22]),
            // Lost twice in a row; three retransmissions; one, asked for in time.
            ("oos-rlp:1", [90.91, 1.0, 12.0]),
            ("rlp:3", [90.01, 0.01, 12.22]),
            ("rlc:1", [90.91, 1.0, 12.0]),
            ("deadline", [90.91, 1.0, 12.0]),
            // Of twelve others one is lost in 72 %.
            ("xor-fec:12", [96.96, 7.18, 10.63]),
        ] {
            assert_eq!(numbers(&service_metrics(&[service(short)], &observed)[0]), goodput_loss_delay, "{short}");
        }
        let all = Observed { frame_loss: Ratio::ONE, ..observed };
        assert_eq!(numbers(&service_metrics(&[service("sr")], &all)[0]), [100.0, 0.0, 10.0]);
    }

    #[test]
    fn what_its_ends_have_measured_takes_the_place_of_what_was_expected() {
        let ratio = |value| Ratio::new(value).expect("a share");
        let (goodput, retransmissions) = (Some(ratio(0.6)), Some(0.5));
        let ends = [
            EndMetrics { sent: SenderMetrics { goodput, octets: 1000, retransmissions }, ..EndMetrics::default() },
            EndMetrics {
                received: ReceiverMetrics { loss: Some(ratio(0.04)), packets: 2000, octets: 900 },
                ..EndMetrics::default()
            },
        ];
        let observed = Observed { sender: &ends[..1], receiver: &ends[1..], frame_loss: ratio(0.4), delay: DELAY };
        // 2,000 packets of which 4 % are lost, and 1,000 of which 16 % are.
        let services = [service("oos-rlp:1"), service("raw")];
        let [rlp, raw] = service_metrics(&services, &observed)[..] else { panic!("two services") };
        assert_eq!(numbers(&rlp), [60.0, 8.0, 20.0]);
        // Of what RLP sends first, heads leave nine tenths.
        assert_eq!(numbers(&raw), [90.0, 40.0, 10.0]);
        // A receiver that cannot know, of what is sent, and the other way about.
        let deaf = Observed { receiver: &[], ..observed };
        assert_eq!(numbers(&service_metrics(&[service("raw")], &deaf)[0]), [60.0, 40.0, 20.0]);
        // Copies of frames of which few are lost take no time.
        let copies = Observed { frame_loss: ratio(0.1), ..observed };
        assert_eq!(numbers(&service_metrics(&services, &copies)[0]), [60.0, 3.0, 12.22]);
    }
}
