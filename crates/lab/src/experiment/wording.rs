//! Shorthand in words. `buffer=50` is quickly typed and compared, in rows and on a command line; a legend is read by others.

/// Shorthand and its words, the star a value.
const WORDS: [(&str, &str); 31] = [
    ("adapts=to-loss", "adapts to loss"),
    ("adapts=to-the-link", "adapts to the link"),
    ("arithmetic=float", "floating-point estimator"),
    ("buffer=*", "buffer of * packets"),
    ("connections=1", "1 connection"),
    ("connections=*", "* connections"),
    ("dda:*", "duplicate ACKs delayed by * s"),
    ("discard=*", "discard after *"),
    ("duplicate=*", "duplicate threshold of *"),
    ("float", "floating-point estimator"),
    ("floor=*", "timeout of at least *"),
    ("gains=*", "gains of *"),
    ("handshake", "TCP with handshake"),
    ("hints=none", "no hints"),
    ("initial=*", "first timeout of *"),
    ("kept", "connections kept"),
    ("maximum-burst=*", "bursts of at most * packets"),
    ("nack=once", "each frame rejected once"),
    ("nack=single", "one frame rejected at a time"),
    ("one-object", "one object at a time"),
    ("parallel=*", "* objects at a time"),
    ("queue=*", "queue of * packets"),
    ("rate=*", "*"),
    ("received", "next step when received"),
    ("regenerated", "acknowledgements regenerated"),
    ("signed", "signed deviation"),
    ("tcp=freeze", "TCP freezes"),
    ("ticks", "whole ticks"),
    ("window=*", "window of * packets"),
    ("wired=2M/50ms", "wire of 2 Mbit/s and 50 ms"),
    ("wired-loss=*", "* of packets lost on the wire"),
];

/// What a scheme changes, in words: `handshake window=20` is "TCP with handshake, window of 20 packets".
pub(super) fn changes_in_words(changes: &str) -> String {
    let mut phrases: Vec<String> = Vec::new();
    for part in changes.split(',') {
        let mut is_sentence = false;
        for word in part.split_whitespace() {
            let phrase = in_words(word);
            match (phrases.last_mut(), &phrase) {
                (Some(last), None) if is_sentence => last.push_str(&format!(" {word}")),
                _ => phrases.push(phrase.clone().unwrap_or_else(|| word.to_owned())),
            }
            is_sentence = phrase.is_none();
        }
    }
    phrases.join(", ")
}

/// A label in words, where it is shorthand: `dda:1.0`.
pub(super) fn label_in_words(label: &str) -> String {
    let is_shorthand = label.contains([':', '=']) && !label.contains(' ');
    in_words(label).filter(|_| is_shorthand).unwrap_or_else(|| label.to_owned())
}

/// One shorthand in words; one that is not in the table at least without its signs.
fn in_words(word: &str) -> Option<String> {
    let known = WORDS.iter().find_map(|(shorthand, words)| match shorthand.strip_suffix('*') {
        Some(key) => Some(words.replace('*', &spaced(word.strip_prefix(key)?))),
        None => (*shorthand == word).then(|| (*words).to_owned()),
    });
    known.or_else(|| {
        let (key, value) = word.split_once('=')?;
        Some(format!("{} {}", key.replace(['-', '_'], " "), spaced(value)))
    })
}

/// A space between a number and its unit: `20ms` is "20 ms".
fn spaced(value: &str) -> String {
    let end = value.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(value.len());
    let (number, unit) = value.split_at(end);
    if number.parse::<f64>().is_ok() && !unit.is_empty() { format!("{number} {unit}") } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_as_words_with_units() {
        for (changes, words) in [
            ("buffer=50", "buffer of 50 packets"),
            ("signed,floor=0.3s", "signed deviation, timeout of at least 0.3 s"),
            ("handshake window=20", "TCP with handshake, window of 20 packets"),
            ("duplicate=1, floor=20ms", "duplicate threshold of 1, timeout of at least 20 ms"),
            ("252 octets, waiting 0.3 s", "252 octets, waiting 0.3 s"),
            ("gains=1/2+1/2", "gains of 1/2+1/2"),
            ("my-own=5s", "my own 5 s"),
            ("", ""),
        ] {
            assert_eq!(changes_in_words(changes), words);
        }
    }

    #[test]
    fn a_label_is_left_as_it_is_unless_it_is_shorthand() {
        assert_eq!(label_in_words("dda:1.0"), "duplicate ACKs delayed by 1.0 s");
        for label in ["float", "both of them", "stale copies: withdrawn", "a:b"] {
            assert_eq!(label_in_words(label), label);
        }
    }
}
