//! `arqway list`: what can be typed, for people and for programs.

use crate::folder::{Folder, arqway, text};
use serde_json::Value;

const WHATS: [&str; 5] = ["papers", "worlds", "schemes", "settings", "metrics"];

/// The lines of a list, each with its fields.
fn list(arguments: &[&str]) -> Vec<Vec<String>> {
    let output = arqway(&[&["list"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn in_a_pipe_each_entry_is_a_line_with_as_many_fields_as_the_heads_and_an_explanation() {
    for what in WHATS {
        let lines = list(&[what]);
        assert!(lines.len() > 5, "{what}: {lines:?}");
        for line in &lines {
            assert_eq!(line.len(), lines[0].len(), "{what}: {line:?}");
            assert!(!line[0].is_empty() && line.last().is_some_and(|about| about.len() > 1), "{what}: {line:?}");
        }
    }
    let settings = list(&["settings", "tcp.minimum"]);
    let told = ["tcp.minimum-timeout", "time", "us, ms, s, min, h", "", "", "The minimum timeout."];
    assert_eq!((settings.len(), &*settings[1]), (2, &told.map(str::to_owned)[..]));
    assert!(list(&["schemes"]).iter().any(|line| line[0].starts_with("SR ") && line[1].starts_with("sr:")));
    assert!(list(&["papers", "monet08"]).iter().any(|line| line[0] == "fig3"));
}

#[test]
fn without_a_word_it_lists_what_can_be_listed() {
    let names: Vec<String> = list(&[]).into_iter().map(|mut line| line.remove(0)).collect();
    assert_eq!(names, ["what", "papers", "worlds", "schemes", "settings", "metrics"]);
}

#[test]
fn json_has_an_object_an_entry_with_the_heads_as_keys() {
    for what in WHATS {
        let lines = list(&[what]);
        let output = arqway(&["list", what, "--json"]);
        let Value::Array(entries) = serde_json::from_slice(&output.stdout).expect("JSON") else { panic!("an array") };
        assert_eq!(entries.len() + 1, lines.len(), "{what}");
        for (entry, line) in entries.iter().zip(&lines[1..]) {
            for (head, field) in lines[0].iter().zip(line) {
                assert_eq!(entry[head], Value::from(field.as_str()), "{what}");
            }
        }
    }
}

#[test]
fn what_is_listed_can_be_typed() {
    let folder = Folder::new("list-typed");
    let schemes: String =
        list(&["schemes"])[1..].iter().map(|line| format!("[[scheme]]\nuse = \"{}\"\n", line[1])).collect();
    let metrics: Vec<String> = list(&["metrics"])[1..].iter().map(|line| line[0].clone()).collect();
    // Series take a single replication, so the figures are of what is measured once.
    let once = metrics
        .iter()
        .filter(|name| !["bursts", "window", "sent", "acknowledged"].iter().any(|end| name.ends_with(end)));
    let figures: Vec<String> =
        once.enumerate().map(|(index, name)| format!("[[figure]]\nid = \"f{index}\"\ny = \"{name}\"\n")).collect();
    let worlds = list(&["worlds"]);
    // Of more mistakes not all would be told.
    let each = |world| figures.chunks(15).map(move |figures| (world, figures.concat()));
    for (world, figures) in worlds[1..].iter().flat_map(|line| each(&line[0])) {
        let text_of =
            format!("[experiment]\nid = \"all\"\n[scenario]\nbase = \"{world}\"\n{schemes}{figures}[[nothing]]\n");
        folder.write("all.toml", &text_of);
        let output = folder.arqway(&["run", "all.toml"]);
        // The one mistake shows that everything was read, and nothing is run. A metric of an application that is off in a world is
        // known there, and refused for that.
        let told = text(&output.stderr);
        let of_others = |line: &&str| line.starts_with("all.toml:") && !line.contains("this world does not measure");
        let places = told.lines().filter(of_others).count();
        assert!(output.status.code() == Some(2) && told.contains("`nothing`") && places == 1, "{world}: {told}");
    }
}

#[test]
fn what_is_not_there_is_refused_with_what_is_near() {
    for (arguments, told) in [
        (&["list", "papers", "monet80"][..], "did you mean `monet08`?"),
        (&["list", "settings", "tcpp"], "no setting has `tcpp` in its name; did you mean `tcp`?"),
        (&["list", "setings"], "settings"),
    ] {
        let output = arqway(arguments);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{arguments:?}");
        assert!(text(&output.stderr).contains(told), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_a_list_keeps_within_80_columns() {
    use crate::pty::{read_until, terminal};
    for what in WHATS {
        let (mut screen, theirs) = terminal();
        let folder = Folder::new("list-terminal");
        let mut command = folder.command(&["list", what]);
        let mut child = command.stdout(theirs).spawn().expect("the command");
        drop(command);
        let mut shown = Vec::new();
        read_until(&mut screen, &mut shown, |_| false);
        assert_eq!(child.wait().expect("an end").code(), Some(0));
        let shown = text(&shown);
        assert!(shown.lines().count() > 5 && !shown.contains('\t'), "{shown}");
        let too_long: Vec<&str> = shown.lines().map(str::trim_end).filter(|line| line.chars().count() > 80).collect();
        assert!(too_long.is_empty(), "{what}: {too_long:#?}");
    }
}
