//! A serial line: telemetry radios, modems, two machines and a cable.
//!
//! The line is raw, of eight bits without parity and one stop bit, and this process has it alone (`TIOCEXCL`, which does not keep root out). What it was set
//! to before is set again at the end.

use crate::error::NetError;
use crate::sent::{Again, Sent};
use arqway_hdlc::{Decoder, encode};
use arqway_slab::Slab;
use arqway_units::Span;
use bytes::BytesMut;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, read, write};
use rustix::termios::{
    ControlModes, OptionalActions, QueueSelector, Termios, ioctl_tiocexcl, ioctl_tiocnxcl, tcflush, tcgetattr,
    tcsetattr,
};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::PathBuf;

/// How much is read with one call.
const READ: usize = 4096;
/// Of a second, how much may wait in the system when another datagram goes: that part of the queue nobody orders.
const WAITING: u32 = 50;
/// Octets in it at least, for adapters that report by the packet of USB.
const WAITING_AT_LEAST: u32 = 64;
/// Bits that an octet takes on the line: with start and stop bit.
pub const BITS_AN_OCTET: u32 = 10;
/// A rate that differs by more than one part in so many is not understood at the other end.
const TOLERANCE: u32 = 40;

/// Which line, and how it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SerialConfig {
    /// The device.
    pub path: PathBuf,
    /// Bits a second.
    pub baud: u32,
    /// Whether RTS and CTS say who may send.
    pub hardware_flow_control: bool,
}

/// A serial line that carries datagrams.
#[derive(Debug)]
pub struct SerialPort {
    config: SerialConfig,
    device: OwnedFd,
    before: Termios,
    decoder: Decoder,
    /// What was read, and how much of it was looked at.
    read: Box<[u8]>,
    looked_at: std::ops::Range<usize>,
    /// The frame that the system has not taken whole, and how much of it is taken.
    frame: Vec<u8>,
    taken: usize,
}

impl SerialPort {
    /// Opens a line, and forgets what has waited there.
    ///
    /// # Errors
    /// There is no such device, it is in use, it is no serial line, or it does not go at that rate.
    pub fn open(config: SerialConfig) -> Result<Self, NetError> {
        let name = config.path.display().to_string();
        let failed = |error: Errno| NetError::system(format!("open the serial line {name}"), error);
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let device = open(&config.path, flags, Mode::empty()).map_err(failed)?;
        let before = match tcgetattr(&device) {
            Err(Errno::NOTTY) => return Err(NetError::NotSerial { path: config.path }),
            before => before.map_err(failed)?,
        };
        ioctl_tiocexcl(&device).map_err(failed)?;
        // From here on it is set back whatever happens.
        let port = Self {
            device,
            before,
            decoder: Decoder::default(),
            read: vec![0; READ].into_boxed_slice(),
            looked_at: 0..0,
            frame: Vec::new(),
            taken: 0,
            config,
        };
        port.set().map_err(failed)?;
        let speed = tcgetattr(&port.device).map_err(failed)?.output_speed();
        if speed.abs_diff(port.config.baud) > port.config.baud / TOLERANCE {
            return Err(NetError::Baud { path: port.config.path.clone(), asked: port.config.baud, speed });
        }
        Ok(port)
    }

    fn set(&self) -> Result<(), Errno> {
        let mut raw = self.before.clone();
        raw.make_raw();
        // Without a carrier too: who is there shows by what arrives.
        raw.control_modes |= ControlModes::CLOCAL | ControlModes::CREAD;
        raw.control_modes.remove(ControlModes::CSTOPB);
        raw.control_modes.set(ControlModes::CRTSCTS, self.config.hardware_flow_control);
        raw.set_speed(self.config.baud)?;
        tcsetattr(&self.device, OptionalActions::Now, &raw)?;
        tcflush(&self.device, QueueSelector::IOFlush)
    }

    /// The next datagram that has arrived whole; `None` where there is none now.
    ///
    /// # Errors
    /// The device is gone.
    pub fn receive(&mut self, slab: &mut Slab) -> Result<Option<BytesMut>, NetError> {
        loop {
            let mut octets = &self.read[self.looked_at.clone()];
            let datagram = self.decoder.next(&mut octets).map(|datagram| {
                slab.room(datagram.len())[..datagram.len()].copy_from_slice(datagram);
                slab.cut_mut(datagram.len())
            });
            self.looked_at.start = self.looked_at.end - octets.len();
            if datagram.is_some() {
                return Ok(datagram);
            }
            match read(&self.device, &mut self.read[..]) {
                Ok(0) => return Err(self.gone(Errno::IO)),
                Ok(length) => self.looked_at = 0..length,
                Err(Errno::AGAIN) => return Ok(None),
                Err(Errno::INTR) => {}
                Err(error) => return Err(self.gone(error)),
            }
        }
    }

