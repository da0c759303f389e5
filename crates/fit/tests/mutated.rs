//! Captures and tables that somebody damaged: whatever was changed in them, reading and fitting them ends in time, in little
//! memory, with a result or with an error that says where.

use arqway_fit::Fit;
use arqway_fit::read::{CaptureFile, Places, is_capture, read_captures, read_table};
use arqway_units::BitRate;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// How often each of the originals is changed.
const CHANGED: u64 = 150;
/// What a changed file of some kilobytes may take: time, and octets while it is read.
const LONGEST: Duration = Duration::from_secs(20);
const MOST_MEMORY: u64 = 100 << 20;
/// An error is a few sentences, whatever is in the file.
const LONGEST_ERROR: usize = 4000;

/// The minimal standard generator of Park and Miller (1988): a file's changes are those of its number.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        usize::try_from(self.0).expect("31 bits") % bound.max(1)
    }
}

#[test]
fn a_damaged_trace_is_fitted_or_refused_with_its_place_in_time_and_in_little_memory() {
    for (name, original) in originals() {
        assert_eq!(outcome(name, &original), Ok(()), "{name} as it is");
        let (mut fitted, mut refused) = (0, 0);
        for seed in 1..=CHANGED {
            let file = changed(&original, seed);
            let (sender, receiver) = channel();
            let worker = thread::spawn(move || sender.send(outcome(name, &file)));
            let outcome = receiver.recv_timeout(LONGEST);
            let outcome = outcome.unwrap_or_else(|error| panic!("{name}, change {seed}: no end, or a panic: {error}"));
            worker.join().expect("no panic").expect("somebody listens");
            match outcome {
                Ok(()) => fitted += 1,
                Err(said) => {
                    refused += 1;
                    let has_place = said.contains(name) || said.starts_with("none of the ");
                    assert!(has_place && said.len() <= LONGEST_ERROR, "{name}, change {seed}: {said}");
                }
            }
        }
        assert!(fitted > 0 && refused > 0, "{name}: {fitted} were fitted, {refused} refused");
    }
}

/// What becomes of a file: read, and fitted if that is possible.
fn outcome(name: &str, file: &[u8]) -> Result<(), String> {
    let mut frames = Err(String::new());
    let used = allocation_counter::measure(|| {
        frames = if is_capture(file) {
            let capture = CaptureFile { name, octets: file };
            let both = read_captures(&capture, None, &Places::default(), None);
            both.or_else(|_| read_captures(&capture, Some(&capture), &Places::default(), None))
                .map_err(|error| error.to_string())
        } else {
            read_table(name, file, None).map_err(|error| error.to_string())
        };
    });
    assert!(used.bytes_max < MOST_MEMORY, "{} octets", used.bytes_max);
    let frames = frames?;
    let fit = |rate| {
        let fit = Fit::new(name, &frames, rate).map_err(|error| error.to_string())?;
        assert!(fit.to_text().starts_with(name));
        Ok(())
    };
    let given = fit(BitRate::from_bits_per_second(1_000_000));
    fit(None).or(given)
}

/// A file with one to eight changes.
fn changed(original: &[u8], seed: u64) -> Vec<u8> {
    let mut draw = Draw(seed * 7919);
    let mut file = original.to_vec();
    for _ in 0..=draw.below(8) {
        let place = draw.below(file.len());
        let end = (place + 1 + draw.below(64)).min(file.len());
        match draw.below(7) {
            0 => file.truncate(place),
            1 => drop(file.drain(place..end)),
            2 => {
                let again = file[place..end].to_vec();
                drop(file.splice(place..place, again));
            }
            3 => {
                let word = WORDS[draw.below(WORDS.len())];
                drop(file.splice(place..end.min(place + word.len()), word.iter().copied()));
            }
            4 => {
                let number = [0u32, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x0100_0000][draw.below(6)];
                let word = (place & !3)..((place & !3) + 4).min(file.len());
                file[word.clone()].copy_from_slice(&number.to_le_bytes()[..word.len()]);
            }
            _ => file[place] ^= 1 << draw.below(8),
        }
        if file.is_empty() {
            file.push(b'\n');
        }
    }
    file
}

/// What breaks tables.
const WORDS: [&[u8]; 12] = [
    b"nan",
    b"1e308",
    b"-1",
    b"9223372036.854775807",
    b"99999999999999999999",
    b"\"",
    b",",
    b"\n",
    b"\r",
    b"\0",
    b"\x1b[31m",
    b"\xff",
];

/// A file of each kind, of 200 frames, of which every seventh is lost.
fn originals() -> Vec<(&'static str, Vec<u8>)> {
    let frames: Vec<(u32, bool)> = (0..200).map(|number| (number, number % 7 == 3)).collect();
    let seconds = |number: &u32| f64::from(*number) * 0.03125;
    let arrived = frames.iter().map(|(number, lost)| match (seconds(number), lost) {
        (sent, true) => format!("{sent},,250\n"),
        (sent, false) => format!("{sent},{},250\n", sent + 0.08125),
    });
    let lost = frames.iter().map(|(number, lost)| format!("{},{},\"250\",x\r\n", seconds(number), u8::from(*lost)));
    let arrived = format!("sent,arrived,octets\n{}", arrived.collect::<String>());
    let lost = format!("\u{feff}sent,lost,octets,note\r\n# by hand\r\n{}", lost.collect::<String>());
    vec![
        ("arrived.csv", arrived.into_bytes()),
        ("lost.csv", lost.into_bytes()),
        ("micro.pcap", pcap(&frames, 0xA1B2_C3D4, [2, 0, 4, 0], u32::to_le_bytes)),
        ("nano.pcap", pcap(&frames, 0xA1B2_3C4D, [0, 2, 0, 4], u32::to_be_bytes)),
        ("both.pcapng", pcapng(&frames)),
    ]
}

/// An IP packet, a different one for each number.
fn packet(number: u32) -> Vec<u8> {
    let head = [0x45, 0, 0, 24, 0, 0, 0, 0, 64, 253, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    [&head[..], &number.to_be_bytes()].concat()
}

/// A capture of one end.
fn pcap(frames: &[(u32, bool)], magic: u32, version: [u8; 4], octets: fn(u32) -> [u8; 4]) -> Vec<u8> {
    let mut file = [octets(magic), version].concat();
    file.extend([0, 0, 65_535, 101].into_iter().flat_map(octets));
    for (number, _) in frames {
        let packet = packet(*number);
        let length = u32::try_from(packet.len()).expect("short");
        file.extend([number / 32, number % 32 * 31_250, length, length].into_iter().flat_map(octets));
        file.extend(packet);
    }
    file
}

/// A capture of both ends: what goes out at the first interface, and what of it comes in at the second.
fn pcapng(frames: &[(u32, bool)]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut block = |kind: u32, body: &[u8]| {
        let length = u32::try_from(body.len() + 12).expect("short").to_le_bytes();
        file.extend([&kind.to_le_bytes(), &length[..], body, &length].concat());
    };
    block(0x0A0D_0D0A, &[0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
    for name in [b'a', b'b'] {
        block(1, &[101, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, name, 0, 0, 0, 0, 0, 0, 0]);
    }
    for (number, lost) in frames {
        let packet = packet(*number);
        let length = u32::try_from(packet.len()).expect("short");
        for (interface, at) in [(0, number * 31_250), (1, number * 31_250 + 81_250)] {
            if interface == 0 || !lost {
                let words = [interface, 0, at, length, length].map(u32::to_le_bytes).concat();
                block(6, &[words, packet.clone()].concat());
            }
        }
    }
    file
}
