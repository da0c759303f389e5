//! The loads, on all ways at once.

use super::period::{Period, Run};
use super::rows::Outcome;
use super::site::Site;
use super::world::World;
use super::{bulk, call, page, ping};
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
    /// What rows call it.
    pub(super) path: &'static str,
}

/// A load that runs.
type Running<'s, T> = ScopedJoinHandle<'s, Result<T, Failure>>;

/// A load that a demo may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Load {
    Tcp,
    Call,
    Ping,
    Page,
}

/// The loads on one way, those that run.
struct Loads<'s> {
    sends: Option<Running<'s, ()>>,
    receives: Option<Running<'s, Option<Span>>>,
    calls: Option<Running<'s, u64>>,
    listens: Option<Running<'s, (u64, Option<Span>)>>,
    pings: Option<Running<'s, (Vec<Span>, Option<Span>)>>,
    serves: Option<Running<'s, ()>>,
    fetches: Option<Running<'s, (Vec<Span>, Option<Span>)>>,
}

/// Runs loads on all ways at once; a link that is cut is back at a time.
pub(super) fn all_loads(
    run: &Run,
    ways: &[Way<'_>],
    (world, which, back): (&World, &[Load], Option<Time>),
) -> Result<(Vec<Outcome>, [Time; 2]), Failure> {
    let period = run.begin(back);
    let received: Vec<AtomicU64> = ways.iter().map(|_| AtomicU64::new(0)).collect();
    thread::scope(|scope| {
        let start = |(way, received)| start(scope, way, period, received, (world, which));
        let loads: Vec<_> = ways.iter().copied().zip(&received).map(start).collect();
        let (goodput, measured) = watch(&period, ways, &received);
        let outcomes = loads.into_iter().zip(goodput).map(|(loads, goodput)| outcome(loads?, goodput));
        Ok((outcomes.collect::<Result<_, Failure>>()?, measured))
    })
}

fn start<'s>(
    scope: &'s Scope<'s, '_>,
    Way { site, addresses: [client, server], .. }: Way<'s>,
    period: Period<'s>,
    received: &'s AtomicU64,
    (world, which): (&'s World, &[Load]),
) -> Result<Loads<'s>, Failure> {
    let call = &world.call;
    let wants = |load: Load| which.contains(&load);
    let open = || -> Result<_, Failure> {
        let listener = inside(site.server().within(|| bulk::listen(server)))?;
        let mouth = inside(site.server().within(|| call::open(server)))?;
        let ear = inside(site.client().within(|| call::open(client)))?;
        let pinger = inside(site.client().within(|| ping::open(client)))?;
        let pages = inside(site.server().within(|| page::listen(server)))?;
        Ok((listener, mouth, ear, pinger, pages))
    };
    let (listener, mouth, ear, pinger, pages) = open().inspect_err(|_| period.end_all())?;
    let receive = move || inside(site.client().within(|| bulk::receive(server, &period, received)));
    let fetch = move || Ok(site.client().within(|| page::fetch(server, &period))?);
    Ok(Loads {
        sends: wants(Load::Tcp).then(|| spawn(scope, period, move || Ok(bulk::send(&listener, &period)?))),
        receives: wants(Load::Tcp).then(|| spawn(scope, period, receive)),
        calls: wants(Load::Call).then(|| spawn(scope, period, move || Ok(call::speak(&mouth, client, call, &period)))),
        listens: wants(Load::Call).then(|| spawn(scope, period, move || Ok(call::listen(&ear, call, &period)?))),
        pings: wants(Load::Ping).then(|| spawn(scope, period, move || Ok(ping::ping(&pinger, server, &period)?))),
        serves: wants(Load::Page).then(|| spawn(scope, period, move || Ok(page::serve(scope, &pages, period)?))),
        fetches: wants(Load::Page).then(|| spawn(scope, period, fetch)),
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

fn outcome(loads: Loads<'_>, (goodput_bps, from_start_bps): (f64, f64)) -> Result<Outcome, Failure> {
    let Loads { sends, receives, calls, listens, pings, serves, fetches } = loads;
    sends.map(joined).transpose()?;
    let tcp_back = receives.map(joined).transpose()?;
    let call_packets = calls.map(joined).transpose()?;
    let (call_packets_in_time, call_back) = listens.map(joined).transpose()?.unwrap_or_default();
    let pings = pings.map(joined).transpose()?;
    serves.map(joined).transpose()?;
    let pages = fetches.map(joined).transpose()?;
    let page_back = pages.as_ref().and_then(|(_, back)| *back);
    let ping_back = pings.as_ref().and_then(|(_, back)| *back);
    Ok(Outcome {
        goodput_bps: tcp_back.is_some().then_some(goodput_bps),
        from_start_bps: tcp_back.is_some().then_some(from_start_bps),
        call: call_packets.map(|packets| (packets, call_packets_in_time)),
        round_trips: pings.map(|(round_trips, _)| round_trips),
        pages: pages.map(|(took, _)| took),
        back: [tcp_back.flatten(), call_back, ping_back, page_back],
    })
}

/// Says how far it is, until it is over. The goodput over its last two thirds and from its start, in bits per second, and when these two thirds
/// began and ended.
fn watch(period: &Period<'_>, ways: &[Way<'_>], received: &[AtomicU64]) -> (Vec<(f64, f64)>, [Time; 2]) {
    let bar =
        ProgressBar::new(100).with_style(ProgressStyle::with_template("{msg}").unwrap_or(ProgressStyle::default_bar()));
    let now = || (period.now(), received.iter().map(|octets| octets.load(Ordering::Relaxed)).collect::<Vec<u64>>());
    let rates = |before: &(Time, Vec<u64>), after: &(Time, Vec<u64>)| -> Vec<f64> {
        let seconds = after.0.since(before.0).as_seconds().max(f64::MIN_POSITIVE);
        let octets = after.1.iter().zip(&before.1).map(|(after, before)| after.saturating_sub(*before));
        octets.map(|octets| octets.to_f64() * 8.0 / seconds).collect()
    };
    let third = period.begin + period.end.since(period.begin) / 3;
    let (mut second, mut measured) = (now(), None);
    while period.goes_on() {
        thread::sleep(TICK);
        let at = now();
        if at.0.since(second.0) >= Span::from_milliseconds(1000) {
            let rates = rates(&second, &at).into_iter().map(super::rows::rate);
            let told: Vec<_> = rates.zip(ways).map(|(rate, way)| format!("{rate} {}", way.path)).collect();
            let (gone, all) = (at.0.since(period.begin), period.end.since(period.begin));
            bar.set_message(format!(
                "{:.0} s of {:.0} s: TCP {}",
                gone.as_seconds(),
                all.as_seconds(),
                told.join(", ")
            ));
            second.clone_from(&at);
        }
        if at.0 >= third {
            measured.get_or_insert(at);
        }
    }
    bar.finish_and_clear();
    let end = now();
    let from_start = rates(&(period.begin, vec![0; ways.len()]), &end);
    let (last, measured) = match measured {
        Some(begin) => (rates(&begin, &end), [begin.0, end.0]),
        // Somebody has ended it before.
        None => (vec![0.0; ways.len()], [period.begin, end.0]),
    };
    (last.into_iter().zip(from_start).collect(), measured)
}
