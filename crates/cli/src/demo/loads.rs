//! The loads, on all ways at once.

use super::period::{Period, Run};
use super::rows::Outcome;
use super::site::Site;
use super::stream::{self, Heard, Stream};
use super::world::HEADERS;
use super::{bulk, page, ping};
use crate::failure::Failure;
use arqway_net::NetError;
use arqway_units::{BitRate, Octets, Span, Time, ToFloat as _};
use indicatif::{ProgressBar, ProgressStyle};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
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
    Udp,
}

/// Which loads run, and how.
pub(super) struct Wanted<'w> {
    pub(super) loads: &'w [Load],
    /// Of TCP.
    pub(super) connections: u32,
    pub(super) call: Stream,
    pub(super) udp: Stream,
}

/// The stream of a rate that is no call's, over a link that carries packets of at most `mtu` octets.
pub(super) fn udp(rate: BitRate, mtu: u32) -> Stream {
    let packet = Octets::new(mtu.into()).min(UDP_PACKET);
    let payload = packet.as_usize() - HEADERS;
    Stream { port: stream::ANY, payload, interval: rate.time_to_send(packet), within: UDP_WITHIN }
}

/// A packet of it as links count it, and how long it is of use.
const UDP_PACKET: Octets = Octets::new(1200);
const UDP_WITHIN: Span = Span::from_milliseconds(300);

/// A stream that runs: how many packets were sent, and what came.
type Streaming<'s> = (Running<'s, u64>, Running<'s, Heard>);

/// The loads on one way, those that run.
struct Loads<'s> {
    sends: Vec<Running<'s, ()>>,
    receives: Vec<Running<'s, Option<Span>>>,
    call: Option<Streaming<'s>>,
    udp: Option<Streaming<'s>>,
    pings: Option<Running<'s, (Vec<Span>, Option<Span>)>>,
    serves: Option<Running<'s, ()>>,
    fetches: Option<Running<'s, (Vec<Span>, Option<Span>)>>,
}

/// Runs loads on all ways at once; a link that is cut is back at a time.
pub(super) fn all_loads(
    run: &Run,
    ways: &[Way<'_>],
    (wanted, back): (&Wanted<'_>, Option<Time>),
) -> Result<(Vec<Outcome>, [Time; 2]), Failure> {
    let period = run.begin(back);
    let received: Vec<AtomicU64> = ways.iter().map(|_| AtomicU64::new(0)).collect();
    thread::scope(|scope| {
        let start = |(way, received)| start(scope, way, period, received, wanted);
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
    wanted: &'s Wanted<'_>,
) -> Result<Loads<'s>, Failure> {
    let wants = |load: Load| wanted.loads.contains(&load);
    let streams = [(Load::Call, &wanted.call), (Load::Udp, &wanted.udp)];
    let open = || -> Result<_, Failure> {
        let listener = inside(site.server().within(|| bulk::listen(server)))?;
        let open_stream = |(load, stream): (Load, &'s Stream)| -> Result<_, Failure> {
            if !wants(load) {
                return Ok(None);
            }
            let mouth = inside(site.server().within(|| stream::open(server, stream.port)))?;
            let ear = inside(site.client().within(|| stream::open(client, stream.port)))?;
            Ok(Some((mouth, ear, stream)))
        };
        let [call, udp] = streams.map(open_stream);
        let pinger = inside(site.client().within(|| ping::open(client)))?;
        let pages = inside(site.server().within(|| page::listen(server)))?;
        Ok((Arc::new(listener), [call?, udp?], pinger, pages))
    };
    let (listener, streams, pinger, pages) = open().inspect_err(|_| period.end_all())?;
    let fetch = move || Ok(site.client().within(|| page::fetch(server, &period))?);
    let connections = if wants(Load::Tcp) { wanted.connections } else { 0 };
    let send = |_| {
        let listener = Arc::clone(&listener);
        spawn(scope, period, move || Ok(bulk::send(&listener, &period)?))
    };
    let receive =
        |_| spawn(scope, period, move || inside(site.client().within(|| bulk::receive(server, &period, received))));
    let [call, udp] = streams.map(|open| {
        open.map(|(mouth, ear, stream)| {
            let speaks = spawn(scope, period, move || Ok(stream::speak(&mouth, client, stream, &period)));
            (speaks, spawn(scope, period, move || Ok(stream::listen(&ear, stream, &period)?)))
        })
    });
    Ok(Loads {
        sends: (0..connections).map(send).collect(),
        receives: (0..connections).map(receive).collect(),
        call,
        udp,
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
    let Loads { sends, receives, call, udp, pings, serves, fetches } = loads;
    let has_tcp = !receives.is_empty();
    sends.into_iter().try_for_each(joined)?;
    let tcp_back = receives.into_iter().map(joined).collect::<Result<Vec<_>, _>>()?;
    let heard = |stream: Option<Streaming<'_>>| -> Result<_, Failure> {
        stream.map(|(speaks, listens)| Ok((joined(speaks)?, joined(listens)?))).transpose()
    };
    let (call, udp) = (heard(call)?, heard(udp)?);
    let pings = pings.map(joined).transpose()?;
    serves.map(joined).transpose()?;
    let pages = fetches.map(joined).transpose()?;
    let page_back = pages.as_ref().and_then(|(_, back)| *back);
    let ping_back = pings.as_ref().and_then(|(_, back)| *back);
    Ok(Outcome {
        goodput_bps: has_tcp.then_some(goodput_bps),
        from_start_bps: has_tcp.then_some(from_start_bps),
        call,
        udp,
        round_trips: pings.map(|(round_trips, _)| round_trips),
        pages: pages.map(|(took, _)| took),
        // The first of all connections.
        back: [tcp_back.into_iter().flatten().min(), ping_back, page_back],
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
