//! How Karn's RLP is set up. A configuration that parsed is valid.

use super::Rlp;
use arqway_arq::Resequencing;
use arqway_contract::{Bounded, End, Grammar, LinkContext, Parameter, SchemeName, Service, digits, settings};
use arqway_units::{Span, optional_positive_span, positive_span};
use core::num::NonZeroUsize;

settings! {
    /// The settings of one end; both ends need the same `retransmissions`, `window` and
    /// `resequencing`.
    // Three retransmissions as for TCP in multiservice §III, which prints no times. The timeout of a request outlasts a
    // queue of 50 packets of 1,000 octets at 5 Mbit/s.
    #[derive(Eq)]
    #[cfg_attr(feature = "schema", schemars(rename = "RlpConfig"))]
    pub struct Config {
        /// The order in which packets are released.
        pub resequencing: Resequencing = Resequencing::Full,
        /// How often a missing frame is requested, and therefore retransmitted, before it is given up.
        pub retransmissions: Bounded<1, 15> = const { Bounded::new(3).expect("from 1 to 15") },
        /// How long a request waits for its frame before it is repeated, or the frame is given up.
        #[serde(deserialize_with = "positive_span")]
        pub nack_timeout: Span = Span::from_milliseconds(100),
        /// The number of last frames that the sender keeps, and how far behind the newest frame the receiver waits for one.
        pub window: Bounded<1, 128> = const { Bounded::new(128).expect("from 1 to 128") },
        /// The idle time before a keepalive reports how far the sender has got.
        #[serde(deserialize_with = "positive_span")]
        pub keepalive: Span = Span::from_milliseconds(20),
        /// The maximum number of keepalives, after which an idle end is silent.
        pub keepalives: Bounded<0, 10_000> = const { Bounded::new(16).expect("from 0 to 10,000") },
        /// How long after it has left a packet that stands alone is sent a second time: a message of ICMP, a question or an answer of
        /// DNS, a first segment of TCP. Without it, never: what shows that it is lost is then a keepalive.
        #[serde(deserialize_with = "optional_positive_span")]
        pub copy_after: Option<Span> = None,
        /// Whether each frame also goes by a second line, where the link has several: what one of them loses is there at once. Twice as much of
        /// the lines is used for it.
        pub duplicate: bool = false,
        /// The number of packets that may wait while the line accepts no more.
        pub buffer: NonZeroUsize = const { NonZeroUsize::new(256).expect("not zero") },
    }
}

const RETRANSMISSIONS_PARAMETER: Parameter = Parameter {
    key: "retransmissions",
    required: false,
    grammar: Grammar::Count { least: 1, most: 15 },
    example: "3",
    means: "at most 3 retransmissions",
};

impl Service for Config {
    type End = End<Rlp>;

    const KNOWS_LOSSES: bool = true;

    const NAMES: &'static [SchemeName] = &[
        SchemeName::with("rlp", RETRANSMISSIONS_PARAMETER),
        SchemeName::with(
            "oos-rlp",
            Parameter {
                example: "1",
                means: "one at most, and packets released as they arrive",
                ..RETRANSMISSIONS_PARAMETER
            },
        ),
    ];

    fn build(&self, _: &LinkContext) -> Self::End {
        End::new(Rlp::new(self))
    }

    /// The frame is lost, and so is each of its retransmissions.
    fn residual_loss(&self, frame_loss: f64) -> f64 {
        libm::pow(frame_loss, f64::from(self.retransmissions.get()) + 1.0)
    }

    fn holds_back(&self) -> bool {
        self.resequencing.holds_back()
    }

    fn duplicates(&self) -> bool {
        self.duplicate
    }

    fn named(&self, name: &str, parameter: Option<&str>) -> Option<Self> {
        let out_of_sequence = name == "oos-rlp";
        let resequencing = if out_of_sequence { Resequencing::as_received() } else { self.resequencing.clone() };
        let retransmissions = parameter.map_or(Some(self.retransmissions), digits)?;
        Some(Self { resequencing, retransmissions, ..self.clone() })
    }
}
