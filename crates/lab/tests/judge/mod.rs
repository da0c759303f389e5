//! tshark, where there is one: Wireshark's dissectors are written by nobody here, and judge what we write.

use std::io::{self, ErrorKind, Write as _};
use std::process::{Command, Stdio};

/// Where there is none, a test is skipped, aloud; not in continuous integration, where `CI` is set.
pub(crate) fn there_is_tshark() -> bool {
    match Command::new("tshark").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) => status.success(),
        Err(error) if error.kind() == ErrorKind::NotFound && std::env::var_os("CI").is_none() => {
            // Not by a macro, whose words a test that passes keeps to itself.
            let _ = writeln!(io::stderr(), "\nskipped: there is no tshark here (apt-get install tshark)");
            false
        }
        Err(error) => panic!("tshark does not run, and continuous integration needs it: {error}"),
    }
}
