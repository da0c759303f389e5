//! What figures call a scheme: `SR 1.1 s` for the short form `sr:1.1`.

use arqway_link::{Grammar, ShortForm};

/// Schemes that are printed otherwise than by their short form in capitals: as the papers do, or as a word.
const PRINTED: [(&str, &str); 8] = [
    ("deadline", "Deadline"),
    ("raw", "Raw Link"),
    ("tally", "Tally"),
    ("go-back-n", "Go Back N"),
    ("snoop", "Berkeley Snoop"),
    ("sscop-full", "SSCOP full"),
    ("sscop-pfrs", "SSCOP PFRS"),
    ("sscop-none", "SSCOP none"),
];

/// The legend of a scheme.
pub(crate) fn legend(short: &ShortForm) -> String {
    let name = short.name();
    let printed = PRINTED.iter().find(|(of, _)| *of == name.name).map(|(_, printed)| (*printed).to_owned());
    let printed = printed.unwrap_or_else(|| name.name.to_uppercase().replace('-', " "));
    match (short.parameter(), name.parameter.map(|parameter| parameter.grammar)) {
        (Some(value), Some(Grammar::Seconds)) => format!("{printed} {value} s"),
        (Some(value), _) => format!("{printed} {value}"),
        (None, _) => printed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legend_is_the_printed_name_with_the_parameter_and_its_unit() {
        let pairs = [
            ("raw", "Raw Link"),
            ("sr", "SR"),
            ("sr:1.1", "SR 1.1 s"),
            ("asr:3+2", "ASR 3+2"),
            ("oos-rlp:1", "OOS RLP 1"),
            ("xor-fec:12", "XOR FEC 12"),
            ("sscop-none", "SSCOP none"),
        ];
        for (short, expected) in pairs {
            assert_eq!(legend(&short.parse().expect("a short form")), expected);
        }
    }

    #[test]
    fn every_name_that_is_printed_otherwise_names_a_service() {
        for (name, _) in PRINTED {
            assert!(arqway_link::scheme_names().any(|(_, scheme)| scheme.name == name), "{name}");
        }
    }
}
