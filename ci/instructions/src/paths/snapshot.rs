//! A snapshot of four variables; and transactions while one is open.

use super::transaction;
use odeon::prelude::*;
use odeon::stm::snapshot;
use odeon::stm::staged::SharedSnapshot;
use std::hint::black_box;

/// Transactions beside one snapshot, whose begin and end they share.
const BESIDE_ONE: u64 = 25;

pub(super) fn run(snapshots: u64) {
    let variables = [(); 4].map(|()| TVar::new(1_u64));
    for _ in 0..snapshots {
        let sum = snapshot(|view| {
            let mut sum = 0_u64;
            for variable in &variables {
                sum = sum.wrapping_add(variable.get(view)?);
            }
            Ok(sum)
        });
        let _ = black_box(sum);
    }
}

pub(super) fn with_transactions(transactions: u64) {
    for _ in 0..transactions / BESIDE_ONE {
        let open = SharedSnapshot::begin();
        transaction::run(BESIDE_ONE);
        drop(open);
    }
}
