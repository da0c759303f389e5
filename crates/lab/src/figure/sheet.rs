//! What a figure is drawn on: how wide it is, and what stands around the plot: title above, small print below.

use super::canvas::{Anchor, Canvas, Ink};
use super::{Figure, text};

pub(super) const PADDING: f64 = 14.0;
pub(super) const SOURCE_SIZE: f64 = 11.0;
const TITLE_SIZE: f64 = 15.5;
const TITLE_ROW: f64 = 20.0;
const SOURCE_ROW: f64 = 14.0;

/// Where a figure stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sheet {
    /// In a file of its own, with its title and small print; as wide as a column of print.
    File,
    /// On a page that has its title and small print: as wide as a page is on a desk.
    Desk,
    /// The same, as wide as a phone.
    Phone,
}

impl Sheet {
    /// All that a page has room for.
    pub const ALL: [Self; 3] = [Self::File, Self::Desk, Self::Phone];

    /// In pixels of CSS.
    pub(super) fn width(self) -> f64 {
        match self {
            Self::File => 440.0,
            Self::Desk => 880.0,
            Self::Phone => 360.0,
        }
    }

    /// Height of the plot.
    pub(super) fn plot(self) -> f64 {
        match self {
            Self::File => 250.0,
            Self::Desk => 340.0,
            Self::Phone => 220.0,
        }
    }

    /// Width inside the padding.
    pub(super) fn inner(self) -> f64 {
        self.width() - 2.0 * PADDING
    }

    /// The name of the drawing among those of a document.
    pub(super) fn id(self, figure: &str) -> String {
        match self {
            Self::File => figure.to_owned(),
            Self::Desk => format!("{figure}-desk"),
            Self::Phone => format!("{figure}-phone"),
        }
    }
}

/// The texts around a plot.
pub(super) struct Around {
    title: Vec<String>,
    source: Vec<String>,
}

impl Around {
    pub(super) fn new(figure: &Figure, sheet: Sheet) -> Self {
        if sheet != Sheet::File {
            return Self { title: Vec::new(), source: Vec::new() };
        }
        Self {
            title: text::wrapped(&figure.title, TITLE_SIZE, sheet.inner()),
            source: text::wrapped(&figure.small_print(), SOURCE_SIZE, sheet.inner()),
        }
    }

    /// Where the plot may begin.
    pub(super) fn top(&self) -> f64 {
        PADDING + self.title.len() as f64 * TITLE_ROW + if self.title.is_empty() { 0.0 } else { 8.0 }
    }

    /// The height of all, if plot and legend end there.
    pub(super) fn height(&self, bottom: f64) -> f64 {
        let source = if self.source.is_empty() { 0.0 } else { self.source.len() as f64 * SOURCE_ROW + 4.0 };
        (bottom + source + PADDING).ceil()
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, bottom: f64) {
        for (row, line) in self.title.iter().enumerate() {
            let place = (PADDING, PADDING + row as f64 * TITLE_ROW + 0.85 * TITLE_SIZE);
            canvas.text(line, place, TITLE_SIZE, Ink::Text, Anchor::Start);
        }
        for (row, line) in self.source.iter().enumerate() {
            let place = (PADDING, bottom + 8.0 + row as f64 * SOURCE_ROW + SOURCE_SIZE);
            canvas.text(line, place, SOURCE_SIZE, Ink::Soft, Anchor::Start);
        }
    }
}
