//! Each field of a durable state has a number, or says that it is not logged.

use odeon_macros::Durable;
use odeon_stm::TVar;

#[derive(Durable)]
struct Account {
    #[durable(1)]
    owner: TVar<String>,
    balance: TVar<i64>,
    #[durable]
    limit: TVar<i64>,
    #[durable("4")]
    opened: TVar<u64>,
    #[durable(skipped)]
    note: String,
}

fn main() {}
