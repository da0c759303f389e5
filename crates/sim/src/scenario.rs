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

use crate::app::{ChannelConfig, FileTransferConfig, MediaConfig, TcpBulkConfig, WebConfig};
use crate::channel::Direction;
use crate::line::Room;
use crate::mobility::MobilityConfig;
use crate::packet::Headers;
use crate::tcp::TcpConfig;
use crate::wireless::Wireless;
use alloc::vec::Vec;
use arqway_link::mux::{self, Class, SchedulerConfig, Table};
use arqway_link::{ServiceConfig, WorldDefaults, raw};
use arqway_units::{BitRate, Ratio, Span};
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

/// Everything that a run needs but its random numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scenario {
    /// What the headers of packets count as.
    pub headers: Headers,
    /// The link between server and access point; behind a forwarding node, that between node and client.
    pub wired: Wired,
    /// What may lie between the client's end of the wireless link and the client.
    pub forwarding_node: ForwardingNode,
    /// The link between access point and client: the one under study.
    pub wireless: Wireless,
    /// How the user moves, so that the wireless link goes and comes.
    pub mobility: MobilityConfig,
    /// What runs over the wireless link.
    pub link_layer: LinkLayer,
    /// How a service is set up unless a scheme says otherwise.
    pub services: WorldDefaults,
    /// Every host's TCP.
    pub tcp: TcpConfig,
    /// A file for the client.
    pub file_transfer: FileTransferConfig,
    /// Pages for the client.
    pub web: WebConfig,
    /// A lecture for the client.
    pub media: MediaConfig,
    /// Greedy sources for the client.
    pub tcp_bulk: TcpBulkConfig,
    /// A measurement of the link toward the client.
    pub channel: ChannelConfig,
    /// When the run ends at the latest; a file's last acknowledgement, or the end of greedy sources or of a measurement,
    /// ends it before, and where there is none of these, the duration of the web or the media.
    pub duration: Span,
}

impl Scenario {
    /// The multiplexer of the end that sends in this direction. Where the rate of its line follows a recording, what is
    /// set aside for a class is a share of the mean.
    #[must_use]
    pub fn mux(&self, direction: Direction) -> mux::Config {
        self.link_layer.mux(Some(self.wireless.rate(direction).mean()))
    }
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
            file_transfer: FileTransferConfig::default(),
            web: WebConfig::default(),
            media: MediaConfig::default(),
            tcp_bulk: TcpBulkConfig::default(),
            channel: ChannelConfig::default(),
            duration: Span::from_seconds(1e6),
        }
    }
}

impl Scenario {
    /// Forgets how everything would be set up that does not take part: links without errors, hosts' applications that are not
    /// enabled, a node that is not there, what services would be that nobody has. Two scenarios that are equal then are one
    /// world, whatever they are written like.
    pub fn forget_idle_settings(&mut self) {
        fn forget<T: Default>(takes_part: bool, settings: &mut T) {
            if !takes_part {
                *settings = T::default();
            }
        }
        self.wireless.forget_idle_errors();
        self.services = WorldDefaults::default();
        forget(self.forwarding_node.enabled, &mut self.forwarding_node);
        forget(self.web.enabled, &mut self.web);
        forget(self.media.enabled, &mut self.media);
        forget(self.tcp_bulk.enabled, &mut self.tcp_bulk);
        forget(self.channel.enabled, &mut self.channel);
        // A file is what there is by default.
        if !self.file_transfer.enabled {
            self.file_transfer = FileTransferConfig { enabled: false, ..FileTransferConfig::default() };
        }
    }

    /// How long a run takes at most: without a file, greedy sources or a measurement to wait for, as long as browsing or, without that, the
    /// lecture is to go on.
    #[must_use]
    pub fn length(&self) -> Span {
        let ends_by_itself = self.file_transfer.enabled || self.tcp_bulk.enabled || self.channel.enabled;
        let of_web = self.web.duration.filter(|_| self.web.enabled);
        let of_media = self.media.duration.filter(|_| self.media.enabled && !self.web.enabled);
        let watched = of_web.or(of_media).filter(|_| !ends_by_itself);
        watched.map_or(self.duration, |watched| watched.min(self.duration))
    }
}

/// The wired link: nothing is lost on it but for want of room, unless `loss` says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Wired {
    /// Bits per second in each direction.
    pub rate: BitRate,
    /// Propagation delay.
    pub delay: Span,
    /// How many packets may wait in front of it at each end; what finds no room is dropped.
    pub queue: Room,
    /// What share of the packets toward the client it loses at random, after they were sent (shikama06 §4.3).
    pub loss: Ratio,
}

impl Default for Wired {
    /// 10 Mbit/s and 1 ms, with ns-2's default queue.
    fn default() -> Self {
        Self {
            rate: BitRate::from_bits_per_second(10_000_000).unwrap_or(BitRate::MINIMUM),
            delay: Span::from_milliseconds(1),
            queue: Room::of(50),
            loss: Ratio::ZERO,
        }
    }
}

/// A node that forwards packets behind the client's end of the wireless link (node D of shikama06's Fig. 13). The server
/// is at the access point then, and `wired` is the link between this node and the client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ForwardingNode {
    /// Whether it is there.
    pub enabled: bool,
    /// Bits per second between the client's end of the wireless link and the node, in each direction.
    pub rate: BitRate,
    /// Propagation delay there.
    pub delay: Span,
    /// How many packets may wait in the node for the link to the client, instead of what `wired.queue` says; what finds no
    /// room is dropped. As many as come, if this is not given.
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

/// What runs over the wireless link, at both ends alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LinkLayer {
    /// What carries the packets of no class; a scheme replaces it.
    pub service: ServiceConfig,
    /// Packets that another service carries; the first class that matches counts.
    pub classes: Vec<Class>,
    /// Ready-made classes, tried after those that are written out.
    pub table: Table,
    /// In which order the frames of the services go to the line's queue.
    pub scheduler: SchedulerConfig,
    /// How many frames of a service may wait above the line's queue.
    pub depth: NonZeroUsize,
}

impl Default for LinkLayer {
    fn default() -> Self {
        Self {
            service: ServiceConfig::Raw(raw::Config::default()),
            classes: Vec::new(),
            table: Table::None,
            scheduler: SchedulerConfig::Fcfs,
            depth: NonZeroUsize::MIN,
        }
    }
}

impl LinkLayer {
    /// The multiplexer of an end whose line has this rate.
    #[must_use]
    pub fn mux(&self, link_rate: Option<BitRate>) -> mux::Config {
        mux::Config {
            classes: self.classes.clone(),
            table: self.table.clone(),
            scheduler: self.scheduler,
            depth: self.depth,
            link_rate,
            ..mux::Config::new(self.service.clone())
        }
    }

    /// The services by their numbers, as frames carry them.
    #[must_use]
    pub fn services(&self) -> Vec<&ServiceConfig> {
        mux::services(&self.service, &self.classes, &self.table)
    }
}
