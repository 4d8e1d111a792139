//! Attributes of a durable state that mean nothing.

use odeon_macros::Durable;
use odeon_stm::TVar;

#[derive(Durable)]
struct Fields {
    #[durable(skip, 1)]
    skipped: u64,
    #[durable(removed(1))]
    removed: u64,
    #[durable(was(1, TVar<u32>, widen))]
    without_number: TVar<u64>,
    #[durable(2, was(1, TVar<u32>))]
    without_conversion: TVar<u64>,
    #[durable(3, is(1))]
    other_word: TVar<u64>,
    #[durable(4, was(5, TVar<u32>, widen), was(6, TVar<u16>, widen))]
    twice: TVar<u64>,
    #[durable(7)]
    #[durable(8)]
    two_attributes: TVar<u64>,
    #[durable(9, was(10, TVar<u32>, widen, again))]
    more: TVar<u64>,
}

#[derive(Durable)]
#[durable(deleted(3))]
struct Struct {}

fn main() {}
