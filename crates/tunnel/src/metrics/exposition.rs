//! A status as OpenMetrics: a sample for each number, labelled by peer, line and service, so there are as many as the settings have of these.

use crate::control::{LineStatus, PeerStatus, ServiceStatus, Status};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;
use std::fmt;

/// Name and value of each.
type Labels = Vec<(&'static str, String)>;

/// A family of samples.
struct Family {
    name: &'static str,
    help: &'static str,
    samples: Vec<(Labels, Value)>,
}

/// What a sample says.
#[derive(Debug, Clone, Copy)]
enum Value {
    Gauge(f64),
    Counter(u64),
}

/// A status to be encoded.
#[derive(Debug)]
struct Scraped(Status);

/// The text that a scrape gets.
pub(super) fn exposition(status: Status) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Scraped(status)));
    let mut out = String::new();
    // A string takes all that is written to it.
    match text::encode(&mut out, &registry) {
        Ok(()) => out,
        Err(fmt::Error) => "# EOF\n".to_owned(),
    }
}

impl Collector for Scraped {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        for Family { name, help, samples } in families(&self.0) {
            let Some((_, first)) = samples.first() else { continue };
            let kind = if matches!(first, Value::Gauge(_)) { MetricType::Gauge } else { MetricType::Counter };
            let mut family = encoder.encode_descriptor(name, help, None, kind)?;
            for (labels, value) in &samples {
                let mut sample = family.encode_family(labels)?;
                match value {
                    Value::Gauge(value) => sample.encode_gauge(value)?,
                    Value::Counter(count) => sample.encode_counter::<Labels, _, u64>(count, None)?,
                }
            }
        }
        let counters = serde_json::to_value(self.0.counters).map_err(|_| fmt::Error)?;
        for (key, count) in counters.as_object().into_iter().flatten() {
            let name = format!("arqway_{key}");
            let help = "Since the tunnel began, as `counters` of its status";
            let mut sample = encoder.encode_descriptor(&name, help, None, MetricType::Counter)?;
            let labels: Labels = vec![("tunnel", self.0.interface.clone())];
            sample
                .encode_family(&labels)?
                .encode_counter::<Labels, _, u64>(&count.as_u64().unwrap_or_default(), None)?;
        }
        Ok(())
    }
}

/// What is told of each of some things: its name, what it means, and the number, where there is one.
type Told<T> = (&'static str, &'static str, fn(&T) -> Option<Value>);

fn flag(is_so: bool) -> Option<Value> {
    Some(Value::Gauge(if is_so { 1.0 } else { 0.0 }))
}

fn gauge(value: Option<f64>) -> Option<Value> {
    value.map(Value::Gauge)
}

fn whole(value: Option<u64>) -> Option<Value> {
    gauge(value.map(arqway_units::ToFloat::to_f64))
}

fn counter(count: u64) -> Option<Value> {
    Some(Value::Counter(count))
}

const OF_PEERS: &[Told<PeerStatus>] = &[
    ("arqway_link_up", "Whether packets cross the link", |peer| flag(peer.is_up)),
    ("arqway_link_announced_down", "Whether `arqway hint` holds it down", |peer| flag(peer.is_announced_down)),
    ("arqway_heard_seconds", "How long ago something genuine came from the peer", |peer| gauge(peer.heard_s_ago)),
    ("arqway_round_trip_seconds", "The smoothed round-trip time", |peer| gauge(peer.round_trip_s)),
    ("arqway_datagram_loss_ratio", "The share of the peer's last thousand or two datagrams that was lost", |peer| {
        gauge(peer.datagram_loss)
    }),
    ("arqway_path_mtu_bytes", "The largest datagram that the path carries", |peer| whole(Some(peer.mtu_octets))),
    ("arqway_rate_bits_per_second", "How fast this end sends at most", |peer| whole(peer.rate_bps)),
    ("arqway_rate_lowered_from_bits_per_second", "The rate that is set, while this end sends more slowly", |peer| {
        whole(peer.slowed_from_bps)
    }),
    ("arqway_delivery_rate_bits_per_second", "How fast datagrams arrived at the peer lately", |peer| {
        whole(peer.delivery_rate_bps)
    }),
    ("arqway_line_queue_seconds", "How long a queue stands on the line, where the rate is found", |peer| {
        gauge(peer.line_queue_s)
    }),
];

