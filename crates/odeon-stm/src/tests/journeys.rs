//! Attempts that travel: prepared piece by piece, and what they hold themselves is not in their
//! way.

use super::{Engine, Step};
use crate::Mode;
use crate::attempt::between::{self, AttemptVerdict};
use crate::attempt::thread_cache::wake_outside;
use crate::attempt::write_set::WriteKind;
use crate::domain::cell::Cell;
use crate::domain::wakeup::{Awaits, VariableWait};
use crate::words::abort::Cause;
use crate::words::flaw::Flaw;
use crate::words::version_word::VariableHolder;

impl Step {
    fn protect(&mut self) -> Result<(), AttemptVerdict> {
        self.0.prepare_more().map_err(|_| between::step_back(&mut self.0, Cause::Dropped))
    }

    fn commit_all(mut self) -> bool {
        let committed = self.0.commit_all().is_ok();
        if committed {
            self.end()
        } else {
            self.let_go()
        }
        committed
    }

    fn let_go(mut self) {
        self.0.let_go_prepared();
        self.roll_back();
    }
}

fn held(cell: &Cell) -> (VariableHolder, u64) {
    (cell.word().held(), cell.word().protectors())
}

#[test]
fn what_is_protected_is_protected_once_and_let_go_once() {
    let engine = Engine::sound();
    let (read, taken) = (engine.cell(0), engine.cell(0));
    for commits in [true, false] {
        let mut journey = engine.begin();
        for round in 0..3 {
            journey.get(&read);
            journey.get(&read);
            journey.add(&taken, 1);
            journey.get(&taken);
            journey.protect().unwrap();
            assert!(journey.0.is_protected());
            assert_eq!(held(&read), (VariableHolder::PreparedRead, 1), "round {round}");
            assert_eq!(taken.word().held(), VariableHolder::PreparedWrite);
        }
        if commits {
            assert!(journey.commit_all())
        } else {
            journey.let_go()
        }
        assert_eq!(
            (held(&read).0, held(&taken).0, taken.bits()),
            (VariableHolder::Free, VariableHolder::Free, 3)
        );
    }
}

/// Some reads are protected, one has a write that is not: all are let go.
#[test]
fn an_upgrade_that_has_not_happened_leaves_nothing_behind() {
    let engine = Engine::sound();
    let cell = engine.cell(0);
    let mut journey = engine.begin();
    journey.get(&cell);
    journey.protect().unwrap();
    journey.add(&cell, 1);
    journey.let_go();
    assert_eq!((held(&cell), cell.bits()), ((VariableHolder::Free, 0), 0));
}

#[test]
fn what_is_protected_can_be_written_and_read() {
    let engine = Engine::sound();
    for is_newborn in [true, false] {
        let cell = engine.cell(1);
        if !is_newborn {
            let mut writer = engine.begin();
            writer.set(&cell, 1);
            assert!(writer.commit());
        }
        let mut journey = engine.begin();
        assert_eq!(journey.get(&cell), Some(1));
        journey.protect().unwrap();
        assert_eq!(cell.word().is_at_first_value(), is_newborn);
        assert!(journey.add(&cell, 1));
        assert_eq!(journey.get(&cell), Some(2));
        journey.protect().unwrap();
        assert_eq!(
            (cell.word().held(), cell.word().is_at_first_value()),
            (VariableHolder::PreparedWrite, false)
        );
        assert!(journey.add(&cell, 1));
        journey.let_go();
        assert_eq!((cell.bits(), cell.word().held()), (1, VariableHolder::Free));
        assert_eq!(cell.word().is_newborn(), is_newborn);
    }
}

/// Both protect a variable, and the first one wants to write it.
fn write_what_two_protect(engine: Engine) -> bool {
    let (cell, mine) = (engine.cell(0), engine.cell(0));
    let (mut first, mut second) = (engine.begin(), engine.begin());
    first.get(&cell);
    first.protect().unwrap();
    let seen = second.get(&cell).unwrap();
    second.set(&mine, seen);
    second.protect().unwrap();
    first.add(&cell, 1);
    let both = first.protect().is_ok();
    if both {
        // What it holds is beyond repair.
        std::mem::forget((first, second));
        return true;
    }
    assert_eq!(held(&cell), (VariableHolder::PreparedRead, 2), "all is as before");
    second.let_go();
    first.let_go();
    false
}

#[test]
fn what_somebody_else_protects_too_is_not_written() {
    assert!(!write_what_two_protect(Engine::sound()));
    assert!(write_what_two_protect(Engine::with(Flaw::UpgradeOverOthers)));
}

