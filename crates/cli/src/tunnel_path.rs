//! `arqway path LINK`: what the links between this tunnel and a destination do, one by one and together, and which class can keep a promise on
//! that path (multiservice, Section IX).

use crate::failure::Failure;
use crate::terminal::print;
use crate::tunnel_status::{failure, not_understood, precise, rate, time};
use arqway_link::ServiceId;
use arqway_link::metrics::ServiceMetrics;
use arqway_link::path::{Advertisement, Needs, Offer, Unmet};
use arqway_tunnel::{Answers, PathLinkStatus, PathServiceStatus, PathStatus, ask};
use arqway_units::{BitRate, Ratio, Span};
use std::net::IpAddr;
use std::thread;
use std::time::Duration;

const EXAMPLES: &str = "Each link is asked for the direction in which it is crossed. A service that carries nothing is told as the link's losses let expect; a delay
counts no queues.

Examples:
  arqway path boat                          the link to the only peer, there and back
  arqway path boat 10.9.0.3                 over the hub to another one, by its address in the tunnel
  arqway path boat 10.9.0.3 --rate '4 Mbit/s' --loss '0.1 %' --delay '80 ms'
  arqway path boat 10.9.0.3 --json          for machines: SI units, null where something is not known";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The interface of a tunnel that runs in this network namespace
    #[arg(value_name = "LINK")]
    link: String,
    /// The address of a tunnel at the end of the path [default: that of the only peer]
    #[arg(value_name = "TO")]
    to: Option<IpAddr>,
    /// The link to this peer alone
    #[arg(long, value_name = "NAME", conflicts_with = "to")]
    peer: Option<String>,
    /// Also ask which class carries this much
    #[arg(long)]
    rate: Option<BitRate>,
    /// ... and loses no more than that [default: nothing]
    #[arg(long, requires = "rate")]
    loss: Option<Ratio>,
    /// ... and takes no longer, queueing apart [default: any time]
    #[arg(long, requires = "rate")]
    delay: Option<Span>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How long an idle link takes to be measured, once it is asked.
const MEASURED: Duration = Duration::from_millis(500);
/// So often it is asked again then.
const TRIES: usize = 3;

pub(crate) fn main(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { link, to, peer, .. } = arguments;
    if peer.as_ref().is_some_and(|peer| peer.contains(char::is_control)) {
        return Err(Failure::usage("--peer: expected the name of a peer, as `arqway status` shows it"));
    }
    let request = match (to, peer) {
        (Some(to), _) => format!("path {to}"),
        (None, Some(peer)) => format!("path-peer {peer}"),
        (None, None) => "path".to_owned(),
    };
    let asked = || -> Result<(String, PathStatus), Failure> {
        let answer = ask(link, &request).and_then(Answers::only).map_err(failure)?;
        let path = serde_json::from_str(&answer).map_err(|error| not_understood(link, &error))?;
        Ok((answer, path))
    };
    let (mut answer, mut path) = asked()?;
    for _ in 0..TRIES {
        if path.there.iter().chain(&path.back).all(|link| link.round_trip_s.is_some()) {
            break;
        }
        // The question itself has an idle link measured.
        thread::sleep(MEASURED);
        (answer, path) = asked()?;
    }
    Ok(print(&if arguments.json { answer } else { table(&path, &wants(arguments)) })?)
}

/// What somebody may want of a path.
struct Want {
    what: String,
    needs: Needs,
}

/// What was asked for, or what calls, films and files want.
fn wants(arguments: &Arguments) -> Vec<Want> {
    let want = |what: &str, rate, loss, delay| Want { what: what.to_owned(), needs: Needs { rate, loss, delay } };
    if let Some(rate) = arguments.rate {
        let loss = arguments.loss.unwrap_or_default();
        let delay = arguments.delay.map_or_else(String::new, |delay| format!(", {delay}"));
        let what = format!("{rate}, {loss} lost{delay}");
        return vec![want(&what, rate, loss, arguments.delay)];
    }
    let rate = |kilobits: u64| BitRate::from_bits_per_second(kilobits * 1000).unwrap_or(BitRate::MINIMUM);
    let percent = |percent: f64| Ratio::new(percent / 100.0).unwrap_or_default();
    let milliseconds = |milliseconds| Some(Span::from_milliseconds(milliseconds));
    vec![
        // ITU-T G.114 takes 150 ms for what nobody notices; G.711 by itself hides a loss of 1 %.
        want("a call (100 kbit/s, 1 % lost, 150 ms)", rate(100), percent(1.0), milliseconds(150)),
        want("a film (3 Mbit/s, 0.1 % lost, 400 ms)", rate(3000), percent(0.1), milliseconds(400)),
        want("a file (nothing lost)", BitRate::MINIMUM, Ratio::ZERO, None),
    ]
}

