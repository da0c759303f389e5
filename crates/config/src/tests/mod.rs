//! A configuration as experiments have it, and what its reader promises.

mod choices;
mod overlays;
mod properties;
mod reports;
mod syntax;

use std::collections::BTreeMap;

use arqway_units::{BitRate, Octets, Ratio, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Sample {
    experiment: Experiment,
    wireless: Wireless,
    #[serde(default)]
    scheme: Vec<Scheme>,
    #[serde(default)]
    sweep: BTreeMap<String, Vec<Ratio>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Experiment {
    id: String,
    source: Option<String>,
    replications: u32,
    #[serde(default)]
    seed: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Wireless {
    rate: BitRate,
    delay: Span,
    #[serde(default)]
    queue: Queue,
    #[serde(default)]
    frame: Octets,
    weight: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Scheme {
    label: String,
    service: Service,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Queue {
    #[default]
    Unbounded,
    DropTail {
        frames: u16,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Service {
    Raw,
    SelectiveRepeat(SelectiveRepeat),
    Fixed(Span),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct SelectiveRepeat {
    window: Window,
    timeout: Timeout,
}

impl Default for SelectiveRepeat {
    fn default() -> Self {
        Self { window: Window(127), timeout: Timeout::Adaptive { srtt: 1.0, srttvar: 4.0 } }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Timeout {
    Fixed(Span),
    Adaptive { srtt: f64, srttvar: f64 },
}

/// Checked by the type itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u32", into = "u32")]
struct Window(u32);

impl TryFrom<u32> for Window {
    type Error = &'static str;
    fn try_from(frames: u32) -> Result<Self, Self::Error> {
        if frames > 0 { Ok(Self(frames)) } else { Err("a window is at least 1 frame") }
    }
}

impl From<Window> for u32 {
    fn from(window: Window) -> Self {
        window.0
    }
}

fn tree(name: &str, text: &str) -> Node {
    let mut mistakes = Mistakes::new();
    let node = parse(&Source::new(name, text), &mut mistakes);
    assert!(mistakes.is_empty(), "{mistakes}");
    node.expect("without mistakes there is a tree")
}

fn report<T: serde::de::DeserializeOwned + JsonSchema + std::fmt::Debug + 'static>(text: &str) -> String {
    read_source::<T>(&Source::new("bad.toml", text), &[]).unwrap_err().to_string()
}

/// Each mistake without its excerpt: place and message.
fn headlines(mistakes: &Mistakes) -> Vec<String> {
    mistakes.iter().map(|mistake| format!("{} {}", mistake.origin, mistake.message)).collect()
}

fn wrong<T: serde::de::DeserializeOwned + JsonSchema + std::fmt::Debug + 'static>(text: &str) -> Vec<String> {
    headlines(&read_source::<T>(&Source::new("bad.toml", text), &[]).unwrap_err())
}