const OF_LINES: &[Told<LineStatus>] = &[
    ("arqway_line_up", "Whether packets cross a line of several", |line| flag(line.is_up)),
    ("arqway_line_spare", "Whether packets go by it only while no other is there", |line| flag(line.is_spare)),
    ("arqway_line_round_trip_seconds", "The smoothed round-trip time of a line", |line| gauge(line.round_trip_s)),
    (
        "arqway_line_datagram_loss_ratio",
        "The share of the peer's last thousand or two datagrams by it that was lost",
        |line| gauge(line.datagram_loss),
    ),
    ("arqway_line_rate_bits_per_second", "How fast this end sends by it at most", |line| whole(line.rate_bps)),
    ("arqway_line_sent_bytes", "What was sent by it, all headers included", |line| counter(line.sent_octets)),
    ("arqway_line_received_bytes", "What came by it, all headers included", |line| counter(line.received_octets)),
    ("arqway_line_budget_bytes", "What may cross it in a month", |line| whole(line.budget_octets)),
    ("arqway_line_month_bytes", "What has crossed it in this month", |line| whole(line.month_octets)),
];

const OF_SERVICES: &[Told<ServiceStatus>] = &[
    ("arqway_service_goodput_ratio", "Of the octets on the link, the share of packets, over ten seconds", |service| {
        gauge(service.goodput)
    }),
    (
        "arqway_service_loss_ratio",
        "Of the packets that the peer sent, the share that recovery did not bring back",
        |service| gauge(service.loss),
    ),
    ("arqway_service_retransmissions_ratio", "How often a frame with a packet was sent again", |service| {
        gauge(service.retransmissions)
    }),
    ("arqway_service_sent_bits_per_second", "Packets sent, over ten seconds", |service| gauge(Some(service.sent_bps))),
    ("arqway_service_received_bits_per_second", "Packets delivered, over ten seconds", |service| {
        gauge(Some(service.received_bps))
    }),
    ("arqway_service_packets_dropped", "Packets that its queue dropped", |service| counter(service.packets_refused)),
    ("arqway_service_packets_marked", "Packets that its queue marked in place of that", |service| {
        counter(service.packets_marked)
    }),
];

fn families(status: &Status) -> Vec<Family> {
    let tunnel = || ("tunnel", status.interface.clone());
    let of_peer = |peer: &PeerStatus| vec![tunnel(), ("peer", peer.name.clone())];
    let peers: Vec<(Labels, &PeerStatus)> = status.peers.iter().map(|peer| (of_peer(peer), peer)).collect();
    let lines = status.peers.iter().flat_map(|peer| {
        peer.lines.iter().enumerate().map(move |(number, line)| {
            let name = line.name.as_ref().map_or_else(|| number.to_string(), |name| format!("{number} {name}"));
            ([of_peer(peer), vec![("line", name)]].concat(), line)
        })
    });
    let services = status.peers.iter().flat_map(|peer| {
        let labels = move |service: &ServiceStatus| [of_peer(peer), vec![("service", service.name.clone())]].concat();
        peer.services.iter().map(move |service| (labels(service), service))
    });
    let running = Family {
        name: "arqway_running_seconds",
        help: "For how long the tunnel has been running",
        samples: vec![(vec![tunnel()], Value::Gauge(status.running_s))],
    };
    let found = Family {
        name: "arqway_rate_held_by",
        help: "What holds the rate, where it is found",
        samples: status
            .peers
            .iter()
            .filter_map(|peer| Some(held_by(of_peer(peer), peer.rate_found.as_ref()?)))
            .collect(),
    };
    let mut all = vec![running, found];
    all.extend(told(OF_PEERS, &peers));
    all.extend(told(OF_LINES, &lines.collect::<Vec<_>>()));
    all.extend(told(OF_SERVICES, &services.collect::<Vec<_>>()));
    all
}

