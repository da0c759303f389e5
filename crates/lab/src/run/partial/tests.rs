use super::envelope::{open, seal};
use super::run_index::{RunId, SettingId};
use super::*;
use crate::run::cancellation::Cancellation;
use crate::run::measured::Metric;
use crate::run::plan::{Plan, Run};
use crate::run::small_study::{self, STUDY};
use crate::run::{Measured, run};
use arqway_units::Time;
use proptest::prelude::*;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

/// Three pieces of short runs.
fn study() -> String {
    STUDY.replace("replications = 2", "replications = 600").replace("20 kB", "2 kB").replace(r#"["0 %""#, r#"["1.5 %""#)
}

fn plan() -> Plan {
    small_study::plan(&[&study()])
}

/// A piece as it comes from another machine.
fn run_elsewhere(plan: &Plan, runs: &[Run]) -> Vec<u8> {
    let sent = Task::new(plan, runs).expect("exact worlds").to_bytes();
    Task::from_bytes(&sent).expect("a task").run(&Cancellation::new(), || ()).expect("worlds").to_bytes()
}

fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("arqway-pieces-{name}-{}", std::process::id()))
}

#[test]
fn pieces_in_any_order_make_the_rows_that_one_run_makes() {
    let plan = plan();
    let whole = run(&plan, NonZeroUsize::MIN, &Cancellation::new(), || ()).expect("worlds").rows(&plan, 0);
    let packed = pack(&plan, &plan.runs);
    assert_eq!(packed.iter().map(Vec::len).collect::<Vec<_>>(), [1000, 1000, 400]);
    let catalogue = RunIndex::of(&plan).expect("exact worlds");
    let mut collected = Collected::default();
    for runs in packed.iter().rev() {
        assert!(!collected.missing(&catalogue, &plan.runs).is_empty());
        collected.add(PartialResults::from_bytes(&run_elsewhere(&plan, runs)).expect("a piece"));
    }
    assert_eq!(collected.missing(&catalogue, &plan.runs), []);
    let merged = collected.results(&catalogue, &plan.runs).rows(&plan, 0);
    assert!(whole.len() == merged.len() && whole.len() > 2400);
    let differs = whole.iter().zip(&merged).find(|(one, other)| {
        one.value.to_bits() != other.value.to_bits() || one.metric != other.metric || one.scheme != other.scheme
    });
    assert_eq!(differs, None);
}

#[test]
fn every_run_is_in_one_shard_and_in_one_only() {
    let (one, other) = (plan(), plan().from_another_seed(1, &[0, 3]));
    for of in (1..=9).filter_map(NonZeroU32::new) {
        let mut seen = [Vec::new(), Vec::new()];
        for shard in Shard::all(of) {
            let shares = shard.runs_of(&[&one, &other]);
            seen.iter_mut().zip(shares).for_each(|(seen, share)| seen.extend(share));
        }
        seen.iter_mut().for_each(|runs| runs.sort_unstable());
        assert_eq!(seen, [one.runs.clone(), other.runs.clone()], "{of} shards");
    }
}

/// Runs so long that each is a piece: four settings in four shards, in step.
#[test]
fn each_shard_has_runs_of_every_setting() {
    let plan = small_study::plan(&[&study().replace("2 kB", "1 GB").replace("replications = 600", "replications = 8")]);
    assert_eq!(pack(&plan, &plan.runs).len(), plan.runs.len());
    for shard in Shard::all(NonZeroU32::MIN.saturating_add(3)) {
        let mut settings: Vec<usize> = shard.runs_of(&[&plan])[0].iter().map(|run| run.setting).collect();
        settings.sort_unstable();
        assert_eq!(settings, [0, 0, 1, 1, 2, 2, 3, 3], "shard {shard}");
    }
}

#[test]
fn a_choice_that_no_figure_makes_can_be_sent_too() {
    let text = study().replace(
        "set = {",
        "set = { \"wireless.up.rate\" = { kind = \"trace\", steps = [{ for = \"2 s\", rate = \"0 bit/s\" }, { for = \"3 s\", rate = \"32 kbit/s\" }] }, \
         \"wireless.up.errors\" = { kind = \"trace\", losses = \"0*31 1*4 0*250 1\" }, \"web.enabled\" = true,",
    );
    let text = text.replace("sr:0.9", "asr:3+2");
    let plan = small_study::plan(&[&text]);
    let sent = Task::new(&plan, &plan.runs).unwrap_or_else(|error| panic!("{error}")).to_bytes();
    assert!(Task::from_bytes(&sent).expect("a task").is_that_of(&plan));
}

#[test]
fn another_seed_replication_or_world_is_another_run() {
    let plan = plan();
    let other_seed = plan.from_another_seed(1, &[0]);
    let [here, there] = [&plan, &other_seed].map(|plan| RunIndex::of(plan).expect("exact worlds"));
    let run = |setting, replication| Run { replication, setting };
    let ids = [here.run(run(0, 0)), here.run(run(0, 1)), here.run(run(1, 0)), there.run(run(0, 0))];
    for (index, id) in ids.iter().enumerate() {
        assert!(id.is_some() && !ids[..index].contains(id), "{ids:?}");
    }
    assert_eq!(here.run(run(4, 0)), None);
}

