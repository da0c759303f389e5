//! A serial line: telemetry radios, modems, two machines and a cable. Its device may disappear, as an adapter does that is
//! unplugged; then it is tried again each second.
//!
//! ```text
//!     the device reads or writes an error     Gone:     the link stands still, as at `arqway hint down`
//!       each second: open                     Back:     it goes on
//!         it is there and cannot be used      Refused:  once for each reason
//! ```

use super::{Line, LineNews, SystemLine};
use arqway_net::{Arrival, Datagrams, NetError, Sent, SerialConfig, SerialPort};
use arqway_slab::Slab;
use arqway_units::{Span, Time};
use std::net::{Ipv6Addr, SocketAddr, SocketAddrV6};
use std::os::fd::{AsFd as _, BorrowedFd};

/// How often a device that is gone is looked for.
const AGAIN: Span = Span::from_milliseconds(1000);
/// What a session takes for the address of the other end: there is only that one.
const OTHER_END: SocketAddr = SocketAddr::V6(SocketAddrV6::new(Ipv6Addr::UNSPECIFIED, 0, 0, 0));

#[derive(Debug)]
pub(super) struct SerialLine {
    config: SerialConfig,
    device: Device,
    slab: Slab,
    /// Frames that arrived damaged by devices that are gone.
    damaged_before: u64,
    /// When it was last tended.
    now: Time,
}

#[derive(Debug)]
enum Device {
    There(SerialPort),
    /// Nobody has been told yet.
    Lost {
        why: String,
    },
    Gone {
        again: Time,
        /// What was last told: why it cannot be opened although it is there.
        told: Option<String>,
    },
}

impl SerialLine {
    pub(super) fn open(config: SerialConfig) -> Result<Self, NetError> {
        let device = Device::There(SerialPort::open(config.clone())?);
        Ok(Self { config, device, slab: Slab::new(), damaged_before: 0, now: Time::ZERO })
    }

    fn port(&self) -> Option<&SerialPort> {
        match &self.device {
            Device::There(port) => Some(port),
            Device::Lost { .. } | Device::Gone { .. } => None,
        }
    }

    /// Uses the device, if it is there. An error means that it no longer is.
    fn with<T>(&mut self, act: impl FnOnce(&mut SerialPort, &mut Slab) -> Result<T, NetError>) -> Option<T> {
        let Device::There(port) = &mut self.device else { return None };
        match act(port, &mut self.slab) {
            Ok(done) => Some(done),
            Err(error) => {
                self.damaged_before += port.damaged();
                self.device = Device::Lost { why: error.to_string() };
                None
            }
        }
    }
}

impl Line for SerialLine {
    fn receive(&mut self) -> Result<Option<Datagrams>, NetError> {
        let octets = self.with(SerialPort::receive).flatten();
        Ok(octets.map(|octets| Datagrams {
            each: octets.len(),
            octets,
            from: OTHER_END,
            at: None,
            is_congested: false,
        }))
    }

    fn send(&mut self, _: SocketAddr, _: Option<Arrival>, octets: &[u8], each: usize, _: u8) -> Result<Sent, NetError> {
        Ok(self.with(|port, _| port.send(octets, each)).unwrap_or(Sent::Lost(octets.len())))
    }
}

impl SystemLine for SerialLine {
    fn place(&self) -> String {
        self.config.path.display().to_string()
    }

    fn address(&self) -> SocketAddr {
        OTHER_END
    }

    fn other_end(&self) -> Option<SocketAddr> {
        Some(OTHER_END)
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.port().map(SerialPort::as_fd)
    }

    fn poll_timeout(&self) -> Option<Time> {
        match &self.device {
            Device::There(port) => port.until_flushed().map(|span| self.now + span),
            Device::Lost { .. } => Some(self.now),
            Device::Gone { again, .. } => Some(*again),
        }
    }

