//! What a hostile user types, and what they are told: every case in `tests/bad_inputs/`, run in a shell with little memory and time.
//!
//! ```toml
//! template = "... {} ..."              # x.toml, with a case's `with` in the place of {}
//! files = { "tiny.toml" = "..." }      # what every case of this page finds in its folder
//!
//! [[case]]
//! with = "wireless.rate = 64"          # fills in the template
//! files = { "my.csv" = "..." }         # further files
//! run = "arqway run x.toml --jobs 0"   # what is typed: a line of a shell; unless it is said, arqway run x.toml
//! exit = 2                             # its exit code; unless it is said, 2
//! at = "x.toml:9:17"                   # the place that stderr names: of a file, or an option
//! says = "expected a rate"             # what stderr says
//! hint = "such as"                     # what it suggests
//! prints = "..."                       # what stdout says, where that matters
//! writes = true                        # whether it may leave files behind
//! kilobytes = 64                       # the most it may print, if that is more than 64
//! ```
//!
//! Whatever else a case asks for, it must end in time and within its memory, without a panic, without a character that a terminal
//! obeys, without a line that fills the screen, without a key, and, if it was refused (2), without a file that was not there before.

use crate::folder::{Folder, arqway, text};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::{fs, thread};

/// Seconds, and kilobytes of address space.
const LIMITS: &str = "ulimit -t 20; ulimit -v 1500000";
const SECONDS: &str = "30";
const LONGEST_LINE: usize = 2200;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    #[serde(default)]
    template: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    case: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    with: Option<String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default = "run_it")]
    run: String,
    #[serde(default = "usage")]
    exit: i32,
    at: Option<String>,
    says: Option<String>,
    hint: Option<String>,
    prints: Option<String>,
    #[serde(default)]
    writes: bool,
    #[serde(default = "some")]
    kilobytes: usize,
}

fn run_it() -> String {
    "arqway run x.toml".to_owned()
}

fn usage() -> i32 {
    2
}

fn some() -> usize {
    64
}

#[test]
fn bad_input_of_any_kind_is_refused_in_time_with_its_place_and_what_was_expected() {
    let pages = pages();
    let cases: Vec<_> =
        pages.iter().flat_map(|(name, page)| page.case.iter().map(move |case| (name, page, case))).collect();
    assert!(cases.len() >= 200, "{} cases", cases.len());
    let (next, wrong) = (Mutex::new(cases.iter().enumerate()), Mutex::new(Vec::new()));
    let work = || {
        while let Some((number, (name, page, case))) = { next.lock().expect("no panic").next() } {
            if let Err(why) = case.holds(number, page) {
                wrong.lock().expect("no panic").push(format!("{name}: {}\n{why}", case.told()));
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{} of {} cases:\n\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
}

#[test]
fn every_command_and_every_option_has_a_bad_input() {
    let pages = pages();
    let typed: String = pages.values().flat_map(|page| &page.case).map(|case| format!("{}\n", case.run)).collect();
    let uses = |command: &str, option: &str| {
        let commands = typed.split("arqway ").filter(|rest| rest.split_whitespace().next() == Some(command));
        let mut words = commands.flat_map(|rest| rest.split([' ', '\n', '=', '"', ';', ')']));
        option.is_empty() || words.any(|word| word == option)
    };
    let mut missing = Vec::new();
    for command in names(&arqway(&["--help"]), "Commands:\n", |_| true) {
        if command == "help" {
            continue;
        }
        let options = names(&arqway(&[&command, "--help"]), "Options:\n", |name| name.starts_with("--"));
        let options = options.into_iter().filter(|option| option != "--help").chain(["".to_owned()]);
        missing.extend(options.filter(|option| !uses(&command, option)).map(|option| format!("{command} {option}")));
    }
    assert!(missing.is_empty(), "no bad input for {}", missing.join(", "));
}

/// The names in a list of the help: commands, or options without what follows them.
fn names(help: &Output, list: &str, is_one: impl Fn(&str) -> bool) -> Vec<String> {
    let (_, list) = text(&help.stdout).split_once(list).expect("a list");
    let lines = list.lines().take_while(|line| line.is_empty() || line.starts_with(' '));
    let lines = lines.filter(|line| !line.starts_with("          "));
    lines
        .filter_map(|line| line.split([' ', ',']).find(|word| !word.is_empty() && is_one(word)))
        .map(str::to_owned)
        .collect()
}

fn pages() -> BTreeMap<String, Page> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_inputs");
    let read = |path: &Path| toml::from_str(&fs::read_to_string(path).expect("a page"));
    let paths = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let page = |path: &Path| read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    paths.map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), page(&path))).collect()
}

