//! The gate of the irrevocable attempt against commits and against who waits for it.

use super::{model, pair, run, spawn};
use crate::attempt::Mode;
use crate::attempt::thread_cache::wake_outside;
use crate::attempt::write_set::WriteKind;
use crate::domain::wakeup::{Awaits, VariableWait};

/// What the irrevocable attempt has read is not overwritten until it has committed.
#[test]
fn an_irrevocable_attempt_is_not_overtaken() {
    model(|| {
        let pair = pair(None, 0, 0);
        let other = spawn(&pair, |pair| pair.set_both(1));
        let mut attempt = pair.memory();
        let slot = attempt.slot.number();
        assert!(pair.domain.gate.close(slot));
        attempt.begin(Mode::Logged);
        let mut cause = None;
        let committed = run(attempt, |attempt| {
            let outcome = (|| {
                let seen = attempt.read(&pair.left)?;
                attempt.write(&pair.right, seen + 2, WriteKind::Plain)?;
                attempt.commit()
            })();
            cause = attempt.stopped.map(|stopped| stopped.cause);
            outcome
        });
        assert!(committed.is_some(), "rolled back: {cause:?}");
        pair.domain.gate.open(slot, &pair.domain.waits);
        other.join().unwrap();
    });
}

#[test]
fn who_waits_for_the_gate_is_woken() {
    model(|| {
        let pair = pair(None, 0, 0);
        assert!(pair.domain.gate.close(1));
        let opener = spawn(&pair, |pair| pair.domain.gate.open(1, &pair.domain.waits));
        let mut wait = VariableWait::new(&pair.domain.waits, Awaits::Release, wake_outside);
        pair.domain.gate.wait(&mut wait);
        opener.join().unwrap();
        assert!(wait.is_over());
    });
}

/// Of two that want to be irrevocable one waits for the other, and both come in.
#[test]
fn two_that_want_to_be_irrevocable() {
    model(|| {
        let pair = pair(None, 0, 0);
        let add = |pair: &super::Pair, slot| {
            while !pair.domain.gate.close(slot) {
                let mut wait = VariableWait::new(&pair.domain.waits, Awaits::Release, wake_outside);
                pair.domain.gate.wait(&mut wait);
                crate::attempt::between::sleep_until(&wait);
            }
            // One at a time, so a plain store after a look loses nothing.
            pair.left.publish(pair.left.bits() + 1, pair.left.word());
            pair.domain.gate.open(slot, &pair.domain.waits);
        };
        let other = spawn(&pair, move |pair| add(pair, 1));
        add(&pair, 2);
        other.join().unwrap();
        assert_eq!(pair.left.bits(), 2);
    });
}
