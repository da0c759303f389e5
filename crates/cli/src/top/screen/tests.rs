use super::super::history::History;
use super::*;
use arqway_tunnel::{CountersStatus, FlowsStatus, Status};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

fn service(sent_bps: f64) -> ServiceStatus {
    ServiceStatus {
        name: "reliable".to_owned(),
        kind: "tally".to_owned(),
        goodput: Some(0.95),
        loss: Some(0.0),
        retransmissions: Some(0.031),
        sent_bps,
        received_bps: 12_300.0,
        packets_refused: 7,
        packets_marked: 0,
        acknowledgements_made: 0,
    }
}

fn peer(lines: Vec<LineStatus>, rate_bps: u64) -> PeerStatus {
    PeerStatus {
        name: "boat".to_owned(),
        address: Some("198.51.100.7:51820".to_owned()),
        is_up: true,
        is_announced_down: false,
        is_line_gone: false,
        heard_s_ago: Some(0.1),
        datagram_loss: Some(0.012),
        round_trip_s: Some(0.045),
        mtu_octets: 1500,
        rate_bps: Some(rate_bps),
        slowed_from_bps: None,
        rate_found: Some("delay".to_owned()),
        line_queue_s: Some(0.0021),
        line_carries_bps: None,
        delivery_rate_bps: Some(11_900_000),
        lines,
        services: vec![service(precise(rate_bps))],
    }
}

fn line(name: &str, is_up: bool, is_spare: bool) -> LineStatus {
    LineStatus {
        name: Some(name.to_owned()),
        address: None,
        is_up,
        is_spare,
        is_slow: name == "eth2",
        sent_octets: 0,
        received_octets: 0,
        budget_octets: None,
        month_octets: None,
        datagram_loss: None,
        round_trip_s: Some(0.045),
        mtu_octets: 1500,
        rate_bps: Some(2_000_000),
        rate_found: Some("application".to_owned()),
        delivery_rate_bps: None,
    }
}

fn status(peer: PeerStatus, running_s: f64, packets_dropped: u64) -> Status {
    let mut counters = CountersStatus::default();
    counters.own.packets_dropped = packets_dropped;
    Status {
        interface: "home".to_owned(),
        public_key: String::new(),
        listens_at: "0.0.0.0:51820".to_owned(),
        running_s,
        peers: vec![peer],
        counters,
    }
}

fn flows(counted_s: f64, octets: u64, count: u64) -> FlowsStatus {
    let flow = |number: u64| FlowStatus {
        number,
        peer: "boat".to_owned(),
        protocol: "tcp".to_owned(),
        here: Some(format!("10.9.0.2:{}", 5000 + number)),
        there: Some("10.9.0.1:80".to_owned()),
        service: "reliable".to_owned(),
        seen_as: None,
        is_split: false,
        packets_sent: 10,
        octets_sent: octets * (number + 1),
        packets_received: octets,
        octets_received: 0,
    };
    FlowsStatus { counted_s, flows: (0..count).map(flow).collect(), others_octets: 0 }
}

/// What is on a screen of this size.
fn drawn(view: &mut View, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen in memory");
    terminal.draw(|frame| draw(frame, view)).expect("it is drawn");
    let buffer = terminal.backend().buffer();
    let row = |row| (0..width).map(|column| buffer[(column, row)].symbol()).collect::<String>();
    (0..height).map(|number| row(number).trim_end().to_owned()).collect()
}

#[test]
fn the_screen_shows_lines_services_flows_and_how_the_rate_went() {
    let mut view = View::new(None);
    for (second, rate) in [(1.0, 2_000_000), (2.0, 8_000_000), (3.0, 16_000_000)] {
        let status = status(peer(Vec::new(), rate), second, 3 * (second as u64));
        view.history.add("home".to_owned(), status, flows(second, second as u64 * 1000, 2));
    }
    let expected = "\
arqway top: each second    q ends, p stops and goes on, arrows move
home  running for 3.0 s, listening on 0.0.0.0:51820
boat  up, at 198.51.100.7:51820, last received 100.0 ms ago
  line                sending at  held by                 arriving round trip    queue   lost  rate, second by second
  -                 16.00 Mbit/s  a queue on it       11.90 Mbit/s    45.0 ms   2.1 ms  1.2 %  ▂▅█
  service                sending  kind                   receiving sent again  dropped   lost  both ways, means of ten seconds
  reliable          16.00 Mbit/s  tally                12.3 kbit/s      3.1 %        7  0.0 %  ▂▅█
  packets: 0 sent, 0 received, 3 dropped in the last second
  flow in the last second                              service                sending     receiving
  tcp 10.9.0.2:5001 <> 10.9.0.1:80                     reliable           16.0 kbit/s       0 bit/s
  tcp 10.9.0.2:5000 <> 10.9.0.1:80                     reliable            8.0 kbit/s       0 bit/s";
    let shown = drawn(&mut view, 130, 12);
    assert_eq!(shown.join("\n").trim_end(), expected);
}

