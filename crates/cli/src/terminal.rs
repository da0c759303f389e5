//! Results go to stdout, notes to stderr.
//!
//! A reader may stop half way: `arqway ... 2>&1 | head` is not a failure. That is why notes are not written by `eprintln!`,
//! which panics when nobody reads them.
//!
//! Whatever names and files say, nothing is written that a terminal obeys: it is shown escaped.

use arqway_config::{one_line, printable};
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Results.
pub(crate) fn print(text: &str) -> io::Result<()> {
    print_while_read(text).map(drop)
}

/// Results; whether somebody reads them.
pub(crate) fn print_while_read(text: &str) -> io::Result<bool> {
    match io::stdout().write_all(printable(text).as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        printed => printed.map(|()| true),
    }
}

/// The longest line of a note: a name of any length may be in it.
const LONGEST_LINE: usize = 2000;
/// The most of a note that somebody reads, in characters.
const MOST_CHARACTERS: usize = 19_000;

/// Prints a note on a line of its own.
pub(crate) fn note(note: impl Display) {
    let note = note.to_string();
    let mut lines: Vec<_> = note.split('\n').map(|line| one_line(line, LONGEST_LINE)).collect();
    let mut room = MOST_CHARACTERS;
    let fitting =
        lines.iter().take_while(|line| room.checked_sub(line.chars().count()).map(|left| room = left).is_some());
    let fitting = fitting.count();
    if let others @ 1.. = lines.len() - fitting {
        lines.truncate(fitting);
        lines.push(format!("... and {others} more lines").into());
    }
    // If stderr is closed, there is nowhere left to report it.
    writeln!(io::stderr(), "{}", lines.join("\n")).ok();
}

/// So many notes wait to be written.
const WAITING: usize = 256;
/// In the end, so long is waited for what is still to be written.
const PATIENCE: Duration = Duration::from_secs(1);

/// Notes that a thread of their own writes: whoever makes one never waits for the reader.
#[derive(Debug)]
pub(crate) struct Notes {
    notes: SyncSender<String>,
    written: Receiver<()>,
    /// Notes since the last one that found no room.
    missed: u64,
}

impl Notes {
    pub(crate) fn start() -> io::Result<Self> {
        Self::written_by(note)
    }

    fn written_by(mut write: impl FnMut(String) + Send + 'static) -> io::Result<Self> {
        let (notes, noted) = sync_channel(WAITING);
        let (done, written) = sync_channel(1);
        let run = move || {
            noted.into_iter().for_each(&mut write);
            done.send(()).ok();
        };
        thread::Builder::new().name("notes".to_owned()).spawn(run)?;
        Ok(Self { notes, written, missed: 0 })
    }

    /// Has it written, unless too many wait already.
    pub(crate) fn note(&mut self, note: String) {
        let note = if self.missed == 0 { note } else { format!("({} lines left out)\n{note}", self.missed) };
        if self.notes.try_send(note).is_ok() { self.missed = 0 } else { self.missed += 1 }
    }

    /// Waits until all is written, but not for ever.
    pub(crate) fn finish(self) {
        drop(self.notes);
        self.written.recv_timeout(PATIENCE).ok();
    }
}

/// The width that every terminal has.
#[cfg(feature = "lab")]
const WIDTH: usize = 80;

/// A text in lines that a terminal holds, each behind so many blanks.
#[cfg(feature = "lab")]
pub(crate) fn wrapped(text: &str, indent: usize) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::take(&mut line));
        }
        line.push_str(if line.is_empty() { "" } else { " " });
        line.push_str(word);
    }
    lines.push(line);
    lines.iter().map(|line| format!("{:indent$}{line}", "")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn whoever_notes_never_waits_and_what_was_left_out_is_counted() {
        let (go, gone) = channel::<()>();
        let (wrote, written) = channel();
        let mut notes = Notes::written_by(move |text| {
            // Nobody reads until then.
            gone.recv().ok();
            wrote.send(text).ok();
        })
        .expect("a thread");
        let many = WAITING + 100;
        (0..many).for_each(|number| notes.note(number.to_string()));
        let missed = notes.missed;
        assert!((99..=100).contains(&missed), "{missed}");
        drop(go);
        // As soon as there is room, it is said that some are missing.
        let read: Vec<String> = (0..WAITING).map(|_| written.recv().expect("a note")).collect();
        notes.note("last".to_owned());
        notes.finish();
        let rest: Vec<String> = written.iter().collect();
        assert_eq!((read[0].as_str(), rest.last()), ("0", Some(&format!("({missed} lines left out)\nlast"))));
    }
}
