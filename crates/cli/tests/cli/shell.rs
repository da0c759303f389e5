//! What the command gives to shells, to `man` and to editors.

use crate::folder::{Folder, arqway};
use std::fs;
use std::process::{Command, Output};

#[test]
fn bash_completes_commands_papers_and_figures() {
    for (typed, expected) in [
        (&["rep"][..], "reproduce"),
        (&["reproduce", "mon"], "monet08"),
        (&["reproduce", "monet08", "fig3"], "fig3"),
        (&["run", "my.toml", "--repli"], "--replication\n--replications"),
        (&["completions", "z"], "zsh"),
        (&["schema", "sc"], "scenario"),
        (&["list", "me"], "metrics"),
        (&["list", "papers", "mon"], "monet08"),
        (&["demo", "--link", "sat"], "satellite"),
    ] {
        assert_eq!(offers(typed), expected, "arqway {} <TAB>", typed.join(" "));
    }
}

#[test]
fn bash_completes_tunnels_that_run() {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixListener};
    let name = format!("complete-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(format!("arqway/{name}")).expect("a name");
    let _held = UnixListener::bind_addr(&address).expect("a name that is free");
    for command in ["status", "events", "hint", "down"] {
        assert_eq!(offers(&[command, &name[..name.len() - 1]]), name);
    }
}

#[test]
fn every_shell_gets_a_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = stdout(&arqway(&["completions", shell]));
        assert!(script.contains("reproduce") && script.contains("completions"), "{shell}: {script:.200}");
    }
    // The scripts of the others complete no names of papers and figures.
    for shell in ["bash", "zsh"] {
        let script = stdout(&arqway(&["completions", shell]));
        assert!(script.contains("monet08") && script.contains("fig3"), "{shell}: {script:.200}");
        assert!(script.contains("@arqway/"), "{shell}");
    }
}

#[test]
fn zsh_and_fish_take_their_scripts() {
    for (shell, check) in [("zsh", "-n"), ("fish", "--no-execute")] {
        if !is_installed(shell) {
            continue;
        }
        let folder = Folder::new(&format!("shell-syntax-{shell}"));
        let script = folder.write("script", &stdout(&arqway(&["completions", shell])));
        let output = Command::new(shell).arg(check).arg(script).output().expect("a shell");
        assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn there_is_a_man_page_for_each_command() {
    let folder = Folder::new("manual");
    let written = stdout(&arqway(&["manual", "--out", &folder.0.display().to_string()]));
    let help = stdout(&arqway(&["--help"]));
    let commands = help.split_once("Commands:\n").and_then(|(_, rest)| rest.split_once("\n\n")).expect("a list").0;
    let names = commands.lines().filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    for name in names {
        assert!(written.contains(&format!("arqway-{name}.1")), "{name}: {written}");
    }
    for name in ["arqway", "arqway-run", "arqway-reproduce", "arqway-sensitivity", "arqway-merge"] {
        let page = folder.read(&format!("{name}.1"));
        for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES", "\"EXIT STATUS\"", "\"SEE ALSO\""] {
            assert!(page.contains(&format!(".SH {section}")), "{name} has no {section}:\n{page}");
        }
        assert_eq!(page.contains(".SH FILES"), name != "arqway", "{name}:\n{page}");
        assert_eq!(page.contains("130"), name != "arqway", "only a study waits for Ctrl-C: {name}:\n{page}");
        let leading = |line: &str| line.starts_with('\'') || line.starts_with(". ");
        assert!(!page.lines().any(leading), "{name}: a line that roff takes for a command");
    }
    let trace = folder.read("arqway-trace.1");
    assert!(trace.contains("FILE.pcapng") && !trace.contains("report.html"), "it writes what it is told to:\n{trace}");
    // An example stands as it is typed, hyphens and quotes included.
    let page = folder.read("arqway-run.1");
    assert!(page.contains("run my\\-experiment.toml") && page.contains("id = \"how\\-long\\-a\\-timeout\""), "{page}");
}

#[test]
fn the_manual_as_markdown_has_every_command_and_every_option() {
    let manual = stdout(&arqway(&["manual", "--markdown"]));
    let folder = Folder::new("markdown");
    let written = stdout(&arqway(&["manual", "--out", &folder.0.display().to_string()]));
    let names = written.lines().filter_map(|path| path.rsplit('/').next()?.strip_suffix(".1"));
    for name in names {
        let command = name.replacen('-', " ", 1);
        let (_, rest) =
            manual.split_once(&format!("## {command}\n")).unwrap_or_else(|| panic!("no {command}:\n{manual}"));
        let section = rest.split("\n## ").next().unwrap_or(rest);
        let typed: Vec<&str> = command.split(' ').skip(1).chain(["--help"]).collect();
        let help = stdout(&arqway(&typed));
        let options = help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2);
        for option in options.map(|option| option.trim_end_matches([',', '.', '`', ')', ']'])) {
            assert!(section.contains(option), "{command} has no {option}:\n{section}");
        }
    }
    // Blocks and tables are closed: what one forgot would swallow the rest of the page.
    assert_eq!(manual.lines().filter(|line| line.starts_with("```")).count() % 2, 0, "{manual}");
    assert!(manual.contains("\n| `--replications N` |  | "), "{manual}");
}

#[test]
fn man_shows_the_pages_without_a_warning() {
    if !is_installed("man") || !is_installed("groff") {
        return;
    }
    let folder = Folder::new("man-shows");
    stdout(&arqway(&["manual", "--out", &folder.0.display().to_string()]));
    for entry in fs::read_dir(&folder.0).expect("a folder") {
        let path = entry.expect("a page").path();
        let mut man = Command::new("man");
        man.args(["--warnings=w", "-l"]).arg(&path).env("MANWIDTH", "100").env("LC_ALL", "C.UTF-8");
        let output = man.output().expect("man");
        let (shown, warnings) = (stdout(&output), String::from_utf8_lossy(&output.stderr).into_owned());
        assert!(
            shown.contains("Arqway Manual")
                && shown.trim_end().lines().next_back().is_some_and(|last| last.starts_with("arqway 0")),
            "{shown}"
        );
        assert!(shown.contains("EXIT STATUS") && warnings.is_empty(), "{}: {warnings}", path.display());
    }
}

#[test]
fn the_schema_is_printed_for_both_kinds_of_file() {
    let schemas =
        [&["schema"][..], &["schema", "experiment"], &["schema", "scenario"]].map(|typed| stdout(&arqway(typed)));
    assert_eq!(schemas[0], schemas[1]);
    for (schema, key) in [(&schemas[0], "\"scheme\""), (&schemas[2], "\"wireless\"")] {
        assert!(schema.contains("https://json-schema.org/draft/2020-12/schema") && schema.contains(key));
    }
}

/// What bash offers for the last of these words.
fn offers(typed: &[&str]) -> String {
    let script = stdout(&arqway(&["completions", "bash"]));
    let folder = Folder::new(&format!("bash-{}", typed.join("-").replace(['.', '/'], "_")));
    let script = folder.write("arqway.bash", &script);
    let (last, before) = (typed[typed.len() - 1], typed.len().checked_sub(2).map_or("arqway", |index| typed[index]));
    let ask = format!(
        "source {script:?}\nCOMP_WORDS=(arqway {})\nCOMP_CWORD={}\n_arqway arqway {last:?} {before:?}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
        typed.join(" "),
        typed.len(),
    );
    let output = Command::new("bash").args(["--norc", "-c", &ask]).output().expect("bash");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    stdout(&output).trim_end().to_owned()
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}
