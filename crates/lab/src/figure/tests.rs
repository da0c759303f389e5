use proptest::prelude::*;
use resvg::tiny_skia::Pixmap;

use super::layout::Layout;
use super::*;

fn axis(label: &str, scale: Scale) -> Axis {
    Axis { label: label.to_owned(), scale, from_zero: true }
}

fn curve(label: &str, points: &[(f64, f64, Option<f64>)]) -> Curve {
    let points = points.iter().map(|&(x, y, half_width)| Point { x, y, half_width, deviation: None }).collect();
    Curve { label: label.to_owned(), scheme: label.to_owned(), points }
}

fn figure(curves: Vec<Curve>) -> Figure {
    Figure {
        id: "monet08-fig3".to_owned(),
        title: "Throughput over frame loss".to_owned(),
        x: axis("Frame loss rate (%)", Scale::Linear),
        y: axis("Throughput (kbit/s)", Scale::Linear),
        curves,
        marks: Vec::new(),
        difference: None,
        source: "monet08, Fig. 3".to_owned(),
        caption: "30 replications, 95 % confidence intervals".to_owned(),
    }
}

fn two_curves() -> Figure {
    figure(vec![
        curve("Raw Link", &[(0.0, 52.1, Some(0.6)), (1.5, 38.2, Some(0.7)), (5.4, 16.4, Some(1.2))]),
        curve("SR 0.9 s", &[(0.0, 50.2, Some(0.5)), (1.5, 45.1, None), (5.4, 31.2, Some(0.3))]),
    ])
}

#[test]
fn a_small_figure_stays_as_it_is() {
    insta::assert_snapshot!(two_curves().to_svg());
}

#[test]
fn a_mark_stands_where_it_belongs_in_the_colour_of_its_curve() {
    let mark = |x, curve| Mark { x, label: "the bound".to_owned(), curve };
    let svg =
        Figure { marks: vec![mark(2.0, Some(1)), mark(7.0, None), mark(f64::NAN, None)], ..two_curves() }.to_svg();
    assert_eq!(svg.matches(">the bound</text>").count(), 2, "a place that no axis can show is left out");
    insta::assert_snapshot!(
        svg.lines().filter(|line| line.contains("4 4") || line.contains("bound")).collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn where_bars_are_deviations_the_interval_stands_beside_them() {
    let mut figure = two_curves();
    assert!(!figure.to_svg().contains("stroke-width=\"3\""));
    figure.curves[0].points[1].deviation = Some(2.0);
    let svg = figure.to_svg();
    let thick: Vec<&str> = svg.lines().filter(|line| line.contains("stroke-width=\"3\"")).collect();
    assert_eq!(thick.len(), 1, "one curve has one");
    assert_eq!(thick[0].matches('M').count(), 1, "at the one point that has a deviation");
    // The bar with caps reaches as far as the deviation, the thick one as far as the interval.
    let layout = Layout::new(&figure, Sheet::File);
    let ends = |distance: f64| format!("V{}", super::canvas::Length(layout.plot.up(38.2 + distance)));
    assert!(thick[0].contains(&ends(0.7)) && !thick[0].contains(&ends(2.0)));
    assert!(svg.contains(&ends(2.0)));
}

#[test]
fn equal_figures_are_equal_bytes() {
    let svg = two_curves().to_svg();
    assert_eq!(svg, two_curves().to_svg());
    assert_eq!(png::to_png(&svg, 1.0).unwrap(), png::to_png(&svg, 1.0).unwrap());
}

#[test]
fn a_point_tells_its_numbers() {
    let svg = two_curves().to_svg();
    assert!(svg.contains("<title>SR 0.9 s at 5.4 %: 31.2 ± 0.3 kbit/s</title>"));
    assert!(svg.contains("<title>SR 0.9 s at 1.5 %: 45.1 kbit/s</title>"));
    assert_eq!(svg.matches("<title>").count(), 6);
}

#[test]
fn units_are_read_from_the_label() {
    assert_eq!(axis("Throughput (kbit/s)", Scale::Linear).unit(), Some("kbit/s"));
    assert_eq!(axis("Loss (of packets) (%)", Scale::Linear).unit(), Some("%"));
    assert_eq!(axis("Bit error rate", Scale::Linear).unit(), None);
    assert_eq!(axis(")", Scale::Linear).unit(), None);
}

#[test]
fn names_and_texts_cannot_break_the_document() {
    let mut figure = two_curves();
    let rude = "</text><script>\"&\u{0}";
    figure.id = rude.to_owned();
    figure.title = rude.to_owned();
    figure.source = rude.to_owned();
    figure.x.label = rude.to_owned();
    figure.y.label = rude.to_owned();
    figure.curves[0].label = rude.to_owned();
    let svg = figure.to_svg();
    assert!(!svg.contains("<script"));
    assert!(svg.contains("id=\"--text--script----\""), "{svg}");
    png::to_png(&svg, 1.0).unwrap();
}

#[test]
fn nothing_is_fetched_and_every_id_begins_with_the_figures() {
    let svg = two_curves().to_svg();
    assert_eq!(svg.matches("://").count(), 1, "the name of the SVG namespace");
    assert!(!svg.contains("href") && !svg.contains("url("));
    for id in svg.split(" id=\"").skip(1) {
        assert!(id.starts_with("monet08-fig3"), "{id}");
    }
}

#[test]
fn the_picture_has_the_size_asked_for_and_light_paper() {
    let figure = two_curves();
    let height = Layout::new(&figure, Sheet::File).height as u32;
    for scale in [1, 2] {
        let png = png::to_png(&figure.to_svg(), scale as f32).unwrap();
        let pixels = Pixmap::decode_png(&png).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (Sheet::File.width() as u32 * scale, height * scale));
        let luminance = |x, y| pixels.pixel(x, y).map(|pixel| (pixel.red(), pixel.alpha()));
        assert_eq!(luminance(0, 0), Some((255, 255)));
        let ink = pixels.pixels().iter().filter(|pixel| pixel.red() < 64 && pixel.green() < 64).count();
        assert!(ink > 500, "text and the first curve are black: {ink}");
    }
}

#[test]
fn what_is_no_picture_is_an_error() {
    assert!(matches!(png::to_png("no svg", 1.0), Err(png::PngError::Svg(_))));
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e9] {
        assert!(matches!(png::to_png(&two_curves().to_svg(), scale), Err(png::PngError::Size { .. })), "{scale}");
    }
}