#[test]
fn who_waits_to_be_the_only_protector_is_woken_then() {
    let engine = Engine::sound();
    let cell = engine.cell(0);
    for decided_first in [true, false] {
        let (mut first, mut second) = (engine.begin(), engine.begin());
        for step in [&mut first, &mut second] {
            step.get(&cell);
            step.protect().unwrap();
        }
        first.add(&cell, 1);
        let wait = if decided_first {
            assert!(first.0.prepare_more().is_err());
            second.let_go();
            between::step_back(&mut first.0, Cause::Dropped)
        } else {
            let wait = first.protect().unwrap_err();
            assert!(!wait.event.as_ref().unwrap().is_over());
            second.let_go();
            wait
        };
        assert_eq!(wait.cause, Cause::Prepared);
        assert!(wait.event.unwrap().is_over(), "it sleeps for ever");
        first.protect().unwrap();
        assert!(first.commit_all());
    }
    assert_eq!(cell.bits(), 2);
}

/// I7: a snapshot does not take what was kept of an older variable at this address for this one's
/// value.
#[test]
fn a_newborn_that_was_protected_is_forgotten_like_others_when_it_is_taken() {
    let engine = Engine::sound();
    let cell = engine.cell(1);
    let mut snapshot = engine.begin_in(Mode::Snapshot);
    let mut writer = engine.begin();
    writer.set(&cell, 2);
    assert!(writer.commit());
    assert_eq!(snapshot.get(&cell), Some(1));
    // That variable ends here, and this is the word of another one.
    cell.set_word(engine.cell(0).word());
    let mut journey = engine.begin();
    journey.get(&cell);
    journey.protect().unwrap();
    journey.add(&cell, 1);
    journey.protect().unwrap();
    assert_eq!(snapshot.get(&cell), None, "taken for the older variable");
    assert!(journey.commit_all());
    snapshot.roll_back();
}

const ADD: WriteKind = WriteKind::Change(u64::wrapping_add);

#[test]
fn a_change_is_read_under_the_own_lock() {
    let engine = Engine::sound();
    let (cell, other) = (engine.cell(10), engine.cell(0));
    let mut journey = engine.begin();
    journey.0.write(&cell, 1, ADD).unwrap();
    journey.protect().unwrap();
    assert_eq!(journey.get(&cell), Some(11));
    journey.0.write(&cell, 1, ADD).unwrap();
    assert_eq!(journey.get(&cell), Some(12));
    assert!(journey.add(&cell, 100));
    assert_eq!(journey.get(&cell), Some(112));
    journey.get(&other);
    journey.protect().unwrap();
    assert!(journey.commit_all());
    assert_eq!((cell.bits(), held(&other).0), (112, VariableHolder::Free));
}

/// A change that changes nothing, of a variable that was protected before.
#[test]
fn a_change_of_what_was_protected_leaves_it_free() {
    let engine = Engine::sound();
    let cell = engine.cell(10);
    let mut journey = engine.begin();
    journey.get(&cell);
    journey.protect().unwrap();
    journey.0.write(&cell, 0, ADD).unwrap();
    journey.protect().unwrap();
    assert!(journey.commit_all());
    assert_eq!((held(&cell).0, cell.word().is_newborn()), (VariableHolder::Free, true));
}

#[test]
fn an_undone_part_takes_its_reads_along_whatever_a_failed_protect_has_done() {
    let engine = Engine::sound();
    let mut cells = [engine.cell(0), engine.cell(0)];
    cells.sort_by_key(Cell::address);
    let [low, high] = &cells;
    let mut journey = engine.begin();
    // The log is in another order than the addresses.
    journey.get(high);
    journey.get(high);
    let part = journey.0.begin_part();
    journey.get(low);
    let mut writer = engine.begin();
    writer.set(low, 1);
    assert!(writer.commit());
    assert_eq!(journey.protect().unwrap_err().cause, Cause::ReadOverwritten);
    assert!(!journey.0.all_stands());
    journey.0.undo_part(part);
    assert!(journey.0.all_stands());
    journey.protect().unwrap();
    assert_eq!(
        (held(low).0, held(high)),
        (VariableHolder::Free, (VariableHolder::PreparedRead, 1))
    );
    journey.let_go();
}

#[test]
fn a_protect_that_fails_leaves_what_was_protected_before() {
    let engine = Engine::sound();
    let [read, upgraded, taken, more, other] = [0; 5].map(|bits| engine.cell(bits));
    let mut journey = engine.begin();
    journey.get(&read);
    journey.get(&upgraded);
    journey.set(&taken, 1);
    journey.protect().unwrap();
    let words = || [&read, &upgraded, &taken, &more].map(Cell::word);
    let before = words();
    journey.get(&other);
    journey.set(&upgraded, 1);
    journey.set(&more, 1);
    let mut writer = engine.begin();
    writer.set(&other, 1);
    assert!(writer.commit());
    for _ in 0..2 {
        assert!(journey.0.commit_all().is_err());
        let verdict = between::step_back(&mut journey.0, Cause::Dropped);
        assert_eq!((verdict.cause, words()), (Cause::ReadOverwritten, before));
    }
    journey.let_go();
    assert!(words().iter().all(|word| word.held() == VariableHolder::Free));
}

