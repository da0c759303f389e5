//! What a rate that is found promises, each with the seed of its world.

#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod world;

use world::{Line, rivals, run, share, waited};

/// Prints what each kind of line gives: for whoever works on the controller.
#[test]
#[ignore = "a table for a reader"]
fn table() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let print = |name: &str, line: Line| {
        if !name.contains(&only) {
            return;
        }
        let seen = run(&line, 30);
        let parts: Vec<String> = (0..15)
            .map(|part| {
                let (from, to) = (2.0 * f64::from(part), 2.0 * f64::from(part) + 2.0);
                let rival =
                    if line.rival.is_some() { format!("+{:.2}", rivals(&seen, from, to)) } else { String::new() };
                format!("{:.2}{rival}/{:.0}", share(&seen, from, to), waited(&seen, from, to))
            })
            .collect();
        println!("{name:22} {:.3} {:5.1} ms  {}", share(&seen, 5.0, 30.0), waited(&seen, 5.0, 30.0), parts.join(" "));
    };
    for rate in [0.064, 1.0, 10.0, 100.0, 500.0] {
        for delay in [5.0, 25.0, 150.0] {
            print(&format!("constant {rate} {delay}"), Line::new(rate, delay));
        }
    }
    let line = || Line::new(10.0, 20.0);
    print("satellite", Line { lost: vec![(0, 0.03)], ..Line::new(10.0, 260.0) });
    print("up", Line { rate: vec![(0, 2.0), (10_000, 20.0)], ..line() });
    print("down", Line { rate: vec![(0, 20.0), (10_000, 2.0)], ..line() });
    print("steps", Line { delay: vec![(0, 20.0), (10_000, 70.0), (20_000, 20.0)], ..line() });
    print("grants", Line { grants: 10.0, ..line() });
    print("lost 20", Line { lost: vec![(0, 0.2)], ..line() });
    print("lost later", Line { lost: vec![(0, 0.0), (10_000, 0.2), (20_000, 0.0)], ..line() });
    print("policer", Line { queue: 3.0, ..line() });
    print("policer 100", Line { queue: 2.0, ..Line::new(100.0, 20.0) });
    print("policer lossy", Line { queue: 3.0, lost: vec![(0, 0.1)], ..line() });
    print("policer falls", Line { queue: 3.0, rate: vec![(0, 10.0), (10_000, 3.0), (20_000, 10.0)], ..line() });
    print("policer long", Line { queue: 3.0, ..Line::new(10.0, 150.0) });
    print("drift", Line { drift: 200.0, ..line() });
    print("drift back", Line { drift: -200.0, ..line() });
    print("set", Line { set: Some((10_000, 700.0)), ..line() });
    print("still", Line { rate: vec![(0, 10.0), (10_000, 0.0), (12_000, 10.0)], ..line() });
    print("back", Line { back: 300.0, ..line() });
    print("wanted 2", Line { wanted: Some(2.0), ..line() });
    print("rival", Line { rival: Some((5_000, 20_000)), queue: 40.0, ..line() });
    print("rival first", Line { rival: Some((0, 20_000)), queue: 40.0, ..line() });
}
