//! Namespaces with names, commands inside them, and what is left when a process is killed; with the real kernel.
//!
//! These tests run one after the other, in one thread (a user namespace cannot be entered with two) and inside a mount
//! namespace with a `/run` of its own, so that they see nobody else's namespaces and nobody sees theirs.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

mod support;

use arqway_net::{Child, Interface, Namespace, NetError, Privileges, leftovers, privileges};
use arqway_slab::Slab;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use std::io::{BufRead, BufReader, Read};
use std::net::UdpSocket;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use support::{begin, device, next};

const TESTS: [(&str, fn()); 9] = [
    ("a_named_namespace_is_where_ip_netns_finds_it_until_it_is_dropped", named),
    ("a_name_that_is_taken_is_refused_and_its_holder_told", clash),
    ("a_name_that_someone_else_deleted_is_no_error", deleted),
    ("what_runs_in_a_namespace_ends_with_it_even_if_it_does_not_want_to", ended),
    ("a_command_dies_with_the_process_that_started_it", dies),
    ("what_a_killed_process_left_behind_is_removed_and_told_once", cleared),
    ("what_only_has_the_name_of_a_leftover_stays", spared),
    ("a_command_that_is_not_there_is_an_error_that_names_it", missing),
    ("without_root_a_user_namespace_does_or_the_error_says_what_is_missing", unprivileged),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["hold", name] => return hold(name),
        ["unprivileged"] => return as_nobody(),
        ["inside"] => {}
        _ if begin().is_none() => return,
        // A /run of its own, which ends with this process; and a device that all may open, as it is on most machines.
        _ => {
            let inside = r#"mount -t tmpfs run /run && mount -t tmpfs dev /dev/net && mknod -m 666 /dev/net/tun c 10 200 && exec "$0" inside"#;
            let mut command = Command::new("unshare");
            command
                .args(["--mount", "--propagation", "private", "sh", "-c", inside])
                .arg(std::env::current_exe().unwrap());
            std::process::exit(command.status().unwrap().code().unwrap_or(1));
        }
    }
    for (name, test) in TESTS {
        let before = world();
        test();
        assert_eq!(world(), before, "{name}: something is left behind");
        println!("test {name} ... ok");
    }
}

/// Names of namespaces, records and interfaces.
fn world() -> Vec<String> {
    let files = |folder: &str| {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path().display().to_string()).collect::<Vec<_>>()
    };
    [files("/run/netns"), files("/run/arqway"), Namespace::present().unwrap().links().unwrap()].concat()
}

fn run(command: &str) -> bool {
    Command::new("sh").args(["-c", command]).status().unwrap().success()
}

fn shell(text: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", text]);
    command
}

/// A descriptor of a process, and whether it ends within ten seconds.
fn open(process: u32) -> OwnedFd {
    pidfd_open(Pid::from_raw(process.try_into().unwrap()).unwrap(), PidfdFlags::empty()).unwrap()
}
fn has_ended(process: &OwnedFd, seconds: i64) -> bool {
    poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&Timespec { tv_sec: seconds, tv_nsec: 0 })).unwrap() == 1
}

/// Another process of ours that holds a namespace, with a command and a command of that one inside.
struct Holder {
    process: std::process::Child,
    command: OwnedFd,
    orphan: OwnedFd,
}

/// What it does: prints the numbers of both commands, and waits.
fn hold(name: &str) {
    let namespace = Namespace::named(name).unwrap();
    let mut command = shell("sleep 100 & echo $!; exec sleep 100");
    command.stdout(Stdio::piped());
    let mut child = namespace.spawn(command).unwrap();
    let mut orphan = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut orphan).unwrap();
    println!("{} {}", child.process(), orphan.trim());
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

impl Holder {
    fn start(name: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["hold", name]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let [command, orphan] =
            line.split_whitespace().map(|number| open(number.parse().unwrap())).collect::<Vec<_>>().try_into().unwrap();
        Self { process, command, orphan }
    }

    fn kill(mut self) -> (u32, OwnedFd, OwnedFd) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        (self.process.id(), self.command, self.orphan)
    }

    /// It goes as it should, and removes what it made.
    fn stop(mut self) {
        drop(self.process.stdin.take());
        assert!(self.process.wait().unwrap().success());
        assert!(has_ended(&self.command, 0) && has_ended(&self.orphan, 0), "what ran inside ended with its namespace");
    }
}

fn named() {
    let namespace = Namespace::named("walk").unwrap();
    assert_eq!(namespace.name(), Some("walk"));
    let _interface = Interface::tun(&device("arq0", "10.77.0.1"), &namespace).unwrap();
    assert!(run("ip netns exec walk ip -brief address show arq0 | grep -q 10.77.0.1/24"));
    assert!(run("ip netns list | grep -q walk"));
    // Whoever makes a name meanwhile does not hide ours.
    assert!(run("ip netns add other && ip netns exec walk true && ip netns delete other"));
    drop(namespace);
    assert!(!Path::new("/run/netns/walk").exists());
    assert!(!run("grep -q netns/walk /proc/self/mountinfo"));
}

fn clash() {
    let holder = Holder::start("walk");
    let refused = Namespace::named("walk").unwrap_err();
    assert!(
        matches!(&refused, NetError::NamespaceExists { name, holder: Some(process) } if name == "walk" && *process == holder.process.id())
    );
    assert!(leftovers().is_empty(), "it runs");
    holder.stop();
    let ours = Namespace::named("walk").unwrap();
    let refused = Namespace::named("walk").unwrap_err();
    assert!(
        matches!(refused, NetError::NamespaceExists { holder: Some(process), .. } if process == std::process::id())
    );
    drop(ours);
    assert!(run("ip netns add walk"));
    assert!(matches!(Namespace::named("walk"), Err(NetError::NamespaceExists { holder: None, .. })));
    assert!(run("ip netns delete walk"), "it is there still");
    for name in ["", "..", "a/b"] {
        assert!(matches!(Namespace::named(name), Err(NetError::BadName { .. })));
    }
}

