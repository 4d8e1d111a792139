//! A number means one field, in all logs that there are.

use odeon_macros::Durable;
use odeon_stm::TVar;

#[derive(Durable)]
#[durable(removed(3, 4, 3))]
struct Account {
    #[durable(1)]
    owner: TVar<String>,
    #[durable(1)]
    balance: TVar<i64>,
    #[durable(3)]
    limit: TVar<i64>,
    #[durable(5, was(2, TVar<u32>, widen))]
    opened: TVar<u64>,
    #[durable(2)]
    closed: TVar<u64>,
    #[durable(6, was(6, TVar<u32>, widen))]
    seen: TVar<u64>,
}

#[derive(Durable)]
struct Numbers {
    #[durable(0)]
    zero: TVar<u64>,
    #[durable(4294967296)]
    large: TVar<u64>,
}

fn main() {}
