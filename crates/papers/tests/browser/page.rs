//! What is wrong with a page: to the eye, to the browser, to a screen reader, on paper.

use super::chromium::Chromium;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// How a page is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub(crate) width: u32,
    pub(crate) dark: bool,
}

impl fmt::Display for View {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} pixels, {}", self.width, if self.dark { "dark" } else { "light" })
    }
}

/// What the eye and the browser complain of.
pub(crate) fn look(browser: &mut Chromium, address: &str, view: View) -> Vec<String> {
    let tab = browser.tab(view.width, view.dark);
    browser.open(&tab, address);
    let seen = browser.evaluate(&tab, include_str!("look.js"));
    let mut complaints: Vec<String> = serde_json::from_value(seen).expect("a list of texts");
    complaints.extend(browser.events().iter().filter_map(|event| of_event(event, address)));
    browser.close(tab);
    complaints
}

/// What is wrong with a figure that stands by itself.
pub(crate) fn look_at_figure(browser: &mut Chromium, address: &str) -> Vec<String> {
    let tab = browser.tab(800, false);
    browser.open(&tab, address);
    let size =
        "(() => { const box = document.documentElement.getBoundingClientRect(); return [box.width, box.height]; })()";
    let size: Vec<f64> = serde_json::from_value(browser.evaluate(&tab, size)).expect("two numbers");
    let mut complaints: Vec<String> = browser.events().iter().filter_map(|event| of_event(event, address)).collect();
    if size.iter().any(|&side| side < 100.0) {
        complaints.push(format!("its size is {size:?}"));
    }
    browser.close(tab);
    complaints
}

/// What the browser reports, and whatever is loaded beside the page.
fn of_event(event: &Value, address: &str) -> Option<String> {
    let parameters = &event["params"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match event["method"].as_str()? {
        "Runtime.exceptionThrown" => {
            Some(format!("exception: {}", text(&parameters["exceptionDetails"]["exception"]["description"])))
        }
        "Runtime.consoleAPICalled" => Some(format!("console: {}", text(&parameters["args"][0]["value"]))),
        "Log.entryAdded" => Some(format!("log: {}", text(&parameters["entry"]["text"]))),
        "Network.loadingFailed" => Some(format!("cannot load: {}", text(&parameters["errorText"]))),
        "Network.requestWillBeSent" => {
            let asked = text(&parameters["request"]["url"]);
            (asked != address).then(|| format!("asks for {asked}"))
        }
        _ => None,
    }
}

/// What a screen reader would miss: names of pictures, tables and links, and levels of headings.
pub(crate) fn listen(browser: &mut Chromium, address: &str) -> Vec<String> {
    // Not groups: whatever opens and closes is one, and has its name from its summary.
    const NAMED: [&str; 7] = ["img", "image", "graphics-document", "SvgRoot", "table", "link", "region"];
    let tab = browser.tab(1440, false);
    browser.open(&tab, address);
    browser.evaluate(&tab, "document.querySelectorAll('details').forEach(details => details.open = true)");
    let tree = browser.ask(&tab, "Accessibility.getFullAXTree", &json!({}));
    browser.close(tab);
    let nodes = in_reading_order(&tree);
    let nodes = nodes.into_iter().filter(|node| node["ignored"] == false);
    let mut complaints = Vec::new();
    let (mut level, mut roles) = (0, Vec::new());
    for node in nodes {
        let (role, name) = (node["role"]["value"].as_str().unwrap_or_default(), node["name"]["value"].as_str());
        let name = name.unwrap_or_default();
        if NAMED.contains(&role) && name.is_empty() {
            complaints.push(format!("without a name: {role}"));
        }
        if role == "heading" {
            let properties = node["properties"].as_array().into_iter().flatten();
            let levels = properties.filter(|property| property["name"] == "level");
            let this = levels.filter_map(|property| property["value"]["value"].as_i64()).next().unwrap_or(0);
            if this > level + 1 {
                complaints.push(format!("heading of level {this} after one of level {level}: {name}"));
            }
            level = this;
        }
        roles.push(role);
    }
    for landmark in ["banner", "main"] {
        if roles.iter().filter(|role| **role == landmark).count() != 1 {
            complaints.push(format!("not one landmark of the kind {landmark}"));
        }
    }
    complaints
}

/// The nodes of a tree as somebody hears them: each before its children.
fn in_reading_order(tree: &Value) -> Vec<&Value> {
    let nodes = tree["nodes"].as_array().expect("nodes");
    let by_id: BTreeMap<&str, &Value> =
        nodes.iter().filter_map(|node| Some((node["nodeId"].as_str()?, node))).collect();
    let mut ordered = Vec::new();
    let mut next: Vec<&Value> = nodes.iter().filter(|node| node.get("parentId").is_none()).collect();
    while let Some(node) = next.pop() {
        ordered.push(node);
        let children = node["childIds"].as_array().into_iter().flatten().rev().filter_map(Value::as_str);
        next.extend(children.filter_map(|id| by_id.get(id)));
    }
    ordered
}

/// How many pages it has on paper.
pub(crate) fn printed_pages(browser: &mut Chromium, address: &str) -> usize {
    let tab = browser.tab(1440, true);
    browser.open(&tab, address);
    let printed = browser.ask(&tab, "Page.printToPDF", &json!({"printBackground": false}));
    browser.close(tab);
    let pdf = octets(printed["data"].as_str().expect("text in base64"));
    let page = b"/Type /Page\n";
    pdf.windows(page.len()).filter(|window| window == page).count()
}

/// Base64, read (RFC 4648, Section 4).
fn octets(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut values = [0; 256];
    for (value, letter) in (0_u32..).zip(ALPHABET) {
        values[usize::from(*letter)] = value;
    }
    let text = text.trim_end_matches('=').as_bytes();
    let group = |letters: &[u8]| {
        let bits = letters.iter().fold(0, |bits, letter| bits << 6 | values[usize::from(*letter)]);
        let bits = bits << (6 * (4 - letters.len()));
        bits.to_be_bytes()[1..letters.len()].to_vec()
    };
    text.chunks(4).flat_map(group).collect()
}
