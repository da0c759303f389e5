//! The whole of an advice: the link is looked at, the default service is raced, then that of each class.
//!
//! Classes are decided one after the other, in the order in which the world has them, each with the services that were chosen
//! before: greedy, so two classes cost two races and not their product. Each is judged by all applications, since what one class
//! sends the others have to wait for.

use super::advice::{Advice, AdviseError, Caution, Stage};
use super::candidates::{Candidate, candidates};
use super::length::{Length, Losses, whole};
use super::lines::try_second;
use super::link::Link;
use super::question::{Question, text_node};
use super::race::{Ended, FIRST, Limits, Race, Verdict};
use super::second::SecondLine;
use super::trial::{Entry, Trial};
use super::watcher::Watcher;
use super::world::{Carrier, Class, inline, link_layer_text, shortened, stages, value, written_service};
use arqway_config::{Mistakes, Node};
use arqway_lab::experiment::Experiment;
use arqway_lab::results::rows::Row;
use arqway_lab::run::plan::{Plan, Request};
use arqway_lab::run::{Results, run};

/// Events of all races together: half a minute of two cores.
const EVENTS: u64 = 250_000_000;
/// Fewer losses than this in all runs of the best are few to judge by.
const FEW_LOSSES: f64 = 30.0;

/// Races all candidates. `most` is how many replications each has at most. What a second line would bring is tried where there is one.
///
/// # Errors
/// What keeps it from an advice.
pub fn advise(
    question: Question,
    second: Option<&SecondLine>,
    most: u32,
    watcher: &Watcher<'_>,
) -> Result<Advice, AdviseError> {
    let link = Link::of(&question.scenario);
    let losses = look(&question, &link, watcher)?;
    let length = Length::of(&question, &link, losses, 1);
    let mut advisor = Advisor {
        candidates: candidates(&link),
        world: shortened(&question.world, &length),
        full: question.world.clone(),
        chosen: written_service(&question.world),
        limits: Limits { replications: most, events: EVENTS },
        question: &question,
        watcher,
        rows: Vec::new(),
        results: Vec::new(),
        cautions: Vec::new(),
        confirm: Vec::new(),
    };
    let stages = stages(&question.world, link.has_tcp && question.scenario.media.enabled);
    // The default service is for TCP, then: one that suits media, too, would be no match for two.
    for class in stages.iter().flatten().filter(|class| class.is_new) {
        let raw = Carrier::Service(RAW.to_owned());
        class.set(&raw, &mut advisor.world);
        class.set(&raw, &mut advisor.full);
    }
    let used = stages.iter().map(|class| advisor.is_used(class.as_ref())).collect::<Result<Vec<_>, _>>()?;
    advisor.limits.events = EVENTS / used.iter().filter(|used| **used).count().max(1) as u64;
    let mut decided = Vec::new();
    for (class, is_used) in stages.into_iter().zip(used) {
        decided.extend(advisor.decide(class, is_used)?);
        if watcher.stop.is_requested() {
            break;
        }
    }
    if decided.is_empty() {
        return Err(AdviseError::Nothing);
    }
    let is_dead = |stage: &Stage| stage.ended == Ended::NothingArrived;
    if decided.iter().any(is_dead) && decided.iter().all(|stage| stage.standings.is_empty()) {
        return Err(AdviseError::Dead(losses));
    }
    let (confirm, link_layer) = (advisor.confirm_text(), advisor.link_layer(&decided));
    let Advisor { mut rows, mut results, mut cautions, .. } = advisor;
    cautions.extend(of_the_world(&link));
    if watcher.stop.is_requested() && !cautions.contains(&Caution::Stopped) {
        cautions.push(Caution::Stopped);
    }
    let second = match second.filter(|_| !watcher.stop.is_requested()) {
        Some(second) => {
            let (second, of_lines, ran) = try_second(&question, &link, losses, second, watcher)?;
            rows.extend(of_lines);
            results.push(ran);
            Some(second)
        }
        None => None,
    };
    Ok(Advice { link, losses, stages: decided, link_layer, cautions, rows, results, second, confirm, question })
}

impl Advice {
    /// All candidates for the packets of no class, as an experiment whose runs are so many times as long as those of the
    /// advice, as far as the file allows: what the advice is to be held against.
    ///
    /// # Errors
    /// As [`advise`] has for the same candidates.
    pub fn experiment_of_all(&self, replications: u32, seed: u64, times: u64) -> Result<Experiment, Mistakes> {
        let world = shortened(&self.question.world, &Length::of(&self.question, &self.link, self.losses, times));
        let candidates = candidates(&self.link);
        let entries = candidates.iter().map(|one| Entry::of_no_class(&one.label, &one.service));
        let trial = Trial {
            id: &self.question.name,
            title: &self.question.name,
            replications,
            seed,
            world: &world,
            entries: &entries.collect::<Vec<_>>(),
            applications: &self.question.applications,
        };
        trial.experiment()
    }
}

