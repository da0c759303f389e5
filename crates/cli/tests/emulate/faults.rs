//! What goes wrong underneath: an error that says so or a recovery, and nothing left behind.

use crate::emulator::{Emulator, Folder, Made, can_run, command, interface, ip, itself, names, stderr};
use rustix::process::Signal;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn an_interface_that_is_deleted_ends_it_with_its_name() {
    if !can_run() {
        return;
    }
    let [client, server] = names("gone");
    let emulator = Emulator::start(&["clean", "--namespaces", &format!("{client},{server}")]);
    // The emulation ends all that runs in its namespaces, and with them this `ip`, if that is not yet over.
    let deletion = Command::new("ip").args(["-n", &server, "link", "delete", "arq0"]).output().expect("iproute2");
    assert!(deletion.status.code().is_none_or(|code| code == 0), "{}", stderr(&deletion));
    let (status, said) = emulator.end();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("the interface `arq0` is gone"), "{said}");
    assert!(!Path::new("/run/netns").join(client).exists(), "{said}");
}

#[test]
fn a_namespace_whose_name_is_taken_away_goes_on_and_ends_without_complaint() {
    if !can_run() {
        return;
    }
    let [client, server] = names("nameless");
    let emulator = Emulator::start(&["clean", "--namespaces", &format!("{client},{server}")]);
    ip(&format!("netns delete {server}"));
    emulator.signal(Signal::INT);
    let (status, said) = emulator.end();
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(!said.contains("cannot"), "{said}");
    assert!(!Path::new("/run/netns").join(client).exists(), "{said}");
}

#[test]
fn a_full_disk_ends_the_log_and_not_the_emulation() {
    if !can_run() {
        return;
    }
    let folder = Folder::new("full");
    // A small disk that only this process sees.
    let script = format!("mount -t tmpfs -o size=8k none {0} && exec \"$@\"", folder.path(""));
    let mut shell = Command::new("unshare");
    shell.args(["--mount", "sh", "-c", &script, "sh", env!("CARGO_BIN_EXE_arqway")]);
    let log = folder.path("fates.csv");
    shell.args(["emulate", "clean", "--servers", "--log", &log, "--"]).args(itself("load::sends"));
    let output = shell.stdin(Stdio::null()).output().expect("util-linux");
    let said = stderr(&output);
    assert!(said.contains(&format!("cannot write {log}: No space left on device")), "{said}");
    assert!(said.contains("packets delivered"), "it went on to the load's end: {said}");
    assert_eq!(output.status.code(), Some(1), "{said}");
}

#[test]
fn a_command_that_cannot_be_started_is_told_with_the_reason() {
    if !can_run() {
        return;
    }
    let output = command(&["clean", "--", "/no/such/program"]).output().expect("the command");
    let said = stderr(&output);
    assert!(said.contains("cannot start `/no/such/program`: No such file or directory"), "{said}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn two_interfaces_that_exist_are_joined_and_left_as_they_were() {
    if !can_run() {
        return;
    }
    let [client, server] = names("between");
    let [of_client, of_server] = ["vc", "vs"].map(interface);
    // A pair of interfaces is gone with the namespace that one of them is in.
    let _namespaces = [&client, &server].map(|name| Made::new("netns", name, ""));
    for (end, port, address) in [(&client, &of_client, "10.9.7.1"), (&server, &of_server, "10.9.7.2")] {
        ip(&format!("link add {port} type veth peer name host netns {end}"));
        ip(&format!("link set {port} up"));
        ip(&format!("-n {end} addr add {address}/24 dev host"));
        ip(&format!("-n {end} link set host up"));
        ip(&format!("-n {end} link set lo up"));
    }
    let emulator = Emulator::start(&["clean", "--interfaces", &format!("{of_client},{of_server}")]);
    // A kilobyte by TCP, in pieces that are larger than a packet if the system likes; and back.
    let listen = "import socket,sys; s=socket.create_server(('10.9.7.2',7)); print('ready',flush=True); c,_=s.accept(); \
                  d=b''.join(iter(lambda: c.recv(65536), b'')); c.sendall(str(len(d)).encode())";
    let connect = "import socket; c=socket.create_connection(('10.9.7.2',7)); c.sendall(bytes(300000)); \
                   c.shutdown(socket.SHUT_WR); print(c.recv(99).decode())";
    let python = |end: &str, script: &str| {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", end, "timeout", "60", "python3", "-c", script]).stdout(Stdio::piped());
        command
    };
    let mut listener = python(&server, listen).spawn().expect("python3 is installed");
    let mut ready = [0; 6];
    std::io::Read::read_exact(listener.stdout.as_mut().expect("a pipe"), &mut ready).expect("a listener");
    let answer = python(&client, connect).output().expect("python3 is installed");
    listener.wait().expect("an end");
    emulator.signal(Signal::INT);
    let (status, said) = emulator.end();
    assert_eq!(String::from_utf8_lossy(&answer.stdout).trim(), "300000", "{said}");
    assert_eq!(status.code(), Some(130), "{said}");
}
