//! Why the name of a tunnel cannot be had, and who has it.

use super::socket_name;
use arqway_net::{Credentials, connect_abstract, own_user, peer_credentials};
use std::io::{self, ErrorKind};

/// Why nobody can be answered under the name of a tunnel.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// A tunnel of this name runs, as far as can be told: anybody may take a name that is free, but this is root, or this user.
    #[error(
        "the name @arqway/{name} is held by {by}: a tunnel of this name is running already, see `arqway status {name}`"
    )]
    Running {
        /// Whose name.
        name: String,
        /// Who has it.
        by: Credentials,
    },
    /// Another user has the name.
    #[error(
        "the name @arqway/{name} is held by {by}, which is no tunnel of yours; expected a name that is free: end that process, or set another `interface`"
    )]
    Stranger {
        /// Whose name.
        name: String,
        /// Who has it.
        by: Credentials,
    },
    /// Who has it does not listen.
    #[error(
        "the name @arqway/{name} is held by a process that does not answer ({error}); expected a name that is free: find it with `ss -xlp`, or set another `interface`"
    )]
    Silent {
        /// Whose name.
        name: String,
        /// What the system says to whoever asks there.
        error: io::Error,
    },
    /// The system does not give it.
    #[error("cannot take the name @arqway/{name}: {error}")]
    System {
        /// Whose name.
        name: String,
        /// What the system says.
        error: io::Error,
    },
}

impl BindError {
    pub(super) fn of(name: &str, error: io::Error) -> Self {
        let name = name.to_owned();
        if error.kind() != ErrorKind::AddrInUse {
            return Self::System { name, error };
        }
        match connect_abstract(&socket_name(&name)).and_then(peer_credentials) {
            Ok(by) if by.user == 0 || by.user == own_user() => Self::Running { name, by },
            Ok(by) => Self::Stranger { name, by },
            Err(error) => Self::Silent { name, error },
        }
    }
}
