//! Alone in its process, whose memory it looks at.

use arqway_net::give_back_freed_memory;
use arqway_slab::Slab;

/// The memory that this process has for itself, in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("of this process");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("what it has for itself");
    line.trim_end_matches("kB").trim().parse().expect("a number")
}

#[test]
#[cfg(target_env = "gnu")]
fn freed_slabs_are_given_back_to_the_system_though_others_behind_them_stay() {
    give_back_freed_memory();
    // The first that is freed has the allocator treat those after it otherwise.
    drop(Slab::new().copy(&[7; 1_000_000]));
    let before = resident();
    let slabs: Vec<Slab> = (0..100)
        .map(|_| {
            let mut slab = Slab::new();
            slab.room(100).fill(7);
            slab
        })
        .collect();
    let large = resident();
    assert!(large > before + 100 * 128, "{before} KiB, and {large} with a hundred slabs");
    let (stay, go): (Vec<_>, Vec<_>) = slabs.into_iter().enumerate().partition(|(number, _)| number % 10 == 9);
    drop(go);
    let after = resident();
    assert!(after < before + 15 * 128, "{before} KiB before, {after} with {} slabs left", stay.len());
}
