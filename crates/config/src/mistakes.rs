//! What is wrong with settings, told so that it can be put right at once.

use std::fmt;

use super::node::Node;
use super::shown::one_line;
use super::source::Origin;

/// One mistake: where, what is wrong, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The place to point at.
    pub origin: Origin,
    /// What is wrong.
    pub message: String,
    /// What was expected, where that is known.
    pub help: Option<String>,
}

impl Mistake {
    /// A mistake in a value.
    #[must_use]
    pub fn at_value(node: &Node, message: impl Into<String>) -> Self {
        Self { origin: node.origin.clone(), message: message.into(), help: None }
    }

    /// A mistake in a key, or in a table as a whole.
    #[must_use]
    pub fn at_key(node: &Node, message: impl Into<String>) -> Self {
        Self { origin: node.origin.of_key(), message: message.into(), help: None }
    }

    /// Adds what was expected.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// By file, then by place.
    fn sort_key(&self) -> (&str, usize) {
        (self.origin.source.name(), self.origin.span.start)
    }
}

/// So many characters of a message, and of its help, are shown: a text of any length may be in it.
const MOST_OF_MESSAGE: usize = 1200;

impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.origin, one_line(&self.message, MOST_OF_MESSAGE))?;
        if let Some((line, mark)) = self.origin.excerpt() {
            write!(out, "\n    {line}\n    {mark}")?;
        }
        self.help.as_ref().map_or(Ok(()), |help| write!(out, "\n  {}", one_line(help, MOST_OF_MESSAGE)))
    }
}

/// All that is wrong, ordered by file and place, each mistake once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mistakes {
    sorted: Vec<Mistake>,
}

impl Mistakes {
    /// None so far.
    #[must_use]
    pub const fn new() -> Self {
        Self { sorted: Vec::new() }
    }

    /// Adds a mistake behind those of the same place, unless it is known already.
    pub fn push(&mut self, mistake: Mistake) {
        let place = self.sorted.partition_point(|known| known.sort_key() <= mistake.sort_key());
        let mut beside = self.sorted[..place].iter().rev().take_while(|known| known.sort_key() == mistake.sort_key());
        if !beside.any(|known| known.message == mistake.message) {
            self.sorted.insert(place, mistake);
        }
    }

    /// The mistakes in the order in which they are told.
    pub fn iter(&self) -> std::slice::Iter<'_, Mistake> {
        self.sorted.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// The value, if nothing is wrong.
    ///
    /// # Errors
    ///
    /// The mistakes, if there are any.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl From<Mistake> for Mistakes {
    fn from(mistake: Mistake) -> Self {
        Self { sorted: vec![mistake] }
    }
}

impl Extend<Mistake> for Mistakes {
    fn extend<I: IntoIterator<Item = Mistake>>(&mut self, mistakes: I) {
        mistakes.into_iter().for_each(|mistake| self.push(mistake));
    }
}

impl IntoIterator for Mistakes {
    type Item = Mistake;
    type IntoIter = std::vec::IntoIter<Mistake>;
    fn into_iter(self) -> Self::IntoIter {
        self.sorted.into_iter()
    }
}

impl<'a> IntoIterator for &'a Mistakes {
    type Item = &'a Mistake;
    type IntoIter = std::slice::Iter<'a, Mistake>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// So many mistakes are printed, and so many characters of them: of more, how many there are.
const MOST_SHOWN: usize = 20;
const MOST_CHARACTERS: usize = 15_000;

/// Prints the first mistakes with their lines, a blank line between them, and how many there are.
impl fmt::Display for Mistakes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut shown, mut characters) = (0, 0);
        for mistake in self.iter().take(MOST_SHOWN) {
            let text = mistake.to_string();
            characters += text.chars().count();
            if shown > 0 && characters > MOST_CHARACTERS {
                break;
            }
            shown += 1;
            write!(out, "{text}\n\n")?;
        }
        if let others @ 1.. = self.len() - shown {
            write!(out, "... and {others} more\n\n")?;
        }
        let plural = if self.len() == 1 { "" } else { "s" };
        write!(out, "{} mistake{plural}; nothing was run", self.len())
    }
}

impl std::error::Error for Mistakes {}
