//! A world as data: the topology, the link and its errors, the link layer, the users. As experiments write it:
//!
//! ```toml
//! [wireless]
//! rate = "64 kbit/s"
//! delay = "50 ms"
//! errors = { kind = "uniform", loss = "5.4 %" }
//!
//! [link-layer]
//! service = { kind = "selective-repeat", timeout = "1.1 s" }
//!
//! [media]
//! enabled = true
//! ```

use crate::app::{AppConfig, Application, Configs, Measured, Quantity, applications};
use crate::channel::Direction;
use crate::delay::Delay;
use crate::line::Room;
use crate::mobility::MobilityConfig;
use crate::packet::Headers;
use crate::rate::Rate;
use crate::tcp::TcpConfig;
use crate::wired::Wired;
use crate::wireless::Wireless;
use alloc::string::{String, ToString};
use arqway_link::{LineId, LineState, LinkContext, LinkLayer, WorldDefaults, is_slow_beside, mux};
use arqway_units::{BitRate, Octets, Span};
use serde::{Deserialize, Serialize};

/// Makes the scenario, which has the settings of every application.
macro_rules! scenario {
    ($($(#[$doc:meta])* $name:literal $application:ident $field:ident: $config:ident => $outcome:ident;)*) => {
        /// Everything that a run needs except its random numbers.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct Scenario {
            /// How the headers of packets are counted.
            pub headers: Headers,
            /// The link between server and access point; with a forwarding node, the link between node and client.
            pub wired: Wired,
            /// An optional node between the client's end of the wireless link and the client.
            pub forwarding_node: ForwardingNode,
            /// The link between access point and client: the one under study.
            pub wireless: Wireless,
            /// How the user moves, which takes the wireless link down and up.
            pub mobility: MobilityConfig,
            /// The link layer on the wireless link.
            pub link_layer: LinkLayer,
            /// The settings of services, unless a scheme overrides them.
            pub services: WorldDefaults,
            /// The TCP of every host.
            pub tcp: TcpConfig,
            $($(#[$doc])* pub $field: crate::app::$config,)*
            /// The maximum duration of a run. It ends earlier with the last acknowledgement of a file and the end of greedy
            /// sources or of a measurement; without any of these, after the duration of the web or the media.
            pub duration: Span,
        }

        impl Default for Scenario {
            /// One file over a raw link without errors. A run that never finishes ends after eleven days.
            fn default() -> Self {
                Self {
                    headers: Headers::default(),
                    wired: Wired::default(),
                    forwarding_node: ForwardingNode::default(),
                    wireless: Wireless::default(),
                    mobility: MobilityConfig::default(),
                    link_layer: LinkLayer::default(),
                    services: WorldDefaults::default(),
                    tcp: TcpConfig::default(),
                    $($field: Default::default(),)*
                    duration: Span::from_seconds(1e6),
                }
            }
        }

        impl Scenario {
            /// The settings of the applications that take part.
            pub(crate) fn configs(&self) -> Configs<'_> {
                Configs { $($field: Some(&self.$field).filter(|config| config.enabled),)* }
            }

            /// The applications that take part, in the order of their rows.
            pub fn applications(&self) -> impl Iterator<Item = Application> {
                let all = [$((Application::$application, self.$field.enabled)),*];
                all.into_iter().filter(|(_, is_enabled)| *is_enabled).map(|(application, _)| application)
            }

            /// How many TCP connections rows say that there are: of files and greedy sources; 1 without any.
            #[must_use]
            pub fn connections(&self) -> u32 {
                let all = [$(self.configs().$field.map_or(0, AppConfig::connections)),*];
                all.into_iter().sum::<u32>().max(1)
            }

            /// How long a run takes at most. Where no application finishes by itself, that is the duration of the first.
            #[must_use]
            pub fn length(&self) -> Span {
                let (mut finishes, mut first) = (false, None);
                $(if let Some(config) = self.configs().$field {
                    finishes |= <crate::app::$config as AppConfig>::FINISHES;
                    first = first.or(Some(config.duration()));
                })*
                let duration = first.flatten().filter(|_| !finishes);
                duration.map_or(self.duration, |duration| duration.min(self.duration))
            }

            /// Resets the settings of everything that does not take part: a link without errors, an application or a forwarding
            /// node that is not enabled, the defaults of services that are not used. Two scenarios that are equal afterwards
            /// describe the same world, however they are written.
            pub fn reset_unused_settings(&mut self) {
                self.wireless.reset_unused_errors();
                self.services = WorldDefaults::default();
                if !self.forwarding_node.enabled {
                    self.forwarding_node = ForwardingNode::default();
                }
                $(if !self.$field.enabled {
                    self.$field = AppConfig::disabled();
                })*
            }
        }
    };
}

applications!(scenario);

impl Scenario {
    /// What would have to be set here for a quantity to be measured; nothing where it is.
    #[must_use]
    pub fn missing_for(&self, quantity: &Quantity) -> Option<String> {
        let takes_part = self.applications().any(|application| application.name() == quantity.app());
        if !takes_part && !quantity.is_of_service() {
            return Some(alloc::format!("{}.enabled = true", quantity.app()));
        }
        let has_forwarding_node = self.forwarding_node.enabled;
        let has_shares = self.link_layer.has_shares();
        let measured = Measured { applications: self.configs(), has_forwarding_node, has_shares };
        quantity.missing_in(&measured).map(ToString::to_string)
    }

    /// A setting that has no place in this world, and why.
    #[must_use]
    pub fn misplaced(&self) -> Option<(&'static str, &'static str)> {
        // The stations of a reservation stand at the server and at the access point.
        (self.reservation.enabled && self.forwarding_node.enabled)
            .then_some(("reservation", "a reservation along a path with a forwarding node; expected one without"))
    }

    /// The multiplexer of the end that sends in this direction. Where the rate of its line follows a recording, what is
    /// set aside for a class is a share of the mean.
    #[must_use]
    pub fn mux(&self, direction: Direction) -> mux::Config {
        self.link_layer.mux(Some(self.wireless.mean_rate(direction)))
    }

    /// What is known of the lines that the end sends by in this direction, where there are several, and nothing measures them.
    pub(crate) fn known_lines(&self, direction: Direction) -> impl Iterator<Item = (LineId, LineState)> {
        let lines = if self.wireless.line.is_empty() { 0 } else { self.wireless.lines() };
        let rate = move |line| self.wireless.of_line(line).rate(direction).mean();
        let fastest = LineId::first(lines).map(rate).max();
        LineId::first(lines).map(move |line| {
            let own = self.wireless.of_line(line);
            let round_trip = own.delay(direction).mean() + own.delay(direction.opposite()).mean();
            let is_slow = fastest.is_some_and(|fastest| is_slow_beside(rate(line), fastest, false));
            (line, LineState { is_slow, ..LineState::up(Some(rate(line)), round_trip) })
        })
    }

    /// What the end that sends in this direction knows of its link: a rate and a delay, where they stay.
    #[must_use]
    pub fn context(&self, direction: Direction) -> LinkContext {
        let first = self.wireless.of_line(LineId::FIRST);
        let (rate, delay) = (first.rate(direction), first.delay(direction));
        LinkContext {
            side: direction.sender(),
            room: Octets::MAX,
            rate: if let Rate::Constant(rate) = rate { Some(*rate) } else { None },
            delay: if let Delay::Constant(delay) = delay { Some(*delay) } else { None },
            // Nobody here chooses flows by their hash.
            seed: 0,
        }
    }
}

/// A forwarding node behind the client's end of the wireless link (node D of shikama06's Fig. 13). The server is then
/// at the access point, and `wired` is the link between this node and the client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ForwardingNode {
    /// Whether it exists.
    pub enabled: bool,
    /// The rate between the client's end of the wireless link and the node, in each direction.
    pub rate: BitRate,
    /// The propagation delay there.
    pub delay: Span,
    /// The length of the node's queue toward the client, instead of `wired.queue`; packets beyond it are dropped.
    /// Unlimited by default.
    pub queue: Option<Room>,
}

impl Default for ForwardingNode {
    /// shikama06's, which is near the wireless link and forwards whatever comes.
    fn default() -> Self {
        Self {
            enabled: false,
            rate: BitRate::from_bits_per_second(100_000_000).unwrap_or(BitRate::MINIMUM),
            delay: Span::ZERO,
            queue: None,
        }
    }
}