/// A value that this attempt's slot has written in the running epoch, and somebody waits for its
/// change.
#[test]
fn an_update_whose_lock_was_given_back_can_be_locked_again() {
    let engine = Engine::sound();
    let (cell, other) = (engine.cell(0), engine.cell(0));
    let mut journey = engine.begin();
    journey.set(&cell, 1);
    assert!(journey.0.commit().is_ok());
    journey.end();
    journey.0.begin(Mode::Logged);
    journey.add(&cell, 1);
    let part = journey.0.begin_part();
    journey.get(&other);
    let mut writer = engine.begin();
    writer.set(&other, 1);
    assert!(writer.commit());
    let mut wait = VariableWait::new(&engine.0.waits, Awaits::Release, wake_outside);
    let word = cell.word();
    wait.on_change(&cell, |now| now.without_waiters() == word);
    assert!(cell.word().has_waiters());
    assert!(journey.protect().is_err());
    journey.0.undo_part(part);
    assert!(journey.commit_all());
    assert_eq!(cell.bits(), 2);
}

#[test]
fn a_retry_waits_for_others_and_not_for_itself() {
    let engine = Engine::sound();
    let (cell, other) = (engine.cell(0), engine.cell(0));
    // The value is of the running epoch, and this attempt's slot has written it.
    let mut journey = engine.begin();
    journey.set(&cell, 1);
    assert!(journey.0.commit().is_ok());
    journey.end();
    journey.0.begin(Mode::Logged);
    journey.add(&cell, 1);
    journey.protect().unwrap();
    let part = journey.0.begin_part();
    journey.get(&other);
    let _ = journey.0.stop(Cause::Retry, None);
    let event = between::step_back(&mut journey.0, Cause::Dropped).event.unwrap();
    journey.0.undo_part(part);
    assert!(!event.is_over(), "nothing has changed");
    let mut writer = engine.begin();
    writer.set(&other, 1);
    assert!(writer.commit());
    assert!(event.is_over());
    journey.let_go();
}

/// What is let go of without a change wakes those only who wait for that.
#[test]
fn a_retry_sleeps_on_when_a_prepared_attempt_lets_go() {
    let engine = Engine::sound();
    let (read, written) = (engine.cell(0), engine.cell(0));
    let (mut journey, mut other) = (engine.begin(), engine.begin());
    journey.get(&read);
    journey.add(&written, 1);
    journey.protect().unwrap();
    let part = journey.0.begin_part();
    journey.get(&written);
    let _ = journey.0.stop(Cause::Retry, None);
    let own = between::step_back(&mut journey.0, Cause::Dropped).event.unwrap();
    other.get(&read);
    let _ = other.0.stop(Cause::Retry, None);
    let others = between::step_back(&mut other.0, Cause::Dropped).event.unwrap();
    let mut gives_way = engine.begin();
    gives_way.set(&written, 1);
    let verdict = gives_way.protect().unwrap_err();
    journey.0.undo_part(part);
    journey.let_go();
    let release = (verdict.cause, verdict.event.unwrap().is_over());
    let changes = [own.is_over(), others.is_over()];
    let mut writer = engine.begin();
    writer.set(&read, 1);
    let committed = writer.commit();
    other.roll_back();
    gives_way.roll_back();
    assert_eq!(release, (Cause::Prepared, true), "who waits for the release is told");
    assert_eq!(changes, [false, false], "nothing has changed");
    assert!(committed && own.is_over() && others.is_over());
}

/// While somebody is irrevocable nothing more is protected; what is protected commits.
#[test]
fn a_closed_gate_stops_what_is_not_protected() {
    let engine = Engine::sound();
    let (cell, other) = (engine.cell(0), engine.cell(0));
    let irrevocable = engine.begin();
    let slot = irrevocable.0.slot.number();
    let mut journey = engine.begin();
    journey.set(&cell, 1);
    journey.protect().unwrap();
    assert!(engine.0.gate.close(slot));
    let part = journey.0.begin_part();
    journey.set(&other, 1);
    assert_eq!(journey.protect().unwrap_err().cause, Cause::Irrevocable);
    assert!(journey.0.commit_all().is_err());
    let verdict = between::step_back(&mut journey.0, Cause::Dropped);
    assert_eq!((verdict.cause, held(&other).0), (Cause::Irrevocable, VariableHolder::Free));
    journey.0.undo_part(part);
    assert!(journey.commit_all());
    engine.0.gate.open(slot, &engine.0.waits);
    assert!(verdict.event.unwrap().is_over());
    irrevocable.roll_back();
    assert_eq!((cell.bits(), other.bits()), (1, 0));
}
