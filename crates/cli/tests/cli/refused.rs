//! What cannot be done as it was asked is refused before anything runs: exit code 2, the place, what was expected, and nothing
//! is written.

use crate::command::TINY;
use crate::folder::{Folder, text};

/// What is said where a command is refused.
fn refused(folder: &Folder, arguments: &[&str]) -> String {
    let before = folder.names();
    let output = folder.arqway(arguments);
    let told = text(&output.stderr).to_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
    assert_eq!((text(&output.stdout), folder.names()), ("", before), "{arguments:?}");
    told
}

#[test]
fn a_quick_run_of_a_world_that_does_not_say_what_is_quick_is_refused_at_its_base() {
    let folder = Folder::new("not-quick");
    folder.write("tiny.toml", &TINY.replace("\"monet08\"", "\"clean\""));
    folder.write("bare.toml", "[experiment]\nid = \"bare\"\n[[scheme]]\nuse = \"raw\"\n");
    let told = refused(&folder, &["run", "tiny.toml", "--quick"]);
    assert!(told.starts_with("tiny.toml:6:8: a quick run needs `[quick]` in the scenario"), "{told}");
    assert!(told.contains("--replications N"), "{told}");
    let cell = ["--scheme", "raw", "--point", "0", "--out", "cell.pcapng"];
    assert!(refused(&folder, &[&["trace", "tiny.toml", "--quick"][..], &cell].concat()).contains("`[quick]`"));
    assert!(refused(&folder, &["run", "bare.toml", "--quick"]).contains("`[quick]`"));
}

#[test]
fn a_figure_of_what_the_world_does_not_measure_is_refused_with_what_is_missing() {
    let folder = Folder::new("not-measured");
    for (quantity, missing) in [
        ("media.delay", "it needs media.enabled = true in the scenario"),
        ("media.in-time", "it needs media.enabled = true"),
        ("web.response", "it needs web.enabled = true"),
        ("channel.loss", "it needs channel.enabled = true"),
        ("file-transfer.left", "it needs media.enabled = true"),
    ] {
        folder.write("tiny.toml", &TINY.replace("file-transfer.throughput", quantity));
        let told = refused(&folder, &["run", "tiny.toml"]);
        let message = format!("tiny.toml:21:5: this world does not measure `{quantity}`");
        assert!(told.starts_with(&message) && told.contains(missing), "{told}");
    }
    let talks = TINY.replace("\"file-transfer.size\"", "\"media.enabled\" = true, \"file-transfer.size\"");
    folder.write("tiny.toml", &talks.replace("file-transfer.throughput", "media.in-time"));
    assert!(refused(&folder, &["run", "tiny.toml"]).contains("it needs media.within = \"150 ms\""));
}

#[test]
fn a_figure_that_does_not_exist_is_refused_with_the_nearest_one_whatever_else_is_asked() {
    let folder = Folder::new("unknown-figure");
    let told = refused(&folder, &["reproduce", "monet08", "fig99", "fig2", "fgi3"]);
    assert!(told.contains("monet08 has no figure `fig99`; "), "{told}");
    assert!(told.contains("monet08 has no figure `fgi3`; did you mean `fig3`?"), "{told}");
    let strict = refused(&folder, &["reproduce", "monet08", "fig99", "--strict"]);
    assert!(strict.contains("monet08 has no figure `fig99`"), "{strict}");
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let folder = Folder::new("ignored");
    folder.write("tiny.toml", TINY.split("[[figure]]").next().expect("a study without figures"));
    let told = refused(&folder, &["run", "tiny.toml", "--until", "2%"]);
    assert!(told.contains("no [[figure]]"), "{told}");
    folder.write("link.toml", "[media]\nenabled = true\n");
    let late = ["advise", "link.toml", "--for", "file-transfer", "--media-within", "100ms"];
    assert!(refused(&folder, &late).contains("leave media in --for"));
}

#[test]
fn a_scheme_that_is_not_there_is_refused_with_the_nearest_name() {
    let folder = Folder::new("unknown-scheme");
    folder.write("tiny.toml", TINY);
    let told = refused(&folder, &["run", "tiny.toml", "--scheme", "sr:09"]);
    assert!(told.contains("no scheme is called `sr:09`; did you mean `sr:0.9`?"), "{told}");
}

#[test]
fn a_swept_value_is_refused_for_the_reason_that_it_would_be_refused_for_if_it_were_set() {
    let folder = Folder::new("swept");
    let set = |value: &str| TINY.replace("loss = \"0 %\" }", &format!("loss = {value} }}"));
    let sweep = |value: &str| TINY.replace("[\"0 %\", \"5.4 %\"]", &format!("[\"0 %\", {value}]"));
    for value in ["\"140 %\"", "\"-1 %\"", "140", "\"5 ms\"", "\"lots\"", "1e9"] {
        let reason = |text: String, place: &str| {
            folder.write("tiny.toml", &text);
            let told = refused(&folder, &["run", "tiny.toml"]);
            let first = told.lines().next().expect("a line");
            assert!(first.starts_with(place), "{value}: {told}");
            assert!(told.ends_with("1 mistake; nothing was run\n"), "{value}: {told}");
            first.splitn(4, ':').nth(3).expect("a reason").to_owned()
        };
        // What is set is wrong although the sweep replaces it.
        assert_eq!(reason(set(value), "tiny.toml:7:"), reason(sweep(value), "tiny.toml:10:"), "{value}");
    }
    folder.write("tiny.toml", &sweep("\"5.4 %\", { kind = \"raw\" }"));
    assert!(refused(&folder, &["run", "tiny.toml"]).contains("tiny.toml:10:"));
}

#[test]
fn a_value_of_a_base_file_is_checked_although_the_experiment_sets_another() {
    let folder = Folder::new("replaced");
    folder.write("world.toml", "[file-transfer]\nsize = \"50 kg\"\n");
    let own = "base = \"world.toml\"\nset = { \"file-transfer.size\" = \"50 kB\" }";
    let text = format!("[experiment]\nid = \"x\"\n[scenario]\n{own}\n[[scheme]]\nuse = \"raw\"\n");
    folder.write("tiny.toml", &text);
    let told = refused(&folder, &["run", "tiny.toml"]);
    assert!(told.starts_with("world.toml:2:8: unknown unit `kg`"), "{told}");
}
