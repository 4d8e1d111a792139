//! What is entered: the same for every kind of ledger.

use crate::error::BenchError;
use crate::parameter::Params;
use crate::random::SplitMix64;
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

/// The accounts that one sender enters into when it meets nobody.
const ACCOUNTS_OF_SENDER: u64 = 64;

/// One entry, or a question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// 0 is the hot one.
    pub(super) account: usize,
    pub(super) is_read: bool,
    work: u32,
}

impl Entry {
    /// What a handler computes: the work, and the account's new value.
    #[inline(never)]
    pub(super) fn compute(self, value: u64) -> u64 {
        let mut mixed = value;
        for _ in 0..self.work {
            mixed = step(mixed);
        }
        black_box(mixed);
        value + u64::from(!self.is_read)
    }
}

/// Each step depends on the one before.
#[inline(always)]
fn step(mixed: u64) -> u64 {
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9).rotate_left(7)
}

/// Steps that take 1,000 ns on this machine, measured once in each process.
fn steps_per_us() -> u64 {
    static MEASURED: OnceLock<u64> = OnceLock::new();
    *MEASURED.get_or_init(|| {
        const STEPS: u32 = 1 << 18;
        let ns = (0..8).map(|_| {
            let begun = Instant::now();
            black_box((0..STEPS).fold(1, |mixed, _| step(mixed)));
            begun.elapsed().as_nanos() as u64
        });
        u64::from(STEPS) * 1000 / ns.min().unwrap_or(1).max(1)
    })
}

/// Who enters what.
pub(super) struct Plan {
    pub(super) senders: usize,
    entries: u64,
    conflict: u64,
    reads: u64,
    work: u32,
    seed: u64,
}

impl Plan {
    pub(super) fn new(params: &Params) -> Self {
        let steps = params.number("handler_ns") * steps_per_us() / 1000;
        Self {
            senders: params.count("senders"),
            entries: params.number("entries").div_ceil(params.number("senders")),
            conflict: params.number("conflict"),
            reads: params.number("reads"),
            work: steps as u32,
            seed: params.number("seed"),
        }
    }

    pub(super) fn accounts(&self) -> usize {
        1 + self.senders * ACCOUNTS_OF_SENDER as usize
    }

    /// All entries and questions.
    pub(super) fn total(&self) -> u64 {
        self.entries * self.senders as u64
    }

    pub(super) fn entries_of(&self, sender: usize) -> impl Iterator<Item = Entry> + Send + use<> {
        let mut of_senders = SplitMix64::new(self.seed.wrapping_add(sender as u64));
        let mut random = SplitMix64::new(of_senders.next());
        let (conflict, reads, work) = (self.conflict, self.reads, self.work);
        let first = 1 + sender as u64 * ACCOUNTS_OF_SENDER;
        (0..self.entries).map(move |_| {
            let is_hot = random.next() % 100 < conflict;
            let own = first + random.next() % ACCOUNTS_OF_SENDER;
            let is_read = random.next() % 100 < reads;
            Entry { account: if is_hot { 0 } else { own as usize }, is_read, work }
        })
    }

    /// Whether the total of a ledger is right when everything has been entered.
    pub(super) fn check(&self, total: u64) -> Result<(), BenchError> {
        let entered =
            |sender| self.entries_of(sender).filter(|entry| !entry.is_read).count() as u64;
        let right: u64 = (0..self.senders).map(entered).sum();
        if total == right {
            return Ok(());
        }
        Err(BenchError::WrongResult(format!("the ledger holds {total} of {right} entries")))
    }
}
