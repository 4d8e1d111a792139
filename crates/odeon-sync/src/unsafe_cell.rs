//! `UnsafeCell` with loom's interface, so that loom can watch each access.

/// Interior mutability without checks; access goes through closures that receive a raw pointer.
#[repr(transparent)]
#[derive(Debug)]
pub struct UnsafeCell<T: ?Sized>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    /// Wraps `value`.
    #[inline(always)]
    pub const fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }

    /// Shared access. The caller upholds that no exclusive access overlaps while it dereferences.
    #[inline(always)]
    pub fn with<R>(&self, access: impl FnOnce(*const T) -> R) -> R {
        access(self.0.get())
    }

    /// Exclusive access. The caller upholds that no other access overlaps while it dereferences.
    #[inline(always)]
    pub fn with_mut<R>(&self, access: impl FnOnce(*mut T) -> R) -> R {
        access(self.0.get())
    }
}