#[test]
fn a_shelf_runs_what_it_does_not_have_and_keeps_it() {
    let (plan, folder) = (plan(), folder("store"));
    let packed = pack(&plan, &plan.runs);
    let (mut store, refused) = ResultStore::open(std::slice::from_ref(&folder)).expect("no folder is no error");
    assert!(refused.is_empty());
    store.add(PartialResults::from_bytes(&run_elsewhere(&plan, &packed[1])).expect("a piece")).expect("written");
    let results = store.run(&plan, &plan.runs, NonZeroUsize::MIN, &Cancellation::new(), || ()).expect("worlds");
    assert_eq!((results.finished(), store.reused()), (2400, 1000));
    // One is cut short, one is of another program, one is something else: what they had is missing again.
    let paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("pieces").map(|entry| entry.expect("one").path()).collect();
    assert_eq!(paths.len(), 3, "{paths:?}");
    let octets = std::fs::read(&paths[0]).expect("a piece");
    std::fs::write(&paths[0], &octets[..octets.len() - 7]).expect("a file");
    let text = String::from_utf8_lossy(&octets).replace(PROGRAM, "0.0.9+00000000");
    std::fs::write(folder.join("old.piece"), text).expect("a file");
    std::fs::write(folder.join("other.piece"), "something else\n").expect("a file");
    let (store, refused) = ResultStore::open(std::slice::from_ref(&folder)).expect("readable");
    let mut told: Vec<String> = refused.iter().map(|refused| refused.error.to_string()).collect();
    told.sort();
    let whole = octets.len() - octets.iter().position(|octet| *octet == b'\n').expect("a line") - 1;
    assert_eq!(
        told,
        [
            format!("it is cut short: {} of {whole} octets are there", whole - 7),
            "it is not a piece of arqway".to_owned(),
            format!("it was written by arqway 0.0.9+00000000, and this is arqway {PROGRAM}"),
        ]
    );
    let catalogue = RunIndex::of(&plan).expect("exact worlds");
    assert!(!store.collected().missing(&catalogue, &plan.runs).is_empty());
    std::fs::remove_dir_all(&folder).expect("a folder of our own");
}

#[test]
fn a_shard_is_written_as_two_numbers() {
    let told = |text: &str| text.parse::<Shard>().map_or_else(|error| error.to_string(), |shard| shard.to_string());
    assert_eq!(["1/1", "2/3"].map(told), ["1/1", "2/3"]);
    assert_eq!(told("4/3"), "there is no shard 4 of 3: shards are numbered 1 to 3");
    assert_eq!(told("0/3"), "there is no shard 0 of 3: shards are numbered 1 to 3");
    for text in ["", "3", "1/0", "-1/3", "one/two", "1/2/3"] {
        assert_eq!(told(text), "expected i/n, such as 2/3 for the second of three shards", "{text}");
    }
}

fn pieces() -> impl Strategy<Value = PartialResults> {
    let metric = ("[a-z]{1,3}", "[a-z]{1,3}", any::<u64>());
    let metric =
        metric.prop_map(|(app, name, bits)| Metric { app: app.into(), name: name.into(), value: f64::from_bits(bits) });
    let measured =
        (prop::collection::vec(metric, 0..5), any::<u64>(), any::<u64>(), any::<Option<bool>>(), any::<Option<u32>>());
    let measured = measured.prop_map(|(metrics, ended, events, file_complete, losses)| Measured {
        metrics,
        ended: Time::from_nanoseconds(ended),
        events,
        file_complete,
        losses: losses.map(f64::from),
    });
    let id = (any::<u8>(), any::<u32>())
        .prop_map(|(setting, replication)| RunId { setting: SettingId::made_up(setting), replication });
    prop::collection::btree_map(id, measured, 1..6).prop_map(|runs| PartialResults { runs })
}

/// What a piece holds, with numbers as their bits: two that are not numbers are not equal otherwise.
fn bits(piece: &PartialResults) -> Vec<(String, Vec<u64>)> {
    let of = |(run, measured): (&RunId, &Measured)| {
        let Measured { ended, events, file_complete, losses, .. } = measured;
        let text = format!("{run:?} {ended:?} {events} {file_complete:?} {losses:?}");
        let names: String = measured.metrics.iter().map(|metric| format!(" {}.{}", metric.app, metric.name)).collect();
        (text + &names, measured.metrics.iter().map(|metric| metric.value.to_bits()).collect())
    };
    piece.runs.iter().map(of).collect()
}

proptest! {
    #[test]
    fn a_piece_comes_back_as_it_went_to_the_last_bit(piece in pieces()) {
        let read = PartialResults::from_bytes(&piece.to_bytes()).expect("a piece");
        prop_assert_eq!(bits(&read), bits(&piece));
        prop_assert_eq!(read.name(), piece.name());
    }

    #[test]
    fn a_piece_that_was_cut_short_is_refused(piece in pieces(), kept in any::<prop::sample::Index>()) {
        let octets = piece.to_bytes();
        prop_assert!(PartialResults::from_bytes(&octets[..kept.index(octets.len())]).is_err());
    }

    #[test]
    fn a_piece_with_a_flipped_bit_is_refused(piece in pieces(), place in any::<prop::sample::Index>(), bit in 0..8_u32) {
        let mut octets = piece.to_bytes();
        let place = place.index(octets.len());
        octets[place] ^= 1u8 << bit;
        prop_assert!(PartialResults::from_bytes(&octets).is_err());
    }

    #[test]
    fn whatever_was_sealed_is_a_piece_or_an_error(contents in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = PartialResults::from_bytes(&contents);
        let _ = Task::from_bytes(&contents);
        let _ = PartialResults::from_bytes(&super::envelope::seal_octets("piece", contents.clone()));
        let _ = Task::from_bytes(&super::envelope::seal_octets("task", contents));
    }
}

#[test]
fn a_task_is_no_piece() {
    let task = seal("task", &[1, 2]);
    assert_eq!(open::<Vec<u8>>("piece", &task).expect_err("a task").to_string(), "it is not a piece of arqway");
    assert_eq!(open::<Vec<u8>>("task", &task).expect("a task"), [1, 2]);
}
