//! What holds for any text and any settings.

use proptest::prelude::*;

use super::*;

fn any_timeout() -> impl Strategy<Value = Timeout> {
    prop_oneof![
        (0_u64..1 << 40).prop_map(|length| Timeout::Fixed(Span::from_nanoseconds(length))),
        (any::<i32>(), 0.0..1e9).prop_map(|(srtt, srttvar)| Timeout::Adaptive { srtt: f64::from(srtt), srttvar }),
    ]
}

fn any_service() -> impl Strategy<Value = Service> {
    prop_oneof![
        Just(Service::Raw),
        (1_u32.., any_timeout()).prop_map(|(frames, timeout)| {
            Service::SelectiveRepeat(SelectiveRepeat { window: Window(frames), timeout })
        }),
        (0_u64..1 << 40).prop_map(|length| Service::Fixed(Span::from_nanoseconds(length))),
    ]
}

fn any_wireless() -> impl Strategy<Value = Wireless> {
    let queue = prop_oneof![Just(Queue::Unbounded), any::<u16>().prop_map(|frames| Queue::DropTail { frames })];
    (1_u64..1 << 40, 0_u64..1 << 40, queue, 0_u64..1 << 40, any::<Option<f32>>()).prop_map(
        |(rate, delay, queue, frame, weight)| Wireless {
            rate: BitRate::from_bits_per_second(rate).expect("not zero"),
            delay: Span::from_nanoseconds(delay),
            queue,
            frame: Octets::new(frame),
            weight: weight.map(f64::from),
        },
    )
}

fn any_sample() -> impl Strategy<Value = Sample> {
    let experiment = ("\\PC{0,32}", prop::option::of("\\PC{0,32}"), any::<u32>(), 0..u64::MAX / 2)
        .prop_map(|(id, source, replications, seed)| Experiment { id, source, replications, seed });
    let scheme = ("\\PC{0,8}", any_service()).prop_map(|(label, service)| Scheme { label, service });
    let ratio = (0_u32..=1000).prop_map(|share| Ratio::new(f64::from(share) / 1000.0).expect("at most 1"));
    let sweep = prop::collection::btree_map("\\PC{0,32}", prop::collection::vec(ratio, 0..4), 0..3);
    (experiment, any_wireless(), prop::collection::vec(scheme, 0..4), sweep)
        .prop_map(|(experiment, wireless, scheme, sweep)| Sample { experiment, wireless, scheme, sweep })
}

/// Text that gets past the parser often enough to reach the reader.
fn text_like_toml() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "[experiment]",
        "[wireless]",
        "[[scheme]]",
        "[sweep]",
        "[wireless.queue]",
        "[[wireless]]",
        "[[scheme.service]]",
        "\n",
        "\n",
        "\n",
        " ",
        "id",
        "rate",
        "queue",
        "kind",
        "service",
        "scheme",
        "window",
        "timeout",
        "adaptive",
        "é",
        ".",
        " = ",
        " = ",
        " = ",
        "\"raw\"",
        "\"64 kbit/s\"",
        "\"selective-repeat\"",
        "'",
        "\"",
        "\"\"\"",
        "3",
        "-1.5",
        "inf",
        "true",
        "2024-01-01",
        "[",
        "]",
        "{ ",
        " }",
        ", ",
        "#",
        "\r\n",
        "\t",
        "\u{feff}",
        "\\",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_equal(sample in any_sample()) {
        let written = toml::to_string(&sample).expect("a sample can be written");
        let node = tree("written.toml", &written);
        let printed = node.to_toml_text();
        let again = tree("printed.toml", &printed);
        prop_assert_eq!(&again.to_toml_text(), &printed);
        let read_again = read::<Sample>(&again, &[]).map_err(|mistakes| TestCaseError::fail(format!("{printed}{mistakes}")))?;
        prop_assert_eq!(read_again, sample);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>()) {
        if let Err(mistakes) = read_source::<Sample>(&Source::new("any.toml", text), &[]) {
            prop_assert!(!mistakes.is_empty());
            let _ = mistakes.to_string();
        }
    }

    #[test]
    fn no_text_like_toml_makes_the_reader_panic(text in text_like_toml()) {
        let source = Source::new("any.toml", text);
        if let Err(mistakes) = read_source::<Sample>(&source, &[]) {
            prop_assert!(!mistakes.is_empty());
            let _ = mistakes.to_string();
        }
        let _ = read_source::<BTreeMap<String, Located<Service>>>(&source, &[]);
    }

    #[test]
    fn an_overlay_of_itself_changes_nothing(sample in any_sample()) {
        let node = tree("written.toml", &toml::to_string(&sample).expect("a sample can be written"));
        let mut twice = node.clone();
        twice.overlay(node.clone());
        prop_assert_eq!(twice, node);
    }
}
