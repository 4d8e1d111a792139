//! Effects one behind the other in one piece of memory, which is used again: to hold one back
//! seldom allocates.

use std::mem::{MaybeUninit, align_of, size_of};

/// TUNE: words that are kept for the next effects: those of a few hundred messages.
const KEPT_WORDS: usize = 4096;

/// A word of a closure, or of what stands before it.
type Word = MaybeUninit<*const ()>;

/// What stands before a closure: where it ends, and what can be done with it.
struct EffectKind {
    words: usize,
    /// Both use the closure up, which lies at the given place.
    call: unsafe fn(*mut Word),
    drop: unsafe fn(*mut Word),
}

impl EffectKind {
    const fn of<F: FnOnce()>() -> &'static Self {
        const {
            &Self {
                words: 1 + size_of::<F>().div_ceil(size_of::<Word>()),
                call: call::<F>,
                drop: drop_in_place::<F>,
            }
        }
    }
}

/// Each effect is a pointer to its kind and then the words of its closure.
#[derive(Default)]
pub(super) struct HeldEffects {
    words: Vec<Word>,
    count: usize,
    /// Where the first effect that is not used up begins.
    first: usize,
}

// SAFETY: closures are `Send`, as `push` demands, and nothing else is in there but references to
// constants. They are moved as bytes, as any value may be.
unsafe impl Send for HeldEffects {}

impl HeldEffects {
    /// Adds one behind all others.
    #[inline]
    pub(super) fn push<F: FnOnce() + Send + 'static>(&mut self, effect: F) {
        if const { align_of::<F>() <= align_of::<Word>() } {
            self.push_inline(effect);
        } else {
            self.push_inline(Box::new(effect));
        }
    }

    fn push_inline<F: FnOnce() + Send + 'static>(&mut self, effect: F) {
        let kind = EffectKind::of::<F>();
        let (end, words) = (self.words.len(), kind.words);
        self.words.reserve(words);
        self.words.push(Word::new(std::ptr::from_ref(kind).cast()));
        // SAFETY: there is room for so many words, and what a closure does not fill of the last one
        // may be anything. The alignment of the closure is that of a word at most.
        unsafe {
            self.words.as_mut_ptr().add(end + 1).cast::<F>().write(effect);
            self.words.set_len(end + words);
        }
        self.count += 1;
    }

    /// Adds all of `other` behind all others.
    pub(super) fn append(&mut self, other: &mut Self) {
        // Who appends again and again may never use up all of them.
        if self.first > self.words.len() / 2 {
            self.words.drain(..self.first);
            self.first = 0;
        }
        // The closures are moved, as bytes: nobody finds them where they were.
        self.words.extend_from_slice(&other.words[other.first..]);
        self.count += std::mem::take(&mut other.count);
        other.words.clear();
        other.first = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Takes the first one out and calls it; `false` if there is none.
    pub(super) fn call_first(&mut self) -> bool {
        self.use_up_first(|kind| kind.call)
    }

    /// As [`call_first`](Self::call_first), but drops it.
    pub(super) fn drop_first(&mut self) -> bool {
        self.use_up_first(|kind| kind.drop)
    }

    #[inline(always)]
    fn use_up_first(&mut self, how: impl FnOnce(&EffectKind) -> unsafe fn(*mut Word)) -> bool {
        if self.count == 0 {
            self.words.clear();
            self.words.shrink_to(KEPT_WORDS);
            self.first = 0;
            return false;
        }
        // SAFETY: an effect begins there, with its kind.
        let kind = unsafe { &*self.words[self.first].assume_init().cast::<EffectKind>() };
        // SAFETY: as above: its closure follows.
        let closure = unsafe { self.words.as_mut_ptr().add(self.first + 1) };
        self.first += kind.words;
        self.count -= 1;
        // SAFETY: a closure of this kind, which nobody finds any more.
        unsafe { how(kind)(closure) };
        true
    }
}

impl Drop for HeldEffects {
    fn drop(&mut self) {
        /// Goes on behind a destructor that has panicked.
        struct Rest<'a>(&'a mut HeldEffects);
        impl Drop for Rest<'_> {
            fn drop(&mut self) {
                while self.0.drop_first() {}
            }
        }
        let rest = Rest(self);
        while rest.0.drop_first() {}
    }
}

/// # Safety
/// A closure `F` lies there; it is used up.
unsafe fn call<F: FnOnce()>(closure: *mut Word) {
    // SAFETY: the caller's.
    let effect = unsafe { closure.cast::<F>().read() };
    effect();
}