#[test]
fn text_is_drawn_with_the_shipped_font() {
    let text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\">\
                <text y=\"15\" font-family=\"Arial, sans-serif\">±≤−×⁻⁵αß</text></svg>";
    let pixels = Pixmap::decode_png(&png::to_png(text, 1.0).unwrap()).unwrap();
    assert!(pixels.pixels().iter().any(|pixel| pixel.alpha() > 128));
}

#[test]
fn degenerate_figures_are_drawn() {
    let odd = [
        vec![],
        vec![curve("none", &[])],
        vec![curve("one", &[(5.4, 31.2, None)])],
        vec![curve("equal", &[(0.0, 7.0, Some(0.0)), (1.0, 7.0, Some(0.0))])],
        vec![curve("zero", &[(0.0, 0.0, None), (1.0, 0.0, None)])],
        vec![curve("negative", &[(-2.0, -5.0, Some(9.0)), (-1.0, -3.0, Some(-1.0))])],
        vec![curve("strange", &[(f64::NAN, 1.0, None), (1.0, f64::INFINITY, None), (2.0, 1.0, Some(f64::NAN))])],
        vec![curve("huge", &[(1e300, -1e300, Some(1e308)), (1e99, -1e99, Some(1e200)), (1e-300, 1e-300, None)])],
    ];
    for curves in odd {
        for (x, y) in [(Scale::Linear, Scale::Linear), (Scale::Logarithmic, Scale::Logarithmic)] {
            let mut figure = figure(curves.clone());
            (figure.x.scale, figure.y.scale) = (x, y);
            let svg = figure.to_svg();
            assert!(!svg.contains("NaN\"") && !svg.contains("inf"), "{svg}");
            png::to_png(&svg, 1.0).unwrap();
        }
    }
}