/// Measures the errors of the link with frames of the longest packets.
fn look(question: &Question, link: &Link, watcher: &Watcher<'_>) -> Result<Option<Losses>, AdviseError> {
    let mut world = question.world.clone();
    for path in ["file-transfer", "tcp-bulk", "web", "media", "channel"] {
        let enabled = Node::new(path == "channel", text_node("").origin);
        world.set_path(&format!("{path}.enabled"), enabled);
    }
    world.set_path("channel.packet", text_node(&link.packet.to_string()));
    world.set_path("channel.duration", text_node(&(link.frame * link.look()).to_string()));
    world.set_path("link-layer.service", text_node("raw"));
    let entries = [Entry::of_no_class("look", "\"raw\"")];
    let trial = Trial {
        id: "look",
        title: "",
        replications: 1,
        seed: question.seed,
        world: &world,
        entries: &entries,
        applications: &[],
    };
    let experiment = trial.experiment().map_err(AdviseError::Candidates)?;
    let plan = Plan::new(vec![experiment], &Request::default())?;
    let rows = run(&plan, watcher.jobs, watcher.stop, || ())?.rows(&plan, 0);
    let found = |metric: &str| rows.iter().find(|row| &*row.metric == metric).map(|row| row.value);
    Ok(found("loss").map(|share| Losses { share, run: found("burst").unwrap_or(1.0) }))
}

struct Advisor<'a> {
    question: &'a Question,
    watcher: &'a Watcher<'a>,
    candidates: Vec<Candidate>,
    limits: Limits,
    /// The world of the races: with the services of classes that were chosen.
    world: Node,
    /// The same at the file's own lengths.
    full: Node,
    /// The service chosen for the packets of no class.
    chosen: String,
    rows: Vec<Row>,
    results: Vec<Results>,
    cautions: Vec<Caution>,
    /// What is left to confirm.
    confirm: Vec<Entry>,
}

