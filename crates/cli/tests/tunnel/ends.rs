//! Two hosts with a cable between them, and the tunnels at its ends.

use crate::SERVER;
use crate::system::{Folder, Made, interface, ip, itself, namespace, stderr};
use arqway_net::Clock;
use arqway_units::{Span, Time};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// A machine may be as busy as that.
const LONG: Duration = Duration::from_secs(60);

/// Ends with cables between them, and their settings: 10.9.0.1 and so on in the tunnel.
pub(crate) struct Site {
    ends: &'static [&'static str],
    pub(crate) namespaces: Vec<String>,
    pub(crate) publics: Vec<String>,
    pub(crate) folder: Folder,
    _made: Vec<Made>,
}

/// Runs the command with something on its stdin; what it prints.
pub(crate) fn arqway(arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arqway"));
    let piped = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = piped.expect("the command");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("a reader");
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).expect("text")
}

/// The files that take the place of those in `/etc` at one end (ip-netns(8)).
pub(crate) struct Names(PathBuf);

impl Names {
    /// From now on there is this line.
    pub(crate) fn add(&self, line: &str) {
        // In place: the file itself is what is seen there.
        fs::write(self.0.join("hosts"), format!("{line}\n")).expect("our own file");
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

impl Site {
    /// Two ends.
    pub(crate) fn new(test: &str) -> Self {
        let site = Self::between(test, &["left", "right"]);
        site.cable([0, 1], 77);
        for (end, other) in [(0, 1), (1, 0)] {
            let peer = site.peer(other, "192.168.77", "10.9.0");
            site.write(end, &format!("listen = 51820\nmtu = 1420\n{peer}"));
        }
        site
    }

    /// A host whose way to everywhere is a gateway, by a tunnel; `world` is behind that, and knows no addresses of tunnels.
    pub(crate) fn gateway(test: &str) -> Self {
        let site = Self::between(test, &["left", "right", "world"]);
        site.cable([0, 1], 77);
        site.cable([1, 2], 78);
        // Only by the default route does the host reach that address.
        let gateway = site.peer(1, "192.168.78", "10.9.0").replace("192.168.78.2:", "192.168.78.1:");
        let all = gateway.replace("[\"10.9.0.2\"]", "[\"0.0.0.0/0\", \"::/0\"]");
        site.write(0, &format!("routes = true\n{all}"));
        let host = site.peer(0, "", "10.9.0");
        site.write(1, &format!("listen = \"192.168.78.1:51820\"\nmasquerade = true\n{host}"));
        ip(&format!("-n {} route add default via 192.168.77.2", site.namespaces[0]));
        site.sysctl(0, "net.ipv4.conf.all.rp_filter=2");
        site.sysctl(1, "net.ipv4.ip_forward=1");
        site
    }

    /// The cables of a gateway have addresses of IPv6 too, fd77::1 and so on.
    pub(crate) fn add_ipv6(&self) {
        for (end, network, number) in [(0, 77, 1), (1, 77, 2), (1, 78, 1), (2, 78, 2)] {
            let port = interface(&format!("c{network}{}", number - 1));
            ip(&format!("-n {} address add fd{network}::{number}/64 dev {port} nodad", self.namespaces[end]));
        }
    }

    /// The cable of two ends, too.
    pub(crate) fn add_ipv6_to_cable(&self) {
        for (end, number) in [(0, 1), (1, 2)] {
            let port = interface(&format!("c77{end}"));
            ip(&format!("-n {} address add fd77::{number}/64 dev {port} nodad", self.namespaces[end]));
        }
    }

    pub(crate) fn sysctl(&self, end: usize, setting: &str) {
        let sysctl = self.inside(end, "sysctl").args(["-qw", setting]).status().expect("procps");
        assert!(sysctl.success(), "{setting}");
    }

    /// Two ends with a third one between, which has to hand frames on itself.
    pub(crate) fn with_middle(test: &str) -> Self {
        let site = Self::between(test, &["left", "right", "middle"]);
        for (end, other) in [(0, 1), (1, 0)] {
            let [near, far] = ["e", "m"].map(|port| interface(&format!("{port}{end}")));
            let [namespace, middle] = [end, 2].map(|end| &site.namespaces[end]);
            ip(&format!("link add {near} netns {namespace} type veth peer name {far} netns {middle}"));
            ip(&format!("-n {namespace} address add 192.168.77.{}/24 dev {near}", end + 1));
            ip(&format!("-n {namespace} link set {near} up"));
            ip(&format!("-n {middle} link set {far} up"));
            site.write(end, &format!("listen = 51820\n{}", site.peer(other, "192.168.77", "10.9.0")));
        }
        site
    }

    /// A hub with two spokes, `left` and `right`, which reach each other through it.
    pub(crate) fn hub(test: &str) -> Self {
        let site = Self::between(test, &["hub", "left", "right"]);
        let of_spokes = [(1, 77), (2, 78)].map(|(spoke, network)| {
            site.cable([0, spoke], network);
            let hub = site.peer(0, &format!("192.168.{network}"), "10.9.0").replace("10.9.0.1\"]", "10.9.0.0/24\"]");
            site.write(spoke, &hub);
            // It learns where they are.
            site.peer(spoke, "", "10.9.0")
        });
        site.write(0, &format!("listen = 51820\n{}", of_spokes.concat()));
        site.sysctl(0, "net.ipv4.ip_forward=1");
        site
    }

    /// Two ends of a serial line, by the names of its devices.
    pub(crate) fn serial(test: &str, devices: [&str; 2]) -> Self {
        let site = Self::between(test, &["left", "right"]);
        for (end, other) in [(0, 1), (1, 0)] {
            let line = format!("line = {{ serial = \"{}\", baud = 4000000 }}\n", devices[end]);
            site.write(end, &format!("{line}{}", site.peer(other, "", "10.9.0")));
        }
        site
    }

    fn between(test: &str, ends: &'static [&'static str]) -> Self {
        let namespaces: Vec<String> = ends.iter().map(|end| namespace(test, end)).collect();
        let made = namespaces.iter().map(|name| Made::new("netns", name, "")).collect();
        let folder = Folder::new(&format!("tunnel-{test}"));
        let publics = ends.iter().map(|end| {
            let key = arqway(&["genkey"], "");
            let file = folder.write(&format!("{end}.key"), &key);
            fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("our own file");
            arqway(&["pubkey"], &key).trim().to_owned()
        });
        Self { ends, publics: publics.collect(), namespaces, folder, _made: made }
    }

    /// A cable between two ends: 192.168.NETWORK.1 and .2.
    pub(crate) fn cable(&self, ends: [usize; 2], network: u8) {
        let [near, far] = [0, 1].map(|end| interface(&format!("c{network}{end}")));
        let [left, right] = ends.map(|end| &self.namespaces[end]);
        ip(&format!("link add {near} netns {left} type veth peer name {far} netns {right}"));
        for (number, (namespace, port)) in [(left, near), (right, far)].iter().enumerate() {
            ip(&format!("-n {namespace} address add 192.168.{network}.{}/24 dev {port}", number + 1));
            ip(&format!("-n {namespace} link set {port} up"));
        }
    }

    /// An end as others have it among their peers; without a network, it has to call.
    fn peer(&self, end: usize, network: &str, inner: &str) -> String {
        let (name, public, number) = (self.ends[end], &self.publics[end], end + 1);
        let endpoint =
            if network.is_empty() { String::new() } else { format!("endpoint = \"{network}.{number}:51820\"\n") };
        format!("[[peer]]\nname = \"{name}\"\npublic-key = \"{public}\"\n{endpoint}allowed = [\"{inner}.{number}\"]\n")
    }

    fn write(&self, end: usize, settings: &str) {
        let (name, number) = (self.ends[end], end + 1);
        let own = format!("private-key = \"{name}.key\"\naddresses = [\"10.9.0.{number}/24\"]\n");
        self.folder.write(&format!("tun-{name}.toml"), &format!("{own}{settings}"));
    }

    pub(crate) fn settings(&self, end: usize) -> String {
        self.folder.path(&format!("tun-{}.toml", self.ends[end]))
    }

    /// Changes the settings of an end.
    pub(crate) fn change(&self, end: usize, from: &str, to: &str) {
        let before = fs::read_to_string(self.settings(end)).expect("our own file");
        assert!(before.contains(from), "{before}");
        fs::write(self.settings(end), before.replace(from, to)).expect("our own file");
    }

    /// Names of hosts that this end alone knows: none at first, and no name server.
    pub(crate) fn own_names(&self, end: usize) -> Names {
        let names = Names(Path::new("/etc/netns").join(&self.namespaces[end]));
        fs::create_dir_all(&names.0).expect("root's folder");
        for file in ["hosts", "resolv.conf"] {
            fs::write(names.0.join(file), "").expect("our own file");
        }
        names
    }

    /// Starts both tunnels, and waits until packets cross.
    pub(crate) fn up(&self) -> [Tunnel; 2] {
        let tunnels = [0, 1].map(|end| Tunnel::start(self, end));
        tunnels.map(|mut tunnel| {
            tunnel.wait_for("link up");
            tunnel
        })
    }

    /// A command inside one end's namespace.
    pub(crate) fn inside(&self, end: usize, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespaces[end], program]).stdin(Stdio::null());
        command
    }

    /// What the command says there.
    pub(crate) fn arqway(&self, end: usize, arguments: &[&str]) -> String {
        let output = self.inside(end, env!("CARGO_BIN_EXE_arqway")).args(arguments).output().expect("iproute2");
        assert!(output.status.success(), "{}", stderr(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    /// The status of an end as JSON.
    pub(crate) fn status(&self, end: usize) -> serde_json::Value {
        let name = self.link(end);
        serde_json::from_str(&self.arqway(end, &["status", &name, "--json"])).expect("JSON")
    }

    /// One of the counters of an end.
    pub(crate) fn counter(&self, end: usize, name: &str) -> u64 {
        self.status(end)["counters"][name].as_u64().expect("a number")
    }

    /// Asks an end for its status until it is as expected.
    pub(crate) fn status_when(&self, end: usize, is_right: impl Fn(&serde_json::Value) -> bool) -> serde_json::Value {
        let clock = Clock::start();
        loop {
            let status = self.status(end);
            if is_right(&status) {
                return status;
            }
            assert!(clock.now() < Time::ZERO + Span::from_milliseconds(60_000), "{status:#}");
        }
    }

    /// The name of an end's tunnel.
    pub(crate) fn link(&self, end: usize) -> String {
        format!("tun-{}", self.ends[end])
    }

    /// The routes of one host, of both versions of IP.
    pub(crate) fn routes(&self, end: usize) -> String {
        let of = |version| {
            let output = self.inside(end, "ip").args([version, "route"]).output().expect("iproute2");
            // The state of a cable that has just been plugged in.
            String::from_utf8(output.stdout).expect("text").replace(" linkdown", "")
        };
        of("-4") + &of("-6")
    }

    pub(crate) fn interfaces(&self, end: usize) -> String {
        let output = self.inside(end, "ip").args(["-brief", "link"]).output().expect("iproute2");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// A megabyte from one host to 10.9.0.2 and back, over TCP through the tunnel.
    pub(crate) fn call(&self) {
        self.call_from(0);
    }

    pub(crate) fn call_from(&self, end: usize) {
        self.call_to(end, 1, "10.9.0.2:7");
    }

    /// The same from one host to an address of another; who called, as that one sees it.
    pub(crate) fn call_to(&self, end: usize, to: usize, address: &str) -> String {
        let [program, arguments @ ..] = itself("serves");
        let mut server = self.inside(to, &program);
        let server = server.args(arguments).arg("--nocapture").env(SERVER, address).stdout(Stdio::piped());
        let mut server = server.spawn().expect("iproute2");
        let mut lines = BufReader::new(server.stdout.take().expect("a pipe")).lines().map(|line| line.expect("text"));
        assert!(lines.any(|line| line.contains("serves")), "the server did not start");
        let [program, arguments @ ..] = itself("calls");
        let called = self.inside(end, &program).args(arguments).env(SERVER, address).output().expect("iproute2");
        if !called.status.success() {
            server.kill().ok();
        }
        server.wait().ok();
        assert!(called.status.success(), "{}", String::from_utf8_lossy(&called.stdout));
        let caller = lines.find_map(|line| line.strip_prefix("called by ").map(str::to_owned));
        caller.expect("a caller")
    }
}

/// Asserts that packets cross a tunnel, and that it ends when told to, whoever reads what its left end says.
pub(crate) fn carries_and_ends(site: &Site, reader: impl Into<Stdio>) {
    let left = Tunnel::quiet(site, 0, reader);
    let mut right = Tunnel::start(site, 1);
    right.wait_for("link up");
    site.call();
    kill_process(left.process(), Signal::TERM).expect("a process that runs");
    assert_eq!(left.ends_in_time(|_| ()).code(), Some(0));
}

/// A tunnel that runs at one end.
pub(crate) struct Tunnel {
    child: Child,
    lines: Receiver<String>,
    said: String,
}

impl Tunnel {
    pub(crate) fn spawn(site: &Site, end: usize) -> Self {
        Self::listened_to(Self::quiet(site, end, Stdio::piped()))
    }

    /// A tunnel that finds programs nowhere but in a folder.
    pub(crate) fn with_path(site: &Site, end: usize, folder: &Path) -> Self {
        Self::with_variables(site, end, &[&format!("PATH={}", folder.display())])
    }

    /// A tunnel in an environment with other variables, each `NAME=VALUE`.
    pub(crate) fn with_variables(site: &Site, end: usize, variables: &[&str]) -> Self {
        let mut command = site.inside(end, "env");
        command.args(variables);
        let command = command.args([env!("CARGO_BIN_EXE_arqway"), "up", &site.settings(end)]).stderr(Stdio::piped());
        let child = command.spawn().expect("iproute2");
        Self::listened_to(Self { child, lines: channel().1, said: String::new() })
    }

    fn listened_to(mut tunnel: Self) -> Self {
        let stderr = BufReader::new(tunnel.child.stderr.take().expect("a pipe"));
        let (line, lines) = channel();
        thread::spawn(move || stderr.lines().try_for_each(|text| line.send(text.expect("text") + "\n")));
        tunnel.lines = lines;
        tunnel
    }

    /// A tunnel that says what it says to somebody else.
    pub(crate) fn quiet(site: &Site, end: usize, stderr: impl Into<Stdio>) -> Self {
        let mut command = site.inside(end, env!("CARGO_BIN_EXE_arqway"));
        let child = command.args(["up", &site.settings(end)]).stderr(stderr).spawn().expect("iproute2");
        Self { child, lines: channel().1, said: String::new() }
    }

    /// Starts it, and waits until its device is there.
    pub(crate) fn start(site: &Site, end: usize) -> Self {
        let mut tunnel = Self::spawn(site, end);
        tunnel.wait_for(": up, listening on");
        tunnel
    }

    /// Reads what it says up to a line with this in it.
    pub(crate) fn wait_for(&mut self, text: &str) {
        loop {
            let line = self.lines.recv_timeout(LONG);
            let line = line.unwrap_or_else(|why| panic!("it has not said `{text}` ({why}):\n{}", self.said));
            self.said += &line;
            if line.contains(text) {
                return;
            }
        }
    }

    /// Its process.
    pub(crate) fn process(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// How it ended, which it must in time; something is done to it again and again meanwhile.
    pub(crate) fn ends_in_time(mut self, meanwhile: impl Fn(Pid)) -> ExitStatus {
        let clock = Clock::start();
        loop {
            if let Some(status) = self.child.try_wait().expect("our own child") {
                return status;
            }
            meanwhile(self.process());
            assert!(clock.now() < Time::ZERO + Span::from_milliseconds(30_000), "it has not ended");
        }
    }

    /// Sends it a signal; how it ended, and all that it said.
    pub(crate) fn kill(self, signal: Signal) -> (ExitStatus, String) {
        kill_process(self.process(), signal).expect("a process that runs");
        self.end()
    }

    /// All that it said, and that it ended for an error.
    pub(crate) fn fails(self) -> String {
        self.ends_with(1)
    }

    /// All that it said, and that it ended with this code.
    pub(crate) fn ends_with(self, code: i32) -> String {
        let (status, said) = self.end();
        assert_eq!(status.code(), Some(code), "{said}");
        said
    }

    /// How it ended, and all that it said.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        loop {
            match self.lines.recv_timeout(LONG) {
                Ok(line) => self.said += &line,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it has not ended:\n{}", self.said),
            }
        }
        (self.child.wait().expect("an end"), std::mem::take(&mut self.said))
    }
}

impl Drop for Tunnel {
    /// A test that fails leaves none running.
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.child.kill().ok();
            self.child.wait().ok();
        }
    }
}
