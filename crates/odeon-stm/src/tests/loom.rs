//! Exhaustive models of the engine's protocols, within loom's bounds and its memory model. Each is
//! run over a broken engine too where there is a flaw for it, and has to fail there.

mod commit;
mod gate;
mod journeys;
mod numbers;
mod prepared;
mod reclamation;
mod snapshots;
mod waiting;

use crate::attempt::between;
use crate::attempt::write_set::WriteKind;
use crate::attempt::{Attempt, Mode};
use crate::domain::Domain;
use crate::domain::cell::Cell;
use crate::words::abort::{Cause, Rollback};
use crate::words::flaw::Flaw;
use odeon_sync::{Arc, thread};
use std::mem::ManuallyDrop;

/// Threads are stopped at most so often in the middle of something; the cost rises steeply with it,
/// less so with two threads than with three.
const PREEMPTIONS: usize = 5;

fn model(test: impl Fn() + Sync + Send + 'static) {
    model_within(PREEMPTIONS, test);
}

fn model_within(preemptions: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(test);
}

/// Two variables and an engine.
struct Pair {
    domain: &'static Domain,
    left: Cell,
    right: Cell,
}

fn pair(flaw: Option<Flaw>, left: u64, right: u64) -> Arc<Pair> {
    let domain = Domain::with(flaw);
    let cell = |bits| Cell::new_in(domain, bits);
    Arc::new(Pair { domain, left: cell(left), right: cell(right) })
}

/// Memory of an attempt that is never dropped: its slot is not used again, which spares the model
/// steps, and a test that fails is not in the middle of it.
type Memory = ManuallyDrop<Box<Attempt>>;

impl Pair {
    fn memory(&self) -> Memory {
        ManuallyDrop::new(Attempt::new(self.domain).expect("there are few"))
    }

    /// One logged attempt; `None` if it was rolled back.
    fn attempt<R>(&self, act: impl FnOnce(&mut Attempt) -> Result<R, Rollback>) -> Option<R> {
        let mut attempt = self.memory();
        attempt.begin_loose(Mode::Logged);
        run(attempt, act)
    }

    /// Sets both in one attempt.
    fn set_both(&self, value: u64) -> bool {
        let set = |attempt: &mut Attempt| {
            attempt.write(&self.left, value, WriteKind::Plain)?;
            attempt.write(&self.right, value, WriteKind::Plain)
        };
        self.attempt(set).is_some()
    }
}

/// Goes on with an attempt that has begun, to its end.
fn run<R>(mut attempt: Memory, act: impl FnOnce(&mut Attempt) -> Result<R, Rollback>) -> Option<R> {
    let outcome = act(&mut attempt).and_then(|value| attempt.commit().map(|()| value));
    match &outcome {
        Ok(_) => attempt.end(),
        Err(_) => _ = between::roll_back(&mut attempt, Cause::Dropped),
    }
    outcome.ok()
}

/// `act` on a thread of its own.
fn spawn<R: 'static>(
    pair: &Arc<Pair>,
    act: impl FnOnce(&Pair) -> R + Send + 'static,
) -> thread::JoinHandle<R> {
    let pair = pair.clone();
    thread::spawn(move || act(&pair))
}
