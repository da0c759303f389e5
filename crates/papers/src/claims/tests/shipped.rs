//! Every claim under `claims/`: reproduced by rows that agree with it, and no longer once the rows are doctored. So none is
//! true of everything.

use super::*;
use std::collections::BTreeSet;

/// The means of a claim's cells, in the order of `Claim::cells`, made to agree with it.
type Means = Vec<f64>;

fn shipped() -> Vec<Claim> {
    let papers = library::papers().expect("a list");
    let sources = papers.iter().filter_map(|paper| library::claims(&paper.id));
    sources.flat_map(|source| read(&source).expect("no mistakes")).collect()
}

fn judged(claim: &Claim, means: &Means) -> Verdict {
    let cells = claim.cells();
    assert_eq!(cells.len(), means.len(), "{}", claim.about.id);
    let rows = cells.iter().zip(means).flat_map(|(cell, mean)| super::cell(&claim.about, *cell, &around(*mean)));
    claim.judge(&Evidence::of(&rows.collect::<Vec<_>>())).verdict()
}

/// Means that agree with a claim: what it says, taken literally.
fn agreeing(claim: &Claim) -> Means {
    let cells = claim.cells();
    let by_place = |place: &dyn Fn(&Cell<'_>) -> f64| cells.iter().map(place).collect();
    match &claim.statement {
        Statement::BestWorst(_) => {
            // Its schemes, then the best of them, and then the worst if it is named.
            let names: BTreeSet<&str> = cells.iter().map(|cell| cell.scheme).collect();
            let (best, worst) = match &cells[names.len()..] {
                [best] => (best.scheme, ""),
                [best, worst] => (best.scheme, worst.scheme),
                _ => panic!("{} names more than best and worst", claim.about.id),
            };
            by_place(&|cell| {
                if cell.scheme == best {
                    300.0
                } else if cell.scheme == worst {
                    100.0
                } else {
                    200.0
                }
            })
        }
        Statement::Gain(_) => {
            let gain = claim.judge(&Evidence::default()).number.expect("a number").paper;
            let a_is_above = (gain > 0.0) != (claim.about.metric == "delay");
            if a_is_above { vec![176.0, 100.0] } else { vec![100.0, 176.0] }
        }
        // The mean that is the number: the paper's, where rows have it in the same unit, or else its point in percent.
        Statement::Value(_) => {
            let flat = claim.judge(&Evidence::default()).number.expect("a number");
            let in_rows = match flat.unit {
                " %" => 0.01,
                " kbit/s" => 1000.0,
                _ => 1.0,
            };
            vec![flat.paper * in_rows]
        }
        Statement::Order(_) => {
            let first: Vec<&str> =
                cells.iter().take_while(|cell| cell.point == cells[0].point).map(|cell| cell.scheme).collect();
            by_place(&|cell| {
                100.0 * (first.len() - first.iter().position(|one| *one == cell.scheme).unwrap_or(0)) as f64
            })
        }
        Statement::Shape(_) => by_place(&|cell| agreeing_with_shape(&claim.about.id, cell)),
        // At each point `a`, then `b`.
        Statement::NotAbove(_) => (0..cells.len()).map(|cell| if cell % 2 == 0 { 100.0 } else { 200.0 }).collect(),
        Statement::Top(_) => {
            let best = cells[cells.len() - 1].scheme;
            by_place(&|cell| if cell.scheme == best { 200.0 } else { 100.0 })
        }
        Statement::Cross(_) => {
            // Its points end with those, here one, where the second of its schemes is above.
            let (first, high) = (cells[0].scheme, cells[cells.len() - 1].point);
            by_place(&|cell| if (cell.scheme == first) == (cell.point == high) { 100.0 } else { 200.0 })
        }
    }
}

/// Rows that agree with each shape, by hand: a new shape needs its line.
fn agreeing_with_shape(id: &str, cell: &Cell<'_>) -> f64 {
    let (paper, statement) = id.split_once('.').expect("a paper and a figure");
    let mean = match paper {
        "monet08" => agreeing_with_monet08(statement, cell),
        "aina06" => agreeing_with_aina06(statement, cell),
        "mobimedia07" => agreeing_with_mobimedia07(statement, cell),
        "multiservice" => agreeing_with_multiservice(statement, cell),
        "shikama06" => agreeing_with_shikama06(statement, cell),
        _ => None,
    };
    mean.unwrap_or_else(|| panic!("{id}: say here which means agree with it"))
}

fn agreeing_with_monet08(statement: &str, cell: &Cell<'_>) -> Option<f64> {
    Some(match (statement, cell.scheme, cell.place.variant.as_str(), cell.place.metric.as_deref()) {
        ("fig10.tcp-policy-times-out-without-errors", _, _, Some("link-timeouts")) => 0.05,
        ("fig10.tcp-policy-times-out-without-errors", "asr:1+4", _, _) => 50.0,
        ("fig10.tcp-policy-times-out-without-errors", ..) => 60.0,
        ("secV.integer-arithmetic", "asr:1+4", "", _) => 51.0,
        ("secV.integer-arithmetic", "asr:1+4", ..) => 50.0,
        ("secV.integer-arithmetic", ..) => 60.0,
        ("secIV.simple-nacks-are-slower", _, "", _) => 60.0,
        ("secIV.simple-nacks-are-slower", ..) => 50.0,
        ("fig19.rlc-pays-for-status", "asr:3+2", ..) => 60.0,
        ("fig19.rlc-pays-for-status", ..) => 58.0,
        ("fig20.gap-to-rlc-widens" | "fig21.gap-to-rlc-widens", ..) => widening(cell),
        ("fig23.sr-rlc-margin-shrinks", "sr:1.1", ..) if cell.place.beside.as_deref() == Some("none") => 80.0,
        ("fig23.sr-rlc-margin-shrinks", "sr:1.1", ..) => 60.0,
        ("fig23.sr-rlc-margin-shrinks", ..) => 50.0,
        ("fig24.rlc-nearer-raw" | "fig25.rlc-nearer-raw", ..) => nearer_to_raw(cell),
        ("fig25.sr-like-rlc", ..) => 50.0,
        ("secVII.adaptive-never-adds-delay", ..) => collapsing(cell),
        ("secVI.contention-keeps-the-ranking-uniform" | "secVI.contention-keeps-the-ranking-two-state", ..)
        | ("secIII.slow-wire", ..) => ranked(cell),
        _ => return None,
    })
}

fn agreeing_with_aina06(statement: &str, cell: &Cell<'_>) -> Option<f64> {
    Some(match (statement, cell.scheme) {
        ("secV.relaxed-is-better" | "secVI.relaxed-is-better", "asr:2+4") => 40.0,
        ("secV.relaxed-is-better" | "secVI.relaxed-is-better", "asr:3+2") => 50.0,
        ("secV.relaxed-is-better" | "secVI.relaxed-is-better", _) => 60.0,
        ("table5.adaptive-delays-less" | "table6.adaptive-delays-less", "sr:1.1") => 1.0,
        ("table5.adaptive-delays-less" | "table6.adaptive-delays-less", "asr:2+4") if cell.point == 9.8 => 1.1,
        ("table5.adaptive-delays-less" | "table6.adaptive-delays-less", _) => 0.8,
        ("fig6.raw-delay-falls", _) => 10.0 - 0.5 * cell.point,
        ("secV.initial-estimates", _) => 50.0,
        ("slow-wire", _) => ranked(cell),
        _ => return None,
    })
}

fn agreeing_with_mobimedia07(statement: &str, cell: &Cell<'_>) -> Option<f64> {
    Some(match (statement, cell.scheme) {
        ("fig6.larger-margin", "sr:1.1") if cell.place.beside.as_deref() == Some("none") => 58.0,
        ("fig6.larger-margin", "sr:1.1") => 50.0,
        ("fig6.larger-margin", _) => 60.0,
        ("fig3.gap-widens", _) => widening(cell),
        ("fig4.rlc-catches-up", "sr:1.1") => 60.0,
        ("fig4.rlc-catches-up", _) if cell.point == 9.8 => 57.0,
        ("fig4.rlc-catches-up", _) => 45.0,
        ("fig5.rlc-nearer-raw", _) => nearer_to_raw(cell),
        ("fig9.fsr-like-rlc", _) => 50.0,
        ("slow-wire", _) => ranked(cell),
        (other, _) if other.ends_with("fsr-highest-delay") || other.ends_with("adaptive-adds-no-delay") => {
            collapsing(cell)
        }
        _ => return None,
    })
}

/// Both kinds of Selective Repeat stay, RLC falls back with each point to the raw link.
fn widening(cell: &Cell<'_>) -> f64 {
    match cell.scheme {
        "raw" => 30.0,
        "rlc:1" => 50.0 - 2.0 * cell.point,
        _ => 60.0,
    }
}

fn nearer_to_raw(cell: &Cell<'_>) -> f64 {
    match cell.scheme {
        "raw" => 30.0,
        "rlc:1" => 35.0,
        _ => 60.0,
    }
}

/// A delay that errors shorten, but for the fixed timeout.
fn collapsing(cell: &Cell<'_>) -> f64 {
    match cell.scheme {
        "sr:1.1" => 10.0 + cell.point,
        _ => 10.0 - 0.5 * cell.point,
    }
}

/// The same order in every world.
fn ranked(cell: &Cell<'_>) -> f64 {
    let order = [
        "raw", "sr:0.9", "sr:1.1", "sr:1.3", "asr:1+4", "asr:2+4", "asr:3+2", "asr:4+0", "rlc:1", "rlc:2", "rlc:3",
        "rlc:4", "rlc:5",
    ];
    order.iter().position(|scheme| *scheme == cell.scheme).map_or(0.0, |place| 20.0 + 10.0 * place as f64)
}

fn agreeing_with_multiservice(statement: &str, cell: &Cell<'_>) -> Option<f64> {
    // Errors become more frequent from one point to the next.
    let errors = [0.0, 131_072.0, 65_536.0, 32_768.0, 16_384.0].iter().position(|point| *point == cell.point)? as f64;
    let scheme = |values: &[(&str, f64)]| values.iter().find(|(name, _)| *name == cell.scheme).map(|(_, value)| *value);
    match statement {
        "fig2.gbn-poor" => {
            scheme(&[("raw", 100.0), ("go-back-n", 200.0), ("sr", 400.0), ("rlp:3", 395.0), ("snoop", 390.0)])
        }
        "fig3.snoop-little-over-raw" => {
            scheme(&[("raw", 100.0), ("snoop", 120.0), ("go-back-n", 380.0), ("sr", 400.0)])
        }
        "fig4.residual-loss" if cell.place.metric.as_deref() == Some("overhead") => Some(0.083),
        "fig4.residual-loss" => {
            scheme(&[("raw", 0.06), ("xor-fec:12", 0.01), ("rlp:1", 0.002), ("oos-rlp:1", 0.002), ("sr", 0.0)])
        }
        "fig5.delay" => scheme(&[
            ("raw", 5.0),
            ("oos-rlp:1", 10.0),
            ("rlp:1", 10.0 + 0.2 * errors * errors),
            ("xor-fec:12", 15.0),
            ("sr", 20.0),
        ]),
        "fig8.file-transfer" => {
            let of_snoop = if errors == 0.0 { 380.0 } else { 400.0 };
            scheme(&[("raw", 100.0), ("rlp:3", 300.0), ("sr", 350.0), ("snoop", of_snoop)])
        }
        "fig9.web" => scheme(&[("raw", 100.0), ("snoop", 120.0), ("rlp:3", 300.0), ("sr", 350.0)]),
        "fig10.delay-falls" if cell.place.beside.as_deref() == Some("none") => Some(10.0),
        "fig10.delay-falls" => Some(60.0 - 5.0 * errors),
        "fig10.snoop-adds-least" => scheme(&[("snoop", 20.0), ("rlp:3", 30.0), ("sr", 40.0)]),
        "secVI.same-loss" => Some(0.01 * (1.0 + errors)),
        "secVI.shares" => Some(4_575_000.0),
        _ => None,
    }
}

fn agreeing_with_shikama06(statement: &str, cell: &Cell<'_>) -> Option<f64> {
    let errors = [1e-8, 1e-7, 1e-6, 1e-5].iter().position(|point| *point == cell.point)? as f64;
    let per_flow = cell.scheme == "sscop-pfrs";
    Some(match (statement, cell.scheme) {
        ("fig9.more-connections-fill-the-link", _) if cell.place.metric.as_deref() == Some("utilisation") => 0.4,
        ("fig9.more-connections-fill-the-link", _) => cell.place.connections.map_or(800.0, |_| 400.0),
        ("fig10.none-equals-pfrs", "sscop-none" | "sscop-pfrs") => 800.0,
        ("fig10.none-equals-pfrs", _) => 400.0,
        ("fig11.dda-2s-comparable", _) => 800.0,
        ("fig12.dda-responds-late", "sscop-none" | "sscop-pfrs") => 1.0 + errors,
        ("fig12.dda-responds-late", _) => 5.0 + errors,
        ("fig14.buffers", "sscop-none") => 38.0,
        ("fig14.buffers", _) => match cell.place.variant.as_str() {
            "buffer=50" => 40.0,
            "buffer=20" => 35.0,
            "buffer=15" => 30.0,
            _ => 20.0,
        },
        ("fig15.resequencing-buffers", "sscop-none") => 0.0,
        ("fig15.resequencing-buffers", _) => (1.0 + errors) * cell.place.connections.map_or(20.0, |_| 10.0),
        ("fig16-17.cwnd-recovery", _) => {
            if per_flow {
                5.0
            } else {
                10.0
            }
        }
        ("fig18.ack-burst", _) => 22.0,
        ("fig19-20.bursts", _) => {
            if per_flow {
                2.0
            } else {
                22.0
            }
        }
        _ => return None,
    })
}

#[test]
fn each_is_reproduced_by_rows_that_agree_with_it() {
    for claim in shipped() {
        let verdict = judged(&claim, &agreeing(&claim));
        // A number of its own is judged elsewhere; here the means are three to one.
        let number_only = matches!(claim.statement, Statement::Gain(_));
        assert!(verdict == Verdict::Reproduced || (number_only && verdict == Verdict::Direction), "{}", claim.about.id);
    }
}

#[test]
fn none_is_reproduced_once_its_cells_have_changed_places() {
    for claim in shipped() {
        let means = agreeing(&claim);
        let (least, most) = (means.iter().copied().fold(f64::MAX, f64::min), means.iter().copied().fold(0.0, f64::max));
        let upside_down = |mean: f64| least + most - mean;
        // Upside down: what was highest is lowest.
        let swapped: Means = match &claim.statement {
            Statement::Value(_) => means.iter().map(|mean| 3.0 * mean).collect(),
            // Nearness and rankings are the same upside down.
            _ if claim.about.id.ends_with("rlc-nearer-raw") => means.iter().rev().copied().collect(),
            _ if claim.about.id.contains("keeps-the-ranking") => {
                let in_one = |(cell, mean): (&Cell<'_>, &f64)| {
                    if cell.place.beside.as_deref() == Some("media") { upside_down(*mean) } else { *mean }
                };
                claim.cells().iter().zip(&means).map(in_one).collect()
            }
            _ if claim.about.id.ends_with("slow-wire") => {
                let in_one = |(cell, mean): (&Cell<'_>, &f64)| {
                    if cell.place.variant.is_empty() { *mean } else { upside_down(*mean) }
                };
                claim.cells().iter().zip(&means).map(in_one).collect()
            }
            _ if claim.about.id.ends_with("like-rlc") || claim.about.id.ends_with("comparable") => {
                let times = |cell: &Cell<'_>| if ["sr:1.1", "dda:2.0"].contains(&cell.scheme) { 3.0 } else { 1.0 };
                claim.cells().iter().zip(&means).map(|(cell, mean)| times(cell) * mean).collect()
            }
            _ if claim.about.id.ends_with("initial-estimates") => {
                let times = |cell: &Cell<'_>| if cell.place.variant.is_empty() { 3.0 } else { 1.0 };
                claim.cells().iter().zip(&means).map(|(cell, mean)| times(cell) * mean).collect()
            }
            // A shape may print numbers too.
            _ if least == most => means.iter().map(|mean| 3.0 * mean).collect(),
            _ => means.iter().map(|mean| upside_down(*mean)).collect(),
        };
        assert_ne!(judged(&claim, &swapped), Verdict::Reproduced, "{} of swapped schemes", claim.about.id);
    }
}

#[test]
fn no_shape_and_no_statement_is_reproduced_by_flat_curves() {
    // What is not above may be as high; and what is alike is flat.
    let alike = [
        "sr-like-rlc",
        "fsr-like-rlc",
        "dda-2s-comparable",
        "initial-estimates",
        "fig10.adaptive-adds-no-delay",
        "fig12.adaptive-adds-no-delay",
    ];
    let none = |claim: &Claim| !matches!(claim.statement, Statement::Value(_) | Statement::NotAbove(_));
    let speaks_of_differences = |claim: &Claim| !alike.iter().any(|alike| claim.about.id.ends_with(alike));
    for claim in shipped().into_iter().filter(none).filter(speaks_of_differences) {
        let flat = vec![50.0; claim.cells().len()];
        assert_ne!(judged(&claim, &flat), Verdict::Reproduced, "{}", claim.about.id);
    }
}

#[test]
fn each_condition_of_a_shape_can_fail_by_itself() {
    for claim in shipped() {
        let Statement::Shape(_) = &claim.statement else { continue };
        let means = agreeing(&claim);
        let cells = claim.cells();
        // Every cell in turn, far off: some condition notices, or the cell would be read for nothing.
        for cell in 0..cells.len() {
            let noticed = [0.001, 0.6, 1000.0].into_iter().any(|factor| {
                let same = |other: usize| cells[other] == cells[cell];
                let doctored: Means = (0..cells.len())
                    .map(|at| if same(at) { factor * means[at].max(0.001) } else { means[at] })
                    .collect();
                judged(&claim, &doctored) != Verdict::Reproduced
            });
            assert!(noticed, "{} does not notice {:?}", claim.about.id, cells[cell]);
        }
    }
}
