//! Overwritten values live as long as somebody can reach them, and not longer.

use super::{Engine, Step};
use crate::Mode;
use crate::attempt::write_set::WriteKind;
use crate::domain::cell::Cell;
use crate::domain::garbage::OwnedType;
use crate::words::flaw::Flaw;
use std::any::TypeId;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts frees; the bits of a value are the address of its counter.
unsafe fn count(bits: u64) {
    let counter = std::ptr::with_exposed_provenance::<AtomicU64>(bits as usize);
    // SAFETY: the tests' counters live for ever.
    unsafe { &*counter }.fetch_add(1, Ordering::Relaxed);
}

static COUNTED: OwnedType = OwnedType { free: count, id: TypeId::of::<AtomicU64> };

fn counter() -> (&'static AtomicU64, u64) {
    let counter: &'static AtomicU64 = Box::leak(Box::new(AtomicU64::new(0)));
    (counter, std::ptr::from_ref(counter).expose_provenance() as u64)
}

/// Replaces the value of `cell` and looks what can be freed.
fn overwrite(engine: Engine, cell: &Cell) {
    let (_, fresh) = counter();
    let mut writer = engine.begin();
    writer.0.write(cell, fresh, WriteKind::Owning(&COUNTED)).unwrap();
    assert!(writer.0.commit().is_ok());
    writer.end();
    sweep(&mut writer);
}

fn sweep(step: &mut Step) {
    let domain = step.0.domain;
    drop(step.0.bag.collect(domain));
    domain.held_values.pay(usize::MAX);
    drop(domain.held_values.collect_if_paid(domain, 0));
}

fn freed_while_an_attempt_may_look(engine: Engine) -> u64 {
    let (frees, bits) = counter();
    let cell = engine.cell(bits);
    let mut reader = engine.begin();
    assert_eq!(reader.get(&cell), Some(bits));
    overwrite(engine, &cell);
    let freed = frees.load(Ordering::Relaxed);
    reader.roll_back();
    let mut last = engine.begin();
    last.end();
    sweep(&mut last);
    assert_eq!(frees.load(Ordering::Relaxed), 1, "freed once when nobody can look");
    freed
}

#[test]
fn a_value_that_an_attempt_has_read_outlives_it() {
    assert_eq!(freed_while_an_attempt_may_look(Engine::sound()), 0);
    assert_eq!(freed_while_an_attempt_may_look(Engine::with(Flaw::EarlyFree)), 1);
}

#[test]
fn a_snapshot_holds_the_values_of_its_moment_and_no_others() {
    let engine = Engine::sound();
    let (old, bits) = counter();
    let cell = engine.cell(bits);
    let mut snapshot = engine.begin_in(Mode::Snapshot);
    let (young, young_bits) = counter();
    let mut writer = engine.begin();
    writer.0.write(&cell, young_bits, WriteKind::Owning(&COUNTED)).unwrap();
    assert!(writer.commit());
    overwrite(engine, &cell);
    assert_eq!((old.load(Ordering::Relaxed), young.load(Ordering::Relaxed)), (0, 1));
    assert_eq!(snapshot.get(&cell), Some(bits));
    snapshot.end();
    sweep(&mut snapshot);
    assert_eq!(old.load(Ordering::Relaxed), 1);
}

/// Looks at values that others hold are paid by overwrites: of `left` values at most as many are
/// looked at as were overwritten since the last time, whoever does that.
#[test]
fn values_held_for_others_are_looked_at_once_per_as_many_overwritten_ones() {
    let engine = Engine::sound();
    let (old, old_bits) = counter();
    let cell = engine.cell(old_bits);
    let mut reader = engine.begin();
    assert_eq!(reader.get(&cell), Some(old_bits));
    for _ in 0..1_100 {
        overwrite_and_leave(engine, &cell);
    }
    reader.roll_back();
    assert!(engine.0.held_values.len() >= 1_000);
    let mut last = engine.begin();
    last.end();
    let mut looks = 0;
    while old.load(Ordering::Relaxed) == 0 {
        let domain = last.0.domain;
        domain.held_values.pay(64);
        drop(domain.held_values.collect_if_paid(domain, 0));
        looks += 1;
    }
    assert!((2..=16).contains(&looks), "{looks}");
    assert_eq!(engine.0.held_values.len(), 0);
}

/// Replaces the value of `cell` on a thread that ends with that.
fn overwrite_and_leave(engine: Engine, cell: &Cell) {
    let mut writer = engine.begin();
    writer.0.write(cell, counter().1, WriteKind::Owning(&COUNTED)).unwrap();
    assert!(writer.commit());
}

#[test]
fn rolled_back_values_are_freed_at_once() {
    let engine = Engine::sound();
    let (frees, bits) = counter();
    let cell = engine.cell(0);
    let mut writer = engine.begin();
    writer.0.write(&cell, bits, WriteKind::Owning(&COUNTED)).unwrap();
    writer.roll_back();
    assert_eq!(frees.load(Ordering::Relaxed), 1);
}
