//! What is logged is changed in transactions.

use odeon_macros::Durable;
use std::collections::HashMap;

#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Bank {
    #[durable(1)]
    balances: HashMap<u32, i64>,
    #[durable(2)]
    names: Vec<String>,
}

fn main() {}
