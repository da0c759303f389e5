//! What is written is whole, or is not there.

use crate::command::TINY;
use crate::folder::{Folder, text};
use std::process::Command;

/// A disk is full where no file may grow beyond a limit, which a shell can set without being root.
#[test]
fn a_disk_that_fills_up_leaves_each_file_of_the_earlier_run_whole() {
    let folder = Folder::new("full-disk");
    folder.write("tiny.toml", TINY);
    assert_eq!(folder.arqway(&["run", "tiny.toml"]).status.code(), Some(0));
    let before = folder.files();
    // Blocks of 512 or of 1024 octets: the report has more than 8 of them.
    let limited = "trap '' XFSZ; ulimit -f 8; exec \"$0\" run tiny.toml --seed 2";
    let shell = Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_arqway")])
        .current_dir(&folder.0)
        .output()
        .expect("a shell");
    assert_eq!(shell.status.code(), Some(1), "{}", text(&shell.stderr));
    assert!(text(&shell.stderr).starts_with("cannot write results/"), "{}", text(&shell.stderr));
    let after = folder.files();
    assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    assert!(after["results/report.html"] == before["results/report.html"]);
}