    /// Sends the first of datagrams of `each` octets, once what was sent before is nearly out.
    ///
    /// # Errors
    /// The device is gone.
    pub fn send(&mut self, octets: &[u8], each: usize) -> Result<Sent, NetError> {
        self.flush()?;
        let until = self.until_flushed().or(until_room(self.waiting()?, self.config.baud));
        if let Some(span) = until {
            return Ok(Sent::NoRoom(Again::After(span)));
        }
        let datagram = &octets[..each.min(octets.len())];
        self.frame.clear();
        self.taken = 0;
        encode(datagram, &mut self.frame);
        self.flush()?;
        Ok(Sent::Taken(datagram.len()))
    }

    /// Gives the system what it has not taken yet. Whether it has all of it now.
    ///
    /// # Errors
    /// The device is gone.
    pub fn flush(&mut self) -> Result<bool, NetError> {
        while self.taken < self.frame.len() {
            match write(&self.device, &self.frame[self.taken..]) {
                Ok(length) => self.taken += length,
                Err(Errno::AGAIN) => return Ok(false),
                Err(Errno::INTR) => {}
                Err(error) => return Err(self.gone(error)),
            }
        }
        Ok(true)
    }

    /// How long the line takes for what the system has not taken yet, to which it can be given afterwards; `None` where the system has
    /// all of it. That the device can be written does not tell: some say so, and take nothing.
    #[must_use]
    pub fn until_flushed(&self) -> Option<Span> {
        let unsent = u32::try_from(self.frame.len() - self.taken).unwrap_or(u32::MAX);
        (unsent > 0).then(|| at_least_half_of_what_may_wait(unsent, self.config.baud))
    }

    /// Frames that arrived damaged.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.decoder.damaged()
    }

    /// Octets that the system has and the line has not.
    fn waiting(&self) -> Result<u32, NetError> {
        let mut count: libc::c_int = 0;
        // SAFETY: the call writes one `int`, into `count`, and keeps no pointer to it; the descriptor is open.
        #[expect(unsafe_code, reason = "no safe crate of ours has this call")]
        let result = unsafe { libc::ioctl(self.device.as_raw_fd(), libc::TIOCOUTQ, &raw mut count) };
        if result != 0 {
            return Err(self.gone(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)));
        }
        Ok(u32::try_from(count).unwrap_or(0))
    }

    fn gone(&self, error: Errno) -> NetError {
        NetError::system(format!("use the serial line {}", self.config.path.display()), error)
    }
}

/// How long a line takes until it has room for another datagram while so many octets wait in the system; `None` where it has room now.
fn until_room(waiting: u32, baud: u32) -> Option<Span> {
    let too_many = waiting.saturating_sub(allowed(baud));
    (too_many > 0).then(|| at_least_half_of_what_may_wait(too_many, baud))
}

/// How many octets may wait in the system when another datagram goes.
fn allowed(baud: u32) -> u32 {
    (baud / BITS_AN_OCTET / WAITING).max(WAITING_AT_LEAST)
}

/// How long so many octets take. Where the other end holds the line back, that is asked again and again.
fn at_least_half_of_what_may_wait(octets: u32, baud: u32) -> Span {
    let bits = u64::from(octets.max(allowed(baud) / 2)) * u64::from(BITS_AN_OCTET);
    Span::from_milliseconds(1000) * bits / u64::from(baud.max(1))
}

impl Drop for SerialPort {
    /// Where the device is gone, there is nothing to set back.
    fn drop(&mut self) {
        // What has not left is not worth waiting for: who closes a line that is held by flow control would wait for ever.
        let _ = tcflush(&self.device, QueueSelector::IOFlush);
        let _ = tcsetattr(&self.device, OptionalActions::Now, &self.before);
        let _ = ioctl_tiocnxcl(&self.device);
    }
}

