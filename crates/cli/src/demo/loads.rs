//! All loads, on both ways at once.

use super::period::{Period, Run};
use super::rows::Outcome;
use super::site::Site;
use super::world::World;
use super::{bulk, call, ping};
use crate::failure::Failure;
use arqway_net::NetError;
use arqway_units::{Span, Time, ToFloat as _};
use indicatif::{ProgressBar, ProgressStyle};
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Duration;

/// How often it is looked how far it is.
const TICK: Duration = Duration::from_millis(100);

/// How loads get from one end to the other.
#[derive(Clone, Copy)]
pub(super) struct Way<'s> {
    pub(super) site: &'s Site,
    /// Of the client and the server.
    pub(super) addresses: [IpAddr; 2],
}

/// A load that runs.
type Running<'s, T> = ScopedJoinHandle<'s, Result<T, Failure>>;

/// The loads on one way.
struct Loads<'s> {
    sends: Running<'s, ()>,
    receives: Running<'s, ()>,
    calls: Running<'s, u64>,
    listens: Running<'s, u64>,
    pings: Running<'s, Vec<Span>>,
}

/// Runs all loads on both ways.
pub(super) fn all_loads(run: &Run, ways: &[Way<'_>; 2], world: &World) -> Result<[Outcome; 2], Failure> {
    let period = run.begin();
    let received = [AtomicU64::new(0), AtomicU64::new(0)];
    thread::scope(|scope| {
        let loads =
            [start(scope, ways[0], period, &received[0], world), start(scope, ways[1], period, &received[1], world)];
        let goodput = watch(&period, &received);
        let [plain, arqway] = loads;
        Ok([outcome(plain?, goodput[0])?, outcome(arqway?, goodput[1])?])
    })
}

fn start<'s>(
    scope: &'s Scope<'s, '_>,
    Way { site, addresses: [client, server] }: Way<'s>,
    period: Period<'s>,
    received: &'s AtomicU64,
    world: &'s World,
) -> Result<Loads<'s>, Failure> {
    let call = &world.call;
    let open = || -> Result<_, Failure> {
        let listener = inside(site.server().within(|| bulk::listen(server)))?;
        let mouth = inside(site.server().within(|| call::open(server)))?;
        let ear = inside(site.client().within(|| call::open(client)))?;
        let pinger = inside(site.client().within(|| ping::open(client)))?;
        Ok((listener, mouth, ear, pinger))
    };
    let (listener, mouth, ear, pinger) = open().inspect_err(|_| period.end_all())?;
    Ok(Loads {
        sends: spawn(scope, period, move || Ok(bulk::send(&listener, &period)?)),
        receives: spawn(scope, period, move || {
            inside(site.client().within(|| bulk::receive(server, &period, received)))
        }),
        calls: spawn(scope, period, move || Ok(call::speak(&mouth, client, call, &period))),
        listens: spawn(scope, period, move || Ok(call::listen(&ear, call, &period)?)),
        pings: spawn(scope, period, move || Ok(ping::ping(&pinger, server, &period)?)),
    })
}

fn inside<T>(done: Result<io::Result<T>, NetError>) -> Result<T, Failure> {
    done?.map_err(Failure::failed)
}

/// A load on a thread of its own; one that fails ends all of them.
fn spawn<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    period: Period<'s>,
    load: impl FnOnce() -> Result<T, Failure> + Send + 's,
) -> Running<'s, T> {
    scope.spawn(move || load().inspect_err(|_| period.end_all()))
}

fn joined<T>(load: Running<'_, T>) -> Result<T, Failure> {
    load.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn outcome(loads: Loads<'_>, goodput_bps: f64) -> Result<Outcome, Failure> {
    let Loads { sends, receives, calls, listens, pings } = loads;
    joined(sends)?;
    joined(receives)?;
    Ok(Outcome {
        goodput_bps,
        call_packets: joined(calls)?,
        call_packets_in_time: joined(listens)?,
        round_trips: joined(pings)?,
    })
}

/// Says how far it is, until it is over. The goodput over its last two thirds, in bits per second.
fn watch(period: &Period<'_>, received: &[AtomicU64; 2]) -> [f64; 2] {
    let bar =
        ProgressBar::new(100).with_style(ProgressStyle::with_template("{msg}").unwrap_or(ProgressStyle::default_bar()));
    let now = || (period.now(), received.each_ref().map(|octets| octets.load(Ordering::Relaxed)));
    let rates = |before: (Time, [u64; 2]), after: (Time, [u64; 2])| {
        let seconds = after.0.since(before.0).as_seconds().max(f64::MIN_POSITIVE);
        [0, 1].map(|way| after.1[way].saturating_sub(before.1[way]).to_f64() * 8.0 / seconds)
    };
    let third = period.begin + period.end.since(period.begin) / 3;
    let (mut second, mut measured) = (now(), None);
    while period.goes_on() {
        thread::sleep(TICK);
        let at = now();
        if at.0 >= third {
            measured.get_or_insert(at);
        }
        if at.0.since(second.0) >= Span::from_milliseconds(1000) {
            let [plain, arqway] = rates(second, at).map(super::rows::rate);
            let (gone, all) = (at.0.since(period.begin), period.end.since(period.begin));
            bar.set_message(format!(
                "{:.0} s of {:.0} s: TCP {plain} plain, {arqway} through arqway",
                gone.as_seconds(),
                all.as_seconds()
            ));
            second = at;
        }
    }
    bar.finish_and_clear();
    measured.map_or([0.0; 2], |measured| rates(measured, now()))
}
