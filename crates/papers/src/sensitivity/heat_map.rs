//! The matrix drawn: claims down, alternatives across, colour for the verdict.
//!
//! ```text
//!                    plain | window: 8  window: 32 | timeout 0.7 s
//!     fig3.best        ##  |    ##         #^          .             ##  run again
//!     fig3.gain        ##  |    #v         ##          .             .   cannot be touched: as in the plain world
//!     fig18            ##  |    ##         ##          ##            ^ v turned, toward the paper or away from it
//! ```
//!
//! The four colours are of the palette of Okabe and Ito, and differ in lightness too; what turned bears a mark.

use super::matrix::{AlternativeFinding, Flip, Line, Matrix, verdict};
use crate::claims::Verdict;
use arqway_lab::figure::canvas::{Anchor, Canvas, Ink, Length};
use arqway_lab::figure::look::curve_colour;
use arqway_lab::figure::text;
use std::collections::BTreeMap;

const CELL: f64 = 15.0;
const GAP: f64 = 6.0;
const LABEL: f64 = 10.0;
const MARGIN: f64 = 16.0;
const TITLE: f64 = 15.0;
/// Few alternatives make a narrow strip of many lines: it is broken into blocks side by side, as long as they fit into this.
const WIDEST: f64 = 900.0;
/// Between blocks.
const APART: f64 = 26.0;

/// Where everything stands.
struct Layout {
    lines: Vec<Line>,
    names: Vec<String>,
    heads: Vec<String>,
    /// Left ends of the columns in a block: the plain world's, then the alternatives'.
    columns: Vec<f64>,
    /// Where the blocks begin.
    blocks: Vec<f64>,
    /// The block of each line, and its upper end.
    rows: Vec<(usize, f64)>,
    top: f64,
    bottom: f64,
    width: f64,
    height: f64,
}

impl Layout {
    fn new(matrix: &Matrix) -> Self {
        let lines = matrix.lines();
        let names: Vec<String> = lines.iter().map(|line| matrix.name(*line)).collect();
        let head = |found: &AlternativeFinding| format!("{}: {}", matrix.parameter(found).name, found.label);
        let heads = std::iter::once("the world as it is".to_owned()).chain(matrix.alternatives.iter().map(head));
        let heads: Vec<String> = heads.collect();
        let top = MARGIN + TITLE + 12.0 + text::widest(&heads, LABEL) + 8.0;
        let columns = columns(matrix, text::widest(&names, LABEL) + 8.0);
        let block = columns.last().map_or(0.0, |last| last + CELL) + APART;
        let fitting = ((WIDEST - 2.0 * MARGIN + APART) / block).floor().max(1.0) as usize;
        // Few lines are not worth breaking.
        let blocks = fitting.min(lines.len().div_ceil(FEWEST)).max(1);
        let rows = rows(matrix, &lines, top, lines.len().div_ceil(blocks).max(1));
        let bottom = rows.iter().map(|(_, y)| y + CELL).fold(top, f64::max);
        let blocks: Vec<f64> = (0..blocks).map(|index| MARGIN + index as f64 * block).collect();
        let right = blocks.last().map_or(0.0, |last| last + block - APART);
        let width = (right + MARGIN).max(560.0).ceil();
        let height = (bottom + LEGEND + MARGIN).ceil();
        Self { lines, names, heads, columns, blocks, rows, top, bottom, width, height }
    }

    /// Upper left corners of the cells: each line's, of the column with this index.
    fn corners(&self, column: usize) -> impl Iterator<Item = (f64, f64)> {
        self.rows.iter().map(move |(block, y)| (self.blocks[*block] + self.columns[column], *y))
    }
}

/// A block has no fewer lines.
const FEWEST: usize = 20;

/// Left ends of the columns behind names of this width: a gap between the parameters.
fn columns(matrix: &Matrix, names: f64) -> Vec<f64> {
    let (mut x, mut before) = (names, None);
    let alternatives = matrix.alternatives.iter().map(|found| {
        x += CELL + if before == Some(found.parameter) { 0.0 } else { GAP };
        before = Some(found.parameter);
        x
    });
    std::iter::once(names).chain(alternatives).collect()
}

/// The block of each line, and its upper end: a gap between the figures.
fn rows(matrix: &Matrix, lines: &[Line], top: f64, of_block: usize) -> Vec<(usize, f64)> {
    let mut rows = Vec::new();
    for (block, lines) in lines.chunks(of_block).enumerate() {
        let (mut y, mut before) = (top, None);
        for line in lines {
            let figure = matrix.claim(*line).figure();
            y += if before.is_some_and(|before| before != figure) { GAP } else { 0.0 };
            before = Some(figure);
            rows.push((block, y));
            y += CELL;
        }
    }
    rows
}

/// Height of the legend.
const LEGEND: f64 = 78.0;

