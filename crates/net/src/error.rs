//! What can go wrong with the system, and what to do about it.

use std::io;
use std::path::PathBuf;

/// Why the system did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The interface was there, and has been deleted.
    #[error("the interface `{name}` is gone: it was deleted, or its driver was removed")]
    Gone {
        /// Its name when it was opened.
        name: String,
    },
    /// No interface has this name.
    #[error("there is no interface `{name}` here: expected one of {}", listed(.there))]
    NoInterface {
        /// The name that was asked for.
        name: String,
        /// The interfaces that there are.
        there: Vec<String>,
    },
    /// The interface carries something else than Ethernet frames.
    #[error("`{name}` does not carry Ethernet frames: expected an Ethernet, veth or TAP interface")]
    NotEthernet {
        /// The name that was asked for.
        name: String,
    },
    /// The file is no terminal.
    #[error("{} is not a serial line; expected a device such as /dev/ttyUSB0", .path.display())]
    NotSerial {
        /// What was asked for.
        path: PathBuf,
    },
    /// The device has other rates.
    #[error("the serial line {} does not go at {asked} baud: it took {speed}", .path.display())]
    Baud {
        /// What was asked for.
        path: PathBuf,
        /// The rate that was asked for.
        asked: u32,
        /// The nearest that the device has.
        speed: u32,
    },
    /// An interface has this name already.
    #[error("an interface `{name}` exists already: choose another name, or remove it with `ip link delete {name}`")]
    InterfaceExists {
        /// The name that was asked for.
        name: String,
    },
    /// Packets for a network go another way already.
    #[error(
        "cannot set a route to {network} into `{device}`: {} stands already, and the metric alone would say which of the two counts; remove \
         that one, or allow less", other_route(.interface.as_deref(), *.metric)
    )]
    RouteExists {
        /// The network, with the length of its prefix.
        network: String,
        /// The device that packets were to go into.
        device: String,
        /// The interface that they go to; `None` where there are several or none.
        interface: Option<String>,
        /// The lower it is, the sooner that route counts.
        metric: u32,
    },
    /// A network namespace has this name already.
    #[error("a network namespace `{name}` exists already: {}", held_by(.name, *.holder))]
    NamespaceExists {
        /// The name that was asked for.
        name: String,
        /// The process of arqway that made it and still runs; `None` where it is not ours.
        holder: Option<u32>,
    },
    /// The system has no such names.
    #[error("`{name}` cannot name {what}: expected 1 to {longest} octets without `/`, `:` and white space")]
    BadName {
        /// What was to be named so.
        what: &'static str,
        /// The name that was asked for.
        name: String,
        /// How many octets such a name has at most.
        longest: usize,
    },
    /// This process lacks a right, or the machine a driver.
    #[error("missing: {what}; {remedy}")]
    Missing {
        /// What is missing.
        what: String,
        /// The command that gives it.
        remedy: String,
    },
    /// The system refused something else.
    #[error("cannot {doing}: {source}")]
    System {
        /// What was tried.
        doing: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl NetError {
    /// Whether what was to be used is not there.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::System { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    pub(crate) fn missing(what: &str, remedy: &str) -> Self {
        Self::Missing { what: what.to_owned(), remedy: remedy.to_owned() }
    }

    /// What the system said when it was asked for `doing`, which follows "cannot".
    pub(crate) fn system(doing: impl Into<String>, source: impl Into<io::Error>) -> Self {
        Self::System { doing: doing.into(), source: source.into() }
    }
}

/// Names as a list for people.
fn listed(names: &[String]) -> String {
    if names.is_empty() { "none, there are no interfaces".to_owned() } else { names.join(", ") }
}

/// A route that stands in the way.
fn other_route(interface: Option<&str>, metric: u32) -> String {
    let by = interface.map_or_else(String::new, |interface| format!(" by `{interface}`"));
    format!("a route{by} with metric {metric}")
}

/// Whose a namespace is.
fn held_by(name: &str, holder: Option<u32>) -> String {
    match holder {
        Some(process) => {
            format!("it belongs to arqway's process {process}, which still runs; choose another name, or stop that one")
        }
        None => format!(
            "no process of arqway that runs has made it; choose another name, or remove it with `ip netns delete {name}`"
        ),
    }
}

/// Whether the system takes this name for `what`, which has names of at most `longest` octets.
pub(crate) fn check_name(what: &'static str, name: &str, longest: usize) -> Result<(), NetError> {
    let is_odd = |c: char| c == '/' || c == ':' || c.is_whitespace() || c.is_control();
    if name.is_empty() || name.len() > longest || name == "." || name == ".." || name.contains(is_odd) {
        return Err(NetError::BadName { what, name: name.to_owned(), longest });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_the_system_does_not_take_is_refused_before_anything_is_made() {
        for name in ["", ".", "..", "a/b", "a b", "a:0", "a\n", "sixteen-octets-x"] {
            assert!(check_name("an interface", name, 15).is_err(), "{name:?}");
        }
        for name in ["a", "arq0", "fifteen-octets-", "..."] {
            assert!(check_name("an interface", name, 15).is_ok(), "{name:?}");
        }
    }
}
