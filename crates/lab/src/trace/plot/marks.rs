//! What stands in a panel. A plot has thousands of marks, so all of a kind are one path, with coordinates in tenths of a
//! pixel; what falls on the same tenth is drawn once.

use crate::figure::canvas::{Canvas, Ink, Length};
use crate::figure::look::curve_colour;
use std::collections::BTreeSet;

/// Fewer marks of a kind than this have room to be larger.
const FEW: usize = 200;
const ALONE_SCALE: f64 = 1.5;
/// More marks of a kind than this are a crowd; then their grain is a whole pixel, in tenths.
const CROWD: usize = 4000;
const CROWDED_SCALE: f64 = 0.5;
const CROWDED_GRAIN: i64 = 10;

/// A place on the paper.
pub(in crate::trace) type Place = (f64, f64);

/// How something is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::trace) enum Shape {
    Dot,
    Square,
    Triangle,
    Diamond,
    Cross,
    /// A line that goes on until the next step, then up or down.
    Step,
    DashedLine,
    Area,
}

/// A shape in a colour of the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::trace) struct Style {
    pub(in crate::trace) shape: Shape,
    pub(in crate::trace) colour: usize,
}

impl Style {
    /// Draws a line or an area.
    pub(in crate::trace) fn draw_path(self, canvas: &mut Canvas, path: &str) {
        self.draw(canvas, path, 1.0);
    }

    fn draw(self, canvas: &mut Canvas, path: &str, scale: f64) {
        if path.is_empty() {
            return;
        }
        let stroke = |width: f64| format!("stroke=\"currentColor\" stroke-width=\"{}\"", Length(width * scale));
        let paint = match self.shape {
            // A stroke without length is as round as its ends.
            Shape::Dot => format!("fill=\"none\" {} stroke-linecap=\"round\"", stroke(3.2)),
            Shape::Square | Shape::Triangle => "fill=\"currentColor\" stroke=\"none\"".to_owned(),
            Shape::Diamond => format!("{} {}", Ink::Paper.fill(), stroke(1.1)),
            Shape::Cross => format!("fill=\"none\" {}", stroke(1.5)),
            Shape::Step => format!("fill=\"none\" {}", stroke(1.4)),
            Shape::DashedLine => format!("fill=\"none\" {} stroke-dasharray=\"7 4\"", stroke(1.4)),
            Shape::Area => "fill=\"currentColor\" stroke=\"none\" fill-opacity=\"0.85\"".to_owned(),
        };
        let colour = curve_colour(self.colour);
        canvas.put(format_args!("<g {colour}><path {paint} d=\"{path}\"/></g>\n"));
    }

    /// Draws a mark at each place: larger where they are few, smaller and on a coarser grain where they are a crowd.
    pub(in crate::trace) fn draw_marks(self, canvas: &mut Canvas, places: impl IntoIterator<Item = Place>) {
        let mut distinct: BTreeSet<(i64, i64)> = places.into_iter().map(|(x, y)| (tenths(x), tenths(y))).collect();
        let is_small = matches!(self.shape, Shape::Dot | Shape::Square | Shape::Triangle);
        let mut scale = if is_small && distinct.len() < FEW { ALONE_SCALE } else { 1.0 };
        if distinct.len() > CROWD {
            scale = CROWDED_SCALE;
            let coarser = |tenths: i64| (tenths + CROWDED_GRAIN / 2) / CROWDED_GRAIN * CROWDED_GRAIN;
            distinct = distinct.into_iter().map(|(x, y)| (coarser(x), coarser(y))).collect();
        }
        let places = distinct.into_iter().map(|(x, y)| (x as f64 / 10.0, y as f64 / 10.0));
        let path: String = places.map(|place| self.mark(place, scale)).collect();
        self.draw(canvas, &path, scale);
    }

