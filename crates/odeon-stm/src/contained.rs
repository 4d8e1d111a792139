//! Code of others whose panic concerns nobody here.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls `act`; if that panics, the panic ends here, after the report.
pub(crate) fn contained(act: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(act)) {
        lose(payload);
    }
}

/// Does away with what a panic carries, without another one: its drop may be anybody's code.
pub(crate) fn lose(payload: Box<dyn Any + Send>) {
    if payload.is::<&'static str>() || payload.is::<String>() {
        drop(payload);
    } else {
        mem::forget(payload);
    }
}
