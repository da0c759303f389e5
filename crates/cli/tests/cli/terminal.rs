//! What a command does while somebody watches: Ctrl-C reaches a process through its terminal, and only a terminal is shown
//! progress, so the tests give it one.

use crate::command::TINY;
use crate::folder::{Folder, text};
use crate::pty::{read_until, terminal};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::process::{Child, Stdio};

#[test]
fn ctrl_c_keeps_what_is_finished_and_says_so() {
    let folder = Folder::new("ctrl-c");
    let long = TINY.replace("replications = 2", "replications = 20000");
    folder.write("long.toml", &long);
    let (child, mut screen, mut shown) = begun(&folder);
    let process = Pid::from_child(&child);
    kill_process(process, Signal::INT).expect("a process that runs");
    read_until(&mut screen, &mut shown, |_| false);
    let output = child.wait_with_output().expect("an end");
    let shown = String::from_utf8_lossy(&shown);
    assert_eq!(output.status.code(), Some(130), "{shown}");
    let finished = runs_kept(&shown);
    assert!((1..80_000).contains(&finished), "{finished} runs are kept");
    let files = folder.files();
    let rows = text(&files["results/rows.csv"]).lines().filter(|row| row.contains(",throughput,"));
    assert_eq!(rows.count(), finished);
    assert!(text(&output.stdout).starts_with("how-long-throughput: "), "{}", text(&output.stdout));
}

#[test]
fn the_second_of_two_commands_with_one_folder_is_told_who_has_it_until_that_one_is_gone() {
    let folder = Folder::new("two-commands");
    folder.write("long.toml", &TINY.replace("replications = 2", "replications = 20000"));
    folder.write("tiny.toml", TINY);
    folder.write("results/.arqway-1-00000000000000aa.part", "of a run that was killed");
    let (mut child, _screen, _) = begun(&folder);
    for command in [&["run", "tiny.toml"][..], &["run", "tiny.toml", "--shard", "1/2"], &["fit", "t.csv"]] {
        folder.write("t.csv", "sent,lost,octets\n0.0,0,250\n0.1,1,250\n0.2,0,250\n");
        let second = folder.arqway(command);
        assert_eq!(second.status.code(), Some(1), "{command:?}");
        let told = text(&second.stderr);
        assert!(told.contains(&format!("results is being written by process {}:", child.id())), "{told}");
    }
    child.kill().expect("a process that runs");
    child.wait().expect("an end");
    assert_eq!(folder.arqway(&["run", "tiny.toml"]).status.code(), Some(0));
    let left: Vec<String> = folder.files().into_keys().filter(|name| name.starts_with("results/.")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A study that takes long, with some of its runs done; its screen, and what that has shown.
fn begun(folder: &Folder) -> (Child, File, Vec<u8>) {
    let (mut screen, terminal) = terminal();
    let mut command = folder.command(&["run", "long.toml", "--jobs", "1"]);
    let child = command.env("TERM", "xterm").stdout(Stdio::piped()).stderr(terminal).spawn().expect("the command");
    // It holds the terminal's other end, without which the screen never ends.
    drop(command);
    let mut shown = Vec::new();
    read_until(&mut screen, &mut shown, some_run_is_finished);
    (child, screen, shown)
}

/// Whether the progress bar has shown another number than `0 of 80000 runs`.
fn some_run_is_finished(shown: &[u8]) -> bool {
    let shown = String::from_utf8_lossy(shown);
    let before = shown.split(" of 80000 runs").filter_map(|text| text.rsplit(' ').next());
    before.filter_map(|number| number.parse::<u32>().ok()).any(|number| number > 0)
}

/// The number in `stopped: 7 of 80000 runs are finished and kept`.
fn runs_kept(shown: &str) -> usize {
    let (_, rest) = shown.split_once("stopped: ").unwrap_or_else(|| panic!("it does not say so: {shown}"));
    let (kept, rest) = rest.split_once(" of ").expect("how many of how many");
    assert!(rest.starts_with("80000 runs are finished and kept"), "{rest}");
    kept.parse().expect("a number")
}
