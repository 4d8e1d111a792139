//! Looking up a name allocates nothing, and neither does a change of a number.

#[allow(dead_code, reason = "another program of tests needs more of it")]
mod leaves;

use leaves::{Narrow, Pairs, Sum, Wide};
use odeon_durable::state::{Durable, Restorer};
use odeon_macros::Durable;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::thread_local;

/// Knows how often something is allocated on a thread: that of the tests' frame allocates too.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Durable, Default)]
#[durable(crate = odeon_durable)]
struct Account {
    #[durable(1)]
    balance: Wide,
    #[durable(2)]
    owner: Narrow,
}

#[derive(Durable, Default)]
#[durable(crate = odeon_durable)]
struct Bank {
    #[durable(1)]
    accounts: Vec<Account>,
    #[durable(2)]
    total: Sum,
    #[durable(3)]
    names: Pairs,
}

#[test]
fn changes_of_numbers_allocate_nothing() {
    let bank =
        Bank { accounts: (0..1_000).map(|_| Account::default()).collect(), ..Bank::default() };
    let mut restorer = Restorer::new(&bank);
    let mut round = |value: u64| {
        for place in 0..1_000 {
            restorer.apply(&[1, place, 1], &value.to_le_bytes()).unwrap();
        }
    };
    // The first attempt of a thread makes its memory.
    round(1);
    let before = ALLOCATIONS.get();
    round(2);
    let mut variables = 0;
    for place in 0..1_000 {
        variables += usize::from(bank.node().variable(&[1, place, 2]).is_ok());
    }
    assert_eq!(ALLOCATIONS.get() - before, 0);
    assert_eq!((variables, bank.accounts[999].balance.0.peek()), (1_000, 2));
    restorer.finish();
    assert_eq!(bank.accounts[0].owner.0.peek(), 0);
    assert_eq!((bank.total.0.peek(), bank.names.sorted()), (0, Vec::new()));
}
