//! A link below that goes down and comes back.

use super::*;
use arqway_contract::LinkState;

#[test]
fn timers_stand_still_while_the_link_is_down() {
    let mut end = end(|config| {
        config.poll.last_pdu = Some(true);
        config.poll.timer = milliseconds(100);
    });
    end.sdus("a").expect("0:a?").at(40).link(LinkState::Down).sdus("b").poll(0).expect("deliver a");
    assert_eq!(end.deadline(), None);
    end.at(1040).link(LinkState::Up).expect("status[ack 1], 1:b?");
    assert_eq!(end.deadline(), Some(1140));
    end.at(1140).expect("1:b?");
}

#[test]
fn what_waits_grows_older_while_the_link_is_down() {
    let after = Span::from_milliseconds(150);
    let mut end = end(|config| config.discard = Some(Discard::Timer { after }));
    end.sdus("a").expect("0:a").at(40).link(LinkState::Down).sdus("b").at(150).sdus("c");
    end.at(250).link(LinkState::Up).expect("status[mrw 1 n0], 1:c");
    assert_eq!((end.counters().packets_discarded, end.deadline()), (2, Some(300)));
}

#[test]
fn what_was_begun_while_the_link_is_down_times_from_its_return() {
    let mut end = end(|_| ());
    end.sdus("a").expect("0:a").at(40).link(LinkState::Down).at(70).status("ack 9").expect("");
    end.at(90).link(LinkState::Up).expect("reset 0 hfn 0");
    assert_eq!(end.deadline(), Some(190));
}

// 25.322 before V7.3, §11.5.2 4): "request from lower layer"
#[test]
fn a_link_that_comes_back_is_told_what_has_arrived_where_so_configured() {
    for (configured, expected) in [(true, "status[list 1; ack 3]"), (false, "")] {
        let mut end = end(|config| config.status.after_outage = Some(configured));
        end.at(10).link(LinkState::Down).at(20).link(LinkState::Up).expect("");
        end.data(0)
            .data(2)
            .expect("deliver a")
            .at(30)
            .link(LinkState::Down)
            .at(40)
            .link(LinkState::Up)
            .expect(expected);
    }
}
