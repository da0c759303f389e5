//! Schemes by the names that figures give them: rows, claims and commands have `sr:1.1`, a reader has "SR 1.1 s".

use arqway_lab::experiment::Experiment;

/// What figures call the schemes that rows and claims name.
#[derive(Debug, Default)]
pub struct SchemeNames(Vec<(String, String)>);

impl SchemeNames {
    /// Those of these experiments; where two call a scheme by different names, the first counts. One that was added to a figure
    /// is in no claim, and where another figure has it, that one's name counts.
    #[must_use]
    pub fn of<'e>(experiments: impl IntoIterator<Item = &'e Experiment>) -> Self {
        let mut names: Vec<(String, String)> = Vec::new();
        let schemes = experiments.into_iter().flat_map(|experiment| &experiment.schemes);
        for scheme in schemes.filter(|scheme| !scheme.is_added) {
            let name = scheme.full_name();
            if !names.iter().any(|(known, _)| *known == name) {
                names.push((name, scheme.label.clone()));
            }
        }
        // A name may begin with another: `sr:1.1 nack=single`, `sr:1.1`, `sr`.
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Self(names)
    }

    /// A sentence about schemes, whose names are names and nothing else.
    #[must_use]
    pub fn in_words(&self, sentence: &str) -> String {
        self.replaced(sentence, |_| true)
    }

    /// A sentence in which somebody may write of the raw link, and means no scheme.
    #[must_use]
    pub fn in_prose(&self, sentence: &str) -> String {
        self.replaced(sentence, |name| name.contains(':'))
    }

    fn replaced(&self, sentence: &str, is_a_name: impl Fn(&str) -> bool) -> String {
        let mut words = String::new();
        let mut rest = sentence;
        while let Some(letter) = rest.chars().next() {
            let begins = words.chars().next_back().is_none_or(|before| before == ' ' || before == '(');
            let found = self.0.iter().filter(|(name, _)| begins && is_a_name(name)).find_map(|(name, label)| {
                let after = rest.strip_prefix(name.as_str())?;
                ends_a_name(after).then_some((label, after))
            });
            if let Some((label, after)) = found {
                words.push_str(label);
                rest = after;
            } else {
                words.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
        words
    }
}

/// Whether a name ends where this begins: a point ends one unless a digit follows, as in `sr:1.1`.
fn ends_a_name(after: &str) -> bool {
    let mut letters = after.chars();
    match letters.next() {
        Some('.') => !letters.next().is_some_and(|letter| letter.is_ascii_digit()),
        Some(letter) => !letter.is_ascii_alphanumeric() && !"-:+=/".contains(letter),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_config::Source;
    use arqway_lab::experiment::Effort;

    #[test]
    fn schemes_are_called_as_in_the_legends_and_prose_stays_as_it_is() {
        let text = "[experiment]\nid = 'study'\n[[scheme]]\nuse = 'raw'\n[[scheme]]\nuse = 'sr'\n[[scheme]]\nuse = 'sr:1.1'\n\
                    [[scheme]]\nuse = 'sr:1.1'\nvariant = 'nack=single'\nset = { rejects = 'one-at-a-time' }\n\
                    [[scheme]]\nuse = 'asr:3+2'\n";
        let source = Source::new("study.toml", text);
        let study =
            Experiment::read(&source, std::path::Path::new(""), Effort::Full).unwrap_or_else(|told| panic!("{told}"));
        let names = SchemeNames::of([&study]);
        for (sentence, words) in [
            ("sr:1.1 above raw, none below sr.", "SR 1.1 s above Raw Link, none below SR."),
            ("sr:1.1 nack=single less than sr:1.1", "SR 1.1 s (one frame rejected at a time) less than SR 1.1 s"),
            ("asr:3+2's lead over sr:1.1.", "ASR 3+2's lead over SR 1.1 s."),
            ("sr:1.15 and rawer and (raw)", "sr:1.15 and rawer and (Raw Link)"),
        ] {
            assert_eq!(names.in_words(sentence), words);
        }
        assert_eq!(names.in_prose("asr:3+2 beats the raw link"), "ASR 3+2 beats the raw link");
    }
}
