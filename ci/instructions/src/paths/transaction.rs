//! A transaction reads four variables and changes one of them.

use odeon::prelude::*;
use odeon::stm::atomically;
use std::hint::black_box;

pub(super) fn run(transactions: u64) {
    let variables = [(); 4].map(|()| TVar::new(1_u64));
    for number in 0..transactions {
        let sum = atomically(|tx| {
            let mut sum = 0_u64;
            for variable in &variables {
                sum = sum.wrapping_add(variable.get(tx)?);
            }
            variables[number as usize % variables.len()].set(tx, sum)?;
            Ok(sum)
        });
        let _ = black_box(sum);
    }
}
