//! `arqway top` beside a tunnel that runs.

use super::ends::Site;
use super::pty::{read_until, terminal};
use super::system::can_run;
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{Winsize, tcsetwinsize};
use std::io::Write as _;
use std::process::{Child, Stdio};

/// What a full-screen program begins and ends with: the terminal's other screen (xterm's control sequences).
const BEGINS: &str = "\x1b[?1049h";
const ENDS: &str = "\x1b[?1049l";

#[test]
fn the_live_view_shows_the_link_and_gives_the_terminal_back_at_a_key_and_at_a_signal() {
    if !can_run() {
        return;
    }
    let site = Site::new("top");
    let _tunnels = site.up();
    let by_key = |_: &Child, screen: &mut std::fs::File| screen.write_all(b"q").expect("a terminal");
    let by_signal = |child: &Child, _: &mut std::fs::File| {
        kill_process(Pid::from_child(child), Signal::TERM).expect("a process that runs");
    };
    for end in [by_key as fn(&Child, &mut std::fs::File), by_signal] {
        let (mut screen, theirs) = terminal();
        tcsetwinsize(&theirs, Winsize { ws_row: 30, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 }).expect("a terminal");
        let mut command = site.inside(0, env!("CARGO_BIN_EXE_arqway"));
        command.args(["top", &site.link(0)]).env("TERM", "xterm");
        command.stdin(theirs.try_clone().expect("a terminal")).stdout(theirs).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command");
        // It holds the terminal's other end, without which the screen never ends.
        drop(command);
        let mut shown = Vec::new();
        let has = |shown: &[u8], text: &str| String::from_utf8_lossy(shown).contains(text);
        read_until(&mut screen, &mut shown, |shown| has(shown, "second by second"));
        assert!(has(&shown, BEGINS) && has(&shown, "listening"), "{}", String::from_utf8_lossy(&shown));
        end(&child, &mut screen);
        read_until(&mut screen, &mut shown, |_| false);
        let status = child.wait().expect("an end");
        assert!(has(&shown, ENDS), "{}", String::from_utf8_lossy(&shown));
        assert_eq!(status.code(), Some(0));
    }
}
