//! The short forms of schemes, as a regular expression and in words: `raw`, `sr:1.1`, `asr:3+2`.

use arqway_link::{Grammar, SchemeName, scheme_names};
use schemars::{Schema, SchemaGenerator, json_schema};

pub(super) fn schema(_: &mut SchemaGenerator) -> Schema {
    let patterns: Vec<String> = scheme_names().map(|(_, name)| pattern(name)).collect();
    let examples: Vec<(String, Option<&str>)> = scheme_names().flat_map(|(_, name)| name.examples()).collect();
    let in_words = |(example, means): &(String, Option<&str>)| match means {
        Some(means) => format!("`{example}` for {means}"),
        None => format!("`{example}`"),
    };
    let description = examples.iter().map(in_words).collect::<Vec<_>>().join(", ");
    json_schema!({
        "description": format!("A scheme by its short form: {description}"),
        "type": "string",
        "pattern": format!("^({})$", patterns.join("|")),
        "examples": examples.iter().map(|(example, _)| example).collect::<Vec<_>>(),
    })
}

/// What a number looks like: what Rust reads, without a minus sign.
const NUMBER: &str = r"\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?";

/// All ways to write a name with its parameter, as a regular expression without anchors.
fn pattern(SchemeName { name, parameter }: &SchemeName) -> String {
    let Some(parameter) = parameter else { return (*name).to_owned() };
    let value = match parameter.grammar {
        Grammar::Seconds => NUMBER.to_owned(),
        Grammar::Factors => format!(r"{NUMBER}\+{NUMBER}"),
        Grammar::Count { least, most } => format!("({})", numbers(least, most)),
    };
    if parameter.required { format!("{name}:{value}") } else { format!("{name}(:{value})?") }
}

/// The whole numbers from one to another in digits: `[2-9]|[1-5][0-9]|6[0-4]`.
fn numbers(least: u16, most: u16) -> String {
    let mut patterns = Vec::new();
    let mut ten = least / 10;
    while ten <= most / 10 {
        let (first, last) = (least.saturating_sub(10 * ten), (most - 10 * ten).min(9));
        // Tens below a hundred that are whole share a pattern.
        let whole =
            (ten..most.div_ceil(10).min(10)).take_while(|ten| *ten > 0 && first == 0 && 10 * ten + 9 <= most).last();
        let tens = match whole {
            Some(end) if end > ten => format!("[{ten}-{end}]"),
            _ if ten == 0 => String::new(),
            _ => ten.to_string(),
        };
        let last = if whole.is_some() { 9 } else { last };
        patterns.push(if first == last { format!("{tens}{first}") } else { format!("{tens}[{first}-{last}]") });
        ten = whole.unwrap_or(ten) + 1;
    }
    patterns.join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_numbers_is_written_by_decades() {
        assert_eq!(numbers(1, 15), "[1-9]|1[0-5]");
        assert_eq!(numbers(2, 64), "[2-9]|[1-5][0-9]|6[0-4]");
        assert_eq!(numbers(0, 62), "[0-9]|[1-5][0-9]|6[0-2]");
        assert_eq!(numbers(12, 130), "1[2-9]|[2-9][0-9]|10[0-9]|11[0-9]|12[0-9]|130");
    }
}
