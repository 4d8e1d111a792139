use super::*;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Panics when it is dropped, by a panic whose payload does as well. It has no size, so that one
/// that is forgotten leaves no memory behind.
#[derive(Debug)]
struct Bomb<const N: u8>;

impl<const N: u8> Drop for Bomb<N> {
    fn drop(&mut self) {
        resume_unwind(Box::new(Self));
    }
}

impl<const N: u8> fmt::Display for Bomb<N> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        drop(Bomb::<7>);
        Ok(())
    }
}

impl<const N: u8> Error for Bomb<N> {}

#[test]
fn payloads_whose_destructors_panic_end_here() {
    drop_quietly(Bomb::<0>);
    drop_each([Bomb::<0>, Bomb]);
    let first = each([|| drop(Bomb::<1>), || drop(Bomb::<2>)]).unwrap_err();
    assert!(first.is::<Bomb<1>>());
    forget(first);
    let of_text = failure_of(Box::new(Bomb::<3>));
    assert!(of_text.is::<Bomb<7>>());
    forget(of_text);
}

#[test]
fn one_that_panics_keeps_no_other_from_being_called() {
    let calls = AtomicUsize::new(0);
    let call = |panics: bool| {
        let calls = &calls;
        move || {
            calls.fetch_add(1, Ordering::Relaxed);
            if panics {
                resume_unwind(Box::new("a panic"));
            }
        }
    };
    assert!(each([call(false), call(true), call(true), call(false)]).is_err());
    assert_eq!(calls.into_inner(), 4);
}

#[test]
fn an_error_is_told_by_its_text() {
    let why = failure_of("given up".into());
    assert_eq!(&*text_of(&why), "given up");
    assert_eq!(&*text_of(&(Box::new(7) as Panic)), "a panic without a text");
}
