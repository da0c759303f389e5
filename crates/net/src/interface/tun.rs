//! A TUN or TAP device: tuntap.rst of the kernel.

use super::cut_next;
use arqway_ip::offload::{Carries, Cutter, Joiner, LARGEST, Missing, Whole, complete};
use arqway_slab::Slab;
use bytes::Bytes;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use tun_rs::SyncDevice;

/// A device, and how it hands packets over.
pub(super) struct Tun {
    device: SyncDevice,
    handing: Handing,
    /// The most packets that the device was seen to have dropped.
    pub(super) dropped: u64,
}

/// How packets cross between the system and us.
enum Handing {
    /// One by one.
    Single {
        /// The longest packet, with its Ethernet header and tags.
        longest: usize,
        /// Packets that were longer than that.
        cut_off: u64,
    },
    /// Many at once: TCP in pieces of up to 64 KiB, and checksums not computed.
    Super(Box<Super>),
}

/// Super-packets on their way in and out.
struct Super {
    /// A note of what is missing, and the packet.
    buffer: Box<[u8]>,
    /// One of which there is more, and where it ends in the buffer.
    cutting: Option<(Cutter, Range<usize>)>,
    joiner: Joiner,
    /// Packets of which nobody could make one.
    broken: u64,
    /// Packets that the device did not take since that was last asked, and why.
    refused: u64,
    failure: Option<io::Error>,
}

impl Tun {
    /// A device whose packets, with headers and tags, are at most so long.
    pub(super) fn single(device: SyncDevice, longest: usize) -> Self {
        Self { device, handing: Handing::Single { longest, cut_off: 0 }, dropped: 0 }
    }

    /// A device with offloads, which carries IP packets.
    pub(super) fn with_offloads(device: SyncDevice) -> Self {
        let buffer = vec![0; Missing::LENGTH + LARGEST].into_boxed_slice();
        let handing = Super { buffer, cutting: None, joiner: Joiner::new(), broken: 0, refused: 0, failure: None };
        Self { device, handing: Handing::Super(Box::new(handing)), dropped: 0 }
    }

    /// Whether there is more of what came in last.
    pub(super) fn has_more(&self) -> bool {
        matches!(&self.handing, Handing::Super(handing) if handing.cutting.is_some())
    }

    /// Packets that we did not get, as far as they are known here.
    pub(super) fn missed(&self) -> u64 {
        match &self.handing {
            Handing::Single { cut_off, .. } => *cut_off,
            Handing::Super(handing) => handing.broken,
        }
    }

    pub(super) fn receive(&mut self, slab: &mut Slab) -> io::Result<Option<Bytes>> {
        match &mut self.handing {
            Handing::Super(handing) => handing.receive(&self.device, slab),
            Handing::Single { longest, cut_off } => {
                // A packet that is longer than its room loses its end; an octet more than the longest shows it.
                let length = self.device.recv(&mut slab.room(*longest + 1)[..=*longest])?;
                if length > *longest {
                    // Somebody has raised the MTU.
                    *longest = LARGEST;
                    *cut_off += 1;
                    return Ok(None);
                }
                Ok(Some(slab.cut(length)))
            }
        }
    }

    /// Hands a packet over, with offloads not before the next [`flush`](Self::flush).
    pub(super) fn send(&mut self, packet: &[u8]) -> io::Result<()> {
        match &mut self.handing {
            Handing::Single { .. } => self.device.send(packet).map(drop),
            Handing::Super(handing) => {
                if !handing.joiner.append(packet) {
                    handing.flush(&self.device);
                    if !handing.joiner.begin(packet) {
                        handing.refused += 1;
                    }
                }
                Ok(())
            }
        }
    }

    /// Hands over what was joined. How many packets the device has not taken since this was last asked.
    pub(super) fn flush(&mut self) -> io::Result<u64> {
        match &mut self.handing {
            Handing::Single { .. } => Ok(0),
            Handing::Super(handing) => {
                handing.flush(&self.device);
                match handing.failure.take() {
                    Some(error) => Err(error),
                    None => Ok(std::mem::take(&mut handing.refused)),
                }
            }
        }
    }
}

impl Super {
    fn receive(&mut self, device: &SyncDevice, slab: &mut Slab) -> io::Result<Option<Bytes>> {
        loop {
            if let Some(packet) = self.cut(slab) {
                return Ok(Some(packet));
            }
            let length = device.recv(&mut self.buffer)?;
            let note = self.buffer.first_chunk().filter(|_| length > Missing::LENGTH).map(Missing::parse);
            let Some(missing) = note else { continue };
            let packet = Missing::LENGTH..length;
            match complete(&mut self.buffer[packet.clone()], Carries::Packets, missing, 0) {
                Whole::AsItIs => return Ok(Some(slab.copy(&self.buffer[packet]))),
                Whole::Cut(cutter) => self.cutting = Some((cutter, packet)),
                Whole::Broken => self.broken += 1,
            }
        }
    }

    /// The next packet of the super-packet that came in last.
    fn cut(&mut self, slab: &mut Slab) -> Option<Bytes> {
        let (cutter, packet) = self.cutting.as_mut()?;
        let next = cut_next(cutter, &self.buffer[packet.clone()], slab);
        self.broken += u64::from(next.is_none() && !cutter.is_done(packet.len()));
        if next.is_none() || cutter.is_done(packet.len()) {
            self.cutting = None;
        }
        next
    }

    /// What the device refuses is counted, and why is kept: it says nothing of the packets that come next.
    fn flush(&mut self, device: &SyncDevice) {
        let Some((packets, count)) = self.joiner.take() else { return };
        let mut sent = device.send(packets);
        while sent.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {
            sent = device.send(packets);
        }
        if let Err(error) = sent {
            self.refused += count;
            self.failure = Some(error);
        }
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}
