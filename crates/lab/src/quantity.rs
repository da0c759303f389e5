//! What can be measured, and how it is called and shown.

/// A metric of an application, and how it is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    /// `file-transfer`
    pub app: &'static str,
    /// `throughput`
    pub metric: &'static str,
    /// `app.metric`, as experiments ask for it.
    pub name: &'static str,
    /// The text at the axis, with its unit.
    pub label: &'static str,
    /// From SI units to the label's.
    pub factor: f64,
    /// Where it is a series, `window@15.01`, what the number behind the `@` is, with its unit.
    pub along: Option<&'static str>,
}

const TIME: &str = "Time (s)";

const QUANTITIES: [Quantity; 38] = [
    quantity("file-transfer", "throughput", "file-transfer.throughput", "File Transfer throughput (kbit/s)", 1e-3),
    quantity("file-transfer", "timeouts", "file-transfer.timeouts", "TCP timeouts", 1.0),
    quantity(
        "file-transfer",
        "link-timeouts",
        "file-transfer.link-timeouts",
        "Link layer timeouts (% of the frames)",
        100.0,
    ),
    quantity("file-transfer", "flr", "file-transfer.flr", "Measured frame loss rate (%)", 100.0),
    quantity("file-transfer", "left", "file-transfer.left", "Left by the media (kbit/s)", 1e-3),
    quantity("web", "throughput", "web.throughput", "Web Browsing throughput (kbit/s)", 1e-3),
    quantity("web", "response", "web.response", "Time to load a page (s)", 1.0),
    quantity("web", "response-p95", "web.response-p95", "Time to load a page, 95th percentile (s)", 1.0),
    quantity("web", "transactions", "web.transactions", "Pages loaded", 1.0),
    quantity("web", "timeouts", "web.timeouts", "TCP timeouts of a web connection", 1.0),
    quantity("web", "link-timeouts", "web.link-timeouts", "Link layer timeouts (% of the frames)", 100.0),
    quantity("web", "flr", "web.flr", "Measured frame loss rate (%)", 100.0),
    quantity("media", "delay", "media.delay", "Media packet delay (s)", 1.0),
    quantity("media", "delay-mean", "media.delay-mean", "Mean media packet delay (s)", 1.0),
    quantity("media", "delay-p95", "media.delay-p95", "Media packet delay, 95th percentile (s)", 1.0),
    quantity("media", "loss", "media.loss", "Media packets lost (%)", 100.0),
    quantity("media", "in-time", "media.in-time", "Media packets in time (%)", 100.0),
    quantity("media", "offered", "media.offered", "Media sent (kbit/s)", 1e-3),
    quantity("media", "overhead", "media.overhead", "Link octets for the media beyond their packets (%)", 100.0),
    quantity("tcp-bulk", "throughput", "tcp-bulk.throughput", "Throughput of all connections (kbit/s)", 1e-3),
    quantity("tcp-bulk", "utilisation", "tcp-bulk.utilisation", "Normalised throughput", 1.0),
    quantity("tcp-bulk", "timeouts", "tcp-bulk.timeouts", "TCP timeouts of a connection", 1.0),
    quantity("tcp-bulk", "rtt", "tcp-bulk.rtt", "Round-trip time that TCP measures (s)", 1.0),
    quantity("tcp-bulk", "burst", "tcp-bulk.burst", "Mean packets of a burst", 1.0),
    quantity("tcp-bulk", "burst-max", "tcp-bulk.burst-max", "Packets of the longest burst", 1.0),
    quantity("tcp-bulk", "buffers", "tcp-bulk.buffers", "Mean packets held for resequencing", 1.0),
    quantity("tcp-bulk", "recovery", "tcp-bulk.recovery", "From a timeout to half of the window (s)", 1.0),
    quantity("tcp-bulk", "response", "tcp-bulk.response", "Response to a loss on the wire (s)", 1.0),
    quantity("tcp-bulk", "ack-burst", "tcp-bulk.ack-burst", "Most new acknowledgements within 30 ms", 1.0),
    quantity("tcp-bulk", "node-drops", "tcp-bulk.node-drops", "Packets without room in the forwarding node", 1.0),
    quantity("tcp-bulk", "link-timeouts", "tcp-bulk.link-timeouts", "Link layer timeouts (% of the frames)", 100.0),
    quantity("tcp-bulk", "flr", "tcp-bulk.flr", "Measured frame loss rate (%)", 100.0),
    series(quantity("tcp-bulk", "window", "tcp-bulk.window", "Congestion window (packets)", 1.0), TIME),
    series(quantity("tcp-bulk", "sent", "tcp-bulk.sent", "Highest packet sent", 1.0), TIME),
    series(quantity("tcp-bulk", "acknowledged", "tcp-bulk.acknowledged", "Highest packet acknowledged", 1.0), TIME),
    series(quantity("tcp-bulk", "bursts", "tcp-bulk.bursts", "Share of the bursts (%)", 100.0), "Packets in a burst"),
    quantity("channel", "loss", "channel.loss", "Frames lost (%)", 100.0),
    quantity("channel", "burst", "channel.burst", "Mean run of lost frames", 1.0),
];

const fn quantity(
    app: &'static str,
    metric: &'static str,
    name: &'static str,
    label: &'static str,
    factor: f64,
) -> Quantity {
    Quantity { app, metric, name, label, factor, along: None }
}

/// A quantity that a run measures many times, or for many values of something else.
const fn series(quantity: Quantity, along: &'static str) -> Quantity {
    Quantity { along: Some(along), ..quantity }
}

impl Quantity {
    /// The quantity of this name, such as `file-transfer.throughput`.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        QUANTITIES.into_iter().find(|quantity| quantity.name == name)
    }

    /// Where along its series a metric lies: `window@15.01` at 15.01.
    #[must_use]
    pub fn place_of(&self, metric: &str) -> Option<f64> {
        metric.strip_prefix(self.metric)?.strip_prefix('@')?.parse().ok()
    }

    /// The names of all quantities.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        QUANTITIES.iter().map(|quantity| quantity.name).collect()
    }
}

/// The text at the horizontal axis for a swept setting, where the figure does not say; its unit is empty if it has none.
#[must_use]
pub fn x_label(swept: &str, unit: &str) -> String {
    let name = match swept {
        "wireless.errors.loss" => "Frame loss rate",
        "wireless.errors.distance" => "Mean distance between corruptions",
        "wireless.errors.bit-errors" => "Bit error rate",
        _ => swept,
    };
    if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") }
}
