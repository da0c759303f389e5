//! `arqway path` over tunnels that run.

use super::ends::{Site, Tunnel};
use super::system::can_run;

#[test]
fn a_path_over_a_hub_is_told_link_by_link_with_what_a_call_can_be_promised() {
    if !can_run() {
        return;
    }
    let site = Site::hub("path");
    let mut hub = Tunnel::start(&site, 0);
    let mut spokes = [1, 2].map(|end| Tunnel::start(&site, end));
    spokes.iter_mut().for_each(|spoke| spoke.wait_for("hub: link up"));
    hub.wait_for("link up");
    site.call_from(2);
    let (left, right) = (site.link(1), "10.9.0.3");
    let path: serde_json::Value =
        serde_json::from_str(&site.arqway(1, &["path", &left, right, "--json"])).expect("an answer");
    let names = |way: &str| -> Vec<String> {
        let links = path[way].as_array().expect("links").iter();
        links.map(|link| link["name"].as_str().expect("a name").to_owned()).collect()
    };
    let (hub_to, right_end) = (|peer: &str| format!("{}/{peer}", site.link(0)), site.link(2));
    assert_eq!((names("there"), names("back")), (vec![left.clone(), hub_to("right")], vec![right_end, hub_to("left")]));
    for link in ["there", "back"].iter().flat_map(|way| path[way].as_array().expect("links")) {
        assert!(link["round_trip_s"].as_f64().is_some_and(|round_trip| round_trip < 1.0), "{path:#}");
        let services = link["services"].as_array().expect("services");
        assert!(services.len() > 1 && services.iter().all(|service| service["loss"].as_f64() < Some(0.5)), "{path:#}");
    }
    // To the only peer, for people.
    let text = site.arqway(1, &["path", &left]);
    assert!(text.contains("a call (100 kbit/s, 1 % lost, 150 ms): yes, by"), "{text}");
    let text = site.arqway(1, &["path", &left, right, "--rate", "1 kbit/s", "--delay", "1 ns"]);
    assert!(text.contains("all of it") && text.contains("1 kbit/s, 0 % lost, 1 ns: no: "), "{text}");
    // The host at the end has no tunnel that would answer.
    let refused =
        site.inside(1, env!("CARGO_BIN_EXE_arqway")).args(["path", &left, "10.99.0.1"]).output().expect("the command");
    let told = String::from_utf8(refused.stderr).expect("text");
    assert!(told.contains("no peer has 10.99.0.1 among its `allowed` addresses"), "{told}");
    assert!(hub_path_needs_a_name(&site), "of two peers");
}

/// A tunnel with several peers wants to know which.
fn hub_path_needs_a_name(site: &Site) -> bool {
    let refused =
        site.inside(0, env!("CARGO_BIN_EXE_arqway")).args(["path", &site.link(0)]).output().expect("the command");
    String::from_utf8_lossy(&refused.stderr).contains("it has several peers; say to which, or an address: left, right")
}