impl Advisor<'_> {
    /// Races the candidates for one decision; nothing if it was stopped before each had a run.
    fn decide(&mut self, class: Option<Class>, is_used: bool) -> Result<Option<Stage>, AdviseError> {
        let entries = self.entries(class.as_ref());
        let class_name = class.as_ref().map(|class| class.name.clone());
        let names = entries.iter().map(|entry| (entry.name.clone(), entry.tried())).collect();
        if !is_used {
            return Ok(Some(Stage { class: class_name, standings: Vec::new(), ended: Ended::Alike, names }));
        }
        let mut plan = self.plan(&self.world, &entries, FIRST.min(self.limits.replications))?;
        let service = |entry: &Entry| entries.iter().position(|first| first.family() == entry.family());
        let services = entries.iter().filter_map(service).collect();
        let mut race = Race::new(&mut plan, services, &self.question.applications, self.limits);
        let ended = race.run(self.watcher)?;
        if ended == Ended::NothingArrived {
            let results = race.into_results();
            self.rows.extend(results.rows(&plan, 0));
            self.results.push(results);
            return Ok(Some(Stage { class: class_name, standings: Vec::new(), ended, names }));
        }
        let standings = race.standings();
        if standings.len() < entries.len() {
            return Ok(None);
        }
        let (seen, cut) = (race.losses_seen(standings[0].entry), race.cut(standings[0].entry));
        let results = race.into_results();
        self.rows.extend(results.rows(&plan, 0));
        self.results.push(results);
        let stage = Stage { class: class_name, standings, ended, names };
        self.warn(&stage, seen, cut);
        self.take(&stage, &entries);
        Ok(Some(stage))
    }

    /// All that is tried for a decision: what the file has first, since of equals the first is taken.
    fn entries(&self, class: Option<&Class>) -> Vec<Entry> {
        let others = self.candidates.iter().map(|one| (one.label.as_str(), one.service.as_str()));
        let Some(class) = class else {
            let written = Some((AS_WRITTEN, self.chosen.as_str())).filter(|(_, service)| *service != "\"raw\"");
            return written
                .into_iter()
                .chain(others)
                .map(|(name, service)| Entry::of_no_class(name, service))
                .collect();
        };
        let written = self.world.get_path(&class.service_path()).filter(|_| !class.is_new).map(inline);
        let written = written.as_deref().map(|service| (AS_WRITTEN, service));
        let entry = |name: String, carrier: Carrier| Entry {
            label: format!("{}: {name}", class.name),
            name,
            service: self.chosen.clone(),
            class: Some((class.clone(), carrier)),
        };
        let together = class.is_new.then(|| entry(TOGETHER.to_owned(), Carrier::Default));
        let services = written.into_iter().chain(others);
        let services = services.map(|(name, service)| entry(name.to_owned(), Carrier::Service(service.to_owned())));
        let in_tables = self.candidates.iter().filter(|one| class.is_new && is_for_tables(&one.label));
        let tables = in_tables.map(|one| {
            let (low_delay, reliable) = (one.service.clone(), self.chosen.clone());
            entry(format!("{TABLE}, {}", one.label), Carrier::Table { low_delay, reliable })
        });
        together.into_iter().chain(services).chain(tables).collect()
    }

    /// Whether any traffic is carried by what is to be decided: with another service, which sends frames of its own, the
    /// applications would see something else. On a link without errors: where nothing arrives, all services look alike.
    fn is_used(&self, class: Option<&Class>) -> Result<bool, AdviseError> {
        let entries = self.entries(class);
        let probes = entries.iter().filter(|entry| PROBES.contains(&entry.name.as_str()));
        let probes: Vec<Entry> = probes.cloned().collect();
        let mut world = self.world.clone();
        for path in ["wireless.errors", "wireless.down.errors", "wireless.up.errors"] {
            if world.get_path(path).is_some() {
                world.set_path(path, text_node("none"));
            }
        }
        let plan = self.plan(&world, &probes, 1)?;
        let Watcher { jobs, stop, .. } = *self.watcher;
        let rows = run(&plan, jobs, stop, || ())?.rows(&plan, 0);
        let of = |index: usize| {
            let scheme = plan.experiments.first().and_then(|experiment| experiment.schemes.get(index));
            let of_scheme = |row: &&Row| scheme.is_some_and(|scheme| *row.scheme == *scheme.name);
            rows.iter().filter(of_scheme).map(|row| row.value.to_bits()).collect::<Vec<_>>()
        };
        Ok(of(0) != of(1) || rows.is_empty())
    }

    fn plan(&self, world: &Node, entries: &[Entry], replications: u32) -> Result<Plan, AdviseError> {
        let trial = Trial {
            id: &self.question.name,
            title: &self.question.name,
            replications,
            seed: self.question.seed,
            world,
            entries,
            applications: &self.question.applications,
        };
        let experiment = trial.experiment().map_err(AdviseError::Candidates)?;
        Ok(Plan::new(vec![experiment], &Request::default())?)
    }

    /// What is to be known of a decision.
    fn warn(&mut self, stage: &Stage, seen: f64, (cut, runs): (usize, usize)) {
        let others = stage.standings.iter().filter(|one| one.verdict == Verdict::NotTold).count();
        if others > 0 {
            self.cautions.push(Caution::NotTold { class: stage.class.clone(), others });
        }
        let has_errors = !self.question.scenario.wireless.named_errors().is_free_of_errors();
        if stage.class.is_none() && has_errors && seen < FEW_LOSSES {
            self.cautions.push(Caution::FewLosses(whole(seen)));
        }
        if stage.ended == Ended::Stopped {
            self.cautions.push(Caution::Stopped);
        }
        if cut > 0 && stage.class.is_none() {
            self.cautions.push(Caution::Cut(cut, runs));
        }
    }

    /// What follows from a decision for those after it.
    fn take(&mut self, stage: &Stage, entries: &[Entry]) {
        let Some(best) = stage.standings.first().map(|best| &entries[best.entry]) else { return };
        let leaders: Vec<Entry> = stage.leaders().map(|standing| entries[standing.entry].clone()).collect();
        let plain = entries.iter().find(|entry| entry.name == PROBES[0]).filter(|raw| !leaders.contains(raw));
        self.confirm.extend(leaders.iter().chain(plain).cloned());
        match &best.class {
            Some((class, carrier)) => {
                class.set(carrier, &mut self.world);
                class.set(carrier, &mut self.full);
            }
            None => self.chosen.clone_from(&best.service),
        }
    }

    /// The link layer with all that was decided, as files have it, where that is more than one service.
    fn link_layer(&self, decided: &[Stage]) -> Option<String> {
        decided.iter().any(|stage| stage.class.is_some()).then(|| {
            let mut told = self.full.clone();
            told.set_path("link-layer.service", value(&self.chosen).unwrap_or_else(|| text_node("raw")));
            link_layer_text(&told)
        })
    }

    /// The leaders again, at the file's own lengths, from another seed.
    fn confirm_text(&self) -> String {
        let trial = Trial {
            id: &format!("{}-confirm", self.question.name),
            title: &format!("{}: does the advice hold?", self.question.name),
            replications: 30,
            seed: self.question.seed.wrapping_add(1),
            world: &self.full,
            entries: &self.confirm,
            applications: &self.question.applications,
        };
        trial.to_toml()
    }
}

/// What the file itself has.
const AS_WRITTEN: &str = "as written";
/// What carries a class that is new, until that is decided.
const RAW: &str = "\"raw\"";
/// No class: the default service carries all.
const TOGETHER: &str = "the default service";
/// No class, but the ready-made table, which knows calls by what they do.
const TABLE: &str = "Table best-effort";
/// Two candidates that every link and every application tells apart: no frame but the packets, and as many again.
const PROBES: [&str; 2] = ["Raw", "XOR FEC, blocks of 2"];

/// Whether a candidate is one for the low delay of a table: it hands packets over as they come, and gives up what is late.
fn is_for_tables(label: &str) -> bool {
    label.starts_with("Deadline") || label.starts_with("RLP") && label.ends_with("as received")
}

fn of_the_world(link: &Link) -> Vec<Caution> {
    let mut cautions = Vec::new();
    if link.has_tcp && link.tcp_windows < link.path_in_flight {
        cautions.push(Caution::Window(link.tcp_windows, link.path_in_flight));
    }
    cautions
}