impl AsFd for SerialPort {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Clock, Wait};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::os::unix::ffi::OsStringExt as _;

    /// The other end of a line, and its name.
    fn pty() -> (OwnedFd, SerialConfig) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pty");
        grantpt(&master).expect("ours");
        unlockpt(&master).expect("ours");
        let name = ptsname(&master, Vec::new()).expect("a name").into_bytes();
        let path = PathBuf::from(std::ffi::OsString::from_vec(name));
        (master, SerialConfig { path, baud: 57_600, hardware_flow_control: false })
    }

    fn received(port: &mut SerialPort) -> BytesMut {
        let (mut slab, clock, wait) = (Slab::new(), Clock::start(), Wait::new().expect("a wait"));
        loop {
            if let Some(datagram) = port.receive(&mut slab).expect("a line") {
                return datagram;
            }
            wait.on(&[port.as_fd()], None, &clock).expect("a wait");
        }
    }

    #[test]
    fn datagrams_cross_a_line_of_any_rate_both_ways() {
        for baud in [1200, 57_600, 250_000, 123_456] {
            let (master, config) = pty();
            let mut port = SerialPort::open(SerialConfig { baud, ..config }).expect("a line");
            let datagram: Vec<u8> = (0..=255).collect();
            assert_eq!(port.send(&datagram, 200).expect("a line"), Sent::Taken(200));
            let (mut line, mut decoder) = ([0; 1024], Decoder::default());
            let length = read(&master, &mut line).expect("a line");
            assert_eq!(decoder.next(&mut &line[..length]).map(<[u8]>::len), Some(200), "a raw line changes nothing");
            write(&master, &line[..length]).expect("a line");
            assert_eq!(received(&mut port)[..], datagram[..200]);
        }
    }

    #[test]
    fn a_full_line_is_tried_again_when_another_datagram_has_room_however_long_it_is_held_back() {
        // 115 octets are 20 ms of this line.
        assert_eq!([0, 115].map(|waiting| until_room(waiting, 57_600)), [None; 2]);
        let milliseconds = |waiting| until_room(waiting, 57_600).map(|span| span.as_seconds() * 1000.0);
        assert!(milliseconds(115 + 576).is_some_and(|span| (100.0..100.1).contains(&span)));
        assert!(milliseconds(116).is_some_and(|span| span > 9.0), "at most some 100 times a second");
        assert!(until_room(4096, 1200).is_some_and(|span| span < Span::from_milliseconds(40_000)));
        assert!(until_room(u32::MAX, 4_000_000).is_some());
    }

    #[test]
    fn a_line_that_takes_no_more_is_tried_again_after_what_it_has_to_take() {
        let (_master, config) = pty();
        let mut port = SerialPort::open(config).expect("a line");
        assert_eq!(port.until_flushed(), None);
        let mut send = || port.send(&[7; 1000], 1000).expect("a line");
        let sent = std::iter::repeat_with(&mut send).find(|sent| !matches!(sent, Sent::Taken(_)));
        // Some part of a frame of 1,008 octets, which take 175 ms.
        let Some(Sent::NoRoom(Again::After(span))) = sent else { panic!("{sent:?}") };
        assert!((9.0..176.0).contains(&(span.as_seconds() * 1000.0)), "{span}");
        assert_eq!(port.until_flushed(), Some(span));
    }

    #[test]
    fn the_line_is_set_as_before_when_it_is_closed() {
        let (_master, config) = pty();
        let other = open(&config.path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("a line");
        let settings = |fd: &OwnedFd| {
            let found = tcgetattr(fd).expect("a line");
            (found.input_modes, found.output_modes, found.control_modes, found.local_modes, found.output_speed())
        };
        let before = settings(&other);
        let port = SerialPort::open(config).expect("a line");
        assert_ne!(settings(&other), before);
        drop(port);
        assert_eq!(settings(&other), before);
    }

    #[test]
    fn a_line_that_is_taken_away_is_an_error_and_no_silence() {
        let (master, config) = pty();
        let mut port = SerialPort::open(config).expect("a line");
        drop(master);
        let error = port.receive(&mut Slab::new()).expect_err("no line").to_string();
        assert!(error.starts_with("cannot use the serial line /dev/pts/"), "{error}");
    }

    #[test]
    fn what_is_no_serial_line_is_refused_by_name() {
        for (path, expected) in [
            ("/dev/null", "/dev/null is not a serial line; expected a device such as /dev/ttyUSB0"),
            ("/dev/ttyNone", "cannot open the serial line /dev/ttyNone: No such file or directory"),
        ] {
            let config = SerialConfig { path: path.into(), baud: 9600, hardware_flow_control: false };
            let error = SerialPort::open(config).expect_err("no line").to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
