//! Two hosts with a cable between them, and the tunnels at its ends.

use crate::system::{Folder, Made, interface, ip, itself, names, stderr};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};

const NAMES: [&str; 2] = ["left", "right"];

/// Two namespaces, 192.168.77.1 and 192.168.77.2 on their cable, with settings for 10.9.0.1 and 10.9.0.2 in the tunnel.
pub(crate) struct Site {
    pub(crate) namespaces: [String; 2],
    pub(crate) publics: [String; 2],
    folder: Folder,
    _made: [Made; 2],
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

impl Site {
    pub(crate) fn new(test: &str) -> Self {
        let namespaces = names(test);
        let made = [&namespaces[0], &namespaces[1]].map(|name| Made::new("netns", name, ""));
        let [near, far] = ["cl", "cr"].map(interface);
        ip(&format!("link add {near} netns {} type veth peer name {far} netns {}", namespaces[0], namespaces[1]));
        for (index, port) in [near, far].iter().enumerate() {
            let namespace = &namespaces[index];
            ip(&format!("-n {namespace} address add 192.168.77.{}/24 dev {port}", index + 1));
            ip(&format!("-n {namespace} link set {port} up"));
        }
        let folder = Folder::new(&format!("tunnel-{test}"));
        let publics = NAMES.map(|name| {
            let key = arqway(&["genkey"], "");
            let file = folder.write(&format!("{name}.key"), &key);
            fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("our own file");
            arqway(&["pubkey"], &key)
        });
        for (index, name) in NAMES.iter().enumerate() {
            let (peer, public) = (NAMES[1 - index], publics[1 - index].trim());
            let settings = format!(
                "private-key = \"{name}.key\"\nlisten = 51820\nmtu = 1420\naddresses = [\"10.9.0.{}/24\"]\n\
                 [[peer]]\nname = \"{peer}\"\npublic-key = \"{public}\"\nendpoint = \"192.168.77.{}:51820\"\n\
                 allowed = [\"10.9.0.{}\"]\n",
                index + 1,
                2 - index,
                2 - index
            );
            folder.write(&format!("tun-{name}.toml"), &settings);
        }
        Self { namespaces, publics, folder, _made: made }
    }

    fn settings(&self, end: usize) -> String {
        self.folder.path(&format!("tun-{}.toml", NAMES[end]))
    }

    /// Changes the settings of an end.
    pub(crate) fn change(&self, end: usize, from: &str, to: &str) {
        let before = fs::read_to_string(self.settings(end)).expect("our own file");
        assert!(before.contains(from), "{before}");
        fs::write(self.settings(end), before.replace(from, to)).expect("our own file");
    }

    /// Starts both tunnels, and waits until packets cross.
    pub(crate) fn up(&self) -> [Tunnel; 2] {
        let mut tunnels = [0, 1].map(|end| Tunnel::start(self, end));
        tunnels.iter_mut().for_each(|tunnel| tunnel.wait_for("link up"));
        tunnels
    }

    /// A command inside one end's namespace.
    fn inside(&self, end: usize, program: &str) -> Command {
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
        let name = format!("tun-{}", NAMES[end]);
        serde_json::from_str(&self.arqway(end, &["status", &name, "--json"])).expect("JSON")
    }

    pub(crate) fn interfaces(&self, end: usize) -> String {
        let output = self.inside(end, "ip").args(["-brief", "link"]).output().expect("iproute2");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// A megabyte from the left host to the right one and back, over TCP through the tunnel.
    pub(crate) fn call(&self) {
        let [program, arguments @ ..] = itself("serves");
        let server = self.inside(1, &program).args(arguments).arg("--nocapture").stdout(Stdio::piped()).spawn();
        let mut server = server.expect("iproute2");
        let mut lines = BufReader::new(server.stdout.take().expect("a pipe")).lines();
        assert!(lines.any(|line| line.expect("text").contains("serves")), "the server did not start");
        let [program, arguments @ ..] = itself("calls");
        let called = self.inside(0, &program).args(arguments).output().expect("iproute2");
        server.kill().ok();
        server.wait().ok();
        assert!(called.status.success(), "{}", String::from_utf8_lossy(&called.stdout));
    }
}

/// A tunnel that runs at one end.
pub(crate) struct Tunnel {
    child: Child,
    stderr: BufReader<ChildStderr>,
    said: String,
}

impl Tunnel {
    pub(crate) fn spawn(site: &Site, end: usize) -> Self {
        let mut command = site.inside(end, env!("CARGO_BIN_EXE_arqway"));
        let child = command.args(["up", &site.settings(end)]).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("iproute2");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        Self { child, stderr, said: String::new() }
    }

    /// Starts it, and waits until its device is there.
    pub(crate) fn start(site: &Site, end: usize) -> Self {
        let mut tunnel = Self::spawn(site, end);
        tunnel.wait_for(": up, datagrams arrive at");
        tunnel
    }

    /// Reads what it says up to a line with this in it.
    pub(crate) fn wait_for(&mut self, text: &str) {
        loop {
            let from = self.said.len();
            let length = self.stderr.read_line(&mut self.said).expect("text");
            assert!(length > 0, "it ended before it said `{text}`:\n{}", self.said);
            if self.said[from..].contains(text) {
                return;
            }
        }
    }

    /// Sends it a signal; how it ended, and all that it said.
    pub(crate) fn kill(self, signal: Signal) -> (ExitStatus, String) {
        kill_process(Pid::from_child(&self.child), signal).expect("a process that runs");
        self.end()
    }

    /// How it ended, and all that it said.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        self.stderr.read_to_string(&mut self.said).expect("text");
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
