//! A message on its way to an actor of a pinned stage, without its type.

use std::mem::{MaybeUninit, align_of, size_of};

const PAYLOAD_WORDS: usize = 6;

/// Room for a message of up to 48 bytes; a larger one is boxed.
///
/// With label and target, an envelope's slot is exactly one cache line: handing a message from
/// core to core moves one line.
#[derive(Clone, Copy)]
pub(crate) struct Payload {
    _words: MaybeUninit<[u64; PAYLOAD_WORDS]>,
}

const fn fits<M>() -> bool {
    size_of::<M>() <= size_of::<Payload>() && align_of::<M>() <= align_of::<Payload>()
}

impl Payload {
    pub(crate) const EMPTY: Self = Self { _words: MaybeUninit::uninit() };

    #[inline(always)]
    pub(crate) fn holding<M>(message: M) -> Self {
        let mut payload = Self::EMPTY;
        // SAFETY: `payload` is ours and writable.
        unsafe { Self::put(&raw mut payload, message) };
        payload
    }

    /// # Safety
    /// `place` is writable.
    #[inline(always)]
    pub(crate) unsafe fn put<M>(place: *mut Self, message: M) {
        // SAFETY: by contract; `fits` checks size and alignment.
        unsafe {
            if fits::<M>() {
                place.cast::<M>().write(message);
            } else {
                place.cast::<*mut M>().write(Box::into_raw(Box::new(message)));
            }
        }
    }

    /// # Safety
    /// `place` holds an `M` that has not been taken yet.
    #[inline(always)]
    pub(crate) unsafe fn take<M>(place: *const Self) -> M {
        // SAFETY: by contract; the same case as in `put`.
        unsafe {
            if fits::<M>() {
                place.cast::<M>().read()
            } else {
                *Box::from_raw(place.cast::<*mut M>().read())
            }
        }
    }
}
