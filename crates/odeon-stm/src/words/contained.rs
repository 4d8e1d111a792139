//! Code of others whose panic concerns nobody here.

pub(crate) use odeon_sync::contained::forget as lose;

/// Calls `act`; if that panics, the panic ends here, after the report.
pub(crate) fn contained(act: impl FnOnce()) {
    odeon_sync::contained::quietly(act);
}
