//! The tunnel across a copy of the link, as a user runs it: `arqway up` with a file at each end.

use super::period::Run;
use super::site::{self, Site};
use crate::emulate::ends::device_name;
use crate::failure::Failure;
use crate::keys::{File, both_ends};
use arqway_emulate::serve;
use arqway_net::Child;
use arqway_tunnel::settings::Endpoint;
use arqway_units::{BitRate, Span};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::thread;
use std::time::Duration;

/// The addresses of client and server in the tunnel: those of the right end, which calls, and of the left one.
pub(super) const ADDRESSES: [IpAddr; 2] =
    [IpAddr::V4(Ipv4Addr::new(10, 9, 0, 2)), IpAddr::V4(Ipv4Addr::new(10, 9, 0, 1))];
const NAMES: [&str; 2] = ["right", "left"];
const PORT: u16 = 51820;
/// A tunnel that is not up after so long has a reason.
const PATIENCE: Span = Span::from_milliseconds(15_000);
const AGAIN: Duration = Duration::from_millis(200);

pub(super) struct Tunnel {
    ends: [Child; 2],
    /// Keys and settings, until they have been read.
    folder: Folder,
}

impl Tunnel {
    /// Starts both ends with the files that `arqway genkey --config` writes, and these lines behind their settings. Where there are several
    /// links, the end that calls has a line over each.
    pub(super) fn start(site: &Site, rates: [Option<BitRate>; 2], more: &str) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::Failed(format!("cannot write the demo's keys: {error}"));
        let folder = Folder::make().map_err(failed)?;
        for (name, text) in files(rates)?.into_iter().flatten() {
            let text = match name.strip_suffix(".toml") {
                Some(name) if name == NAMES[0] => text + &lines(site.links()) + more,
                Some(_) => text + more,
                None => text,
            };
            folder.write(&name, &text).map_err(failed)?;
        }
        let start = |end: usize| -> Result<Child, Failure> {
            let mut command = Command::new(std::env::current_exe()?);
            command.arg("up").arg(folder.0.join(format!("{}.toml", NAMES[end])));
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
            let namespace = if end == 0 { site.client() } else { site.server() };
            Ok(namespace.spawn(command)?)
        };
        let ends = [start(0)?, start(1)?];
        Ok(Self { ends, folder })
    }

    /// Waits until packets cross, and starts the servers inside; or until the run is over, if somebody ends it before.
    pub(super) fn wait_until_up(&mut self, site: &Site, run: &Run) -> Result<(), Failure> {
        // Until its device is there, so is not its address.
        self.wait_until(run, || Ok(site.server().within(|| serve(ADDRESSES[1]))?.is_ok()))?;
        self.wait_until(run, || Ok(site.client().within(is_answered)?.is_ok()))?;
        self.folder.remove();
        Ok(())
    }

    fn wait_until(&mut self, run: &Run, is_so: impl Fn() -> Result<bool, Failure>) -> Result<(), Failure> {
        let until = run.clock.now() + PATIENCE;
        while !run.is_over() && !is_so()? {
            if run.clock.now() >= until {
                return Err(self.failure());
            }
            thread::sleep(AGAIN);
        }
        Ok(())
    }

    /// What its ends have said.
    fn failure(&mut self) -> Failure {
        let mut said = String::from("the tunnel does not come up");
        for (child, name) in self.ends.iter_mut().zip(NAMES) {
            child.kill();
            let mut text = String::new();
            let read = child.stderr.take().map_or(Ok(0), |mut stderr| stderr.read_to_string(&mut text));
            said += &format!("; its {name} says: {}", if read.is_ok() { text.trim() } else { "nothing" });
        }
        Failure::Failed(said)
    }

    pub(super) fn end(self) {
        for child in self.ends {
            child.terminate();
            // However it ends: what it has made ends with it.
            child.wait().ok();
        }
    }
}

/// `[[line]]` for each link of several.
fn lines(links: usize) -> String {
    let line = |link| format!("\n[[line]]\ninterface = \"{}\"\n", device_name(link));
    if links > 1 { (0..links).map(line).collect() } else { String::new() }
}

/// The server inside the tunnel answers.
fn is_answered() -> io::Result<()> {
    let socket = UdpSocket::bind((ADDRESSES[0], 0))?;
    socket.set_read_timeout(Some(Duration::from_secs(1)))?;
    socket.send_to(b"up?", (ADDRESSES[1], arqway_emulate::ECHO))?;
    socket.recv(&mut [0; 16]).map(drop)
}

/// Settings and keys of both ends, with the rates of upload and download where these are given.
fn files(rates: [Option<BitRate>; 2]) -> Result<[[File; 2]; 2], Failure> {
    let endpoint = Endpoint::try_from(format!("{}:{PORT}", site::ADDRESSES[1])).map_err(Failure::failed)?;
    both_ends(endpoint, rates)
}

/// Where folders of the demo are: root's alone, and gone when the machine starts again.
const PLACE: &str = "/run";
const PREFIX: &str = "arqway-demo-";

/// A folder that is removed when this is dropped, or by the next demo where this one was killed.
struct Folder(PathBuf);

impl Folder {
    fn make() -> io::Result<Self> {
        for entry in fs::read_dir(PLACE)?.flatten() {
            let name = entry.file_name();
            let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
            if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        let path = Path::new(PLACE).join(format!("{PREFIX}{}", process::id()));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(self.0.join(name))?;
        file.write_all(text.as_bytes())
    }

    fn remove(&self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_that_calls_has_the_rate_of_the_upload_and_none_where_none_is_given() {
        let rates = |rates| {
            let ends = files(rates).expect("files");
            ends.map(|[(_, settings), _]| {
                let lines: Vec<_> = settings.lines().filter(|line| line.starts_with("rate")).collect();
                lines.join(",")
            })
        };
        let given = ["9 Mbit/s", "45 Mbit/s"].map(|rate| Some(rate.parse().expect("a rate")));
        assert_eq!(rates(given), ["rate = \"45 Mbit/s\"", "rate = \"9 Mbit/s\""], "left, right");
        assert_eq!(rates([None; 2]), ["", ""]);
    }
}
