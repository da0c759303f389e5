//! Files, read back by a library that shares nothing with the writer; and one to the octet.

use super::*;
use pcap_parser::pcapng::{EnhancedPacketBlock, InterfaceDescriptionBlock, PcapNGOption};
use pcap_parser::traits::PcapNGPacketBlock;
use pcap_parser::{Block, PcapBlockOwned, PcapNGSlice};
use std::error::Error;

type Tested = Result<(), Box<dyn Error>>;

fn blocks(file: &[u8]) -> Vec<Block<'_>> {
    let blocks = PcapNGSlice::from_slice(file).expect("a section header").map(|block| match block {
        Ok(PcapBlockOwned::NG(block)) => block,
        Ok(_) => panic!("a block of classic pcap"),
        Err(error) => panic!("{error}"),
    });
    blocks.collect()
}

/// A file of `interfaces`, and of one packet at the last of them.
fn file(interfaces: &[LinkType], at: Time, way: Way, comment: Option<&str>, octets: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = Writer::new(Vec::new(), "a program", "a test")?;
    let mut last = Interface(0);
    for link_type in interfaces {
        last = writer.interface(*link_type, "name", "description")?;
    }
    writer.packet(&Packet { interface: last, at, way, comment, octets })?;
    writer.finish()
}

fn interfaces<'a>(blocks: &'a [Block<'a>]) -> impl Iterator<Item = &'a InterfaceDescriptionBlock<'a>> {
    blocks.iter().filter_map(|block| match block {
        Block::InterfaceDescription(interface) => Some(interface),
        _ => None,
    })
}

fn packet<'a>(blocks: &'a [Block<'a>]) -> &'a EnhancedPacketBlock<'a> {
    match blocks.last() {
        Some(Block::EnhancedPacket(packet)) => packet,
        other => panic!("{other:?}"),
    }
}

fn told<'a>(options: &'a [PcapNGOption<'a>], code: u16) -> Option<&'a [u8]> {
    let option = options.iter().find(|option| option.code.0 == code)?;
    Some(option.as_bytes().expect("as long as it says"))
}

#[test]
fn a_file_says_what_wrote_it_and_what_it_is_about() -> Tested {
    let file = file(&[LinkType::RawIp], Time::ZERO, Way::In, None, &[])?;
    let blocks = blocks(&file);
    let Block::SectionHeader(header) = &blocks[0] else { panic!("{:?}", blocks[0]) };
    assert_eq!((header.major_version, header.minor_version, header.section_len), (1, 0, -1));
    assert_eq!((told(&header.options, 1), told(&header.options, 4)), (Some(&b"a test"[..]), Some(&b"a program"[..])));
    Ok(())
}

#[test]
fn interfaces_have_their_link_types_and_count_nanoseconds() -> Tested {
    let file = file(&[LinkType::Ethernet, LinkType::RawIp, LinkType::User0], Time::ZERO, Way::In, None, &[])?;
    let blocks = blocks(&file);
    let read = interfaces(&blocks).map(|interface| (interface.linktype.0, interface.ts_resolution()));
    assert_eq!(read.collect::<Vec<_>>(), [1, 101, 147].map(|number| (number, Some(1_000_000_000))));
    for interface in interfaces(&blocks) {
        assert_eq!((interface.if_name(), interface.if_description()), (Some(Ok("name")), Some(Ok("description"))));
    }
    assert_eq!(packet(&blocks).if_id, 2);
    Ok(())
}

#[test]
fn a_packet_of_any_length_is_whole_and_keeps_its_time_and_direction() -> Tested {
    let long = [0x5a; 9];
    for (length, way, flags) in (0..=9).flat_map(|length| [(length, Way::In, 1u32), (length, Way::Out, 2)]) {
        let at = Time::from_nanoseconds(0x0123_4567_89ab_cdef);
        let file = file(&[LinkType::RawIp], at, way, None, &long[..length])?;
        let blocks = blocks(&file);
        let read = packet(&blocks);
        assert_eq!((read.ts_high, read.ts_low), (0x0123_4567, 0x89ab_cdef));
        assert_eq!((read.packet_data(), read.origlen as usize), (&long[..length], length));
        assert_eq!((told(&read.options, 1), told(&read.options, 2)), (None, Some(&flags.to_le_bytes()[..])));
    }
    Ok(())
}

#[test]
fn a_comment_that_is_too_long_is_cut_and_breaks_no_block() -> Tested {
    let long = "x".repeat(70_000);
    for (comment, kept) in [("", 0), ("lost", 4), (&long, 65_535)] {
        let file = file(&[LinkType::RawIp], Time::ZERO, Way::Out, Some(comment), &[1])?;
        let blocks = blocks(&file);
        let read = packet(&blocks);
        assert_eq!(told(&read.options, 1), Some(&comment.as_bytes()[..kept]));
    }
    Ok(())
}

#[test]
fn a_small_file_stays_the_same_to_the_octet() -> Tested {
    let at = Time::from_nanoseconds(0x0000_0001_0000_0002);
    let file = file(&[LinkType::User0], at, Way::Out, Some("lost"), &[0xaa, 0xbb, 0xcc])?;
    #[rustfmt::skip]
    let expected: [&[u8]; _] = [
        &[0x0a, 0x0d, 0x0d, 0x0a], &[60, 0, 0, 0], &[0x4d, 0x3c, 0x2b, 0x1a], &[1, 0, 0, 0], &[0xff; 8],
        &[1, 0, 6, 0], b"a test\0\0", &[4, 0, 9, 0], b"a program\0\0\0", &[0; 4], &[60, 0, 0, 0],
        &[1, 0, 0, 0], &[56, 0, 0, 0], &[147, 0, 0, 0], &[0; 4],
        &[2, 0, 4, 0], b"name", &[3, 0, 11, 0], b"description\0", &[9, 0, 1, 0], &[9, 0, 0, 0], &[0; 4], &[56, 0, 0, 0],
        &[6, 0, 0, 0], &[56, 0, 0, 0], &[0; 4], &[1, 0, 0, 0, 2, 0, 0, 0], &[3, 0, 0, 0, 3, 0, 0, 0], &[0xaa, 0xbb, 0xcc, 0],
        &[2, 0, 4, 0], &[2, 0, 0, 0], &[1, 0, 4, 0], b"lost", &[0; 4], &[56, 0, 0, 0],
    ];
    assert_eq!(file, expected.concat());
    Ok(())
}
