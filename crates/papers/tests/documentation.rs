//! What the documentation shows in TOML can be read: experiments, worlds, settings, claims' conditions, questions.
//!
//! A page shows whole files and pieces of them, so each block has to make sense in one of the places in which a reader would put
//! it. A block whose first line names a file, `# my-world.toml`, is that file for the rest of the page.

use arqway_config::Source;
use arqway_lab::experiment::scenarios;
use arqway_lab::experiment::{Effort, Experiment};
use arqway_papers::sensitivity;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_block_of_toml_in_the_documentation_can_be_read() {
    let (mut wrong, mut blocks) = (Vec::new(), 0);
    for path in pages() {
        let text = fs::read_to_string(&path).expect("a page");
        let folder = Folder::new(&path);
        for block in toml_blocks(&text) {
            blocks += 1;
            if let Some(name) = file_name(block) {
                fs::write(folder.0.join(name), block).expect("a folder of our own");
            }
            // Two ways to write one thing, one below the other.
            for block in block.split("\n# or\n") {
                if let Err(why) = reads(block, &folder.0) {
                    wrong.push(format!("{}:\n{block}\n{why}", path.display()));
                }
            }
        }
    }
    assert!(blocks > 20, "{blocks} blocks");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_is_wrong_in_a_block_is_seen() {
    let folder = Folder::new(Path::new("wrong"));
    for wrong in [
        "[wireless]\nrate = \"2 Mbit\"\n",
        "[wireles]\nrate = \"2 Mbit/s\"\n",
        "\"wireless.jitter\" = { kind = \"poisson\" }\n",
        "[sweep]\n\"wireless.errors.los\" = [\"1 %\"]\n",
        "[[parameter]]\nname = \"TCP\"\nsilet = \"its window\"\n",
        "[experiment]\nid = \n",
    ] {
        assert!(reads(wrong, &folder.0).is_err(), "{wrong}");
    }
}

/// The README and every page.
fn pages() -> Vec<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut pages, mut folders) = (vec![project.join("README.md")], vec![project.join("docs")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

fn toml_blocks(page: &str) -> impl Iterator<Item = &str> {
    page.split("\n```toml\n").skip(1).filter_map(|rest| rest.split("\n```").next())
}

/// `# my-world.toml`
fn file_name(block: &str) -> Option<&str> {
    block.lines().next()?.strip_prefix("# ").filter(|name| name.ends_with(".toml") && !name.contains([' ', '/']))
}

/// Whether a block can be read in one of the places where it may belong; else what the likeliest place says.
fn reads(block: &str, folder: &Path) -> Result<(), String> {
    let experiment = |text: &str| {
        let read = Experiment::read(&Source::new("block.toml", text), folder, Effort::Full);
        read.map(drop).map_err(|mistakes| mistakes.to_string())
    };
    if block.contains("[[parameter]]") {
        return questions(block);
    }
    // A tunnel's settings, which the tunnel's own tests read.
    if block.contains("private-key = ") {
        return Ok(());
    }
    let (header, scheme) = ("[experiment]\nid = \"block\"\n", "\n[[scheme]]\nuse = \"raw\"\n");
    let has = |table: &str| block.lines().any(|line| line.trim() == table);
    let begins = if has("[experiment]") { "" } else { header };
    let ends = if has("[[scheme]]") { "" } else { scheme };
    // Examples set megabits aside.
    let link = if has("[wireless]") { "" } else { "\n[wireless]\nrate = \"10 Mbit/s\"\n" };
    let world = |text: &str| {
        fs::write(folder.join("world-of-a-block.toml"), format!("{text}{link}")).expect("a folder of our own");
        experiment(&format!("{header}[scenario]\nbase = \"world-of-a-block.toml\"\n{scheme}"))
    };
    let whole = experiment(&format!("{begins}{block}{ends}"));
    let places = [
        whole.clone(),
        world(block),
        // Keys of a table that the text has named.
        world(&format!("[link-layer]\nservice = \"raw\"\n{block}\n")),
        experiment(&format!("{header}[scenario.set]\n{block}\n{scheme}")),
    ];
    if places.iter().any(Result::is_ok) || is_condition(block) {
        return Ok(());
    }
    whole
}

/// Of monet08, whose world the examples question.
fn questions(block: &str) -> Result<(), String> {
    let scenario = scenarios::scenario("monet08").expect("it is built in");
    let read = sensitivity::read(&Source::new("block.toml", block), &scenario);
    read.map(drop).map_err(|mistakes| mistakes.to_string())
}

/// A part of a claim, which stands in a file of a paper's claims.
fn is_condition(block: &str) -> bool {
    block.starts_with("holds = ") && block.parse::<toml::Table>().is_ok()
}

/// Where the files of a page lie, with the recordings that examples name.
struct Folder(PathBuf);

impl Folder {
    fn new(page: &Path) -> Self {
        let name = page.file_stem().expect("a name").to_string_lossy();
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("documentation-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder of our own");
        let log = "direction,frame,octets,offered_s,start_s,arrival_s,copy_s,fate,lateness_s\ndown,0,250,0,0,,,lost,\n";
        let recordings = [
            ("walk.losses", "0*31 1"),
            ("walk.csv", log),
            ("drive.rates", "10 s, 384 kbit/s"),
            ("drive.delays", "15 s, 22 ms"),
            ("Verizon-LTE-short.down", "1\n4\n"),
        ];
        for (name, text) in recordings {
            fs::write(path.join(name), text).expect("a folder of our own");
        }
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left behind lies in the build's own folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}