#[test]
fn each_of_several_lines_has_a_row_that_says_if_it_is_down_or_spare() {
    let mut view = View::new(None);
    let lines = vec![
        line("wwan0", true, false),
        line("sat0", true, true),
        line("eth1", false, false),
        line("eth2", true, false),
    ];
    view.history.add("home".to_owned(), status(peer(lines, 1), 1.0, 0), flows(1.0, 1000, 0));
    let shown = drawn(&mut view, 100, 12).join("\n");
    for (name, held) in
        [("0 wwan0", "nobody sends more"), ("1 sat0", "spare"), ("2 eth1", "DOWN"), ("3 eth2", "too slow for TCP")]
    {
        let row = format!("  {name:<16}   2.00 Mbit/s  {held}");
        assert!(shown.contains(&row), "{row}: {shown}");
    }
}

#[test]
fn a_tunnel_that_was_started_anew_counts_from_zero_and_one_that_ended_is_gone() {
    let mut history = History::default();
    let add = |history: &mut History, running_s, dropped| {
        history.add("home".to_owned(), status(peer(Vec::new(), 1), running_s, dropped), flows(running_s, 1000, 1));
        history.tunnels().next().map(|tunnel| (tunnel.dropped, tunnel.track(Of::Rate(0, 0)).len()))
    };
    assert_eq!(add(&mut history, 50.0, 9), Some((None, 1)));
    assert_eq!(add(&mut history, 51.0, 11), Some((Some(2), 2)));
    assert_eq!(add(&mut history, 0.5, 1), Some((None, 1)));
    history.keep_only(&["other".to_owned()]);
    assert_eq!(history.tunnels().len(), 0);
}

#[test]
fn what_does_not_fit_is_reached_by_the_arrows_and_no_further() {
    let mut view = View::new(None);
    for second in [1.0, 2.0] {
        let status = status(peer(Vec::new(), 1), second, 0);
        view.history.add("home".to_owned(), status, flows(second, second as u64 * 1000, 20));
    }
    let first = |view: &mut View| drawn(view, 100, 6)[1].clone();
    assert!(first(&mut view).starts_with("home  running"));
    assert!(drawn(&mut view, 100, 6)[0].contains("13 more rows below"), "{:?}", drawn(&mut view, 100, 6));
    assert!(view.press(KeyEvent::from(KeyCode::Down)));
    assert!(first(&mut view).starts_with("boat  up"));
    for _ in 0..9 {
        assert!(view.press(KeyEvent::from(KeyCode::PageDown)));
    }
    let last = drawn(&mut view, 100, 6);
    assert!(last[4].starts_with("  and 12 with less: `arqway status home --flows`"), "{last:?}");
    view.press(KeyEvent::from(KeyCode::Home));
    assert!(first(&mut view).starts_with("home  running"));
}

#[test]
fn keys_end_it_and_stop_the_picture() {
    let mut view = View::new(None);
    assert!(view.press(KeyEvent::from(KeyCode::Char('p'))) && view.is_paused);
    assert!(drawn(&mut view, 60, 2)[0].contains("stopped"));
    assert!(view.press(KeyEvent::from(KeyCode::Char('p'))) && !view.is_paused);
    let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    for ends in [KeyEvent::from(KeyCode::Char('q')), KeyEvent::from(KeyCode::Esc), control_c] {
        assert!(!view.press(ends), "{ends:?}");
    }
}

#[test]
fn a_sparkline_has_the_newest_values_that_fit_and_its_highest_at_full_height() {
    assert_eq!(sparkline([7, 0, 1, 2, 4].into_iter(), 4), "▁▃▅█");
    assert_eq!(sparkline([0, 0].into_iter(), 4), "▁▁");
    assert_eq!(sparkline([].into_iter(), 4), "");
}

#[test]
fn a_screen_of_any_size_is_drawn() {
    let mut view = View::new(None);
    view.history.add("home".to_owned(), status(peer(Vec::new(), 1), 1.0, 0), flows(1.0, 1000, 1));
    for (width, height) in [(1, 1), (10, 2), (80, 24), (300, 100)] {
        assert_eq!(drawn(&mut view, width, height).len(), usize::from(height));
    }
}
