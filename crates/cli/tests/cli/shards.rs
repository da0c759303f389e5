//! A study that many machines share, and one that goes on where it was interrupted: to the bytes of the plain command.

use crate::folder::{Folder, text};
use std::collections::BTreeMap;
use std::fs;
use std::process::Output;

/// Two schemes at two points, so often that it comes in three pieces.
const STUDY: &str = r#"[experiment]
id = "shared"
replications = 550

[scenario]
base = "my-world.toml"

[sweep]
"wireless.errors.loss" = ["0 %", "5.4 %"]

[[scheme]]
use = "raw"

[[scheme]]
use = "sr:0.9"

[[figure]]
id = "throughput"
x = "wireless.errors.loss"
y = "file-transfer.throughput"
"#;

const WORLD: &str = r#"
[wireless]
rate = "64 kbit/s"
errors = { kind = "uniform", loss = "0 %" }

[file-transfer]
size = "5 kB"
"#;

fn study(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("my-world.toml", WORLD);
    folder.write("study.toml", STUDY);
    folder
}

/// What lies below a folder, but for pieces.
fn results(folder: &Folder, out: &str) -> BTreeMap<String, Vec<u8>> {
    let below = |(name, octets): (String, Vec<u8>)| Some((name.strip_prefix(out)?.to_owned(), octets));
    folder.files().into_iter().filter_map(below).filter(|(name, _)| !name.starts_with("/pieces/")).collect()
}

fn assert_same(plain: &BTreeMap<String, Vec<u8>>, other: &BTreeMap<String, Vec<u8>>, what: &str) {
    assert!(plain.keys().eq(other.keys()), "{what}: {:?}", other.keys());
    for (name, octets) in plain {
        // Not `assert_eq`: nobody wants to read a picture.
        assert!(other[name] == *octets, "{what}: {name} differs");
    }
}

fn done(output: &Output) -> &str {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn refused(output: &Output, code: i32) -> &str {
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(code), ""), "{}", text(&output.stderr));
    text(&output.stderr)
}

#[test]
fn shards_in_any_order_and_number_make_the_bytes_of_the_whole() {
    let folder = study("shards");
    let plain = folder.arqway(&["run", "study.toml", "--seed", "3", "--out", "plain"]);
    let files = results(&folder, "plain");
    for (of, order) in [(1, vec![1]), (2, vec![2, 1]), (3, vec![3, 1, 2]), (7, vec![4, 7, 2, 1, 6, 3, 5])] {
        for shard in order {
            let (shard, out) = (format!("{shard}/{of}"), format!("of-{of}"));
            let output =
                folder.arqway(&["run", "study.toml", "--seed", "3", "--shard", &shard, "--out", &out, "--jobs", "1"]);
            assert_eq!(done(&output), "", "a shard has no results");
        }
        let merged = folder.arqway(&["merge", &format!("of-{of}")]);
        assert!(done(&merged) == done(&plain), "{of}");
        assert_same(&files, &results(&folder, &format!("of-{of}")), &format!("{of} shards"));
    }
}

#[test]
fn shards_are_merged_where_the_experiment_and_its_files_are_not() {
    let folder = study("elsewhere");
    let plain = folder.arqway(&["run", "study.toml", "--out", "plain"]);
    let options = ["--scheme", "sr:0.9", "--point", "5.4"];
    let only = folder.arqway(&[&["run", "study.toml", "--out", "only"][..], &options].concat());
    for shard in ["2/2", "1/2"] {
        let out = format!("machine-{}", &shard[..1]);
        done(&folder.arqway(&["run", "study.toml", "--shard", shard, "--out", &out]));
        done(&folder.arqway(&[&["run", "study.toml", "--shard", shard, "--out", "some"][..], &options].concat()));
    }
    fs::remove_file(folder.0.join("study.toml")).expect("a file");
    fs::remove_file(folder.0.join("my-world.toml")).expect("a file");
    let merged = folder.arqway(&["merge", "machine-2", "machine-1", "--out", "merged"]);
    assert!(done(&merged) == done(&plain));
    assert_same(&results(&folder, "plain"), &results(&folder, "merged"), "two folders");
    let merged = folder.arqway(&["merge", "some"]);
    assert!(done(&merged) == done(&only));
    assert_same(&results(&folder, "only"), &results(&folder, "some"), "one cell");
}

#[test]
fn shards_of_a_reproduction_have_its_other_seeds_todays_tcp_and_the_schemes_that_were_added() {
    let folder = Folder::new("shards-reproduce");
    let asked = ["reproduce", "monet08", "fig21", "--quick", "--seeds", "2", "--today", "--with", "sr:0.7"];
    let plain = folder.arqway(&[&asked[..], &["--out", "plain"]].concat());
    for shard in ["1/2", "2/2"] {
        done(&folder.arqway(&[&asked[..], &["--out", "shared", "--shard", shard]].concat()));
    }
    let merged = folder.arqway(&["merge", "shared"]);
    assert!(done(&plain).contains("by seed: ") && done(&merged) == done(&plain));
    assert_same(&results(&folder, "plain"), &results(&folder, "shared"), "two shards");
}

