use super::*;
use arqway_units::LineId;
use zeroize::Zeroizing;

/// Two ends that share keys.
fn pair() -> [Transport; 2] {
    let [one, two] = [[1; KEY], [2; KEY]];
    [(one, two), (two, one)].map(|(send, receive)| {
        let split = Split { send: Zeroizing::new(send), receive: Zeroizing::new(receive) };
        Transport::new(split)
    })
}

fn seal(end: &mut Transport, packet: &[u8]) -> Vec<u8> {
    let mut buffer = [&[0; HEAD_ROOM], packet, &[0; TAG]].concat();
    let datagram =
        end.seal(&mut buffer, HEAD_ROOM..HEAD_ROOM + packet.len(), (LineId::FIRST, false), 0xABCD).expect("room");
    buffer[datagram].to_vec()
}

fn open(end: &mut Transport, datagram: &[u8]) -> Result<Vec<u8>, NotOpened> {
    let mut datagram = datagram.to_vec();
    let head = Head::read(&datagram).expect("a head");
    let opened = end.open(&mut datagram, &head)?;
    Ok(datagram[opened.payload].to_vec())
}

#[test]
fn a_datagram_has_five_octets_before_what_is_sealed_and_sixteen_behind() {
    let [mut near, mut far] = pair();
    let datagram = seal(&mut near, b"packet");
    assert_eq!((&datagram[..5], datagram.len()), ([0x10, 0xCD, 0xAB, 0, 0].as_slice(), 5 + 6 + 16));
    assert_eq!(open(&mut far, &datagram), Ok(b"packet".to_vec()));
    assert_eq!(seal(&mut near, b"")[..5], [0x10, 0xCD, 0xAB, 1, 0]);
}

#[test]
fn debug_shows_no_key() {
    let [near, _] = pair();
    let shown = format!("{near:?} {near:#?}");
    assert!(
        shown.contains("[hidden]") && !["1, 1", "2, 2", "1,\n", "2,\n"].iter().any(|part| shown.contains(part)),
        "{shown}"
    );
}

#[test]
fn no_octet_of_a_datagram_can_be_changed() {
    let [mut near, mut far] = pair();
    let datagram = seal(&mut near, b"packet");
    for at in 0..datagram.len() {
        for bit in 0..8 {
            let mut changed = datagram.clone();
            changed[at] ^= 1 << bit;
            let opened = Head::read(&changed).map(|head| far.open(&mut changed, &head));
            assert!(!matches!(opened, Some(Ok(_))), "octet {at}, bit {bit}");
        }
    }
    assert_eq!(open(&mut far, &datagram), Ok(b"packet".to_vec()), "forgeries have marked nothing");
}

#[test]
fn a_cut_datagram_is_no_datagram() {
    let [mut near, mut far] = pair();
    let datagram = seal(&mut near, b"packet");
    for length in 0..datagram.len() {
        let mut cut = datagram[..length].to_vec();
        let opened = Head::read(&cut).map(|head| far.open(&mut cut, &head));
        assert!(!matches!(opened, Some(Ok(_))), "{length} octets");
    }
}

#[test]
fn a_buffer_without_room_is_refused_and_uses_no_counter() {
    let [mut near, _] = pair();
    let mut buffer = [0; 64];
    for payload in [near.head_length() - 1..20, HEAD_ROOM..64 - TAG + 1, HEAD_ROOM..usize::MAX] {
        assert_eq!(near.seal(&mut buffer, payload, (LineId::FIRST, false), 1), None);
    }
    assert_eq!(near.sealed(), 0);
    assert_eq!(near.seal(&mut buffer, HEAD_ROOM..64 - TAG, (LineId::FIRST, false), 1), Some(2..64));
}

#[test]
fn reports_keep_the_counter_at_two_octets() {
    let [mut near, mut far] = pair();
    for _ in 0..100_000 {
        let datagram = seal(&mut near, b"");
        assert_eq!(datagram.len(), 5 + TAG);
        assert!(open(&mut far, &datagram).is_ok());
        if far.owes_report() {
            near.report(far.take_report());
        }
    }
}

#[test]
fn a_long_run_of_losses_does_not_break_it() {
    for lost in [1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 18] {
        let [mut near, mut far] = pair();
        let (mut sent, mut opened) = (0, 0);
        for _ in 0..20_000 {
            opened += u64::from(open(&mut far, &seal(&mut near, b"")).is_ok());
            sent += 1;
            if far.owes_report() {
                near.report(far.take_report());
            }
        }
        for _ in 0..lost {
            seal(&mut near, b"");
        }
        for _ in 0..20_000 {
            opened += u64::from(open(&mut far, &seal(&mut near, b"")).is_ok());
            sent += 1;
            if far.owes_report() {
                near.report(far.take_report());
            }
        }
        assert_eq!(sent, opened, "after {lost} losses in a row");
        assert_eq!(seal(&mut near, b"").len(), 5 + TAG, "and two octets are enough again");
    }
}

#[test]
fn without_any_report_four_octets_do() {
    let [mut near, mut far] = pair();
    for counter in 0..200_000u64 {
        let datagram = seal(&mut near, b"");
        assert_eq!(datagram.len(), if counter < 1 << 14 { 5 } else { 7 } + TAG);
        assert!(open(&mut far, &datagram).is_ok());
    }
}

#[test]
fn a_key_seals_no_more_where_four_octets_could_mean_two_counters_or_nonces_end() {
    let [mut near, _] = pair();
    for (next, reported) in [(LONG_WHILE, 0), (MOST_MESSAGES, MOST_MESSAGES)] {
        (near.next, near.reported) = (next - 1, reported.min(next - 1));
        assert!(near.may_seal());
        seal(&mut near, b"");
        assert!(!near.may_seal());
        let mut buffer = [0; 64];
        assert_eq!((near.seal(&mut buffer, HEAD_ROOM..20, (LineId::FIRST, false), 1), near.sealed()), (None, next));
    }
}

#[test]
fn a_report_of_what_was_never_sent_changes_nothing() {
    let [mut near, _] = pair();
    for _ in 0..1 << 14 {
        seal(&mut near, b"");
    }
    near.report(u64::MAX);
    assert_eq!(seal(&mut near, b"").len(), 7 + TAG);
    near.report(1);
    assert_eq!(seal(&mut near, b"").len(), 7 + TAG, "the one before is number 16,384");
    near.report(2);
    near.report(1);
    assert_eq!(near.unreported(), (1 << 14) + 2 - 2);
}