fn deleted() {
    let namespace = Namespace::named("walk").unwrap();
    let mut interface = Interface::tun(&device("arq0", "10.77.0.1"), &namespace).unwrap();
    assert!(run("ip netns delete walk"));
    assert!(interface.receive(&mut Slab::new()).unwrap().is_none(), "the namespace lives while we hold it");
    assert!(run("ip netns add walk"));
    namespace.remove().unwrap();
    assert!(run("ip netns delete walk"), "the new one of this name is not ours to remove");
}

fn ended() {
    for namespace in [Namespace::anonymous().unwrap(), Namespace::named("walk").unwrap()] {
        let mut stubborn = shell("trap '' TERM; sleep 100 & echo; wait; sleep 100");
        stubborn.stdout(Stdio::piped());
        let mut stubborn = namespace.spawn(stubborn).unwrap();
        stubborn.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let willing = namespace.spawn(shell("exec sleep 100")).unwrap();
        namespace.remove().unwrap();
        let signal = |child: Child| std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap());
        assert_eq!((signal(stubborn), signal(willing)), (Some(9), Some(15)));
    }
}

fn dies() {
    let (_, command, orphan) = Holder::start("walk").kill();
    assert!(has_ended(&command, 10));
    assert!(!has_ended(&orphan, 0), "what the command started is found by the next arqway");
    assert_eq!(leftovers().len(), 1);
    assert!(has_ended(&orphan, 10));
}

fn cleared() {
    let (process, command, orphan) = Holder::start("walk").kill();
    assert!(has_ended(&command, 10));
    assert!(matches!(Namespace::named("walk"), Err(NetError::NamespaceExists { holder: None, .. })));
    let told = leftovers();
    let expected = format!(
        "removed the network namespace `walk` and a process in it, left behind by arqway's process {process}, which was killed"
    );
    assert_eq!(told, [expected]);
    assert!(has_ended(&orphan, 10));
    assert!(leftovers().is_empty());
    drop(Namespace::named("walk").unwrap());
}

fn spared() {
    let (_, _, orphan) = Holder::start("walk").kill();
    assert!(run("ip netns delete walk && ip netns add walk"));
    let told = leftovers();
    assert!(told.len() == 1 && has_ended(&orphan, 10), "the old namespace lived on around its process: {told:?}");
    let (_, _, orphan) = Holder::start("fly").kill();
    kill_process(pid(&orphan), Signal::KILL).unwrap();
    assert!(has_ended(&orphan, 10));
    assert!(run("ip netns delete fly && ip netns add fly"));
    assert!(leftovers().is_empty());
    assert!(run("ip netns delete walk && ip netns delete fly"), "neither was ours to remove");
}

/// The number of the process behind a descriptor.
fn pid(process: &OwnedFd) -> Pid {
    let path = format!("/proc/self/fdinfo/{}", std::os::fd::AsRawFd::as_raw_fd(process));
    let text = std::fs::read_to_string(path).unwrap();
    let number = text.lines().find_map(|line| line.strip_prefix("Pid:")).unwrap().trim().parse().unwrap();
    Pid::from_raw(number).unwrap()
}

fn missing() {
    let refused = Namespace::anonymous().unwrap().spawn(Command::new("no-such-command")).unwrap_err();
    assert_eq!(refused.to_string(), "cannot start `no-such-command`: No such file or directory (os error 2)");
}

fn unprivileged() {
    let run_as_nobody = || {
        // By its own link and not by its path: the path may lead through a folder that is closed to nobody.
        let mut command = Command::new("/proc/self/exe");
        command.arg("unprivileged").uid(65_534).gid(65_534).env_remove("XDG_RUNTIME_DIR");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    // Not each machine allows user namespaces; then the error says what would.
    let told = run_as_nobody();
    assert!(
        told == "carried\n" || told.starts_with("missing: the right to make network namespaces; run it as root: sudo"),
        "{told}"
    );
    assert!(run("chmod 600 /dev/net/tun"));
    let told = run_as_nobody();
    assert!(told.starts_with("missing: the right to ") && told.contains("; run it as root: sudo"), "{told}");
    assert!(run("rm /dev/net/tun"));
    let told = run_as_nobody();
    assert!(told.contains("sudo modprobe tun") || told.contains("network namespaces"), "{told}");
}

/// What `nobody` can do.
fn as_nobody() {
    match privileges() {
        Ok(Privileges::Machine) => panic!("nobody is not root"),
        Ok(Privileges::UserNamespace) => {}
        Err(error) => return println!("{error}"),
    }
    let namespace = Namespace::anonymous().unwrap();
    let mut interface = Interface::tun(&device("arq0", "10.77.0.1"), &namespace).unwrap();
    let socket = namespace.within(|| UdpSocket::bind("10.77.0.1:7")).unwrap().unwrap();
    socket.send_to(b"nobody's", "10.77.0.2:7").unwrap();
    assert!(next(&mut interface, &mut Slab::new()).ends_with(b"nobody's"));
    let willing = namespace.spawn(shell("exec sleep 100")).unwrap();
    namespace.remove().unwrap();
    assert!(!willing.wait().unwrap().success());
    let refused = Namespace::named("walk").unwrap_err().to_string();
    assert_eq!(refused, "missing: the right to name network namespaces in /run/netns; run it as root: sudo arqway ...");
    println!("carried");
}