#[test]
fn a_point_that_cannot_be_shown_leaves_a_gap() {
    let svg = figure(vec![curve(
        "gap",
        &[(0.0, 1.0, None), (1.0, 2.0, None), (2.0, f64::NAN, None), (3.0, 2.0, None), (4.0, 1.0, None)],
    )])
    .to_svg();
    let line = svg.lines().find(|line| line.starts_with("<path d=")).unwrap();
    assert_eq!((line.matches('M').count(), line.matches('L').count()), (2, 2), "{line}");
    assert_eq!(svg.matches("<title>").count(), 4);
}

#[test]
fn wide_intervals_do_not_flatten_the_curves() {
    let narrow = Layout::new(&two_curves(), Sheet::File);
    let mut figure = two_curves();
    figure.curves[1].points[2].half_width = Some(1000.0);
    let wide = Layout::new(&figure, Sheet::File);
    let height = |layout: &Layout| layout.plot.up(16.4) - layout.plot.up(52.1);
    assert!(height(&wide) > height(&narrow) / 2.0);
    assert!(!wide.plot.y.contains(1031.2) && !wide.plot.y.contains(-1.0));
}

/// Where the texts of a drawing stand that the predicate picks.
fn places(svg: &str, picks: impl Fn(&str) -> bool) -> Vec<(f64, f64)> {
    let of = |line: &str, name: &str| -> f64 {
        let rest = line.split_once(&format!(" {name}=\"")).expect("a place").1;
        rest.split('"').next().and_then(|number| number.parse().ok()).expect("a number")
    };
    let texts = svg.lines().filter(|line| line.starts_with("<text"));
    texts.filter(|line| picks(line)).map(|line| (of(line, "x"), of(line, "y"))).collect()
}

