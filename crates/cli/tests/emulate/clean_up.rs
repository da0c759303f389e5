//! An emulator leaves nothing behind, however it ends.

use crate::emulator::{
    Emulator, Folder, Made, can_run, command, emulate, interface, is_heard, names, stderr, there_is,
};
use rustix::process::Signal;
use std::path::Path;
use std::process::{Command, Stdio};

/// Whether a namespace has this name.
fn is_there(name: &str) -> bool {
    Path::new("/run/netns").join(name).exists()
}

/// Whether a process has not ended. One that has may still be listed (`Z`) until its parent asks how it did.
fn runs(process: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
}

#[test]
fn namespaces_are_there_while_it_runs_and_gone_after_ctrl_c_and_after_kill() {
    if !can_run() {
        return;
    }
    let signals = [("int", Signal::INT, 130), ("term", Signal::TERM, 143), ("hup", Signal::HUP, 129)];
    for (test, signal, code) in signals.into_iter().filter(|(_, signal, _)| is_heard(signal)) {
        let [client, server] = names(test);
        let emulator = Emulator::start(&["clean", "--namespaces", &format!("{client},{server}")]);
        assert!(is_there(&client) && is_there(&server));
        let inside = Command::new("ip").args(["netns", "exec", &client, "ip", "-br", "link"]).output().expect("ip");
        assert!(String::from_utf8_lossy(&inside.stdout).contains("arq0"), "{inside:?}");
        emulator.signal(signal);
        let (status, said) = emulator.end();
        assert_eq!(status.code(), Some(code), "{said}");
        assert!(!is_there(&client) && !is_there(&server), "{said}");
    }
}

#[test]
fn namespaces_are_gone_after_any_signals_at_once() {
    if !can_run() {
        return;
    }
    let [interrupt, terminate, hang_up] = [Signal::INT, Signal::TERM, Signal::HUP];
    let all = [
        &[interrupt, terminate][..],
        &[terminate, interrupt],
        &[terminate; 5],
        &[hang_up, interrupt, terminate, interrupt],
    ];
    for (number, signals) in all.into_iter().enumerate() {
        let [client, server] = names(&format!("many{number}"));
        let emulator = Emulator::start(&["clean", "--namespaces", &format!("{client},{server}")]);
        signals.iter().for_each(|signal| emulator.signal(*signal));
        let (status, said) = emulator.end();
        assert!(matches!(status.code(), Some(129 | 130 | 143)), "{signals:?}: {status}: {said}");
        assert!(!is_there(&client) && !is_there(&server), "{signals:?}: {said}");
    }
}

#[test]
fn what_runs_in_its_namespaces_ends_with_it() {
    if !can_run() {
        return;
    }
    let [client, server] = names("inside");
    let emulator = Emulator::start(&["clean", "--namespaces", &format!("{client},{server}")]);
    let mut guest = Command::new("ip");
    guest.args(["netns", "exec", &server, "cat"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut guest = guest.spawn().expect("ip");
    emulator.signal(Signal::TERM);
    let (_, said) = emulator.end();
    assert!(!is_there(&server), "{said}");
    // At the end of its input it would end well.
    drop(guest.stdin.take());
    assert!(!guest.wait().expect("an end").success());
}

#[test]
fn what_a_killed_one_left_behind_the_next_one_removes() {
    if !can_run() {
        return;
    }
    let [client, server] = names("killed");
    let mut emulator = Emulator::start(&["clean", "--namespaces", &format!("{client},{server}")]);
    emulator.child.kill().expect("a process that runs");
    emulator.end();
    assert!(is_there(&client) && is_there(&server));
    let output = emulate(&["clean", "--", "true"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!is_there(&client) && !is_there(&server), "{}", stderr(&output));
}

#[test]
fn a_command_gives_its_exit_code_and_leaves_nothing_behind() {
    if !can_run() {
        return;
    }
    let before = there_is();
    for (script, code) in [("exit 7", 7), ("kill -TERM $$", 143), ("test -n \"$ARQWAY_PEER\"", 0)] {
        let output = emulate(&["satellite", "--", "sh", "-c", script]);
        assert_eq!(output.status.code(), Some(code), "{script}: {}", stderr(&output));
    }
    // What it left running at the client's end has ended, too.
    let output = command(&["satellite", "--", "sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!"])
        .output()
        .expect("the command");
    let process = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    assert!(!process.is_empty() && !runs(&process), "{process}");
    let left: Vec<_> = there_is().difference(&before).cloned().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_second_one_with_the_same_names_is_refused_and_the_first_goes_on() {
    if !can_run() {
        return;
    }
    let [client, server] = names("twice");
    let both = format!("{client},{server}");
    let emulator = Emulator::start(&["clean", "--namespaces", &both]);
    let second = emulate(&["clean", "--namespaces", &both]);
    let said = stderr(&second);
    let process = emulator.child.id().to_string();
    assert!(said.contains(&client) && said.contains(&process), "{said}");
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(is_there(&client) && is_there(&server), "the second one took away what is not its own");
    emulator.signal(Signal::INT);
    emulator.end();
}

#[test]
fn tap_devices_and_bridge_ports_are_gone_with_it() {
    if !can_run() {
        return;
    }
    let [bridges, taps] = [["ba", "bb"], ["ta", "tb"]].map(|pair| pair.map(interface));
    let _bridges = bridges.each_ref().map(|bridge| Made::new("link", bridge, "type bridge"));
    let emulator = Emulator::start(&["clean", "--taps", &taps.join(","), "--bridges", &bridges.join(",")]);
    for (tap, bridge) in taps.iter().zip(&bridges) {
        assert!(Path::new("/sys/class/net").join(bridge).join("brif").join(tap).exists(), "{tap} in {bridge}");
    }
    emulator.signal(Signal::INT);
    let (status, said) = emulator.end();
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(taps.iter().all(|tap| !Path::new("/sys/class/net").join(tap).exists()), "{said}");
}

#[test]
fn without_root_it_runs_a_command_or_says_what_is_missing() {
    if !can_run() {
        return;
    }
    let folder = Folder::new("nobody");
    let program = std::env::temp_dir().join(format!("arqway-nobody-{}", std::process::id()));
    std::fs::copy(env!("CARGO_BIN_EXE_arqway"), &program).expect("a copy that anyone can run");
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
    let output = command.args(["emulate", "clean", "--", "true"]).current_dir("/").output().expect("util-linux");
    std::fs::remove_file(program).ok();
    drop(folder);
    let said = stderr(&output);
    let is_told = output.status.code() == Some(1) && said.contains("missing: ") && said.contains("sudo ");
    assert!(output.status.success() || is_told, "{said}");
}
