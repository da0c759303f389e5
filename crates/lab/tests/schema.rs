//! The schemas that editors get: they take every file that the reader takes, refuse what it refuses, and offer every
//! setting there is.

use arqway_config::{Source, read_source};
use arqway_lab::experiment::{Effort, Experiment, GRAMMARS};
use arqway_lab::schema;
use arqway_sim::Scenario;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_file_in_the_repository_meets_its_schema() {
    let (experiment, scenario) = (Checker::new(schema::experiment()), Checker::new(schema::scenario()));
    for (folder, checker) in [("experiments", &experiment), ("scenarios", &scenario)] {
        let files = files(&repository().join(folder));
        assert!(!files.is_empty());
        for path in files {
            let text = fs::read_to_string(&path).expect("a file");
            checker.check(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }
    let page = include_str!("../../../docs/experiments.md");
    let example = page.split_once("```toml\n").and_then(|(_, rest)| rest.split_once("```")).expect("an example").0;
    experiment.check(example).unwrap_or_else(|error| panic!("docs/experiments.md: {error}"));
}

/// An experiment with a bit of everything, and two lines to be swapped for others.
const RIGHT: &str = r#"
[experiment]
id = "a-bit-of-everything"
replications = 3

[scenario]
base = "monet08"
[scenario.set]
"media.enabled" = true
SET

[sweep]
"wireless.rate" = ["64 kbit/s", "128 kbps"]

[[scheme]]
SCHEME

[[figure]]
id = "throughput"
x = "wireless.rate"
y = "file-transfer.throughput"
"#;

fn with(set: &str, scheme: &str) -> String {
    RIGHT.replace("SET", set).replace("SCHEME", scheme)
}

#[test]
fn what_the_reader_takes_the_schema_takes() {
    let sets = [
        r#""wireless.errors" = "none""#,
        r#""wireless.errors" = { kind = "none" }"#,
        r#""wireless.errors" = "listed""#,
        r#""wireless.errors" = { kind = "two-state", bad = "100 ms", good-bit-errors = 1e-7 }"#,
        r#""wireless.errors" = { kind = "four-state", good = { short = "1 s", long = "9 s", long-share = 0.5 }, bad = { short = "10 ms", long = "1 s", long-share = "5 %" } }"#,
        r#""wireless.errors" = { kind = "uniform", loss = 0.054 }"#,
        r#""wireless.errors" = { kind = "bit", distance = "16384 octets" }"#,
        r#""wireless.errors" = { kind = "trace", losses = "0*31 1*4 0 1", at-end = "no-more-losses" }"#,
        r#""wireless.down.rate" = { kind = "trace", steps = [{ for = "10 s", rate = "0 bit/s" }, { for = "1 s", rate = "64 kbit/s" }] }"#,
        r#""wireless.up" = { rate = "16 kbit/s", jitter = { kind = "exponential", mean = "5 ms" } }"#,
        r#""services.selective-repeat.estimator.smoothing.arithmetic" = { kind = "integer", srtt-bits = 0 }"#,
        r#""wireless.errors" = { kind = "uniform", loss = "0.054" }"#,
        r#""wireless.queue" = { packets = 3 }"#,
        r#""wireless.queue" = { kind = "drop-tail" }"#,
        r#""wireless.queue.packets" = 3"#,
        r#"wireless = { delay = "0.25s", queue = { packets = 3 } }"#,
        r#"wireless.delay = "2 min""#,
        r#""link-layer.classes.0.service" = { kind = "selective-repeat", window = 8 }"#,
        r#""link-layer.classes" = [{ protocol = "47", service = "raw" }]"#,
        r#""link-layer.classes" = [{ protocol = 17, port = "5004-5020", with = "default" }]"#,
        r#""link-layer.classes" = [{ name = "voice", ds = "ef", flow-label = 7, service = "raw" }, { ds = 34, source = "2001:db8::/32", destination-port = 53, source-port = "1", with = "voice" }]"#,
        r#""link-layer" = { scheduler = "scfq", classes = [{ source = "10.0.0.0/8", service = "raw", rate = "20 %" }, { destination = "10.0.0.1", with = "default", rate = "8 kbit/s" }] }"#,
        r#""link-layer.scheduler" = { kind = "scfq", rates = { kind = "measured", interval = "2 s" } }"#,
        r#""link-layer.scheduler" = { kind = "scfq", rates = "measured" }"#,
        r#""link-layer.table" = { kind = "best-effort", reliable = "selective-repeat" }"#,
        r#""link-layer" = { scheduler = "scfq", table = { kind = "differentiated-services", low-delay = "raw", subclass-bit = 5, allocations = [{ ds = "af41", rate = "10 %" }] } }"#,
        r#""services.selective-repeat.timeout" = { kind = "adaptive", srtt = 3, srttvar = 2.5 }"#,
        r#""services.selective-repeat.estimator.initial-timeout" = "3_000 ms""#,
        r#""tcp.profile" = "ns235-minrto1""#,
        r#"headers = "on-top""#,
    ];
    let schemes = [
        r#"use = "sr:0.9""#,
        r#"use = "asr:3+2""#,
        "use = \"raw\"\nlabel = \"nothing\"",
        "label = \"SR\"\nservice = \"selective-repeat\"",
        "label = \"SR\"\nservice = { kind = \"selective-repeat\", timeout = \"0.3 s\", rejects = \"each-once\" }",
    ];
    let checker = Checker::new(schema::experiment());
    let texts = sets.map(|set| with(set, r#"use = "sr""#)).into_iter().chain(schemes.map(|scheme| with("", scheme)));
    for text in texts {
        reader(&text).unwrap_or_else(|mistakes| panic!("the reader: {mistakes}"));
        checker.check(&text).unwrap_or_else(|error| panic!("{text}\nthe schema: {error}"));
    }
}

/// What `set` may not say.
const WRONG_SETS: &[&str] = &[
    r#""media.enable" = true"#,
    r#""wireless.errors" = "unform""#,
    r#""wireless.errors" = "uniform""#,
    r#""wireless.errors" = { kind = "none", loss = "5.4 %" }"#,
    r#""wireless.errors" = { kind = "uniform", bad = "1 s" }"#,
    r#""wired.rate" = 64"#,
    r#""wired.rate" = "64""#,
    r#""wired.rate" = "64 kbit""#,
    r#""wireless.delay" = "64 kbit/s""#,
    r#""wireless.delay" = "-1 ms""#,
    r#""file-transfer.size" = "10 MiB""#,
    r#""wireless.errors" = { kind = "uniform", loss = 5.4 }"#,
    r#""wireless.errors" = { kind = "trace", losses = "0*31 2" }"#,
    r#""wireless.errors" = { kind = "trace", losses = { path = "walk.losses" } }"#,
    r#""wireless.up.rate" = { kind = "trace", steps = [] }"#,
    r#""wireless.up.rate" = { kind = "trace", steps = [{ for = "10 s", rate = "0" }] }"#,
    r#""wireless.up" = { charge-tag = false }"#,
    r#""wireless.jitter" = { kind = "uniform", mean = "5 ms" }"#,
    r#""wireless.queue" = { kind = "drop-tail", packets = 0 }"#,
    r#""wireless.queue" = { kind = "drop-tail", packet = 3 }"#,
    r#"wireless = { rat = "64 kbit/s" }"#,
    r#""services.selective-repeat.window" = 129"#,
    r#""services.selective-repeat.timeout" = { kind = "adaptive", srtt = 3000, srttvar = 2 }"#,
    r#""tcp.maximum-window" = 40000"#,
    r#""link-layer.classes" = [{ protocol = "tpc", service = "raw" }]"#,
    r#""link-layer.classes" = [{ protocol = "300", service = "raw" }]"#,
    r#""link-layer.classes" = [{ port = 70000, service = "raw" }]"#,
    r#""link-layer.classes" = [{ port = "http", service = "raw" }]"#,
    r#""link-layer.classes" = [{ ds = "af14", service = "raw" }]"#,
    r#""link-layer.classes" = [{ ds = 64, service = "raw" }]"#,
    r#""link-layer.classes" = [{ flow-label = 1048576, service = "raw" }]"#,
    r#""link-layer.classes" = [{ source = "somewhere", service = "raw" }]"#,
    r#""link-layer.classes" = [{ prot = "udp", service = "raw" }]"#,
    r#""link-layer" = { scheduler = "scfq", classes = [{ ds = "ef", service = "raw", rate = "20" }] }"#,
    r#""link-layer.scheduler" = "fair""#,
    r#""link-layer.scheduler" = { kind = "scfq", rates = { kind = "measured", every = "2 s" } }"#,
    r#""link-layer.table" = { kind = "best-effort", subclass-bit = 0 }"#,
    r#""link-layer.table" = { kind = "differentiated-services", subclass-bit = 6 }"#,
    r#"headers = "ontop""#,
];

/// What is not a scheme.
const WRONG_SCHEMES: &[&str] = &[
    r#"use = "hdlc""#,
    r#"use = "sr:""#,
    r#"use = "asr:3""#,
    "use = \"sr\"\nservice = \"raw\"",
    r#"service = "raw""#,
    r#"label = "nothing""#,
    "label = \"SR\"\nservice = { kind = \"selective-repeat\", timer-start = \"start\" }",
    "label = \"SR\"\nservice = { timeout = \"1 s\" }",
];

/// What may not stand instead of what stands in the right one.
const WRONG_SWAPS: &[(&str, &str)] = &[
    ("id = \"a-bit-of-everything\"\n", ""),
    ("a-bit-of-everything", "../up"),
    ("replications = 3", "replications = 0"),
    ("replications = 3", "replication = 3"),
    ("base = \"monet08\"", "base = \"monet80\""),
    ("[[scheme]]\nuse = \"sr\"\n", ""),
    ("[\"64 kbit/s\", \"128 kbps\"]", "[]"),
    ("[\"64 kbit/s\", \"128 kbps\"]", "[\"64 kbit/s\", \"fast\"]"),
    ("[\"64 kbit/s\", \"128 kbps\"]", "\"64 kbit/s\""),
    ("[\"64 kbit/s\", \"128 kbps\"]", "[{ point = 1 }]"),
    ("\"wireless.rate\" = [", "\"wireless.rates\" = ["),
    ("\"wireless.rate\" = [", "\"wired.delay\" = [\"1 s\"]\n\"wireless.rate\" = ["),
    ("x = \"wireless.rate\"", "x = \"rate\""),
    ("file-transfer.throughput", "file-transfer.speed"),
    ("[[figure]]", "[figure]"),
    ("[[figure]]", "[[figures]]"),
];

#[test]
fn what_the_schema_refuses_the_reader_refuses() {
    let sr = r#"use = "sr""#;
    let right = with("", sr);
    let checker = Checker::new(schema::experiment());
    checker.check(&right).unwrap_or_else(|error| panic!("the schema: {error}"));
    let sets = WRONG_SETS.iter().map(|set| with(set, sr));
    let schemes = WRONG_SCHEMES.iter().map(|scheme| with("", scheme));
    let swapped = WRONG_SWAPS.iter().map(|(from, to)| {
        assert!(right.contains(from), "{from}");
        right.replacen(from, to, 1)
    });
    for text in sets.chain(schemes).chain(swapped) {
        assert!(reader(&text).is_err(), "the reader takes it:\n{text}");
        assert!(checker.check(&text).is_err(), "the schema takes it:\n{text}");
    }
}

#[test]
fn every_setting_is_offered_with_what_it_means() {
    let schema = schema::experiment();
    let offered = offered(&schema);
    for (path, default) in settings(&Scenario::default()) {
        let setting = offered.get(&path).unwrap_or_else(|| panic!("`{path}` is not offered"));
        let meaning = setting["description"].as_str().unwrap_or_else(|| panic!("`{path}` is not explained: {setting}"));
        assert!(!meaning.contains(['[', '\n']), "`{path}` is explained to those who read the code: {meaning}");
        // Where a table has no defaults of its own, it has one as a whole: `wired.queue`.
        let table = path.rsplit_once('.').and_then(|(table, _)| offered.get(table));
        let shown = [Some(setting), table].into_iter().flatten().any(|shown| shown.get("default").is_some());
        assert!(default.is_null() || shown, "`{path}` has a default: {default}");
    }
    for path in ["wireless.errors.loss", "wireless.errors.bad", "wireless.queue.packets", "wireless", "link-layer"] {
        assert!(offered.contains_key(path), "`{path}` is not offered");
    }
}

#[test]
fn the_defaults_shown_are_the_defaults() {
    let schema = schema::experiment();
    let known: Vec<String> = settings(&Scenario::default()).into_iter().map(|(path, _)| path).collect();
    let of_the_default_world = |path: &str| {
        known.iter().any(|leaf| leaf.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    };
    let shown: Vec<(&String, &Value)> = offered(&schema)
        .iter()
        .filter_map(|(path, setting)| Some((path, setting.get("default")?)))
        // The others stand below a kind that is not the default one, or need it named beside them.
        .filter(|(path, _)| of_the_default_world(path) && !path.starts_with("link-layer.service."))
        .collect();
    assert!(shown.len() > 30, "{}", shown.len());
    for (path, default) in shown {
        let text = format!("{path} = {}", toml::Value::try_from(default).expect("what TOML can write"));
        let scenario = read_source::<Scenario>(&Source::new("default.toml", text.as_str()), GRAMMARS);
        assert_eq!(scenario.unwrap_or_else(|mistakes| panic!("{mistakes}")), Scenario::default(), "{text}");
    }
}

#[test]
fn the_schemas_in_the_documentation_are_those_that_the_command_prints() {
    for (name, schema) in [("experiment", schema::experiment()), ("scenario", schema::scenario())] {
        let path = repository().join(format!("docs/schema/{name}.json"));
        let kept = fs::read_to_string(&path).unwrap_or_default();
        let same = kept == schema::to_text(&schema);
        assert!(same, "out of date: cargo run -p arqway -- schema {name} > docs/schema/{name}.json");
    }
}

#[test]
fn every_setting_that_the_page_on_experiments_names_is_one() {
    let page = fs::read_to_string(repository().join("docs/experiments.md")).expect("the page");
    let table =
        page.split_once("\n## The scenario\n").and_then(|(_, rest)| rest.split("\n## ").next()).expect("its table");
    let schema = schema::experiment();
    let known: Vec<&str> = schema["$defs"]["Path"]["anyOf"][0]["enum"]
        .as_array()
        .expect("paths")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let first_cells = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let named: Vec<&str> = first_cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    assert!(named.len() > 20, "{named:?}");
    for name in named {
        assert!(known.contains(&name), "docs/experiments.md names `{name}`, which is not a setting");
    }
}

/// A schema at work.
struct Checker {
    schemas: boon::Schemas,
    index: boon::SchemaIndex,
}

impl Checker {
    fn new(schema: Value) -> Self {
        let (mut compiler, mut schemas) = (boon::Compiler::new(), boon::Schemas::new());
        compiler.add_resource("arqway.json", schema).expect("a resource");
        let index = compiler.compile("arqway.json", &mut schemas).unwrap_or_else(|error| panic!("{error:#}"));
        Self { schemas, index }
    }

    fn check(&self, text: &str) -> Result<(), String> {
        let value: Value = toml::from_str(text).expect("TOML");
        self.schemas.validate(&value, self.index).map_err(|error| format!("{error:#}"))
    }
}

fn reader(text: &str) -> Result<(), String> {
    let read = Experiment::read(&Source::new("any.toml", text), Path::new(""), Effort::Full);
    read.map(drop).map_err(|mistakes| format!("{mistakes}\n{text}"))
}

/// The settings that `set` offers, by their paths.
fn offered(schema: &Value) -> &Map<String, Value> {
    schema["$defs"]["Settings"]["properties"].as_object().expect("settings")
}

/// Every setting by its path, with its value; a kind is no part of a path.
fn settings(scenario: &Scenario) -> Vec<(String, Value)> {
    let mut settings = Vec::new();
    let mut todo = vec![(String::new(), json!(scenario))];
    while let Some((path, value)) = todo.pop() {
        let kinds = ["raw", "back-pressured"];
        match value {
            Value::Object(map) => {
                let kind = map.keys().next().filter(|name| map.len() == 1 && kinds.contains(&name.as_str()));
                if let Some(kind) = kind {
                    let inner = map[kind].as_object().expect("its settings");
                    settings.extend(inner.keys().map(|key| (format!("{path}.{key}"), Value::Null)));
                    settings.push((path, json!(kind)));
                    continue;
                }
                let below = |key: &String| if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                todo.extend(map.iter().map(|(key, value)| (below(key), value.clone())));
            }
            leaf => settings.push((path, leaf)),
        }
    }
    settings
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The TOML files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
    found
}