fn table(path: &PathStatus, wants: &[Want]) -> String {
    let mut lines = Vec::new();
    for (way, links) in [("there", &path.there), ("back", &path.back)] {
        lines.push(format!("{way:<16} {:<12} {:>12} {:>9} {:>9} {:>9}", "class", "rate", "delay", "lost", "goodput"));
        links.iter().for_each(|link| lines.extend(of_link(link)));
        let names = common(links);
        if links.len() > 1 {
            for (number, name) in names.iter().enumerate() {
                let head = if number == 0 { "all of it" } else { "" };
                lines.push(match together(links, name).as_ref().map(Advertisement::choices) {
                    Some([choice, ..]) => {
                        let most = choice.carries().map(|rate| precise(rate.as_bits_per_second()));
                        let delay = Some(choice.delay().as_seconds()).filter(|_| has_delay(links));
                        row(head, name, (most, may_be_more(links)), delay, Some(choice.loss().as_f64()), None)
                    }
                    _ => row(head, name, (None, false), None, None, None),
                });
            }
        }
        for want in wants {
            lines.push(format!("  {}: {}", want.what, kept_by(links, &names, &want.needs)));
        }
    }
    lines.join("\n") + "\n"
}

fn of_link(link: &PathLinkStatus) -> Vec<String> {
    let of_service = |(number, service): (usize, &PathServiceStatus)| {
        let PathServiceStatus { name, goodput, loss, delay_s, .. } = service;
        let head = if number == 0 { link.name.as_str() } else { "" };
        row(head, name, (link.rate_bps.map(precise), link.rate_is_least), *delay_s, *loss, *goodput)
    };
    link.services.iter().enumerate().map(of_service).collect()
}

fn row(
    head: &str,
    class: &str,
    (most, is_least): (Option<f64>, bool),
    delay: Option<f64>,
    loss: Option<f64>,
    goodput: Option<f64>,
) -> String {
    let percent = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{:.2} %", share * 100.0));
    let over = if is_least { ">" } else { "" };
    let most = most.map_or_else(|| "-".to_owned(), |most| format!("{over}{}", rate(Some(most))));
    let delay = delay.map_or_else(|| "-".to_owned(), |delay| time(Some(delay)));
    let line = format!("{head:<16} {class:<12} {most:>12} {delay:>9} {:>9} {:>9}", percent(loss), percent(goodput));
    line.trim_end().to_owned()
}

/// The classes that all links have.
fn common(links: &[PathLinkStatus]) -> Vec<&str> {
    let has = |link: &PathLinkStatus, name: &str| link.services.iter().any(|service| service.name == name);
    let first = links.first().into_iter().flat_map(|link| &link.services).map(|service| service.name.as_str());
    first.filter(|name| links.iter().all(|link| has(link, name))).collect()
}

/// Whether the narrowest link may carry more than it is known to.
fn may_be_more(links: &[PathLinkStatus]) -> bool {
    links.iter().min_by_key(|link| link.rate_bps).is_some_and(|link| link.rate_is_least)
}

fn has_delay(links: &[PathLinkStatus]) -> bool {
    links.iter().all(|link| link.services.iter().all(|service| service.delay_s.is_some()))
}

/// What a class does over all links; none where one does not say.
fn together(links: &[PathLinkStatus], class: &str) -> Option<Advertisement> {
    let mut path = Advertisement::default();
    for link in links {
        let service = link.services.iter().find(|service| service.name == class)?;
        let metrics = ServiceMetrics {
            goodput: Ratio::new(service.goodput?)?,
            loss: Ratio::new(service.loss?)?,
            delay: Span::from_seconds(service.delay_s.unwrap_or_default()),
        };
        path.pass(&[Offer { service: ServiceId::default(), metrics, available: link.rate_bps.unwrap_or(u64::MAX) }]);
    }
    Some(path)
}