/// # Safety
/// As [`call`].
unsafe fn drop_in_place<F>(closure: *mut Word) {
    // SAFETY: the caller's.
    unsafe { closure.cast::<F>().drop_in_place() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u64>>>);

    impl Log {
        fn note(&self, number: u64) {
            self.0.lock().unwrap().push(number);
        }

        fn take(&self) -> Vec<u64> {
            std::mem::take(&mut *self.0.lock().unwrap())
        }
    }

    /// Notes its number when it is dropped.
    struct Noted(Log, u64);

    impl Drop for Noted {
        fn drop(&mut self) {
            self.0.note(self.1);
        }
    }

    #[repr(align(64))]
    struct Aligned([u8; 3]);

    /// One of each size and alignment, 0 to 8; those from 100 on are dropped.
    fn fill(held: &mut HeldEffects, log: &Log) {
        held.push(|| {});
        for number in 1..=4 {
            let noted = Noted(log.clone(), 100 + number);
            held.push(move || noted.0.note(noted.1 - 100));
        }
        let (long, log_of_long) = ([5_u64; 40], log.clone());
        held.push(move || log_of_long.note(long.iter().sum::<u64>() / 40));
        let (byte, log_of_byte) = (6_u8, log.clone());
        held.push(move || log_of_byte.note(byte.into()));
        let (aligned, log_of_aligned) = (Aligned([7; 3]), log.clone());
        held.push(move || {
            assert_eq!((&raw const aligned).addr() % 64, 0);
            log_of_aligned.note(aligned.0[2].into());
        });
        let last = Noted(log.clone(), 108);
        held.push(Box::new(move || last.0.note(8)));
    }

    #[test]
    fn effects_of_all_sizes_are_called_once_in_their_order() {
        let (mut held, log) = (HeldEffects::default(), Log::default());
        for _ in 0..3 {
            fill(&mut held, &log);
            assert_eq!(held.len(), 9);
            while held.call_first() {}
            assert!(held.is_empty());
            assert_eq!(log.take(), [1, 101, 2, 102, 3, 103, 4, 104, 5, 6, 7, 8, 108]);
        }
    }

    #[test]
    fn effects_that_are_not_called_are_dropped_once() {
        let log = Log::default();
        let mut held = HeldEffects::default();
        fill(&mut held, &log);
        while held.drop_first() {}
        assert_eq!(log.take(), [101, 102, 103, 104, 108]);
        fill(&mut held, &log);
        assert!(held.call_first() && held.call_first());
        // More may come while some are used up already.
        let noted = Noted(log.clone(), 109);
        held.push(move || drop(noted));
        drop(held);
        assert_eq!(log.take(), [1, 101, 102, 103, 104, 108, 109]);
    }

    #[test]
    fn effects_are_appended_behind_those_that_are_there() {
        let (mut held, mut more, log) = Default::default();
        fill(&mut held, &log);
        for _ in 0..2 {
            fill(&mut more, &log);
            assert!(more.call_first() && more.call_first());
            HeldEffects::append(&mut held, &mut more);
            assert!(more.is_empty() && !more.call_first());
        }
        assert_eq!((held.len(), log.take()), (9 + 8 + 8 - 2, vec![1, 101, 1, 101]));
        while held.call_first() {}
        let all = [1, 101, 2, 102, 3, 103, 4, 104, 5, 6, 7, 8, 108];
        assert_eq!(log.take(), [&all, &all[2..], &all[2..]].concat());
    }

    #[test]
    fn what_is_used_up_takes_no_memory_though_some_effects_always_wait() {
        let (mut held, mut more, log) = Default::default();
        fill(&mut held, &log);
        for _ in 0..1_000 {
            fill(&mut more, &log);
            HeldEffects::append(&mut held, &mut more);
            (0..9).for_each(|_| assert!(held.call_first()));
        }
        assert_eq!(held.len(), 9);
        assert!(held.words.capacity() < 1_000, "{}", held.words.capacity());
    }

    #[test]
    fn a_panic_of_one_leaves_the_others_where_they_are() {
        let (mut held, log) = (HeldEffects::default(), Log::default());
        for number in [1, 2] {
            let noted = Noted(log.clone(), number);
            held.push(move || {
                let _noted = noted;
                panic!("one of two");
            });
        }
        assert!(catch_unwind(AssertUnwindSafe(|| held.call_first())).is_err());
        assert_eq!((log.take(), held.len()), (vec![1], 1));
        assert!(catch_unwind(AssertUnwindSafe(|| held.call_first())).is_err());
        assert_eq!((log.take(), held.len()), (vec![2], 0));

        struct Bomb(Noted);
        impl Drop for Bomb {
            fn drop(&mut self) {
                self.0.0.note(0);
                panic!("a destructor");
            }
        }
        let (bomb, noted) = (Bomb(Noted(log.clone(), 3)), Noted(log.clone(), 4));
        held.push(move || drop(bomb));
        held.push(move || drop(noted));
        assert!(catch_unwind(AssertUnwindSafe(move || drop(held))).is_err());
        assert_eq!(log.take(), [0, 3, 4]);
    }
}