fn held_by(labels: Labels, finding: &str) -> (Labels, Value) {
    ([labels, vec![("finding", finding.to_owned())]].concat(), Value::Gauge(1.0))
}

fn told<T>(what: &[Told<T>], things: &[(Labels, &T)]) -> Vec<Family> {
    let family = |(name, help, number): &Told<T>| Family {
        name,
        help,
        samples: things.iter().filter_map(|(labels, thing)| Some((labels.clone(), number(thing)?))).collect(),
    };
    what.iter().map(family).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::control::CountersStatus;
    use std::collections::BTreeSet;

    /// A tunnel with two lines to a peer, of which something is known of all that can be.
    pub(in crate::metrics) fn busy() -> Status {
        let line = |name: &str, is_up| LineStatus {
            name: Some(name.to_owned()),
            address: Some("192.0.2.1:51820".to_owned()),
            is_up,
            is_spare: !is_up,
            is_slow: false,
            sent_octets: 1000,
            received_octets: 2000,
            budget_octets: Some(1_000_000),
            month_octets: Some(3000),
            datagram_loss: Some(0.25),
            round_trip_s: Some(0.05),
            mtu_octets: 1500,
            rate_bps: Some(5_000_000),
            rate_found: Some("steady".to_owned()),
            delivery_rate_bps: Some(4_000_000),
        };
        let service = ServiceStatus {
            name: "low-delay".to_owned(),
            kind: "rlp".to_owned(),
            goodput: Some(0.5),
            loss: Some(0.125),
            retransmissions: Some(0.0625),
            sent_bps: 64_000.0,
            received_bps: 32_000.0,
            packets_refused: 3,
            packets_marked: 4,
            acknowledgements_made: 0,
        };
        let peer = PeerStatus {
            name: "boat \"one\"\n".to_owned(),
            address: None,
            is_up: true,
            is_announced_down: false,
            is_line_gone: false,
            heard_s_ago: Some(0.5),
            datagram_loss: Some(0.25),
            round_trip_s: Some(0.05),
            mtu_octets: 1500,
            rate_bps: Some(5_000_000),
            slowed_from_bps: Some(6_000_000),
            rate_found: Some("steady".to_owned()),
            line_queue_s: Some(0.002),
            line_carries_bps: None,
            delivery_rate_bps: Some(4_000_000),
            lines: vec![line("wwan0", true), line("sat0", false)],
            services: vec![service],
        };
        Status {
            interface: "home".to_owned(),
            public_key: "x".to_owned(),
            listens_at: "[::]:51820".to_owned(),
            running_s: 10.5,
            peers: vec![peer],
            counters: CountersStatus { datagrams_forged: 7, ..CountersStatus::default() },
        }
    }

    #[test]
    fn numbers_stand_with_their_names_labels_and_kinds() {
        let text = exposition(busy());
        for expected in [
            "# TYPE arqway_running_seconds gauge\narqway_running_seconds{tunnel=\"home\"} 10.5\n",
            "arqway_link_up{tunnel=\"home\",peer=\"boat \\\"one\\\"\\n\"} 1.0\n",
            "arqway_rate_held_by{tunnel=\"home\",peer=\"boat \\\"one\\\"\\n\",finding=\"steady\"} 1.0\n",
            "arqway_line_up{tunnel=\"home\",peer=\"boat \\\"one\\\"\\n\",line=\"1 sat0\"} 0.0\n",
            "# TYPE arqway_line_sent_bytes counter\n",
            "arqway_line_sent_bytes_total{tunnel=\"home\",peer=\"boat \\\"one\\\"\\n\",line=\"0 wwan0\"} 1000\n",
            "arqway_service_loss_ratio{tunnel=\"home\",peer=\"boat \\\"one\\\"\\n\",service=\"low-delay\"} 0.125\n",
            "# TYPE arqway_datagrams_forged counter\narqway_datagrams_forged_total{tunnel=\"home\"} 7\n",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
        assert!(text.ends_with("# EOF\n"));
        // Nothing of addresses or keys.
        assert!(!text.contains("192.0.2.1") && !text.contains("51820"), "{text}");
    }

    #[test]
    fn each_family_is_told_once_with_a_help_and_what_is_not_known_is_left_out() {
        let text = exposition(busy());
        let types: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
        let names: BTreeSet<&str> = types.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(names.len(), types.len(), "{types:?}");
        assert_eq!(text.matches("# HELP ").count(), types.len());
        let mut quiet = busy();
        quiet.peers[0].round_trip_s = None;
        quiet.peers[0].lines.clear();
        let text = exposition(quiet);
        assert!(!text.contains("arqway_round_trip_seconds") && !text.contains("arqway_line_up"), "{text}");
    }

    #[test]
    fn each_sample_has_the_number_that_its_name_says() {
        let text = exposition(busy());
        let of = |labels: &str| -> Vec<String> {
            let sample = |line: &str| {
                let (name, rest) = line.split_once('{')?;
                let (own, value) = rest.rsplit_once("} ")?;
                own.ends_with(labels).then(|| format!("{} {value}", name.strip_prefix("arqway_").unwrap_or(name)))
            };
            text.lines().filter(|line| !line.starts_with('#')).filter_map(sample).collect()
        };
        assert_eq!(
            of("peer=\"boat \\\"one\\\"\\n\""),
            [
                "link_up 1.0",
                "link_announced_down 0.0",
                "heard_seconds 0.5",
                "round_trip_seconds 0.05",
                "datagram_loss_ratio 0.25",
                "path_mtu_bytes 1500.0",
                "rate_bits_per_second 5000000.0",
                "rate_lowered_from_bits_per_second 6000000.0",
                "delivery_rate_bits_per_second 4000000.0",
                "line_queue_seconds 0.002",
            ]
        );
        assert_eq!(
            of("line=\"1 sat0\""),
            [
                "line_up 0.0",
                "line_spare 1.0",
                "line_round_trip_seconds 0.05",
                "line_datagram_loss_ratio 0.25",
                "line_rate_bits_per_second 5000000.0",
                "line_sent_bytes_total 1000",
                "line_received_bytes_total 2000",
                "line_budget_bytes 1000000.0",
                "line_month_bytes 3000.0",
            ]
        );
        assert_eq!(
            of("service=\"low-delay\""),
            [
                "service_goodput_ratio 0.5",
                "service_loss_ratio 0.125",
                "service_retransmissions_ratio 0.0625",
                "service_sent_bits_per_second 64000.0",
                "service_received_bits_per_second 32000.0",
                "service_packets_dropped_total 3",
                "service_packets_marked_total 4",
            ]
        );
    }

    /// The words of a text that begin like a sample's name.
    fn names_in(text: &str) -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.filter(|word| word.starts_with("arqway_") && *word != "arqway_x_total").map(str::to_owned).collect()
    }

    fn file(path: &str) -> String {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
        std::fs::read_to_string(path).expect("a file of this project")
    }

    #[test]
    fn the_page_names_every_sample_but_counters_of_the_status_and_no_other_and_rules_only_what_there_is() {
        let text = exposition(busy());
        let samples = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('{').next());
        let there: BTreeSet<String> = samples.map(str::to_owned).collect();
        let counters = serde_json::to_value(busy().counters).expect("JSON");
        let counters = counters.as_object().expect("an object").keys().map(|key| format!("arqway_{key}_total"));
        let counters: BTreeSet<String> = counters.collect();
        assert_eq!(names_in(&file("docs/metrics.md")), &there - &counters);
        let ruled = names_in(&file("packaging/prometheus/arqway.yml"));
        assert!(ruled.is_subset(&there) && ruled.len() > 8, "{:?}", &ruled - &there);
    }
}
