//! What is asked: a world, and what its applications are judged by.

use super::criterion::Application;
use arqway_config::{Mistakes, Node, Origin, Source};
use arqway_lab::experiment::described::Described;
use arqway_sim::Scenario;
use arqway_units::Span;
use std::path::Path;
use std::sync::Arc;

/// What somebody asks for beyond the file.
#[derive(Debug, Clone, Default)]
pub struct AdviceOptions {
    /// Only these applications count; all that run if there are none.
    pub applications: Vec<Application>,
    /// How late a packet of the media may be, instead of the world's `media.within`.
    pub within: Option<Span>,
    /// Root of all random streams, instead of the file's.
    pub seed: Option<u64>,
}

/// A world to advise on.
#[derive(Debug, Clone)]
pub struct Question {
    /// What it is called: the file without its ending.
    pub name: String,
    /// What counts.
    pub applications: Vec<Application>,
    /// The seed of all random streams.
    pub seed: u64,
    /// The world as settings.
    pub(super) world: Node,
    /// The same, read.
    pub(super) scenario: Scenario,
}

/// Why nothing can be advised.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum QuestionError {
    /// The file is wrong.
    #[error(transparent)]
    Mistakes(#[from] Mistakes),
    /// An application is asked for that the file does not have.
    #[error("`{asked}` is not enabled; enable it by `{asked}.enabled = true` in the file, or judge only {known}")]
    Application {
        /// What was asked for.
        asked: &'static str,
        /// What runs.
        known: String,
    },
    /// A deadline for media that there are not.
    #[error("--media-within needs a media stream that is judged: set media.enabled = true, and leave media in --for")]
    NobodyTalks,
    /// No application runs.
    #[error("the scenario enables no application: enable one of file-transfer, tcp-bulk, web, media")]
    Idle,
    /// What to use is advised on for one line.
    #[error("{file}: a link of several lines; expected one, without [[wireless.line]]")]
    SeveralLines {
        /// The file.
        file: String,
    },
}

impl Question {
    /// Reads a file: a scenario, or an experiment without a sweep. What it names is looked for beside `folder`.
    ///
    /// # Errors
    /// Every mistake in it, or nothing to judge by.
    pub fn read(source: &Arc<Source>, folder: &Path, asked: &AdviceOptions) -> Result<Self, QuestionError> {
        let Described { world, scenario, seed } = Described::read(source, folder)?;
        if !scenario.wireless.line.is_empty() {
            return Err(QuestionError::SeveralLines { file: source.name().to_owned() });
        }
        let name = Path::new(source.name()).file_stem().map_or("world".into(), |stem| stem.to_string_lossy());
        let running: Vec<Application> =
            Application::ALL.into_iter().filter(|application| application.runs_in(&scenario)).collect();
        for application in &asked.applications {
            if !running.contains(application) {
                let known = running.iter().map(|application| application.name()).collect::<Vec<_>>().join(", ");
                return Err(if known.is_empty() {
                    QuestionError::Idle
                } else {
                    QuestionError::Application { asked: application.name(), known }
                });
            }
        }
        let counts =
            |application: &Application| asked.applications.is_empty() || asked.applications.contains(application);
        let applications: Vec<Application> = running.into_iter().filter(counts).collect();
        if applications.is_empty() {
            return Err(QuestionError::Idle);
        }
        if asked.within.is_some() && !applications.contains(&Application::Media) {
            return Err(QuestionError::NobodyTalks);
        }
        let seed = asked.seed.or(seed).unwrap_or(1);
        let mut question = Self { name: plain(&name), applications, seed, world, scenario };
        if question.scenario.media.enabled {
            let within = asked.within.or(question.scenario.media.within);
            question.hear_within(within.unwrap_or_else(|| in_time(&question.scenario)));
        }
        Ok(question)
    }

    fn hear_within(&mut self, within: Span) {
        self.scenario.media.within = Some(within);
        self.world.set_path("media.within", text_node(&within.to_string()));
    }
}

/// A setting that no file has.
pub(super) fn text_node(text: &str) -> Node {
    Node::text(text, Origin::whole(&Source::new("advise", "")))
}

/// What a conversation bears one way, 150 ms (ITU-T G.114), or where the way itself takes most of that or more, 100 ms
/// beyond it: what is left to a recovery is the question then.
fn in_time(scenario: &Scenario) -> Span {
    let way = super::link::Link::of(scenario).path_delay;
    let least = Span::from_milliseconds(150);
    let beyond = Span::from_milliseconds(100);
    let milliseconds = (way + beyond).as_nanoseconds().div_ceil(1_000_000);
    least.max(Span::from_milliseconds(milliseconds))
}

/// A name that files may have.
fn plain(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
    plain.trim_start_matches('.').to_owned()
}