#[test]
fn a_study_that_was_killed_goes_on_with_what_it_kept() {
    let folder = study("killed");
    // So long that nobody finishes it before it is killed, and so short that what is missing is run soon.
    folder.write("study.toml", &STUDY.replace("550", "2500"));
    let asked = ["run", "study.toml", "--resume", "--jobs", "1", "--out", "kept"];
    let mut command = folder.command(&asked);
    let mut child = command.stdout(std::process::Stdio::null()).spawn().expect("arqway starts");
    let pieces = || {
        let entries = fs::read_dir(folder.0.join("kept/pieces")).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "piece")).count()
    };
    while pieces() == 0 {
        assert_eq!(child.try_wait().expect("a child"), None, "it ended before it kept anything");
        std::thread::yield_now();
    }
    child.kill().expect("a process that runs");
    child.wait().expect("an end");
    let kept = pieces();
    assert!((1..10).contains(&kept), "{kept}");
    let resumed = folder.arqway(&asked);
    assert!(
        text(&resumed.stderr).contains(&format!("{kept}000 runs of these were already kept\n")),
        "{}",
        text(&resumed.stderr)
    );
    let plain = folder.arqway(&["run", "study.toml", "--out", "plain"]);
    assert!(done(&resumed) == done(&plain));
    assert_same(&results(&folder, "plain"), &results(&folder, "kept"), "resumed");
}

#[test]
fn a_study_that_grew_runs_only_what_is_new_and_a_damaged_piece_again() {
    let folder = study("grown");
    let asked = |replications| ["run", "study.toml", "--resume", "--replications", replications, "--out", "kept"];
    done(&folder.arqway(&asked("250")));
    let pieces: Vec<_> =
        fs::read_dir(folder.0.join("kept/pieces")).expect("pieces").map(|entry| entry.expect("one").path()).collect();
    assert_eq!(pieces.len(), 1, "{pieces:?}");
    let grown = folder.arqway(&asked("260"));
    assert!(text(&grown.stderr).contains("1000 runs of these were already kept\n"), "{}", text(&grown.stderr));
    let plain = folder.arqway(&["run", "study.toml", "--replications", "260", "--out", "plain"]);
    assert!(done(&grown) == done(&plain));
    assert_same(&results(&folder, "plain"), &results(&folder, "kept"), "grown");
    let octets = fs::read(&pieces[0]).expect("a piece");
    fs::write(&pieces[0], &octets[..octets.len() / 2]).expect("a file");
    let again = folder.arqway(&asked("260"));
    let told = text(&again.stderr);
    assert!(told.contains("it is cut short: ") && told.contains("; its runs will be repeated\n"), "{told}");
    assert!(told.contains("40 runs of these were already kept\n"), "{told}");
    assert_same(&results(&folder, "plain"), &results(&folder, "kept"), "mended");
}

#[test]
fn a_run_that_is_not_asked_to_keep_anything_keeps_nothing() {
    let folder = study("nothing-kept");
    done(&folder.arqway(&["run", "study.toml", "--replications", "2"]));
    assert!(!folder.0.join("results/pieces").exists());
}

#[test]
fn missing_shards_are_named_with_the_command_that_runs_them() {
    let folder = study("missing");
    done(&folder.arqway(&["run", "study.toml", "--seed", "3", "--shard", "2/3", "--out", "shared"]));
    assert_eq!(
        refused(&folder.arqway(&["merge", "shared"]), 1),
        "nothing was merged:\n\
         shard 1/3: 1000 of 1000 runs are missing; run them with: arqway run study.toml --seed 3 --shard 1/3 --out DIR\n\
         shard 3/3: 200 of 200 runs are missing; run them with: arqway run study.toml --seed 3 --shard 3/3 --out DIR\n"
    );
    assert_eq!(
        refused(&folder.arqway(&["merge", "nowhere"]), 1),
        "no shard has been run into nowhere: it has no pieces/question.json\n"
    );
}

#[test]
fn shards_of_another_study_are_refused_by_name() {
    let folder = study("mixed-up");
    let shard = |more: &[&str], out: &str| {
        folder.arqway(&[&["run", "study.toml", "--replications", "1", "--shard", "1/1", "--out", out], more].concat())
    };
    done(&shard(&[], "one"));
    done(&shard(&["--seed", "2"], "two"));
    let told = "two holds shards of another study: `arqway run study.toml --replications 1 --seed 2`, not \
                `arqway run study.toml --replications 1`\n";
    assert_eq!(refused(&folder.arqway(&["merge", "one", "two"]), 1), told);
    assert_eq!(refused(&shard(&[], "two"), 1), told);
    folder.write("my-world.toml", &WORLD.replace("5 kB", "6 kB"));
    assert_eq!(refused(&shard(&[], "one"), 1), "one holds shards of another study: my-world.toml was another file\n");
    let stray = fs::read_dir(folder.0.join("two/pieces")).expect("pieces").map(|entry| entry.expect("one").path());
    let stray =
        stray.filter(|path| path.extension().is_some_and(|extension| extension == "piece")).last().expect("one");
    fs::copy(&stray, folder.0.join("one/pieces").join(stray.file_name().expect("a name"))).expect("a copy");
    let output = folder.arqway(&["merge", "one"]);
    let told = refused(&output, 1);
    assert!(told.contains(": none of its runs belongs to this study\nnothing was merged"), "{told}");
    let question = folder.read("one/pieces/question.json");
    let program = question.split("\"program\": \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a program");
    folder.write("one/pieces/question.json", &question.replace(program, "0.0.9+00000000"));
    let output = folder.arqway(&["merge", "one"]);
    assert!(refused(&output, 1).contains("was written by arqway 0.0.9+00000000, and this is arqway "));
}
