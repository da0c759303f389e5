//! `arqway classify CAPTURE`: which service of a link layer carries which flow of a capture, and why.

use crate::failure::{Failure, read_source};
use crate::fit::{name_of, read};
use crate::terminal::{note, print};
use arqway_fit::read::{CaptureFile, CapturedPacket, is_capture, read_packets};
use arqway_link::mux::{Headers, Mux, Protocol, Traffic};
use arqway_link::{LinkLayer, Packet, Side};
use arqway_tunnel::settings::{check_link_layer, link_layer};
use arqway_units::{Octets, Time};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

const EXAMPLES: &str = "Flows are told apart by addresses, protocol and ports, a direction each; the one that carries most comes first. Headers have to be
whole in the capture; what is in the tunnel is best captured at its device.

Examples:
  tcpdump -i tunnel0 -w calls.pcap        a capture of what goes into a tunnel
  arqway classify calls.pcap
  arqway classify calls.pcap --link-layer classes.toml
  arqway classify calls.pcap --json";

/// So many flows are printed; all of them with --json.
const PRINTED: usize = 40;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A capture, pcapng or pcap
    #[arg(value_name = "CAPTURE", value_hint = clap::ValueHint::FilePath)]
    capture: PathBuf,
    /// The services, in place of a tunnel's without a file: a file with a `[link-layer]`
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    link_layer: Option<PathBuf>,
    /// Print JSON: a row for each flow
    #[arg(long)]
    json: bool,
}

/// A flow, in one direction, and what became of it.
#[derive(Debug, Clone, Serialize)]
struct Row {
    protocol: String,
    source: String,
    destination: String,
    packets: u64,
    octets: u64,
    /// Of its last packet.
    service: String,
    kind: String,
    why: &'static str,
}

/// What of a packet's headers makes its flow: protocol, addresses, ports.
type Key = (u8, IpAddr, IpAddr, Option<(u16, u16)>);

pub(crate) fn main(arguments: &Arguments) -> Result<(), Failure> {
    let (octets, name) = (read(&arguments.capture)?, name_of(&arguments.capture));
    if !is_capture(&octets) {
        return Err(Failure::Usage(format!("{name}: not a capture; expected pcapng or pcap, as tcpdump writes it")));
    }
    let file = CaptureFile { name: &name, octets: &octets };
    let (packets, cut) = read_packets(&file).map_err(Failure::usage)?;
    let layer = match &arguments.link_layer {
        Some(file) => check_link_layer(&read_source(file)?.0, None)?,
        None => link_layer(),
    };
    if let Some(cut) = cut {
        note(format!("{name} ends in the middle of a packet: its first {} were read", cut.packets));
    }
    let (rows, unreadable) = classify(&layer, packets)?;
    if arguments.json {
        let json = serde_json::to_string_pretty(&rows).map_err(Failure::failed)?;
        return Ok(print(&format!("{json}\n"))?);
    }
    Ok(print(&table(&name, &rows, unreadable))?)
}

/// The flows, that with most octets first; and how many packets are of none.
fn classify(layer: &LinkLayer, packets: Vec<CapturedPacket>) -> Result<(Vec<Row>, u64), Failure> {
    let mut mux = Mux::new(&layer.mux(None), &Side::Client.into()).map_err(Failure::usage)?;
    let (names, services) = (layer.service_names(), layer.services());
    let first = packets.first().map_or(0, |packet| packet.at);
    let (mut rows, mut unreadable) = (BTreeMap::<Key, Row>::new(), 0);
    for CapturedPacket { at, octets } in packets {
        let Some((mut packet, headers)) = Packet::read(octets) else {
            unreadable += 1;
            continue;
        };
        let now = Time::from_nanoseconds(u64::try_from(at.saturating_sub(first)).unwrap_or(0));
        let service = mux.carrier(&mut packet, now).index();
        let row = rows.entry(key(&headers)).or_insert_with(|| row_of(&headers));
        row.packets += 1;
        row.octets += packet.size().as_u64();
        row.service = names.get(service).cloned().unwrap_or_default();
        row.kind = services.get(service).map(|service| service.kind().to_owned()).unwrap_or_default();
        row.why = why(&mux, &packet, &headers);
    }
    let mut rows: Vec<Row> = rows.into_values().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.octets));
    Ok((rows, unreadable))
}

fn why(mux: &Mux, packet: &Packet, headers: &Headers) -> &'static str {
    match mux.traffic_of(&packet.octets) {
        Traffic::Rtp => "RTP",
        Traffic::SmallAndSteady => "small and steady",
        Traffic::Unknown if !mux.has_rule(&packet.octets) => "no rule",
        Traffic::Unknown if headers.protocol == Protocol::UDP => "port or DSCP",
        Traffic::Unknown => "protocol",
    }
}

fn key(headers: &Headers) -> Key {
    (headers.protocol.number(), headers.source, headers.destination, headers.ports)
}

fn row_of(headers: &Headers) -> Row {
    let end = |address: IpAddr, port: fn((u16, u16)) -> u16| match headers.ports {
        Some(ports) => SocketAddr::new(address, port(ports)).to_string(),
        None => address.to_string(),
    };
    Row {
        protocol: headers.protocol.to_string(),
        source: end(headers.source, |(source, _)| source),
        destination: end(headers.destination, |(_, destination)| destination),
        packets: 0,
        octets: 0,
        service: String::new(),
        kind: String::new(),
        why: "",
    }
}

fn table(name: &str, rows: &[Row], unreadable: u64) -> String {
    let packets: u64 = rows.iter().map(|row| row.packets).sum();
    let mut text = format!("{name}: {packets} packets of {} flows", rows.len());
    if unreadable > 0 {
        let _ = write!(text, "; {unreadable} that are no whole packets of IP go by the default service");
    }
    let _ =
        writeln!(text, "\n  {:<12} {:<18} {:<16} {:>9} {:>10}  flow", "service", "kind", "why", "packets", "octets");
    for Row { protocol, source, destination, packets, octets, service, kind, why } in rows.iter().take(PRINTED) {
        let octets = Octets::new(*octets).to_string();
        let octets = octets.trim_end_matches(" octets");
        let _ = writeln!(
            text,
            "  {service:<12} {kind:<18} {why:<16} {packets:>9} {octets:>10}  {protocol} {source} > {destination}"
        );
    }
    if rows.len() > PRINTED {
        let _ = writeln!(text, "  and {} flows more: --json has all", rows.len() - PRINTED);
    }
    text
}
