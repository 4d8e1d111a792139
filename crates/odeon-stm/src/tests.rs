//! Unit tests of the engine.

#[test]
fn smoke() {
    let x = crate::TVar::new(1_u64);
    crate::atomically(|tx| x.update(tx, |v| v + 1));
    assert_eq!(x.peek(), 2);
}
