// SPDX-License-Identifier: MIT
// examples/rust/memprof.rs: runaways that are stopped, and good runs after them.
#[path = "../../examples/rust/memprof.rs"]
mod memprof;

use memprof::{limit, should_stop, AfterHit, Limits, NONE};

const MIB: i64 = 1 << 20;

/// Asks before it grows; otherwise without end.
fn asks() -> usize {
    let mut blocks = Vec::new();
    while !should_stop() {
        blocks.push(vec![1u8; 50_000]);
    }
    blocks.len()
}

/// Notices that malloc has said no.
fn reserves() -> usize {
    let mut all: Vec<u64> = Vec::new();
    while all.try_reserve(all.len().max(1000)).is_ok() {
        all.resize(all.capacity(), 7);
    }
    all.len()
}

fn main() {
    for _ in 0..3 {
        let e = limit(Limits { memory: Some(16 * MIB), ..NONE }, asks).unwrap_err();
        assert!(e.hit && e.kind == 1 && e.measured > 15 * MIB, "{:?}", e);
        assert!(e.message.contains("memory limit of 16 MiB"), "{:?}", e);
        let refuse = Limits { memory: Some(16 * MIB), after_hit: AfterHit::Refuse, ..NONE };
        let e = limit(refuse, reserves).unwrap_err();
        assert!(e.hit && e.kind == 1, "{:?}", e);
        let large = Limits { after_hit: AfterHit::RefuseLarge, ..refuse };
        assert!(limit(large, reserves).unwrap_err().hit);
        let late = Limits { time: Some(20_000_000), ..NONE };
        assert_eq!(limit(late, || while !should_stop() {}).unwrap_err().kind, 4);
    }
    for n in 0..1000usize {
        let exact = Limits { memory: Some(16 * MIB), allocations: Some(64 * MIB), ..NONE };
        let sum: usize = limit(exact, || (0..n).collect::<Vec<_>>().iter().sum()).unwrap();
        assert_eq!(sum, n * n.saturating_sub(1) / 2);
    }
    let bad = limit(Limits { memory: Some(-2), ..NONE }, || ()).unwrap_err();
    assert!(!bad.hit && bad.message.contains("negative"), "{:?}", bad);
    std::panic::set_hook(Box::new(|_| {}));
    let panic = std::panic::catch_unwind(|| limit(NONE, || panic!("my own")));
    assert_eq!(*panic.unwrap_err().downcast_ref::<&str>().unwrap(), "my own");
}
