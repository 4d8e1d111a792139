//! What handlers of a speculative actor change lies in transactional variables.

use odeon::prelude::*;
use std::cell::Cell;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

#[derive(Transactional)]
struct Hot {
    balance: TVar<u64>,
    deposits: AtomicU64,
    log: Option<Arc<Mutex<Vec<String>>>>,
    #[transactional(outside)]
    attempts: AtomicU64,
    last: [Cell<u64>; 2],
    #[transactional(aside)]
    names: TMap<u64, String>,
}

fn main() {}
