//! What each PDU and each request does in each state: Q.2110 figure 20, as a table.

use super::*;
use alloc::string::String;
use arqway_contract::Packet;
use core::fmt::Write as _;

/// An end in each state, by its number, that was asked for nothing since and has nothing to say.
fn in_state(state: u8) -> Connection {
    let mut end = if matches!(state, 1..=3) { Connection::new(parameters()) } else { ready(parameters()) };
    let uu = Bytes::new;
    match state {
        2 => end.handle_request(Request::Establish(uu()), at(0)),
        3 => end.handle_pdu(Some(Pdu::Bgn { sq: 7, mr: 9, uu: uu() }), at(0)),
        4 => end.handle_request(Request::Release(uu()), at(0)),
        5 => end.handle_request(Request::Resynchronize(uu()), at(0)),
        6 => end.handle_pdu(Some(Pdu::Rs { sq: 7, mr: 9, uu: uu() }), at(0)),
        7 | 8 => {
            end.handle_pdu(stat(&[], 5, 0), at(0));
            if state == 8 {
                end.handle_pdu(Some(Pdu::Erak { mr: 9 }), at(0));
            }
        }
        9 => end.handle_pdu(Some(Pdu::Er { sq: 7, mr: 9 }), at(0)),
        _ => {}
    }
    sent(&mut end, at(0));
    told(&mut end);
    assert_eq!(end.state() as u8, state);
    end
}

fn pdus() -> Vec<(&'static str, Pdu)> {
    let uu = Bytes::new;
    Vec::from([
        ("BGN new", Pdu::Bgn { sq: 8, mr: 9, uu: uu() }),
        ("BGN old", Pdu::Bgn { sq: 0, mr: 9, uu: uu() }),
        ("BGAK", Pdu::Bgak { mr: 9, uu: uu() }),
        ("BGREJ", Pdu::Bgrej { uu: uu() }),
        ("END", Pdu::End { by_sscop: false, uu: uu() }),
        ("ENDAK", Pdu::Endak),
        ("RS new", Pdu::Rs { sq: 8, mr: 9, uu: uu() }),
        ("RS old", Pdu::Rs { sq: 0, mr: 9, uu: uu() }),
        ("RSAK", Pdu::Rsak { mr: 9 }),
        ("ER new", Pdu::Er { sq: 8, mr: 9 }),
        ("ER old", Pdu::Er { sq: 0, mr: 9 }),
        ("ERAK", Pdu::Erak { mr: 9 }),
        ("SD", Pdu::Sd { number: 0, packet: "p".into() }),
        ("POLL", Pdu::Poll { ps: 1, s: 0 }),
        ("STAT", Pdu::Stat(Stat::new(Bytes::new(), 1, 9, 0))),
        ("USTAT", Pdu::Ustat { first: 0, end: 1, mr: 9, r: 0 }),
    ])
}

fn name(pdu: &Pdu) -> &'static str {
    match pdu {
        Pdu::Bgn { .. } => "BGN",
        Pdu::Bgak { .. } => "BGAK",
        Pdu::Bgrej { .. } => "BGREJ",
        Pdu::End { by_sscop: true, .. } => "END*",
        Pdu::End { .. } => "END",
        Pdu::Endak => "ENDAK",
        Pdu::Rs { .. } => "RS",
        Pdu::Rsak { .. } => "RSAK",
        Pdu::Er { .. } => "ER",
        Pdu::Erak { .. } => "ERAK",
        Pdu::Sd { .. } => "SD",
        Pdu::Poll { .. } => "POLL",
        Pdu::Stat(_) => "STAT",
        Pdu::Ustat { .. } => "USTAT",
        Pdu::Ud { .. } => "UD",
        Pdu::Md { .. } => "MD",
    }
}

fn word(indication: &Indication) -> String {
    match indication {
        Indication::Establish(_) => "establish.ind".into(),
        Indication::Established(_) => "establish.conf".into(),
        Indication::Release { by_sscop: true, .. } => "release.ind*".into(),
        Indication::Release { .. } => "release.ind".into(),
        Indication::Released(_) => "release.conf".into(),
        Indication::Data { .. } => "data.ind".into(),
        Indication::Resynchronize(_) => "resync.ind".into(),
        Indication::Resynchronized(_) => "resync.conf".into(),
        Indication::Recover => "recover.ind".into(),
        Indication::UnitData(_) => "unitdata.ind".into(),
        Indication::ManagementData(_) => "mdata.ind".into(),
        Indication::Error(error) => error.letter().into(),
    }
}

/// What an end says of something, and the state that it leads to.
fn effect(state: u8, happens: impl FnOnce(&mut Connection)) -> String {
    let mut end = in_state(state);
    happens(&mut end);
    let (told, pdus) = (told(&mut end), sent(&mut end, at(0)));
    let mut text = String::new();
    for word in told.iter().map(word).chain(pdus.iter().map(|pdu| name(pdu).into())) {
        let _ = write!(text, "{word} ");
    }
    let after = end.state() as u8;
    if after != state {
        let _ = write!(text, "-> {after}");
    }
    if text.is_empty() { "-".into() } else { text.trim_end().into() }
}