impl Case {
    fn told(&self) -> String {
        self.with.iter().map(|with| format!("{with}\n")).collect::<String>() + &self.run
    }

    fn holds(&self, number: usize, page: &Page) -> Result<(), String> {
        let folder = Folder::new(&format!("bad-{number}"));
        for (name, text) in page.files.iter().chain(&self.files) {
            folder.write(name, text);
        }
        if let Some(with) = &self.with {
            folder.write("x.toml", &page.template.replace("{}", with));
        }
        let before = folder.paths();
        let output = self.output(&folder);
        let (said, printed) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
        let code = output.status.code();
        let mut wrong = Vec::new();
        let mut must = |holds: bool, what: String| wrong.extend((!holds).then_some(what));
        must(code == Some(self.exit), format!("exit code {code:?}, not {}", self.exit));
        must(
            self.exit == 0 || self.at.is_some() && self.says.is_some(),
            "the case names no place and no words".to_owned(),
        );
        for words in [&self.at, &self.says, &self.hint].into_iter().flatten() {
            must(said.contains(words.as_str()), format!("stderr has no {words:?}"));
        }
        self.prints.iter().for_each(|words| must(printed.contains(words.as_str()), format!("stdout has no {words:?}")));
        must(self.prints.is_some() || self.exit != 2 || printed.is_empty(), format!("it printed {printed:.200}"));
        must(!said.contains("panicked"), "it panicked".to_owned());
        let keys = page.files.iter().filter(|(name, _)| name.ends_with(".key"));
        let parts = keys.flat_map(|(_, key)| key.trim().as_bytes().windows(16)).map(String::from_utf8_lossy);
        let is_key = |word: &str| word.parse::<arqway_session::PresharedKey>().is_ok();
        let mut words = said.split(|c: char| !(c.is_ascii_alphanumeric() || "+/=".contains(c)));
        must(!words.any(is_key) && !parts.into_iter().any(|part| said.contains(&*part)), "it shows a key".to_owned());
        let obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
        must(!said.contains(obeyed) && !printed.contains(obeyed), "a terminal would obey this".to_owned());
        let longest = said.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        must(longest <= LONGEST_LINE, format!("a line of {longest} characters"));
        let length = output.stdout.len() + output.stderr.len();
        must(length <= self.kilobytes * 1000, format!("{length} octets of output"));
        must(self.writes || folder.paths() == before, format!("it left {:?}", folder.paths()));
        if wrong.is_empty() { Ok(()) } else { Err(format!("{}\n{said:.1500}", wrong.join("\n"))) }
    }

    fn output(&self, folder: &Folder) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_arqway")).parent().expect("a folder");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [program.to_path_buf()].into_iter().chain(std::env::split_paths(&path));
        let mut shell = Command::new("timeout");
        shell.args(["--kill-after=1", SECONDS, "sh", "-c", &format!("{LIMITS}\n{}", self.run)]).current_dir(&folder.0);
        // Each thread of the C library reserves memory of its own, of which little is used: two are enough to count it.
        shell.env("PATH", std::env::join_paths(folders).expect("a path")).env("MALLOC_ARENA_MAX", "2");
        shell.output().expect("a shell")
    }
}