/// Which class keeps it, or why none does.
fn kept_by(links: &[PathLinkStatus], classes: &[&str], needs: &Needs) -> String {
    if needs.delay.is_some() && !has_delay(links) {
        return "not known yet".to_owned();
    }
    let told = classes.iter().filter_map(|class| Some((*class, together(links, class)?.choose(needs).err())));
    let told: Vec<(&str, Option<Unmet>)> = told.collect();
    let kept: Vec<&str> = told.iter().filter(|(_, why)| why.is_none()).map(|(class, _)| *class).collect();
    if !kept.is_empty() {
        return format!("yes, by {}", kept.join(", "));
    }
    let whys: Vec<String> = told
        .iter()
        .filter_map(|(class, why)| {
            Some(match why.as_ref()? {
                Unmet::Loss(loss) => format!("{class} loses {:.2} %", loss.as_percent()),
                Unmet::Delay(delay) => format!("{class} takes {}", time(Some(delay.as_seconds()))),
                Unmet::Rate(most) => format!("{class} carries {}", rate(Some(precise(*most)))),
            })
        })
        .collect();
    let is_open = may_be_more(links) && told.iter().any(|(_, why)| matches!(why, Some(Unmet::Rate(_))));
    match (whys.is_empty(), is_open) {
        (true, _) => "no class is on all links".to_owned(),
        (false, true) => format!("not known before as much was sent; {}", whys.join(", ")),
        (false, false) => format!("no: {}", whys.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(name: &str, goodput: f64, loss: f64, delay_s: Option<f64>) -> PathServiceStatus {
        let (goodput, loss) = (Some(goodput), Some(loss));
        PathServiceStatus { name: name.to_owned(), goodput, retransmissions: None, loss, delay_s }
    }

    fn link(name: &str, rate_bps: u64, services: Vec<PathServiceStatus>) -> PathLinkStatus {
        let (name, rate_bps) = (name.to_owned(), Some(rate_bps));
        PathLinkStatus { name, rate_bps, rate_is_least: false, round_trip_s: Some(0.1), services }
    }

    fn boat_and_home() -> PathStatus {
        let boat = [service("default", 0.9, 0.0, Some(0.08)), service("low-delay", 1.0, 0.02, Some(0.05))];
        let home = [service("low-delay", 1.0, 0.01, Some(0.01)), service("default", 0.8, 0.0, Some(0.012))];
        let there = vec![link("boat", 5_000_000, boat.to_vec()), link("hub/home", 2_000_000, home.to_vec())];
        PathStatus { there, back: vec![link("home", 2_000_000, vec![service("default", 1.0, 0.0, None)])] }
    }

    #[test]
    fn classes_compose_by_their_names_and_the_narrowest_link_says_what_they_carry() {
        let path = boat_and_home();
        assert_eq!(common(&path.there), ["default", "low-delay"]);
        let default = together(&path.there, "default").expect("all links say so");
        let [choice] = default.choices() else { panic!("one class") };
        assert_eq!((choice.delay(), choice.loss()), (Span::from_milliseconds(92), Ratio::ZERO));
        assert_eq!(choice.carries(), BitRate::from_bits_per_second(1_600_000));
        let low = together(&path.there, "low-delay").expect("all links say so");
        assert!((low.choices()[0].loss().as_percent() - 2.98).abs() < 1e-9);
    }

    #[test]
    fn a_promise_is_kept_by_the_fastest_class_that_keeps_it_and_otherwise_it_is_said_why_none_does() {
        let path = boat_and_home();
        let needs = |kilobits: u64, loss: &str, delay: Option<u64>| Needs {
            rate: BitRate::from_bits_per_second(kilobits * 1000).expect("not zero"),
            loss: loss.parse().expect("a share"),
            delay: delay.map(Span::from_milliseconds),
        };
        let kept = |needs| kept_by(&path.there, &["default", "low-delay"], &needs);
        assert_eq!(kept(needs(100, "5 %", None)), "yes, by default, low-delay");
        assert_eq!(kept(needs(100, "1 %", Some(150))), "yes, by default");
        assert_eq!(kept(needs(100, "1 %", Some(70))), "no: default takes 92.0 ms, low-delay loses 2.98 %");
        assert_eq!(kept(needs(1900, "1 %", None)), "no: default carries 1.60 Mbit/s, low-delay loses 2.98 %");
        let mut idle = path.there.clone();
        idle[1].rate_is_least = true;
        let why = kept_by(&idle, &["default"], &needs(1900, "1 %", None));
        assert_eq!(why, "not known before as much was sent; default carries 1.60 Mbit/s");
        // A wider link that may be wider still changes nothing.
        (idle[0].rate_is_least, idle[1].rate_is_least) = (true, false);
        assert!(kept_by(&idle, &["default"], &needs(1900, "1 %", None)).starts_with("no: "));
        // Back, no delay is known.
        assert_eq!(kept_by(&path.back, &["default"], &needs(100, "1 %", Some(150))), "not known yet");
        assert_eq!(kept_by(&path.back, &["default"], &needs(100, "1 %", None)), "yes, by default");
        assert_eq!(kept_by(&path.back, &[], &needs(100, "1 %", None)), "no class is on all links");
    }
}
