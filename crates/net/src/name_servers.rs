//! Who is asked for names while a device is there: systemd-resolved has servers for each link, and forgets them with it.

use crate::error::NetError;
use std::io;
use std::net::IpAddr;
use std::process::{Command, Stdio};

/// Has all names asked of these servers, through the device of this name, as long as that is there: by resolvectl(1).
///
/// # Errors
/// The machine has no `resolvectl`, or nobody answers that.
pub fn ask_name_servers(device: &str, servers: &[IpAddr]) -> Result<(), NetError> {
    let servers: Vec<String> = servers.iter().map(IpAddr::to_string).collect();
    let mut arguments = vec!["dns", device];
    arguments.extend(servers.iter().map(String::as_str));
    resolvectl(&arguments)?;
    // The root of all names: these servers come before those of other links.
    resolvectl(&["domain", device, "~."])
}

fn resolvectl(arguments: &[&str]) -> Result<(), NetError> {
    let doing = || format!("set name servers with `resolvectl {}`", arguments.join(" "));
    let output = Command::new("resolvectl").args(arguments).stdin(Stdio::null()).output().map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            let remedy = "install it, or remove `dns` and set the name servers yourself";
            NetError::missing("resolvectl of systemd-resolved, which sets name servers for a device", remedy)
        } else {
            NetError::system(doing(), error)
        }
    })?;
    let said = String::from_utf8_lossy(&output.stderr);
    let said = if said.trim().is_empty() { format!("it ended with {}", output.status) } else { said.trim().to_owned() };
    if output.status.success() { Ok(()) } else { Err(NetError::system(doing(), io::Error::other(said))) }
}
