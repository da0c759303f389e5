//! Questions, candidates, and small advices as a whole.

use super::candidates::candidates;
use super::link::Link;
use super::trial::{Entry, Trial};
use super::*;
use arqway_config::Source;
use arqway_lab::experiment::scenarios;
use arqway_lab::run::cancellation::Cancellation;
use arqway_units::Span;
use std::cell::Cell;
use std::num::NonZeroUsize;
use std::path::Path;

fn question(text: &str, asked: &AdviceOptions) -> Result<Question, QuestionError> {
    Question::read(&Source::new("folder/link.toml", text), Path::new(""), asked)
}

fn asked(text: &str) -> Question {
    question(text, &AdviceOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn advised(text: &str, most: u32, jobs: usize) -> Advice {
    let stop = Cancellation::new();
    let watcher =
        Watcher { jobs: NonZeroUsize::new(jobs).expect("a thread"), stop: &stop, planned: &|_| (), finished: &|| () };
    advise(asked(text), None, most, &watcher).unwrap_or_else(|error| panic!("{error}"))
}

/// A tenth of the frames is lost, far away.
const LOSSY: &str = "file-transfer = { size = '150 kB', packet = '500 octets' }\ntcp.profile = 'today'\ntcp.maximum-window = 1000\n\
                     link-layer.service = 'raw'\nduration = '1000 s'\n\
                     wireless = { rate = '256 kbit/s', delay = '100 ms', errors = { kind = 'uniform', loss = '10 %' } }\n";

#[test]
fn every_candidate_can_be_read_in_every_world_that_is_built_in() {
    for name in scenarios::names() {
        let source = scenarios::scenario(&name).expect("a world");
        let question =
            Question::read(&source, Path::new(""), &AdviceOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(question.name, name);
        let candidates = candidates(&Link::of(&question.scenario));
        let entries: Vec<Entry> = candidates.iter().map(|one| Entry::of_no_class(&one.label, &one.service)).collect();
        let trial = Trial {
            id: "trial",
            title: "a \"title\"",
            replications: 3,
            seed: 9,
            world: &question.world,
            entries: &entries,
            applications: &question.applications,
        };
        let experiment = trial.experiment().unwrap_or_else(|mistakes| panic!("{name}: {mistakes}"));
        assert_eq!((experiment.schemes.len(), experiment.seed, experiment.replications), (entries.len(), 9, 3));
        let kinds = ["raw", "xor-fec", "go-back-n", "selective-repeat", "rlp", "rlc-am", "sscop", "snoop", "tally"];
        let kinds = kinds.into_iter().chain(question.scenario.media.enabled.then_some("deadline"));
        for kind in kinds {
            let tried = |scheme: &arqway_lab::experiment::Scheme| scheme.services[0].kind() == kind;
            assert!(experiment.schemes.iter().any(tried), "{name}: no {kind}");
        }
        // The file is as good as the world it was made from.
        let point = &experiment.points[0];
        assert_eq!(point.scenario.wireless, question.scenario.wireless, "{name}");
        assert_eq!(point.scenario.tcp, question.scenario.tcp, "{name}");
        assert_eq!(point.scenario.link_layer.classes, question.scenario.link_layer.classes, "{name}");
    }
}

#[test]
fn a_scenario_and_an_experiment_without_a_sweep_ask_the_same() {
    let scenario = asked("wireless.rate = '1 Mbit/s'\nweb.enabled = true\n");
    let experiment = asked(
        "[experiment]\nid = 'x'\nseed = 7\n[scenario]\nset = { 'wireless.rate' = '1 Mbit/s', 'web.enabled' = true }\n",
    );
    assert_eq!(scenario.scenario, experiment.scenario);
    assert_eq!((scenario.name.as_str(), scenario.seed, experiment.seed), ("link", 1, 7));
    assert_eq!(scenario.applications, [Application::FileTransfer, Application::Web]);
}

#[test]
fn what_cannot_be_asked_is_told_with_its_place_and_what_is_expected() {
    let told = |text: &str| question(text, &AdviceOptions::default()).expect_err(text).to_string();
    let sweep = told("[scenario]\nbase = 'clean'\n[sweep]\n'wireless.rate' = ['1 Mbit/s']\n[[scheme]]\nuse = 'raw'\n");
    assert!(
        sweep.contains("link.toml:3:") && sweep.contains("link.toml:5:") && sweep.contains("2 mistakes"),
        "{sweep}"
    );
    assert!(told("wireless.rat = '1 Mbit/s'\n").contains("did you mean `rate`?"));
    assert!(told("file-transfer.enabled = false\n").contains("enable one of"));
    let asked = AdviceOptions { applications: vec![Application::Media], ..AdviceOptions::default() };
    let media = question("web.enabled = true\n", &asked).expect_err("no media").to_string();
    assert!(media.contains("`media`") && media.contains("file-transfer, web"), "{media}");
    let asked = AdviceOptions { within: Some(Span::from_milliseconds(200)), ..AdviceOptions::default() };
    let late = question("web.enabled = true\n", &asked).expect_err("nobody talks").to_string();
    assert!(late.contains("media.enabled = true"), "{late}");
}

#[test]
fn media_are_in_time_within_what_is_asked_or_written_or_what_the_way_leaves_to_a_recovery() {
    let within = |text: &str, asked: Option<&str>| {
        let within = asked.map(|asked| asked.parse().expect("a time"));
        let asked = AdviceOptions { within, ..AdviceOptions::default() };
        let question = question(&format!("media.enabled = true\n{text}"), &asked).expect("a question");
        question.scenario.media.within.expect("a time").to_string()
    };
    assert_eq!(within("media.within = '80 ms'\n", Some("70 ms")), "70 ms");
    assert_eq!(within("media.within = '80 ms'\n", None), "80 ms");
    assert_eq!(within("wireless = { rate = '1 Mbit/s', delay = '20 ms' }\n", None), "150 ms");
    // 270 ms, 1 ms of wire, 2 ms of a packet of 250 octets, and 100 ms.
    assert_eq!(within("wireless = { rate = '1 Mbit/s', delay = '270 ms' }\n", None), "373 ms");
}

#[test]
fn windows_keep_to_half_of_a_drop_tail_queue_and_timeouts_outlast_the_round_trip() {
    let link =
        Link::of(&asked("wireless = { delay = '300 ms', queue = { kind = 'drop-tail', packets = 20 } }\n").scenario);
    let all = candidates(&link);
    let with_window = ["selective-repeat", "go-back-n"].map(|kind| format!("kind = \"{kind}\""));
    let mut windows = all.iter().filter(|one| with_window.iter().any(|kind| one.service.contains(kind)));
    assert!(windows.all(|one| one.service.contains("window = 10,")), "{all:#?}");
    // 600 ms, 31 ms for a packet of 250 octets, 10 ms for an acknowledgement; an eighth for the delay; a tenth on top.
    assert!(all.iter().any(|one| one.label == "Selective Repeat, 800 ms"), "{all:#?}");
}

#[test]
fn tally_has_room_for_what_comes_in_behind_gaps_beyond_the_room_that_others_have() {
    let waiting = |wireless: &str| {
        let link = Link::of(&asked(&format!("wireless = {{ {wireless} }}\n")).scenario);
        ["\"tally\"", "\"raw\""].map(|kind| {
            let service = candidates(&link).into_iter().map(|one| one.service).find(|service| service.contains(kind));
            let service = service.expect("a candidate");
            let number = service.split("buffer = ").nth(1).and_then(|rest| rest.split([',', ' ', '}']).next());
            number.and_then(|number| number.parse::<u64>().ok()).expect("a buffer")
        })
    };
    // A longer queue delays TCP's segments beyond its timeout whenever a burst of losses is repaired. A packet takes 83 ms, a
    // round trip without it 31 ms.
    assert_eq!(waiting("rate = '24 kbit/s', delay = '2 ms'"), [33, 32]);
    // 3.3 ms, and 115 ms.
    assert_eq!(waiting("rate = '600 kbit/s', delay = '57 ms'"), [37 + 138, 37]);
    // 0.2 ms, and 500 ms.
    assert_eq!(waiting("rate = '10 Mbit/s', delay = '250 ms'"), [2512 + 10_001, 2512]);
}

#[test]
fn on_a_lossy_link_a_recovery_is_advised_and_the_advice_can_be_run_again() {
    let advice = advised(LOSSY, 10, 2);
    let stage = &advice.stages[0];
    let best = &stage.standings[0];
    let raw = stage.standings.iter().find(|one| stage.label(one) == "Raw").expect("a raw link");
    assert_eq!((best.verdict, raw.verdict), (Verdict::Advised, Verdict::Behind), "{}", advice.to_text());
    assert!(best.score.mean > 0.9 && raw.difference.is_some_and(|behind| behind.mean < -0.2), "{}", advice.to_text());
    let losses = advice.losses.expect("a look");
    assert!((losses.share - 0.1).abs() < 0.01 && (losses.run - 1.1).abs() < 0.1, "{losses:?}");
    // The block that is printed is a service.
    let block = format!("[experiment]\nid = 'x'\n[[scheme]]\nlabel = 'x'\n{}\n", stage.block(best));
    let read = |text: &str| {
        let source = Source::new("confirm.toml", text);
        arqway_lab::experiment::Experiment::read(&source, Path::new(""), arqway_lab::experiment::Effort::Full)
            .unwrap_or_else(|mistakes| panic!("{mistakes}"))
    };
    assert_eq!(read(&block).schemes.len(), 1);
    let confirm = read(&advice.confirm);
    let labels: Vec<&str> = confirm.schemes.iter().map(|scheme| scheme.label.as_str()).collect();
    assert!(labels.contains(&stage.label(best)) && labels.contains(&"Raw"), "{labels:?}");
    assert_eq!((confirm.replications, confirm.seed), (30, 2));
    assert_eq!(confirm.points[0].scenario, advice.question.scenario, "at the file's own lengths");
}

#[test]
fn the_same_question_has_the_same_answer_whatever_the_number_of_threads() {
    let [one, other] = [1, 3].map(|jobs| advised(LOSSY, 5, jobs));
    assert_eq!(one.to_text(), other.to_text());
    assert_eq!(one.to_svg(), other.to_svg());
    assert_eq!((one.rows, one.confirm), (other.rows, other.confirm));
}

/// Somebody who talks beside a file, in a class of his own, and a class that carries nothing.
fn with_classes() -> String {
    format!(
        "{LOSSY}media = {{ enabled = true, rate = '32 kbit/s', packet = '100 octets' }}\n\
         link-layer.classes = [{{ name = 'talk', protocol = 'udp', service = 'raw' }}, \
         {{ name = 'names', port = 53, service = 'raw' }}]\n"
    )
}

#[test]
fn whoever_stops_before_all_classes_are_decided_is_told_so_and_keeps_what_is_decided() {
    let advised = |most: usize| {
        let stop = Cancellation::new();
        let planned = Cell::new(0);
        // Stops as soon as runs have been planned so many times.
        let count = |_: usize| {
            planned.set(planned.get() + 1);
            if planned.get() == most {
                stop.after_current_runs();
            }
        };
        let watcher = Watcher { jobs: NonZeroUsize::MIN, stop: &stop, planned: &count, finished: &|| () };
        let advice = advise(asked(&with_classes()), None, 2, &watcher).unwrap_or_else(|error| panic!("{error}"));
        (advice, planned.get())
    };
    let (whole, planned) = advised(usize::MAX);
    assert_eq!((whole.stages.len(), whole.cautions.contains(&Caution::Stopped)), (3, false));
    let (stopped, _) = advised(planned);
    assert_eq!((stopped.stages.len(), stopped.cautions.contains(&Caution::Stopped)), (1, true));
    assert_eq!(stopped.stages[0].standings.len(), whole.stages[0].standings.len());
}

#[test]
fn each_class_that_carries_something_is_decided_by_itself() {
    let advice = advised(&with_classes(), 5, 2);
    let text = advice.to_text();
    let decided: Vec<_> =
        advice.stages.iter().map(|stage| (stage.class.as_deref(), stage.standings.is_empty())).collect();
    assert_eq!(decided, [(None, false), (Some("talk"), false), (Some("names"), true)], "{text}");
    let talk = &advice.stages[1];
    assert!(talk.standings.iter().any(|one| talk.label(one) == "as written"), "{text}");
    assert!(talk.standings.iter().all(|one| one.values.len() == 2), "both applications count");
    assert!(text.contains("it carries none of this traffic"), "{text}");
}

#[test]
fn whether_media_beside_tcp_should_have_a_class_is_decided_and_the_whole_link_layer_is_told() {
    let media = "media = { enabled = true, rate = '32 kbit/s', packet = '100 octets' }\n";
    let advice = advised(&format!("{LOSSY}{media}"), 5, 2);
    let text = advice.to_text();
    let [_, media_stage] = &advice.stages[..] else { panic!("{text}") };
    let labels: Vec<&str> = media_stage.standings.iter().map(|one| media_stage.label(one)).collect();
    assert_eq!(media_stage.class.as_deref(), Some("media"));
    assert!(
        labels.contains(&"the default service") && labels.iter().any(|one| one.starts_with("Deadline, ")),
        "{text}"
    );
    // The ready-made table knows the call by what it does, and has the same service for it.
    let value_of = |name: &str| {
        let one = media_stage.standings.iter().find(|one| media_stage.label(one) == name);
        let one = one.unwrap_or_else(|| panic!("no {name}: {text}"));
        (one.values[1].as_ref().expect("a call").mean, media_stage.block(one).to_owned())
    };
    let service = "RLP, 3 retransmissions, as received";
    let ((tabled, block), (classed, _)) = (value_of(&format!("Table best-effort, {service}")), value_of(service));
    assert!(
        (tabled - classed).abs() < 5.0 && block.starts_with("table = { kind = \"best-effort\", watch = true"),
        "{tabled} {classed} {block}"
    );
    // What suits the file alone is advised for it, not what suits both; and a call that waits for a file that is repaired is worse off.
    let file = &advice.stages[0];
    assert!(
        !["Deadline", "XOR FEC", "Raw"].iter().any(|one| file.label(&file.standings[0]).starts_with(one)),
        "{text}"
    );
    assert_ne!(labels[0], "the default service", "{text}");
    let layer = advice.link_layer.as_ref().expect("a link layer");
    let told = asked(
        &format!("{LOSSY}{media}")
            .replace("link-layer.service = 'raw'\n", "")
            .lines()
            .chain(layer.lines())
            .collect::<Vec<_>>()
            .join("\n"),
    );
    assert_eq!((told.scenario.link_layer.classes.len(), told.scenario.link_layer.services().len()), (1, 2), "{layer}");
    assert!(layer.contains("scheduler = \"scfq\""), "a call does not wait for all of a file: {layer}");
    assert!(text.contains("Opinion (1 to 4.5)") && text.contains("ITU-T G.107"), "{text}");
    // Who is in a class already, or in a table, is left there.
    let tabled = format!("{LOSSY}{media}link-layer.table = {{ kind = 'best-effort', reliable = 'tally' }}\n");
    assert_eq!(advised(&tabled, 2, 2).stages.len(), 1);
}

#[test]
fn with_a_small_window_there_is_a_caution() {
    let small = LOSSY.replace("tcp.maximum-window = 1000", "tcp.maximum-window = 2");
    let advice = advised(&format!("{small}media.enabled = true\n"), 2, 2);
    assert!(advice.cautions.iter().any(|caution| matches!(caution, Caution::Window(2, _))), "{:?}", advice.cautions);
    // What counts is what all connections may have on their way.
    let many = advised(&small.replace("size = '150 kB'", "size = '15 kB', connections = 10"), 2, 2);
    assert!(!many.cautions.iter().any(|caution| matches!(caution, Caution::Window(..))), "{:?}", many.cautions);
}

/// The lossy link with another share of its frames lost.
fn losing(loss: &str) -> String {
    LOSSY.replace("loss = '10 %'", &format!("loss = '{loss}'"))
}

#[test]
fn a_link_that_carries_nothing_is_said_to_be_dead_and_no_service_is_advised() {
    let stop = Cancellation::new();
    let watcher = Watcher { jobs: NonZeroUsize::MIN, stop: &stop, planned: &|_| (), finished: &|| () };
    let told =
        advise(asked(&losing("100 %")), None, 2, &watcher).map(|advice| advice.to_text()).expect_err("nothing arrives");
    assert!(told.to_string().starts_with("the link is dead: it loses 100 % of the frames toward the client"), "{told}");
}

#[test]
fn on_a_link_that_is_nearly_dead_what_carries_anything_is_advised_and_its_losses_are_not_rounded_to_100() {
    let text = advised(&losing("99.9 %"), 2, 2).to_text();
    assert!(text.contains("a frame loss rate of 99.9 %"), "{text}");
    assert!(text.contains("advised") && !text.contains("any service will do"), "{text}");
}

#[test]
fn who_talks_over_a_link_that_tcp_cannot_use_is_still_advised() {
    let talk = "media = { enabled = true, rate = '32 kbit/s', packet = '100 octets' }\n\
                link-layer.classes = [{ name = 'talk', protocol = 'udp', service = 'raw' }]\n";
    let text =
        LOSSY.replace("loss = '10 %' } }", "loss = '30 %' }, up = { errors = { kind = 'uniform', loss = '100 %' } } }");
    let advice = advised(&format!("{text}{talk}"), 2, 2);
    let text = advice.to_text();
    let decided: Vec<_> = advice.stages.iter().map(|stage| (stage.ended, stage.standings.is_empty())).collect();
    assert!(advice.stages.len() == 2 && !decided[1].1, "{decided:?}\n{text}");
}

/// A line of twice the rate and half the way, that loses nothing, and more slowly toward the server.
const CLEAN: &str = "wireless = { rate = '512 kbit/s', delay = '50 ms', up = { rate = '128 kbit/s' } }\n";

#[test]
fn a_second_line_is_told_beside_the_link_alone_and_the_line_alone() {
    let stop = Cancellation::new();
    let watcher =
        Watcher { jobs: NonZeroUsize::new(2).expect("a thread"), stop: &stop, planned: &|_| (), finished: &|| () };
    let second = SecondLine::read(&Source::new("folder/clean.toml", CLEAN), Path::new("")).expect("a world");
    let advice = advise(asked(LOSSY), Some(&second), 3, &watcher).unwrap_or_else(|error| panic!("{error}"));
    let told = advice.second.as_ref().expect("it was asked");
    let labels: Vec<&str> = told.tried.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!((labels, told.replications), (vec!["link alone", "clean alone", "both"], 10));
    let mean = |index: usize| told.tried[index].1[0].expect("throughput").mean;
    // In kbit/s: less than each line has, and more than it by both.
    assert!((80.0..256.0).contains(&mean(0)) && (256.0..512.0).contains(&mean(1)), "{} {}", mean(0), mean(1));
    assert!(mean(2) > mean(1), "{} {}", mean(1), mean(2));
    let gain = told.gains[0].expect("it is significant");
    assert!((gain - (mean(2) / mean(1) - 1.0)).abs() < 1e-9);
    let text = advice.to_text();
    assert!(text.contains("file-transfer: ") && text.contains(" % more throughput with both than"), "{text}");
    // What the other file does not say is not as on this link.
    assert!(
        told.experiment.contains("errors = \"none\", jitter = \"none\", up = { rate = \"128 kbit/s\" } }"),
        "{}",
        told.experiment
    );
    // Its runs are rows of an experiment that anybody can run again.
    assert!(told.experiment.contains("variant = \"both\"") && advice.rows.iter().any(|row| &*row.variant == "both"));
    // Without it nothing is said.
    assert!(!advised(LOSSY, 3, 2).to_text().contains("A second line"));
}

#[test]
fn media_beside_tcp_have_a_class_on_the_lines_that_are_compared_and_nothing_else_has() {
    let stop = Cancellation::new();
    let watcher =
        Watcher { jobs: NonZeroUsize::new(2).expect("a thread"), stop: &stop, planned: &|_| (), finished: &|| () };
    let second = SecondLine::read(&Source::new("folder/clean.toml", CLEAN), Path::new("")).expect("a world");
    for (world, has_class) in [(LOSSY.to_owned(), false), (format!("{LOSSY}media.enabled = true\n"), true)] {
        let advice = advise(asked(&world), Some(&second), 2, &watcher).unwrap_or_else(|error| panic!("{error}"));
        let told = advice.second.expect("it was asked");
        assert_eq!(told.experiment.contains("protocol = \"udp\""), has_class, "{}", told.experiment);
    }
}

#[test]
fn a_second_line_of_the_same_name_is_told_apart_and_one_of_several_lines_is_refused() {
    let second = SecondLine::read(&Source::new("folder/link.toml", CLEAN), Path::new("")).expect("a world");
    let stop = Cancellation::new();
    let watcher =
        Watcher { jobs: NonZeroUsize::new(2).expect("a thread"), stop: &stop, planned: &|_| (), finished: &|| () };
    let advice = advise(asked(LOSSY), Some(&second), 2, &watcher).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(advice.second.expect("it was asked").tried[1].0, "link again alone");
    let lines = Source::new("folder/lines.toml", "[[wireless.line]]\n[[wireless.line]]\n");
    let refused = SecondLine::read(&lines, Path::new("")).expect_err("two lines");
    assert!(matches!(refused, QuestionError::SeveralLines { .. }), "{refused}");
}