impl Matrix {
    /// The heat map as a self-contained SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let layout = Layout::new(self);
        let title = format!("{}: what becomes of its claims where it is silent", self.paper);
        let description = format!(
            "{} verdicts down, the world as it is and {} alternatives across; the same as a table on the page.",
            layout.lines.len(),
            self.alternatives.len()
        );
        let id = format!("{}-sensitivity", self.paper);
        let mut canvas = Canvas::new(&id, &title, &description, (layout.width, layout.height));
        canvas.text(&title, (MARGIN, MARGIN + 0.85 * TITLE), TITLE, Ink::Text, Anchor::Start);
        heads(&mut canvas, &layout);
        for (name, (x, y)) in layout.names.iter().zip(layout.corners(0)) {
            let place = (x - 8.0, y + CELL / 2.0 + 0.36 * LABEL);
            canvas.text(name, place, LABEL, Ink::Text, Anchor::End);
        }
        self.cells(&mut canvas, &layout);
        legend(&mut canvas, &layout);
        canvas.finish()
    }

    fn cells(&self, canvas: &mut Canvas, layout: &Layout) {
        let mut squares = Squares::default();
        for (line, place) in layout.lines.iter().zip(layout.corners(0)) {
            squares.add(place, verdict(&self.plain, *line), CELL);
        }
        for (found, column) in self.alternatives.iter().zip(1..) {
            for (line, place) in layout.lines.iter().zip(layout.corners(column)) {
                let size = if found.touched[line.claim] { CELL } else { CELL / 3.0 };
                squares.add(place, verdict(&found.judgements, *line), size);
            }
        }
        squares.draw(canvas);
        for (found, column) in self.alternatives.iter().zip(1..) {
            for (line, (x, y)) in layout.lines.iter().zip(layout.corners(column)) {
                if let Some(flip) = self.flip(found, *line) {
                    triangle(canvas, (x + CELL / 2.0, y + CELL / 2.0), flip, self.is_steady(*line));
                }
            }
        }
    }
}

/// The squares of each colour, as one path: there are thousands.
#[derive(Default)]
struct Squares(BTreeMap<usize, String>);

impl Squares {
    /// A square of this size in the middle of a cell.
    fn add(&mut self, (x, y): (f64, f64), verdict: Verdict, size: f64) {
        let (inset, side) = ((CELL - size) / 2.0 + 0.5, size - 1.0);
        let (x, y, side, back) = (Length(x + inset), Length(y + inset), Length(side), Length(-side));
        self.0.entry(colour(verdict)).or_default().push_str(&format!("M{x} {y}h{side}v{side}h{back}z"));
    }

    fn one(canvas: &mut Canvas, place: (f64, f64), verdict: Verdict, size: f64) {
        let mut squares = Self::default();
        squares.add(place, verdict, size);
        squares.draw(canvas);
    }

    fn draw(self, canvas: &mut Canvas) {
        for (colour, path) in self.0 {
            canvas.put(format_args!("<path {} fill=\"currentColor\" d=\"{path}\"/>\n", curve_colour(colour)));
        }
    }
}

/// Index of its colour: blue, light blue, vermilion, grey.
fn colour(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Reproduced => 1,
        Verdict::Direction => 5,
        Verdict::NotReproduced => 2,
        Verdict::CannotTell => 7,
    }
}

/// Up where a verdict came nearer to the paper, down where it went; hollow where chance turns it too. Black and white on
/// every colour, light or dark.
fn triangle(canvas: &mut Canvas, (x, y): (f64, f64), flip: Flip, is_full: bool) {
    let (fill, stroke) = if is_full { ("#000000", "#ffffff") } else { ("#ffffff", "#000000") };
    let sign = if flip == Flip::Gained { -1.0 } else { 1.0 };
    canvas.put(format_args!(
        "<path fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"0.9\" d=\"M{} {}l4.2 {}h-8.4z\"/>\n",
        Length(x),
        Length(y + sign * 4.2),
        Length(-sign * 7.6),
    ));
}

fn heads(canvas: &mut Canvas, layout: &Layout) {
    let places = layout.blocks.iter().flat_map(|left| layout.columns.iter().map(move |column| left + column));
    for (head, x) in layout.heads.iter().cycle().zip(places) {
        let (x, y) = (x + CELL / 2.0 + 0.36 * LABEL, layout.top - 6.0);
        canvas.put(format_args!("<g transform=\"translate({} {}) rotate(-90)\">\n", Length(x), Length(y)));
        canvas.text(head, (0.0, 0.0), LABEL, Ink::Text, Anchor::Start);
        canvas.put(format_args!("</g>\n"));
    }
}

fn legend(canvas: &mut Canvas, layout: &Layout) {
    let verdicts = [Verdict::Reproduced, Verdict::Direction, Verdict::NotReproduced, Verdict::CannotTell];
    let (mut x, mut y) = (MARGIN, layout.bottom + 14.0);
    for verdict in verdicts {
        Squares::one(canvas, (x, y), verdict, CELL);
        x = entry(canvas, (x, y), &verdict.to_string().replace('-', " "));
    }
    (x, y) = (MARGIN, y + CELL + 6.0);
    let signs = [
        (Flip::Gained, true, "turned, nearer to the paper"),
        (Flip::Lost, true, "farther from it"),
        (Flip::Lost, false, "hollow: other seeds turn it too"),
    ];
    for (flip, is_full, words) in signs {
        triangle(canvas, (x + CELL / 2.0, y + CELL / 2.0), flip, is_full);
        x = entry(canvas, (x, y), words);
    }
    (x, y) = (MARGIN, y + CELL + 6.0);
    Squares::one(canvas, (x, y), Verdict::CannotTell, CELL / 3.0);
    entry(canvas, (x, y), "small: cannot be touched, no cell that decides it changes");
}

/// Words beside a sign; where the next sign stands.
fn entry(canvas: &mut Canvas, (x, y): (f64, f64), words: &str) -> f64 {
    let place = (x + CELL + 5.0, y + CELL / 2.0 + 0.36 * LABEL);
    canvas.text(words, place, LABEL, Ink::Text, Anchor::Start);
    place.0 + text::width(words, LABEL) + 16.0
}
