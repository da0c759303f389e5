//! The pages as one Markdown document: a section a command, for the reference of the documentation's site.
//!
//! ```text
//!     ## arqway run                    Run an experiment of your own
//!     usage                            a block
//!     | option | default | |           a table of arguments and options
//!     **Examples**                     the text after the options, block by block
//! ```

use super::{EXIT_STATUS, INTERRUPTED, STRICT, can_be_interrupted, files_written, has};
use clap::{Arg, Command};

/// All pages, that of the command itself first.
pub(super) fn document(command: &Command) -> String {
    [command].into_iter().chain(command.get_subcommands()).map(|page| section(page, command)).collect()
}

fn section(page: &Command, root: &Command) -> String {
    let name = page.get_bin_name().unwrap_or_else(|| page.get_name());
    let about = page.get_about().map(|about| format!("{}.\n\n", escaped(&about.to_string()))).unwrap_or_default();
    let usage = page.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    let mut text = format!("## {name}\n\n{about}```text\n{usage}\n```\n\n");
    text.push_str(&arguments(page));
    if std::ptr::eq(page, root) {
        text.push_str("| command | |\n| --- | --- |\n");
        for command in page.get_subcommands() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let name = command.get_name();
            text.push_str(&format!("| [`{name}`](#arqway-{name}) | {} |\n", escaped(&about)));
        }
        text.push('\n');
    }
    if let Some(files) = files_written(page) {
        text.push_str("**Files**\n\n");
        text.push_str(&list(files));
    }
    text.push_str(&remarks(page));
    if std::ptr::eq(page, root) {
        text.push_str("**Exit status**\n\n");
        text.push_str(&list(&EXIT_STATUS));
    }
    if can_be_interrupted(page) {
        text.push_str("**Exit status after Ctrl-C**\n\n");
        text.push_str(&list(&INTERRUPTED));
    }
    if has(page, "strict") {
        text.push_str(&format!("{STRICT}\n\n"));
    }
    text
}

/// A table with a row for each argument.
fn arguments(page: &Command) -> String {
    let rows: String = page.get_arguments().filter(|argument| !argument.is_hide_set()).map(row).collect();
    if rows.is_empty() { rows } else { format!("| | default | |\n| --- | --- | --- |\n{rows}\n") }
}

fn row(argument: &Arg) -> String {
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    let takes_value = argument.get_action().takes_values();
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    // Defaults that clap does not know are at the end of the help text.
    let (meaning, said) = help.split_once(" [default: ").unwrap_or((&help, ""));
    // A flag has no default to show.
    let known = if takes_value { defaults.join(", ") } else { String::new() };
    let default = if known.is_empty() { escaped(said.trim_end_matches(']')) } else { known };
    let mut meaning = meaning.to_owned();
    let values = argument.get_possible_values();
    if takes_value && !values.is_empty() {
        let of = |value: &clap::builder::PossibleValue| match value.get_help() {
            Some(help) => format!("`{}`: {help}", value.get_name()),
            None => format!("`{}`", value.get_name()),
        };
        meaning.push_str(": ");
        meaning.push_str(&values.iter().map(of).collect::<Vec<_>>().join("; "));
    }
    format!("| {} | {default} | {} |\n", written(argument), escaped(&meaning))
}

/// `--out DIR`, `-h, --help`, `EXPERIMENT.toml`.
fn written(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let values = if argument.get_action().takes_values() { names.join(" ") } else { String::new() };
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    let options: Vec<String> = short.into_iter().chain(long).collect();
    format!("`{}`", format!("{} {values}", options.join(", ")).trim())
}

/// A list of names and meanings; an entry without a name is a paragraph.
fn list(entries: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, meaning) in entries {
        text.push_str(&if name.is_empty() {
            format!("\n{}\n", escaped(meaning))
        } else {
            format!("- `{name}`: {}\n", escaped(meaning))
        });
    }
    text + "\n"
}

/// The text after the options: headings, paragraphs, and indented blocks.
fn remarks(page: &Command) -> String {
    let Some(help) = page.get_after_help() else { return String::new() };
    let (mut text, mut in_block) = (String::new(), false);
    let help = help.to_string();
    let mut lines = help.lines().peekable();
    while let Some(line) = lines.next() {
        let is_indented = line.starts_with(' ');
        // A blank line between indented lines belongs to the block.
        let goes_on = in_block && line.is_empty() && lines.peek().is_some_and(|next| next.starts_with(' '));
        if in_block && !is_indented && !goes_on {
            text.push_str("```\n\n");
            in_block = false;
        }
        if is_indented && !in_block {
            text.push_str("```text\n");
            in_block = true;
        }
        match line.strip_suffix(':') {
            _ if in_block => text.push_str(line.strip_prefix("  ").unwrap_or(line)),
            Some(heading) => text.push_str(&format!("**{}**\n", escaped(heading))),
            None => text.push_str(&escaped(line)),
        }
        text.push('\n');
    }
    text + if in_block { "```\n\n" } else { "\n" }
}

/// Escapes what Markdown would interpret, also inside a table.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "\\<").replace('[', "\\[").replace('*', "\\*")
}