    fn tend(&mut self, now: Time) -> Option<LineNews> {
        self.now = now;
        self.with(|port, _| port.flush());
        match &mut self.device {
            Device::There(_) => None,
            Device::Lost { why } => {
                let news = LineNews::Gone { why: std::mem::take(why) };
                self.device = Device::Gone { again: now + AGAIN, told: None };
                Some(news)
            }
            Device::Gone { again, .. } if *again > now => None,
            Device::Gone { again, told } => {
                *again = now + AGAIN;
                match SerialPort::open(self.config.clone()) {
                    Ok(port) => {
                        self.device = Device::There(port);
                        Some(LineNews::Back)
                    }
                    Err(error) => {
                        let why = Some(error).filter(|error| !error.is_not_found()).map(|error| error.to_string());
                        let is_news = *told != why;
                        told.clone_from(&why);
                        why.filter(|_| is_news).map(|why| LineNews::Refused { why })
                    }
                }
            }
        }
    }

    fn damaged(&self) -> u64 {
        self.damaged_before + self.port().map_or(0, SerialPort::damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    /// Plugs in a device, which is there until its other end is dropped.
    fn plug_in(at: &Path) -> OwnedFd {
        let other = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&other).unwrap();
        unlockpt(&other).unwrap();
        std::fs::remove_file(at).ok();
        symlink(ptsname(&other, Vec::new()).unwrap().to_str().unwrap(), at).unwrap();
        other
    }

    #[test]
    fn a_device_that_is_gone_is_told_once_and_looked_for_each_second_until_it_is_back() {
        let path = std::env::temp_dir().join(format!("arqway-serial-{}", std::process::id()));
        let other = plug_in(&path);
        let config = SerialConfig { path: path.clone(), baud: 9600, hardware_flow_control: false };
        let mut line = SerialLine::open(config).unwrap();
        let at = |seconds: u64| Time::ZERO + AGAIN * seconds;
        assert_eq!((line.tend(at(1)), line.poll_timeout()), (None, None));
        drop(other);
        assert!(line.receive().unwrap().is_none() && line.descriptor().is_none());
        assert_eq!(line.poll_timeout(), Some(at(1)), "to be told at once");
        assert!(matches!(line.tend(at(1)), Some(LineNews::Gone { why }) if why.contains("arqway-serial")));
        assert_eq!(line.send(OTHER_END, None, b"datagram", 8, 0).unwrap(), Sent::Lost(8));
        assert_eq!((line.tend(at(1)), line.poll_timeout()), (None, Some(at(2))));
        std::fs::remove_file(&path).unwrap();
        assert_eq!((line.tend(at(2)), line.poll_timeout()), (None, Some(at(3))), "not yet");
        let _other = plug_in(&path);
        assert_eq!(line.tend(at(3)), Some(LineNews::Back));
        assert_eq!(line.send(OTHER_END, None, b"datagram", 8, 0).unwrap(), Sent::Taken(8));
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn why_a_device_that_is_back_cannot_be_used_is_told_once_for_each_reason() {
        let path = std::env::temp_dir().join(format!("arqway-refused-{}", std::process::id()));
        let other = plug_in(&path);
        let config = SerialConfig { path: path.clone(), baud: 9600, hardware_flow_control: false };
        let mut line = SerialLine::open(config).unwrap();
        drop(other);
        assert!(line.receive().unwrap().is_none());
        let mut seconds = 1..;
        let mut next = || line.tend(Time::ZERO + AGAIN * seconds.next().unwrap());
        assert!(matches!(next(), Some(LineNews::Gone { .. })));
        let mut is_refused = |with: &str| {
            let news = [next(), next()];
            assert!(matches!(&news, [Some(LineNews::Refused { why }), None] if why.contains(with)), "{news:?}");
        };
        // Root is refused no device that it can find: this one is none, and that one is no file.
        let put = |what: &str| {
            std::fs::remove_file(&path).ok();
            symlink(what, &path).unwrap();
        };
        put("/dev/null");
        is_refused("is not a serial line");
        put("/dev");
        is_refused("Is a directory");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(next(), None, "it is unplugged again, which was told");
        put("/dev");
        assert!(matches!(next(), Some(LineNews::Refused { .. })), "and plugged in again");
        let _other = plug_in(&path);
        assert_eq!(next(), Some(LineNews::Back));
        std::fs::remove_file(&path).unwrap();
    }
}