#[test]
fn where_there_is_one_point_every_scheme_has_a_bar_with_its_label_and_its_value() {
    let long = "SSCOP, none, with a change that takes a whole sentence to say, and nothing of it may be missing";
    let one = figure(vec![
        curve("SSCOP, PFRS", &[(5.4, 31.2, Some(0.3))]),
        curve(long, &[(5.4, 16.4, None)]),
        curve("nothing", &[]),
    ]);
    for sheet in Sheet::ALL {
        let svg = one.drawn_on(sheet);
        assert_eq!(svg.matches("<rect class=\"arqway-curve-").count(), 2, "{svg}");
        for text in [">SSCOP, PFRS</text>", ">31.2 ± 0.3</text>", ">no value</text>", ">Frame loss rate: 5.4 %</text>"]
        {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        let lines = svg.lines().filter(|line| line.starts_with("<text")).filter_map(|line| {
            line.rsplit_once("</text>").and_then(|(text, _)| text.rsplit_once('>')).map(|(_, text)| text)
        });
        let all = lines.collect::<Vec<_>>().join(" ");
        assert!(all.contains(long), "{all}");
    }
    let two = figure(vec![curve("SR", &[(1.5, 1.0, None), (5.4, 2.0, None)])]);
    assert!(!two.to_svg().contains("<rect class=\"arqway-curve-"));
}

#[test]
fn a_legend_stands_beside_the_plot_where_there_is_room_and_a_long_one_below() {
    for (sheet, curves, beside) in
        [(Sheet::Desk, 10, true), (Sheet::Desk, 11, false), (Sheet::File, 3, false), (Sheet::Phone, 3, false)]
    {
        let curves = (0..curves).map(|index| curve(&format!("scheme {index}"), &[(0.0, 1.0, None), (1.0, 2.0, None)]));
        let figure = figure(curves.collect());
        let frame = Layout::new(&figure, sheet).plot.frame;
        let entries = places(&figure.drawn_on(sheet), |line| line.contains(">scheme "));
        assert!(entries.iter().all(|(x, y)| if beside { *x > frame.right } else { *y > frame.bottom }), "{entries:?}");
        let most = sheet.width() - if beside { 250.0 } else { 100.0 };
        assert!(frame.right - frame.left > most, "the plot uses the width: {frame:?}");
    }
}

#[test]
fn a_scheme_of_which_nothing_was_measured_is_not_in_the_legend_and_the_others_keep_their_looks() {
    let curves = || {
        vec![curve("SR", &[(1.5, 1.0, None)]), curve("Raw", &[]), curve("ASR", &[(1.5, 3.0, None), (5.4, 2.0, None)])]
    };
    let svg = figure(curves()).to_svg();
    let labels = |svg: &str| ["SR", "Raw", "ASR"].map(|label| svg.matches(&format!(">{label}</text>")).count());
    assert_eq!(labels(&svg), [1, 0, 1]);
    let mut measured = curves();
    measured[1].points = measured[0].points.clone();
    let all = figure(measured).to_svg();
    assert_eq!(labels(&all), [1, 1, 1]);
    // The third curve is drawn as the third, and so is its entry.
    let third = "class=\"arqway-curve-2\"";
    assert_eq!(svg.matches(third).count(), all.matches(third).count());
}

#[test]
fn a_drawing_on_a_page_leaves_to_the_page_what_the_page_says() {
    let figure = two_curves();
    for sheet in [Sheet::Desk, Sheet::Phone] {
        let svg = figure.drawn_on(sheet);
        assert!(
            !svg.contains(">Throughput over frame loss</text>") && !svg.contains("monet08, Fig. 3</text>"),
            "{svg}"
        );
        assert!(svg.contains("<title id=\"monet08-fig3-"), "whoever listens is told all the same");
    }
    assert!(figure.to_svg().contains(">Throughput over frame loss</text>"));
}

#[test]
fn bars_that_a_marker_hides_are_noticed() {
    let with = |half_width| figure(vec![curve("SR", &[(0.0, 0.0, None), (1.0, 50.0, Some(half_width))])]);
    assert!(with(0.5).hides_bars());
    assert!(!with(5.0).hides_bars());
    assert!(!with(0.0).hides_bars(), "what has no width is not hidden");
}

#[test]
fn differences_stand_in_a_second_panel_in_the_looks_of_their_curves() {
    let plain = two_curves();
    let mut figure = two_curves();
    let curves = vec![curve("SR 0.9 s", &[(0.0, -1.9, Some(0.2)), (1.5, 6.9, None)])];
    figure.difference = Some(Difference { label: "Difference from Raw Link (kbit/s)".to_owned(), curves });
    let (before, after) = (Layout::new(&plain, Sheet::File), Layout::new(&figure, Sheet::File));
    let panel = after.difference.as_ref().expect("a second panel");
    assert!(panel.frame.top > after.plot.frame.bottom && after.height > before.height);
    assert_eq!(after.plot.frame.left, panel.frame.left);
    let svg = figure.to_svg();
    assert!(svg.contains("SR 0.9 s at 1.5 %: 6.9 kbit/s"), "{svg}");
    assert_eq!(svg.matches("class=\"arqway-curve-1\"").count(), 5, "line and markers twice, and the legend");
}

#[test]
fn labels_of_marks_that_are_near_stand_above_each_other() {
    let mark = |x: f64| Mark { x, label: format!("a bound at {x}"), curve: None };
    let near = Figure { marks: vec![mark(2.0), mark(2.1), mark(5.0)], ..two_curves() };
    let found = places(&near.to_svg(), |line| line.contains("a bound"));
    assert!(found[0].1 > found[1].1 && found[0].1 == found[2].1, "{found:?}");
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => -1e3..1e3f64,
        1 => prop::num::f64::ANY,
        1 => Just(0.0),
    ]
}

fn scale() -> impl Strategy<Value = Scale> {
    prop_oneof![Just(Scale::Linear), Just(Scale::Logarithmic)]
}

proptest! {
    #[test]
    fn every_point_lies_within_the_frame(
        points in prop::collection::vec((value(), value(), prop::option::of(value())), 0..12),
        scales in (scale(), scale()),
        from_zero: bool,
    ) {
        let mut figure = figure(vec![curve("any", &points)]);
        (figure.x.scale, figure.y.scale) = scales;
        (figure.x.from_zero, figure.y.from_zero) = (from_zero, from_zero);
        let layout = Layout::new(&figure, Sheet::File);
        let frame = layout.plot.frame;
        for &point in &figure.curves[0].points {
            let Some((x, y)) = layout.plot.place(point) else { continue };
            prop_assert!((frame.left..=frame.right).contains(&x), "{x} in {frame:?}");
            prop_assert!((frame.top..=frame.bottom).contains(&y), "{y} in {frame:?}");
        }
        prop_assert!(!figure.to_svg().contains("=\"NaN"));
    }
}
