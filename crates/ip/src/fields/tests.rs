use super::*;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt::{Debug, Display};
use core::net::IpAddr;
use core::str::FromStr;
use proptest::prelude::*;

fn reads<T: FromStr<Err: Debug> + Display>(texts: &[&str]) {
    for text in texts {
        assert_eq!(text.parse::<T>().map(|value| value.to_string()).expect(text), *text);
    }
}

fn refuses<T: FromStr<Err: Display> + Debug>(text: &str, right: &str) {
    let error = text.parse::<T>().expect_err(text).to_string();
    assert!(error.contains(&alloc::format!("`{text}`")) && error.ends_with(right), "{error}");
}

#[test]
fn a_field_prints_as_it_is_read() {
    reads::<Protocol>(&["tcp", "udp", "icmp", "47"]);
    reads::<Ports>(&["53", "5004-5020", "0-65535"]);
    reads::<Ds>(&["default", "ef", "af11", "af43", "cs7", "45"]);
    reads::<FlowLabel>(&["0", "1048575"]);
    reads::<Addresses>(&["10.0.0.0/8", "192.0.2.1", "2001:db8::/32", "::1", "0.0.0.0/0"]);
}

#[test]
fn what_is_not_a_field_is_refused_with_what_is_expected() {
    refuses::<Protocol>("tpc", "expected tcp, udp, icmp, icmpv6, sctp, esp or a number from 0 to 255");
    for text in ["70000", "20-10", "5004-", "-3", "http"] {
        refuses::<Ports>(text, "such as \"5004-5020\"");
    }
    for text in ["af14", "af10", "64", "EF", "cs8"] {
        refuses::<Ds>(text, "af11 to af43, cs0 to cs7 or a number from 0 to 63");
    }
    refuses::<FlowLabel>("1048576", "a number from 0 to 1048575");
    for text in ["10.0.0", "10.0.0.0/33", "::/129", "host", "10.0.0.0/"] {
        refuses::<Addresses>(text, "such as \"10.0.0.0/8\" or \"2001:db8::/32\"");
    }
    refuses::<Addresses>("10.1.0.0/8", "expected \"10.0.0.0/8\"");
    refuses::<Addresses>("2001:db8::1/32", "expected \"2001:db8::/32\"");
}

#[test]
fn the_assured_forwarding_codepoints_follow_their_formula() {
    for (class, drop) in (1..=4).flat_map(|class| (1..=3).map(move |drop| (class, drop))) {
        let ds: Ds = alloc::format!("af{class}{drop}").parse().expect("a name");
        assert_eq!(ds.number(), 8 * class + 2 * drop); // RFC 2597, Section 6
    }
}

#[test]
fn a_prefix_holds_the_addresses_of_its_version_that_begin_alike() {
    let holds = |prefix: &str, address: &str| {
        let address: IpAddr = address.parse().expect("an address");
        prefix.parse::<Addresses>().expect("a prefix").contains(address)
    };
    assert!(holds("10.0.0.0/8", "10.255.0.1") && !holds("10.0.0.0/8", "11.0.0.0"));
    assert!(holds("2001:db8::/33", "2001:db8:7fff::1") && !holds("2001:db8::/33", "2001:db8:8000::"));
    assert!(holds("0.0.0.0/0", "1.2.3.4") && !holds("0.0.0.0/0", "::1.2.3.4"));
    assert!(holds("::/0", "::1") && !holds("::/0", "0.0.0.1"));
}

proptest! {
    #[test]
    fn the_prefixes_of_a_range_cover_it_and_nothing_else(first: u16, last: u16) {
        let ports = Ports::range(first.min(last), first.max(last)).expect("in order");
        let prefixes: Vec<_> = ports.prefixes().collect();
        prop_assert!(prefixes.len() <= 30);
        for port in 0..=u16::MAX {
            let covering = prefixes.iter().filter(|(value, mask)| port & mask == *value).count();
            prop_assert_eq!(covering, usize::from(ports.contains(port)));
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "[0-9a-z:./-]{0,20}") {
        let _ = (text.parse::<Protocol>(), text.parse::<Ports>(), text.parse::<Ds>());
        let _ = (text.parse::<FlowLabel>(), text.parse::<Addresses>());
    }
}
