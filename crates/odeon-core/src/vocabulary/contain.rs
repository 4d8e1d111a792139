//! Code that may panic, contained.

/// Runs code that may panic where nobody can be told.
pub(crate) fn contain(code: impl FnOnce()) {
    odeon_sync::contained::quietly(code);
}
