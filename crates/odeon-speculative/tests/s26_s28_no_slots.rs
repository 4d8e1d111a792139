//! S26, S28: when more attempts are under way in the process than there can be, messages and
//! transactions fail, and when it is over the actors go on. A program of its own, for that concerns
//! the whole process.

mod support;

use odeon_core::AskError;
use odeon_speculative::{
    Coordinate, CoordinationError, Ordering, Processing, SpawnSpeculative, SpeculativeRef,
};
use odeon_stm::staged::{Attempted, Finished, attempt};
use odeon_stm::{Abort, Mode, TVar};
use odeon_testkit::Deterministic;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Arc;
use std::time::Duration;
use support::{Common, Do, Lab, ask};

/// Attempts that keep all the slots.
fn take_all_slots() -> Vec<Finished<TVar<u64>>> {
    let variable = Arc::new(TVar::new(1_u64));
    let one = || {
        attempt(variable.clone(), Mode::Logged, |variable, tx| {
            Ok::<_, Abort<()>>(variable.get(tx)?)
        })
    };
    let mut held = Vec::new();
    while let Ok(Attempted::Finished(finished, _)) = catch_unwind(AssertUnwindSafe(one)) {
        held.push(finished);
    }
    held
}

#[test]
fn s26_s28_a_moment_without_slots_leaves_nobody_waiting() {
    let loud = take_hook();
    set_hook(Box::new(|_| {}));
    for processing in [
        Processing::sequential(),
        Processing::concurrent().width(3),
        Processing::concurrent().non_blocking().width(2),
        Processing::concurrent().non_blocking().width(2).ordering(Ordering::Mailbox),
    ] {
        let run = Deterministic::new(1);
        let lab = |_| -> SpeculativeRef<Do> {
            let lab = Lab::new(&Arc::new(Common::default()));
            run.theater().spawn_speculative(lab, processing.clone())
        };
        let [a, b, c] = [0; 3].map(lab);
        run.run_until_idle();
        let held = take_all_slots();
        assert!(held.len() > 4000);
        let looks: Vec<_> = (0..5).map(|_| ask(&a, Do::look(0))).collect();
        let changes: Vec<_> = (0..5).map(|_| ask(&b, Do::increment(0))).collect();
        let outcomes = [false, true].map(|reads| {
            run.theater().coordinate(|co| {
                for lab in [&b, &c] {
                    co.send(lab, if reads { Do::look(0) } else { Do::increment(0) });
                }
            })
        });
        run.run_until_idle();
        for answer in looks.into_iter().chain(changes) {
            let answer = answer.wait_timeout(Duration::ZERO);
            assert!(matches!(answer, Err(AskError::Failed(_))), "{answer:?}, {processing:?}");
        }
        for outcome in outcomes {
            let outcome = outcome.wait_timeout(Duration::ZERO);
            let has_failed = matches!(outcome, Some(Err(CoordinationError::Failed { .. })));
            assert!(has_failed, "{outcome:?}, {processing:?}");
        }
        drop(held);
        let answers = [&a, &b, &c].map(|lab| [ask(lab, Do::increment(0)), ask(lab, Do::look(0))]);
        let outcome = run.theater().coordinate(|co| {
            [&a, &b, &c].iter().for_each(|lab| co.send(lab, Do::increment(0)));
        });
        run.run_until_idle();
        for answer in answers.into_iter().flatten() {
            assert_eq!(answer.wait_timeout(Duration::ZERO), Ok(1), "{processing:?}");
        }
        assert_eq!(outcome.wait_timeout(Duration::ZERO), Some(Ok(())), "{processing:?}");
    }
    set_hook(loud);
}
