//! What changes is the value of a variable, not the shape of a state.

use odeon_macros::Durable;
use odeon_stm::TVar;

#[derive(Durable)]
enum Account {
    Open(TVar<i64>),
    Closed,
}

#[derive(Durable)]
union Bits {
    word: u64,
    bytes: [u8; 8],
}

fn main() {}
