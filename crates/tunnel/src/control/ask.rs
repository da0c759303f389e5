//! Asking a tunnel that runs in this network namespace: what the commands `status`, `events`, `hint` and `down` do.

use super::socket_name;
use arqway_net::{connect_abstract, own_user, peer_credentials};
use serde::Deserialize;
use std::fs::read_to_string;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A tunnel answers at once, unless its machine is very busy.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// Nobody listens under this name.
    #[error("no tunnel `{0}` is running in this network namespace; expected the name of its interface{suggestion}: ip link show type tun", suggestion = suggestion(.0))]
    NotRunning(String),
    /// Somebody listens who is not root, nor this user.
    #[error("@arqway/{name} is held by user {user}; expected root or yourself: is something else using the name?")]
    Stranger {
        /// The name asked for.
        name: String,
        /// The number of the user who listens.
        user: u32,
    },
    /// The system does not let us ask.
    #[error("cannot talk to the tunnel `{name}`: {error}")]
    System {
        /// Its name.
        name: String,
        /// What the system says.
        error: io::Error,
    },
    /// It has answered with an error.
    #[error("the tunnel `{name}` answers: {why}")]
    Refused {
        /// Its name.
        name: String,
        /// What it says.
        why: String,
    },
}

/// The names of the tunnels that run in this network namespace, or of whoever has taken the name of one.
///
/// # Errors
/// The system does not tell who listens.
pub fn running() -> io::Result<Vec<String>> {
    let mut names = names_in(&read_to_string("/proc/net/unix")?);
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Of the sockets in a table as the kernel prints it, the names of tunnels: an `@` stands for the zero octet of an abstract name.
fn names_in(table: &str) -> Vec<String> {
    let prefix = format!("@{}", socket_name(""));
    let name = |line: &str| line.split_ascii_whitespace().nth(7)?.strip_prefix(&prefix).map(str::to_owned);
    table.lines().filter_map(name).collect()
}

/// Who types the name of the file means the tunnel.
fn suggestion(name: &str) -> String {
    name.strip_suffix(".toml").map_or_else(String::new, |stem| format!(", perhaps `{stem}`"))
}

/// An answer that is none.
#[derive(Deserialize)]
struct ErrorLine {
    error: String,
}

/// A tunnel that was asked something, and its answers: lines of JSON.
#[derive(Debug)]
pub struct Answers {
    name: String,
    stream: BufReader<UnixStream>,
}

/// Asks the tunnel of this name.
///
/// # Errors
/// There is none, somebody else has its name, or the system does not let us.
pub fn ask(name: &str, request: &str) -> Result<Answers, AskError> {
    let failed = |error: io::Error| match error.kind() {
        // A name that no socket can have is that of no tunnel.
        ErrorKind::ConnectionRefused | ErrorKind::NotFound | ErrorKind::InvalidFilename => {
            AskError::NotRunning(name.to_owned())
        }
        _ => AskError::System { name: name.to_owned(), error },
    };
    let mut stream = connect_abstract(&socket_name(name)).map_err(failed)?;
    // Anybody may listen under a name that is free.
    let user = peer_credentials(&stream).map_err(failed)?.user;
    if user != 0 && user != own_user() {
        return Err(AskError::Stranger { name: name.to_owned(), user });
    }
    let sent = stream.set_write_timeout(Some(PATIENCE)).and_then(|()| stream.set_read_timeout(Some(PATIENCE)));
    sent.and_then(|()| stream.write_all(format!("{request}\n").as_bytes())).map_err(failed)?;
    Ok(Answers { name: name.to_owned(), stream: BufReader::new(stream) })
}

impl Answers {
    /// The one answer.
    ///
    /// # Errors
    /// It is an error, or there is none.
    pub fn only(mut self) -> Result<String, AskError> {
        let line = self.line()?;
        let gone = || io::Error::new(ErrorKind::UnexpectedEof, "it ended before it answered");
        line.ok_or_else(|| AskError::System { name: self.name, error: gone() })
    }

    /// Waits, after the one answer, until the tunnel has ended.
    ///
    /// # Errors
    /// The answer is an error, there is none, or it has not ended in time.
    pub fn until_it_ends(mut self) -> Result<(), AskError> {
        while self.line()?.is_some() {}
        Ok(())
    }

    /// The next line, however long it takes; none when the tunnel has ended.
    ///
    /// # Errors
    /// It is an error.
    pub fn next_line(&mut self) -> Result<Option<String>, AskError> {
        let failed = |error| AskError::System { name: self.name.clone(), error };
        self.stream.get_ref().set_read_timeout(None).map_err(failed)?;
        self.line()
    }

    fn line(&mut self) -> Result<Option<String>, AskError> {
        let mut line = String::new();
        match self.stream.read_line(&mut line) {
            // A line without an end is what a tunnel was saying when it was killed.
            Ok(_) if !line.ends_with('\n') => return Ok(None),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(None),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                let late = io::Error::new(ErrorKind::TimedOut, "it does not answer within 10 s");
                return Err(AskError::System { name: self.name.clone(), error: late });
            }
            Err(error) => return Err(AskError::System { name: self.name.clone(), error }),
        }
        match serde_json::from_str::<ErrorLine>(&line) {
            Ok(ErrorLine { error }) => Err(AskError::Refused { name: self.name.clone(), why: error }),
            Err(_) => Ok(Some(line)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tunnels_are_known_by_their_abstract_sockets_whoever_else_listens() {
        let table = "Num       RefCount Protocol Flags    Type St Inode Path
00000000a1: 00000002 00000000 00010000 0001 01 24811 @arqway/home
00000000a2: 00000003 00000000 00000000 0001 03 24812 @arqway/home
00000000a3: 00000002 00000000 00010000 0001 01 24813 /run/arqway/boat
00000000a4: 00000002 00000000 00000000 0002 01 24814
00000000a5: 00000002 00000000 00010000 0001 01 24815 @arqway/boat
";
        assert_eq!(names_in(table), ["home", "home", "boat"]);
    }
}
