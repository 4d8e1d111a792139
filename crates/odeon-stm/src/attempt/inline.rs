//! How a value becomes the 64 bits of a cell: by itself, or as a pointer to a box.

use crate::attempt::transaction::Reader;
use crate::attempt::write_set::{Write, WriteKind};
use crate::domain::cell::Cell;
use crate::domain::garbage::OwnedType;
use crate::words::abort::Rollback;
use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, size_of};

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Inline,
    Boxed,
}

/// The stored form of `T`.
pub(crate) struct Stored<T>(PhantomData<T>);

/// Whether `T` is one of the types without padding and destructor that stand in the cell. The
/// comparisons are of constants: nothing of this is left in the compiled code.
fn is_inline<T: 'static>() -> bool {
    let of = TypeId::of::<T>();
    macro_rules! any { ($($kind:ty)*) => { $(of == TypeId::of::<$kind>())||* } }
    any!(bool char u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64)
}

impl<T: Send + Sync + 'static> Stored<T> {
    const BOXED: &'static OwnedType =
        const { &OwnedType { free: free::<T>, id: TypeId::of::<Self> } };

    #[inline(always)]
    pub(crate) fn form() -> Form {
        if is_inline::<T>() { Form::Inline } else { Form::Boxed }
    }

    #[inline(always)]
    pub(crate) fn kind() -> WriteKind {
        match Self::form() {
            Form::Inline => WriteKind::Plain,
            Form::Boxed => WriteKind::Owning(Self::BOXED),
        }
    }

    #[inline(always)]
    pub(crate) fn to_bits(value: T) -> u64 {
        match Self::form() {
            Form::Inline => {
                debug_assert!(size_of::<T>() <= size_of::<u64>());
                let mut bits = 0_u64;
                // SAFETY: at most 8 bytes, all of them initialised: the type has no padding.
                unsafe { std::ptr::from_mut(&mut bits).cast::<T>().write(value) };
                bits
            }
            Form::Boxed => Box::into_raw(Box::new(value)).expose_provenance() as u64,
        }
    }

    /// The bits of a variable; what they point to, if they do, is there until the view ends.
    #[inline(always)]
    pub(crate) fn read(view: &mut Reader<'_>, cell: &Cell) -> Result<u64, Rollback> {
        match Self::form() {
            Form::Inline => view.read(cell),
            Form::Boxed => view.read_pointer(cell),
        }
    }

    /// Where a boxed value stands.
    #[inline(always)]
    pub(crate) fn pointer(bits: u64) -> *const T {
        std::ptr::with_exposed_provenance::<T>(bits as usize)
    }

    /// # Safety
    ///
    /// `bits` come from [`to_bits`](Self::to_bits) and are used up.
    #[inline(always)]
    pub(crate) unsafe fn from_bits(bits: u64) -> T {
        match Self::form() {
            // SAFETY: as written by `to_bits`.
            Form::Inline => unsafe { std::ptr::from_ref(&bits).cast::<T>().read() },
            Form::Boxed => {
                let pointer = std::ptr::with_exposed_provenance_mut::<T>(bits as usize);
                // SAFETY: the caller uses the box up.
                *unsafe { Box::from_raw(pointer) }
            }
        }
    }

    /// # Safety
    ///
    /// `bits` come from [`to_bits`](Self::to_bits), and a box behind them is allocated.
    #[inline(always)]
    pub(crate) unsafe fn copied(bits: u64) -> T
    where
        T: Copy,
    {
        // SAFETY: the caller's.
        unsafe { Self::with(bits, |value| *value) }
    }

    /// What `look` makes of the value that is to be written; `None` if that is none of this type.
    pub(crate) fn with_written<R>(write: &Write, look: impl FnOnce(&T) -> R) -> Option<R> {
        let is_of_this_type = match (Self::form(), write.kind) {
            (Form::Inline, WriteKind::Plain) => Self::is_value(write.bits),
            (Form::Boxed, WriteKind::Owning(of)) => (of.id)() == TypeId::of::<Self>(),
            _ => false,
        };
        // SAFETY: inline, it is a value; boxed, bits of that type come from `to_bits`, and the log
        // has the box.
        is_of_this_type.then(|| unsafe { Self::with(write.bits, look) })
    }

    /// Whether these bits are an inline value: those of another type may be none.
    fn is_value(bits: u64) -> bool {
        let [first, second, third, fourth, ..] = bits.to_ne_bytes();
        let of = TypeId::of::<T>();
        if of == TypeId::of::<bool>() {
            first <= 1
        } else if of == TypeId::of::<char>() {
            char::from_u32(u32::from_ne_bytes([first, second, third, fourth])).is_some()
        } else {
            true
        }
    }

    /// # Safety
    ///
    /// As for [`copied`](Self::copied), during the call.
    #[inline(always)]
    pub(crate) unsafe fn with<R>(bits: u64, look: impl FnOnce(&T) -> R) -> R {
        match Self::form() {
            Form::Inline => {
                let mut place = MaybeUninit::<u64>::uninit();
                place.write(bits);
                // SAFETY: as written by `to_bits`.
                look(unsafe { &*place.as_ptr().cast::<T>() })
            }
            // SAFETY: the caller's.
            Form::Boxed => look(unsafe { &*Self::pointer(bits) }),
        }
    }
}

/// # Safety
///
/// `bits` point to a box of `T` that nobody uses any more.
unsafe fn free<T>(bits: u64) {
    // SAFETY: the caller's.
    drop(unsafe { Box::from_raw(std::ptr::with_exposed_provenance_mut::<T>(bits as usize)) });
}
