//! The access point's part in a reservation along the path: its end of the wireless link sets aside what the flow needs, and gives the flow to the
//! service that was chosen. The rest of it is in `app/reservation`.

use super::World;
use crate::app::reservation::{self, message};
use crate::channel::Direction;
use crate::event::Event;
use crate::host::Host;
use crate::kernel::Alarm;
use crate::probe::Probe;
use crate::scenario::Scenario;
use alloc::boxed::Box;
use alloc::vec::Vec;
use arqway_link::metrics::LinkDelay;
use arqway_link::mux::Shares;
use arqway_link::path::signalling::{Station, Toward};
use arqway_link::path::{Ledger, MuxHop, Observed, service_metrics};
use arqway_link::{LinkOffer, ServiceConfig};
use arqway_units::{Octets, Ratio, Time};

/// What the access point keeps of reservations.
#[derive(Debug)]
pub(super) struct Reserving {
    kept_free: Ratio,
    station: Station,
    ledger: Ledger,
    /// The shares of the services where nothing is reserved.
    without: Shares,
    services: Vec<ServiceConfig>,
    link: LinkOffer,
    alarm: Alarm,
}

impl Reserving {
    /// That of a scenario, if its server reserves.
    pub(super) fn new(scenario: &Scenario, without: &Shares) -> Option<Box<Self>> {
        let config = &scenario.reservation;
        let [link, _] = scenario.mobility.offers(&scenario.wireless);
        config.enabled.then(|| {
            let services = scenario.mux(Direction::Down).services().into_iter().cloned().collect();
            Box::new(Self {
                kept_free: config.kept_free,
                station: Station::new(config.timing),
                ledger: Ledger::new(link.down.rate, config.kept_free, &[]),
                without: without.clone(),
                services,
                link,
                alarm: Alarm::default(),
            })
        })
    }

    /// Frames of the longest packets over Ethernet, and the shortest.
    fn delay(&self) -> LinkDelay {
        let LinkOffer { down, up } = self.link;
        let one_way = down.delay + down.rate.time_to_send(Octets::new(1500));
        LinkDelay { one_way, round_trip: one_way + up.delay + up.rate.time_to_send(Octets::new(40)) }
    }
}

impl<P: Probe> World<P> {
    /// A packet has come to the access point. Whether it is one of a reservation, which goes on from here by itself.
    pub(super) fn take_message(&mut self, packet: &[u8]) -> bool {
        if self.reserving.is_none() {
            return false;
        }
        let Some(message) = message(packet) else { return false };
        self.measure_services();
        self.with_station(|station, hop, now| station.handle(message, hop, now));
        true
    }

    /// Something may have ended that nobody has renewed.
    pub(super) fn ring_reservation(&mut self) {
        let now = self.now;
        if self.reserving.as_mut().is_some_and(|reserving| reserving.alarm.ring(now)) {
            self.with_station(|station, hop, now| station.handle_timeout(hop, now));
        } else {
            self.with_station(|_, _, _| ());
        }
    }

    /// The user has come to another link, of which nothing is known yet.
    pub(super) fn reserve_anew(&mut self, link: LinkOffer) {
        if self.reserving.is_none() {
            return;
        }
        let now = self.now;
        for end in [&mut self.access_point, &mut self.client] {
            end.service.inner_mut().mux_mut().restart_metrics(now);
            end.forget_frame_loss();
        }
        self.with_station(|station, hop, _| station.change(hop));
        if let Some(reserving) = &mut self.reserving {
            reserving.link = link;
            reserving.ledger = Ledger::new(link.down.rate, reserving.kept_free, &[]);
        }
        self.pump(Direction::Down);
    }

    /// Asks both ends how the services toward the client fare.
    fn measure_services(&mut self) {
        let Self { reserving, access_point, client, now, .. } = self;
        let Some(reserving) = reserving else { return };
        let [sender, receiver] =
            [&mut *access_point, client].map(|end| end.service.inner_mut().mux_mut().metrics(*now));
        let frame_loss = access_point.recent_frame_loss().and_then(Ratio::new).unwrap_or(Ratio::ZERO);
        let delay = reserving.delay();
        let observed = Observed { sender: &sender, receiver: &receiver, frame_loss, delay };
        let metrics = service_metrics(&reserving.services, &observed).into_iter();
        // What is set aside in the service of all packets without a class would be for these too.
        let offered = |number| number > 0 || reserving.services.len() == 1;
        let metrics = metrics.enumerate().map(|(number, metrics)| Some(metrics).filter(|_| offered(number)));
        reserving.ledger.measure(metrics.collect());
    }

    /// Lets the station act, and sends what it has to say.
    fn with_station(&mut self, act: impl FnOnce(&mut Station, &mut MuxHop<'_, arqway_link::AnyService>, Time)) {
        let Self { reserving, access_point, events, now, .. } = self;
        let Some(reserving) = reserving else { return };
        let Reserving { station, ledger, without, alarm, .. } = &mut **reserving;
        let mux = access_point.service.inner_mut().mux_mut();
        act(station, &mut MuxHop { mux, ledger, without }, *now);
        if let Some(at) = alarm.set(station.poll_timeout()) {
            events.schedule(at, Event::Reservation);
        }
        while let Some((toward, message)) = self.reserving.as_mut().and_then(|reserving| reserving.station.poll()) {
            match toward {
                Toward::Destination => {
                    let packet = reservation::packet(&message, Host::Server, &mut self.memory);
                    self.offer(Direction::Down, packet);
                }
                Toward::Source => {
                    let packet = reservation::packet(&message, Host::Client, &mut self.memory);
                    self.queue_wired(Direction::Up, packet);
                }
            }
        }
    }
}