    fn mark(self, (x, y): Place, scale: f64) -> String {
        let corners: &[Place] = match self.shape {
            Shape::Dot => &[(0.0, 0.0)],
            Shape::Square => &[(-1.6, -1.6), (1.6, -1.6), (1.6, 1.6), (-1.6, 1.6)],
            Shape::Triangle => &[(0.0, -2.6), (2.5, 1.8), (-2.5, 1.8)],
            Shape::Diamond => &[(0.0, -3.6), (3.0, 0.0), (0.0, 3.6), (-3.0, 0.0)],
            Shape::Cross => &[(-3.2, -3.2), (3.2, 3.2), (3.2, -3.2), (-3.2, 3.2)],
            Shape::Step | Shape::DashedLine | Shape::Area => &[],
        };
        let moved = |(right, down): Place| (right * scale, down * scale);
        let (mut path, mut last) = (String::new(), (0.0, 0.0));
        for (index, corner) in corners.iter().map(|corner| moved(*corner)).enumerate() {
            let (right, down) = (corner.0 - last.0, corner.1 - last.1);
            path += &match (index, self.shape) {
                (0, _) => format!("M{} {}", tenth(x + right), tenth(y + down)),
                // Its two strokes do not touch.
                (2, Shape::Cross) => format!("m{} {}", tenth(right), tenth(down)),
                _ => format!("l{} {}", tenth(right), tenth(down)),
            };
            last = corner;
        }
        match self.shape {
            Shape::Dot => path + "h0",
            Shape::Cross => path,
            _ => path + "z",
        }
    }

    /// Draws the sample of a key, so wide and centred on this height.
    pub(in crate::trace) fn draw_sample(self, canvas: &mut Canvas, (left, y): Place, width: f64) {
        let (x, wide) = (Length(left), Length(width));
        match self.shape {
            Shape::Step | Shape::DashedLine => self.draw_path(canvas, &format!("M{x} {}h{wide}", Length(y))),
            Shape::Area => self.draw_path(canvas, &format!("M{x} {}h{wide}v9h-{wide}z", Length(y - 4.5))),
            _ => self.draw_marks(canvas, [(left + width / 2.0, y)]),
        }
    }
}

/// A line of steps: each value holds from its place to the next, the last until `end`.
pub(in crate::trace) fn steps(places: &[Place], end: f64) -> String {
    let places = thinned(places);
    let Some(&(x, y)) = places.first() else { return String::new() };
    let mut path = format!("M{} {}", tenth(x), tenth(y));
    for &(x, y) in &places[1..] {
        path += &format!("H{}V{}", tenth(x), tenth(y));
    }
    path + &format!("H{}", tenth(end))
}

/// The area between two lines of steps that have their steps at the same places.
pub(in crate::trace) fn area(lower: &[Place], upper: &[Place], end: f64) -> String {
    if upper.is_empty() {
        return String::new();
    }
    let mut path = steps(upper, end);
    for (x, y) in thinned(lower).into_iter().rev() {
        path += &format!("V{}H{}", tenth(y), tenth(x));
    }
    path + "Z"
}

/// No more than one step every half pixel: the last of each.
fn thinned(places: &[Place]) -> Vec<Place> {
    let column = |place: Place| (place.0 * 2.0) as i64;
    let mut thinned: Vec<Place> = Vec::new();
    for &place in places {
        match thinned.last_mut().filter(|last| column(**last) == column(place)) {
            Some(last) => last.1 = place.1,
            None => thinned.push(place),
        }
    }
    thinned
}

fn tenths(length: f64) -> i64 {
    (length * 10.0).round() as i64
}

fn tenth(length: f64) -> Length {
    Length(tenths(length) as f64 / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_goes_along_the_upper_steps_and_back_along_the_lower() {
        let (lower, upper) = ([(0.0, 9.0), (5.0, 8.0)], [(0.0, 4.0), (5.0, 2.0)]);
        assert_eq!(area(&lower, &upper, 10.0), "M0 4H5V2H10V8H5V9H0Z");
        assert_eq!(area(&[], &[], 10.0), "");
    }

    #[test]
    fn what_falls_on_the_same_tenth_of_a_pixel_is_drawn_once() {
        let mut canvas = Canvas::new("id", "", "", (10.0, 10.0));
        Style { shape: Shape::Dot, colour: 0 }.draw_marks(&mut canvas, [(1.0, 2.0), (1.01, 2.04), (1.1, 2.0)]);
        assert!(canvas.finish().contains("d=\"M1 2h0M1.1 2h0\""));
    }
}