fn table() -> String {
    let uu = Bytes::new;
    let requests = || {
        [
            ("establish", Request::Establish(uu())),
            ("accept establish", Request::AcceptEstablishment(uu())),
            ("release", Request::Release(uu())),
            ("resync", Request::Resynchronize(uu())),
            ("accept resync", Request::AcceptResynchronization),
            ("accept recover", Request::AcceptRecovery),
            ("data", Request::Data(Message::new(Packet::new("p")))),
        ]
    };
    let mut table = String::new();
    for state in 1..=10 {
        let _ = writeln!(table, "{state}");
        for (name, pdu) in pdus() {
            // What was the last attempt's number in each state.
            let last = if matches!(state, 3 | 6 | 9) { 7 } else { 0 };
            let pdu = match pdu {
                Pdu::Bgn { sq: 0, mr, uu } => Pdu::Bgn { sq: last, mr, uu },
                Pdu::Rs { sq: 0, mr, uu } => Pdu::Rs { sq: last, mr, uu },
                Pdu::Er { sq: 0, mr } => Pdu::Er { sq: last, mr },
                pdu => pdu,
            };
            let effect = effect(state, |end| end.handle_pdu(Some(pdu), at(0)));
            let _ = writeln!(table, "  {name:17}{effect}");
        }
        for (name, request) in requests() {
            let effect = effect(state, |end| end.handle_request(request, at(0)));
            let _ = writeln!(table, "  {name:17}{effect}");
        }
        for (name, timer) in
            [("Timer_CC", Timer::Cc), ("Timer_NO-RESPONSE", Timer::NoResponse), ("Timer_POLL", Timer::Poll)]
        {
            if matches!(timer, Timer::Cc) == matches!(state, 2 | 4 | 5 | 7) && (timer == Timer::Cc || state == 10) {
                let effect = effect(state, |end| end.handle_timer(timer, at(0)));
                let _ = writeln!(table, "  {name:17}{effect}");
            }
        }
    }
    table
}

#[test]
fn each_event_has_its_effect_in_each_state() {
    let (now, expected) = (table(), include_str!("states.txt"));
    for (now, expected) in now.lines().zip(expected.lines()) {
        assert_eq!(now, expected);
    }
    assert_eq!(now, expected, "all of it");
}

/// By the recommendation its BGN would pass for a repeated one wherever both are the first attempt.
#[test]
fn a_peer_that_began_anew_is_known_by_asking_for_the_connection_that_it_has() {
    for (speaks, expected) in [(false, "BGAK"), (true, "release.ind establish.ind -> 3")] {
        let bgn = Pdu::Bgn { sq: 0, mr: 9, uu: Bytes::new() };
        let mut end = in_state(10);
        if speaks {
            end.handle_pdu(sd(0, "p"), at(0));
            told(&mut end);
        }
        end.handle_pdu(Some(bgn), at(0));
        let (told, sent) = (told(&mut end), sent(&mut end, at(0)));
        let words: Vec<String> = told.iter().map(word).chain(sent.iter().map(|pdu| name(pdu).into())).collect();
        let after = if end.state() == State::IncomingConnectionPending { " -> 3" } else { "" };
        assert_eq!(words.join(" ") + after, expected);
    }
}

#[test]
fn a_request_is_made_so_many_times_and_then_given_up() {
    for (state, pdu, gives_up) in [
        (2, "BGN", "O release.ind* END* -> 1"),
        (4, "END", "O release.conf -> 1"),
        (5, "RS", "O release.ind* END* -> 1"),
        (7, "ER", "O release.ind* END* -> 1"),
    ] {
        let mut end = in_state(state);
        for _ in 1..parameters().max_cc {
            let (now, timer) = expire(&mut end).expect("Timer_CC");
            assert_eq!(timer, Timer::Cc);
            assert_eq!(sent(&mut end, now).iter().map(name).collect::<Vec<_>>(), [pdu]);
        }
        expire(&mut end);
        let (told, sent) = (told(&mut end), sent(&mut end, at(0)));
        let words: Vec<String> = told.iter().map(word).chain(sent.iter().map(|pdu| name(pdu).into())).collect();
        assert_eq!(words.join(" ") + " -> 1", gives_up);
        assert_eq!(end.state(), State::Idle);
    }
}

#[test]
fn an_end_that_says_why_has_its_bit_s_set_where_so_configured() {
    for end_sets_s_bit in [true, false] {
        let mut end = ready(Parameters { end_sets_s_bit, ..parameters() });
        end.handle_request(Request::Release("why".into()), at(0));
        assert_eq!(sent(&mut end, at(0)), [Pdu::End { by_sscop: end_sets_s_bit, uu: "why".into() }]);
    }
}

#[test]
fn what_goes_without_a_number_goes_in_any_state() {
    for state in 1..=10 {
        let effect = effect(state, |end| {
            end.handle_request(Request::UnitData("u".into()), at(0));
            end.handle_request(Request::ManagementData("m".into()), at(0));
            end.handle_pdu(Some(Pdu::Ud { packet: "u".into() }), at(0));
            end.handle_pdu(Some(Pdu::Md { packet: "m".into() }), at(0));
        });
        assert_eq!(effect, "unitdata.ind mdata.ind UD MD", "state {state}");
    }
}
