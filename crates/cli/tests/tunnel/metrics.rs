//! `metrics = "..."` in a tunnel that runs.

use super::ends::{Site, Tunnel};
use super::system::{can_run, ip, stderr};
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

/// What a server of HTTP at loopback answers to this.
fn fetched(site: &Site, end: usize, path: &str) -> String {
    let says = format!("exec 3<>/dev/tcp/127.0.0.1/9586; printf 'GET {path} HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3");
    let output = site.inside(end, "bash").args(["-c", &says]).output().expect("bash");
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_scrape_has_what_the_status_has_and_a_second_tunnel_at_its_address_is_refused() {
    if !can_run() {
        return;
    }
    let site = Site::new("metrics");
    site.change(0, "mtu = 1420", "mtu = 1420\nmetrics = \"127.0.0.1:9586\"");
    ip(&format!("-n {} link set lo up", site.namespaces[0]));
    let tunnels = site.up();
    site.call();
    let (health, text) = (fetched(&site, 0, "/healthz"), fetched(&site, 0, "/metrics"));
    let status = site.status(0);
    assert!(health.starts_with("HTTP/1.1 200 OK") && health.ends_with("a link is up\n"), "{health}");
    let value = |name: &str| -> f64 {
        let line =
            text.lines().find(|line| line.split('{').next() == Some(name)).unwrap_or_else(|| panic!("{name}: {text}"));
        line.rsplit_once(' ').expect("a value").1.parse().expect("a number")
    };
    let peer = &status["peers"][0];
    assert_eq!(value("arqway_link_up"), 1.0);
    assert_eq!(Some(value("arqway_path_mtu_bytes")), peer["mtu_octets"].as_f64());
    // What was counted before the status was, and is not less.
    let counters = &status["counters"];
    for (name, key) in
        [("arqway_packets_delivered_total", "packets_delivered"), ("arqway_datagrams_sent_total", "datagrams_sent")]
    {
        let (scraped, told) = (value(name), counters[key].as_f64().expect("a count"));
        assert!(scraped > 0.0 && scraped <= told, "{name}: {scraped} and {told}");
    }
    drop(tunnels);
    // Somebody else has the address.
    let mut listener = site.inside(0, "python3");
    let hold =
        "import socket,time; s=socket.create_server(('127.0.0.1',9586)); print('here',flush=True); time.sleep(60)";
    let mut listener = listener.args(["-c", hold]).stdout(Stdio::piped()).spawn().expect("python");
    let mut line = String::new();
    BufReader::new(listener.stdout.take().expect("a pipe")).read_line(&mut line).expect("it listens");
    let refused = Tunnel::spawn(&site, 0).fails();
    listener.kill().and_then(|()| listener.wait()).expect("it ends");
    assert!(refused.contains("`metrics`: cannot listen at 127.0.0.1:9586"), "{refused}");
}
