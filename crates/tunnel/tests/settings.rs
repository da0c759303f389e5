//! Settings of a tunnel: what is taken, what is refused and how, and what they mean.

use arqway_config::Source;
use arqway_link::LinkLayer;
use arqway_tunnel::settings::{Checked, link_layer, schema};
use std::fs;
use std::path::{Path, PathBuf};

const PEER: &str =
    "[[peer]]\npublic-key = \"hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=\"\nallowed = [\"10.9.0.2\"]\n";

fn read(text: &str) -> Result<Checked, String> {
    Checked::read(&Source::new("home.toml", text), "home").map_err(|mistakes| mistakes.to_string())
}

/// The least that there can be, and what is said besides.
fn with(more: &str) -> Result<Checked, String> {
    read(&format!("private-key = \"home.key\"\naddresses = [\"10.9.0.1/24\"]\n{more}\n{PEER}"))
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn ten_lines_are_enough() {
    let checked = with("").expect("settings");
    assert_eq!((checked.interface.as_str(), &checked.link_layer), ("home", &link_layer()));
    let said = checked.to_string();
    assert!(said.contains("services        default: raw, reliable: tally, low-delay: rlp (ef)"), "{said}");
}

#[test]
fn where_it_listens_is_said_as_it_will_be() {
    for (more, expected) in [
        ("", "any free port"),
        ("listen = 0", "any free port"),
        ("listen = 51820", "[::]:51820"),
        ("listen = \"192.0.2.1:51820\"", "192.0.2.1:51820"),
        ("listen = \"192.0.2.1:0\"", "192.0.2.1, any free port"),
    ] {
        let said = with(more).expect("settings").to_string();
        assert!(said.contains(&format!("\n  listens on      {expected}\n")), "{more}: {said}");
    }
}

#[test]
fn every_mistake_is_told_at_its_place_with_what_was_expected() {
    let said = read(
        "private-key = \"home.key\"
addresses = [\"10.9.0.1\", \"10.9.0.1/33\"]
listen = 70000
mtu = 100
rate = \"1 Mbit\"
interface = \"a/b\"
[link-layer]
service = \"taly\"
[[peer]]
public-key = \"short\"
endpoint = \"203.0.113.5\"
allowed = [\"10.9.0.300\"]
",
    )
    .expect_err("mistakes");
    for expected in [
        "home.toml:2:14: `10.9.0.1` is not an address in a network; expected one such as \"10.9.0.1/24\"",
        "home.toml:2:26: `10.9.0.1/33` is not an address in a network",
        "home.toml:3:10: ",
        "home.toml:4:7: ",
        "home.toml:5:8: unknown unit `Mbit`",
        "home.toml:8:11: `taly` is not a kind of service",
        "did you mean `tally`?",
        "home.toml:10:14: this is not a public key: expected 44 characters of base64, found 5",
        "home.toml:11:12: `203.0.113.5` is not a host and a port; expected one such as \"203.0.113.5:51820\"",
        "home.toml:12:12: `10.9.0.300` is not an address",
    ] {
        assert!(said.contains(expected), "no `{expected}`:\n{said}");
    }
}

#[test]
fn mistakes_between_settings_are_told_too() {
    let key = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=";
    let other = "wJ8Rr0sGzW1v3XKzKq5VYbqHSPuTtBZBtuNOuKrcnlQ=";
    let second = |key: &str, allowed: &str| format!("[[peer]]\npublic-key = \"{key}\"\nallowed = [{allowed}]\n");
    for (more, place, expected) in [
        (
            "interface = \"sixteen-letters-\"",
            "home.toml:3:13",
            "cannot be the name of an interface; expected 1 to 15 letters",
        ),
        (
            "link-layer = { bearer = { rate = \"1 Mbit/s\" } }",
            "home.toml:3:34",
            "the rate of a tunnel's link is its `rate`",
        ),
        (
            "link-layer = { classes = [{ protocol = \"udp\", with = \"nobody\" }] }",
            "home.toml:3:14",
            "no class called `nobody`",
        ),
        (&second(key, "\"10.9.0.3\""), "home.toml:8:14", "a second peer with this public key"),
        (&second(other, "\"10.9.0.2\""), "home.toml:9:12", "10.9.0.2 belongs to another peer already"),
        (&second(other, "\"10.9.0.1\""), "home.toml:5:12", "10.9.0.1 is an address of this end"),
        (
            &format!("{}name = \"{key}\"\n", second(other, "\"10.9.0.3\"")),
            "home.toml:8:1",
            "a second peer called `hSDwCYkwp",
        ),
        (&format!("{}name = \"\"\n", second(other, "\"10.9.0.3\"")), "home.toml:3:1", "`` cannot be a peer's name"),
        (
            &format!("{}name = \"a\\nb\"\n", second(other, "\"10.9.0.3\"")),
            "home.toml:3:1",
            "expected 1 to 64 printable characters",
        ),
        ("user = \"nobody-here\"", "home.toml:3:8", "there is no user `nobody-here`"),
        (&second(other, ""), "home.toml:3:1", "this peer has no `allowed` addresses"),
    ] {
        let said = with(more).expect_err("a mistake");
        assert!(said.contains(place) && said.contains(expected), "no `{expected}` at {place}:\n{said}");
    }
    let empty = read("private-key = \"home.key\"\naddresses = []\npeer = []\n").expect_err("nothing to do");
    assert!(empty.contains("`addresses` is empty") && empty.contains("`peer` is empty"), "{empty}");
}

#[test]
fn several_lines_go_each_by_an_interface_or_from_an_address_of_its_own() {
    let said =
        with("line = [{ interface = \"wwan0\" }, { address = \"192.0.2.7\", rate = \"9 Mbit/s\" }]").expect("lines");
    let said = said.to_string();
    for expected in ["\n  line 0          by interface wwan0\n", "\n  line 1          from 192.0.2.7, 9 Mbit/s\n"] {
        assert!(said.contains(expected), "{said}");
    }
    for (lines, expected) in [
        ("line = [{ interface = \"wwan0\" }]", "1 lines; expected 2 to 8"),
        (
            "line = [{ interface = \"a\" }, { interface = \"a\" }]",
            "a second line by `a`; expected one of its own for each",
        ),
        (
            "line = [{ interface = \"a\" }, {}]",
            "a line is by an `interface` or from an `address`; expected one of both",
        ),
        ("line = [{ interface = \"a\" }, { interface = \"b/c\" }]", "`b/c` cannot be the name of an interface"),
        ("line = [{ interface = \"a\" }, { name = \"b\" }]", "unknown key `name`"),
        (
            "listen = \"192.0.2.1:5\"\nline = [{ interface = \"a\" }, { interface = \"b\" }]",
            "each line has its own address; expected a port alone",
        ),
        ("line = 5", "expected a table or a list, found 5"),
        (
            "line = [{ interface = \"a\" }, { interface = \"b\" }]\n[link-layer.bearer]\nline = [{}, {}]",
            "the lines of a tunnel's link are its `line`s",
        ),
    ] {
        let said = with(lines).expect_err(lines);
        assert!(said.contains(expected), "{lines}: {said}");
    }
}

#[test]
fn a_serial_line_has_one_peer_and_no_addresses() {
    let line = |baud: u32| format!("line = {{ serial = \"/dev/ttyUSB0\", baud = {baud}, frame = \"300 octets\" }}");
    let checked = with(&line(57_600)).expect("settings");
    let bearer = &checked.links[0].bearer;
    // Ten bits an octet, of 65 octets one for stuffing.
    assert_eq!(bearer.rate.fixed(), arqway_units::BitRate::from_bits_per_second(57_600 * 64 / 10 / 65 * 8));
    // Two flags and the CRC; head and tag of the session.
    assert_eq!(bearer.overhead.as_u64(), 6 + 21);
    assert_eq!((bearer.mtu_least.get(), bearer.mtu_most.get()), (300, 300));
    let given = with(&format!("{}\nrate = \"20 kbit/s\"", line(57_600))).expect("settings");
    assert_eq!(given.links[0].bearer.rate.fixed(), arqway_units::BitRate::from_bits_per_second(20_000));
    let second = "[[peer]]\npublic-key = \"wJ8Rr0sGzW1v3XKzKq5VYbqHSPuTtBZBtuNOuKrcnlQ=\"\nallowed = [\"10.9.0.3\"]\nendpoint = \"192.0.2.1:9\"";
    let said = with(&format!("listen = 51820\n{}\n{second}\n", line(49))).expect_err("mistakes");
    for expected in [
        "home.toml:4:42: 49 baud; expected 50 to 12000000",
        "home.toml:3:10: `listen` has no meaning on a serial line",
        "remove it; or remove `line`, to use UDP",
        "home.toml:8:12: `endpoint` has no meaning on a serial line",
        "a second peer on a serial line; expected the one at its other end",
    ] {
        assert!(said.contains(expected), "no `{expected}`:\n{said}");
    }
}

#[test]
fn what_would_have_no_effect_is_refused_where_it_was_written_and_what_was_not_written_is_not() {
    let bearer =
        "link-layer.bearer = { overhead = \"40 octets\", mtu-least = \"600 octets\", mtu-most = \"1500 octets\" }";
    let line = "line = { serial = \"/dev/ttyUSB0\", baud = 57600 }";
    let said = with(&format!("dscp = {{ low-delay = \"ef\" }}\n{bearer}\n{line}")).expect_err("mistakes");
    for expected in [
        "home.toml:3:8: `dscp` has no meaning on a serial line",
        "home.toml:4:34: `overhead` has no meaning on a serial line",
        "home.toml:4:59: `mtu-least` has no meaning on a serial line",
        "home.toml:4:84: `mtu-most` has no meaning on a serial line",
        "`frame` of `line` says how large frames are",
    ] {
        assert!(said.contains(expected), "no `{expected}`:\n{said}");
    }
    assert!(with(bearer).is_ok(), "over UDP they have a meaning");
    let said = with("link-layer.bearer = { hellos = true, rate-up = \"1 Mbit/s\" }").expect_err("mistakes");
    assert!(
        said.contains("home.toml:3:32: a tunnel has no hellos") && said.contains("home.toml:3:48: the rate"),
        "{said}"
    );
    let others = "link-layer = { bearer = { hellos = false, breaker = false }, table = { kind = \"best-effort\", low-delay = \"raw\" } }";
    for given in [line.to_owned(), format!("{line}\n{others}")] {
        let said = with(&given).expect("settings").to_string();
        assert!(said.contains("low-delay: ") && !said.contains("(ef)"), "no codepoint has an effect: {said}");
    }
}

#[test]
fn a_scenarios_link_layer_can_be_deployed_as_it_stands() {
    let text = "[link-layer]\nservice = { kind = \"selective-repeat\", timeout = \"1.1 s\" }\nscheduler = \"scfq\"\n\
                classes = [{ protocol = \"udp\", port = \"5004-5020\", service = \"raw\", rate = \"20 %\" }]\n";
    let checked = with(text).expect("settings");
    let kinds: Vec<_> = checked.link_layer.services().into_iter().map(|service| service.kind()).collect();
    assert_eq!(kinds, ["selective-repeat", "raw"]);
}

#[test]
fn ends_need_the_same_services_and_nothing_else() {
    let configuration = |more: &str| with(more).expect("settings").configuration();
    let one = configuration("");
    assert_eq!(one, configuration("rate = \"1 Mbit/s\"\nlisten = 7\nmtu = 1400"));
    assert_ne!(one, configuration("[link-layer]\nservice = \"tally\""));
    let classes = |class: &str| configuration(&format!("[link-layer]\nclasses = [{class}]"));
    let raw = classes("{ protocol = \"udp\", service = \"raw\" }");
    assert_ne!(raw, classes("{ protocol = \"udp\", service = \"tally\" }"));
    // Which packets go where is each end's own affair.
    assert_eq!(raw, classes("{ protocol = \"icmp\", service = \"raw\" }"));
}

#[test]
fn the_rate_of_a_peer_is_its_own_or_that_of_all() {
    let paces = |more: &str| with(more).expect("settings").links[0].bearer.rate.to_string();
    assert_eq!(["", "rate = \"950 kbit/s\"", "rate = \"unpaced\""].map(paces), ["automatic", "950 kbit/s", "unpaced"]);
    let bounds = paces("rate = { least = \"200 kbit/s\", most = \"50 Mbit/s\" }");
    assert_eq!(bounds, "automatic, 200 kbit/s to 50 Mbit/s");
    let own = format!(
        "private-key = \"k\"\naddresses = [\"10.9.0.1/24\"]\nrate = \"1 Mbit/s\"\n{PEER}rate = \"64 kbit/s\"\n"
    );
    assert_eq!(read(&own).expect("settings").links[0].bearer.rate.to_string(), "64 kbit/s");
}

#[test]
fn routes_go_to_what_is_behind_peers_and_not_to_this_ends_own_network() {
    let routed = |allowed: &str| {
        let text = format!(
            "private-key = \"k\"\naddresses = [\"10.9.0.1/24\", \"fd00::1/64\"]\nroutes = true\n\
             [[peer]]\npublic-key = \"hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=\"\nallowed = [{allowed}]\n"
        );
        let checked = read(&text).expect("settings");
        let networks =
            checked.settings.routed().iter().map(|(address, length)| format!("{address}/{length}")).collect();
        (networks, checked.to_string())
    };
    let (networks, said): (Vec<_>, _) = routed("\"10.9.0.2\", \"10.20.0.0/16\", \"10.20.0.0/16\", \"fd00::2\"");
    assert_eq!(networks, ["10.20.0.0/16"]);
    assert!(said.contains("\n  routes          10.20.0.0/16\n"), "{said}");
    let (all, _) = routed("\"0.0.0.0/0\", \"::/0\"");
    assert_eq!(all, ["0.0.0.0/1", "128.0.0.0/1", "::/1", "8000::/1"]);
    // A network that is larger than this end's own is not its own.
    assert_eq!(routed("\"10.8.0.0/15\", \"fd00::/60\"").0, ["10.8.0.0/15", "fd00::/60"]);
    assert_eq!(routed("\"10.9.0.2\"").1.lines().nth(4), Some("  routes          those of the addresses"));
    assert!(with("").expect("settings").settings.routed().is_empty());
}

#[test]
fn with_an_initial_window_of_its_own_this_ends_network_has_routes_too() {
    let settings = |allowed: &str, more: &str| {
        read(&format!(
            "private-key = \"k\"\naddresses = [\"10.9.0.1/24\", \"fd00::1/64\"]\n{more}\n\
             [[peer]]\npublic-key = \"hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=\"\nallowed = [{allowed}]\n"
        ))
    };
    let networks = |allowed| {
        let settings = settings(allowed, "routes = true\ninitial-window = 40").expect("settings").settings;
        let routed = settings.routed();
        routed.iter().map(|(address, length)| format!("{address}/{length}")).collect::<Vec<_>>()
    };
    assert_eq!(networks("\"10.9.0.2\", \"10.20.0.0/16\""), ["10.9.0.2/32", "10.20.0.0/16"]);
    // The device has a route to its own network: two halves come before it.
    assert_eq!(
        networks("\"10.9.0.0/24\", \"fd00::/64\""),
        ["10.9.0.0/25", "10.9.0.128/25", "fd00::/65", "fd00::8000:0:0:0/65"]
    );
    assert_eq!(networks("\"0.0.0.0/0\""), ["0.0.0.0/1", "128.0.0.0/1"]);
    let said = settings("\"10.9.0.2\"", "routes = true\ninitial-window = 40").expect("settings").to_string();
    assert!(said.contains("\n  initial window  40 segments of TCP by these routes\n"), "{said}");
    let said = settings("\"10.9.0.2\"", "initial-window = 40").expect_err("no routes");
    assert!(said.contains("home.toml:3:18: it is for routes into the tunnel, and none are set"), "{said}");
    let said = settings("\"10.9.0.2\"", "routes = true\ninitial-window = 1").expect_err("too few");
    assert!(said.contains("expected a whole number from 2 to 1000, found 1"), "{said}");
}

#[test]
fn each_service_has_the_codepoint_that_is_given_for_it() {
    let dscp = |more: &str| {
        let checked = with(more).expect("settings");
        checked.links[0].dscp.iter().map(|ds| ds.octet() >> 2).collect::<Vec<u8>>()
    };
    assert_eq!(dscp(""), [0, 0, 46]);
    assert_eq!(dscp("dscp = { reliable = \"af11\", default = \"le\" }"), [1, 10, 0]);
    assert_eq!(dscp("dscp = {}"), [0, 0, 0]);
    let classes = "link-layer = { classes = [{ name = \"radio\", protocol = \"udp\", service = \"raw\" }] }";
    assert_eq!(dscp(&format!("dscp = {{ radio = 40 }}\n{classes}")), [0, 40]);
    let said = with("dscp = { low-delya = \"ef\" }").expect_err("a mistake");
    assert!(said.contains("home.toml:3:22: `low-delya` is not a service of this link layer"), "{said}");
    assert!(said.contains("did you mean `low-delay`?"), "{said}");
    let said = with("dscp = { low-delay = \"fast\" }").expect_err("a mistake");
    assert!(said.contains("home.toml:3:22: "), "{said}");
}

#[test]
fn what_is_set_on_the_machine_is_checked_and_said() {
    let checked = with("dns = [\"10.9.0.2\"]\nmasquerade = true").expect("settings").to_string();
    for expected in ["  name servers    10.9.0.2, by resolvectl\n", "  masquerades     what leaves by other interfaces"]
    {
        assert!(checked.contains(expected), "no `{expected}`:\n{checked}");
    }
    let said = with("dns = [\"10.9.0\"]").expect_err("a mistake");
    assert!(
        said.contains("home.toml:3:8: `10.9.0` is not the address of a name server; expected one such as"),
        "{said}"
    );
    let said = with("dns = [\"10.9.0.2\", \"9.9.9.9\"]").expect_err("a mistake");
    assert!(said.contains("home.toml:3:20: no peer has 9.9.9.9 among its `allowed` addresses"), "{said}");
    let text = "private-key = \"k\"\naddresses = [\"fd00::1/64\"]\nroutes = true\nlisten = \"[2001:db8::1]:7\"\n";
    let said = read(&format!("{text}{}", PEER.replace("10.9.0.2", "::/0"))).expect_err("a mistake");
    assert!(
        said.contains("home.toml:4:10: datagrams from one address of IPv6 would follow the route to ::/0"),
        "{said}"
    );
    assert!(read(&format!("{text}{}", PEER.replace("10.9.0.2", "0.0.0.0/0"))).is_ok());
}

#[test]
fn the_settings_that_the_documentation_shows_can_be_read() {
    let how_tos = ["docs/how-to/boat.md", "docs/how-to/bus.md"];
    let pages = ["README.md", "docs/tunnel.md", "crates/tunnel/src/settings/mod.rs"].into_iter().chain(how_tos);
    let mut blocks = 0;
    for page in pages {
        let text = fs::read_to_string(project().join(page))
            .expect("a page")
            .replace("\n//! ", "\n")
            .replace("\n//!\n", "\n\n");
        let blocks_of_page = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("\n```").next());
        for block in blocks_of_page.filter(|block| block.contains("private-key")) {
            blocks += 1;
            read(block).unwrap_or_else(|mistakes| panic!("{page}:\n{block}\n{mistakes}"));
        }
    }
    assert_eq!(blocks, 10);
}

#[test]
fn the_schema_in_the_documentation_is_the_one_that_the_command_prints() {
    let kept = fs::read_to_string(project().join("docs/schema/tunnel.json")).expect("a file");
    let made = format!("{:#}\n", schema().root);
    assert!(kept == made, "out of date: cargo run -p arqway -- schema tunnel > docs/schema/tunnel.json");
}

#[test]
fn the_built_in_link_layer_is_one_that_can_be_built() {
    let link_layer: LinkLayer = link_layer();
    assert!(link_layer.mux(None).plan().is_ok() && link_layer.mux("64 kbit/s".parse().ok()).plan().is_ok());
}

#[test]
fn the_link_layer_in_the_documentation_is_the_built_in_one_without_sums_and_small_headers() {
    let page = fs::read_to_string(project().join("docs/tunnel.md")).expect("a page");
    let mut blocks = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let block = blocks.find(|block| block.starts_with("[link-layer]")).expect("a link layer");
    let tally = "{ kind = \"tally\", repair = true, compress-headers = true }";
    let all = block.replace("\"tally\"", tally).replace("scheduler", "compress-headers = true\nscheduler");
    let checked = with(&all).expect("settings");
    assert_eq!(checked.link_layer, link_layer());
}
