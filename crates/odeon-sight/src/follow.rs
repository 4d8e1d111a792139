//! Which threads are followed: those that are in a span.

use std::cell::Cell;

use odeon_core::extend::follow_sends;
use tracing::Subscriber;
use tracing::span::Id;
use tracing_subscriber::layer::{Context, Layer};

thread_local! {
    /// How many spans, and scopes of [`followed`], this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// A layer for the program's subscriber that has every send followed that happens in a span, on
/// whatever thread: in handlers, in tasks of tokio that are instrumented, in `main`.
///
/// What it does is two thread-local accesses whenever a span is entered or left. It only pays
/// together with [`Spans`](crate::Spans) in a theater; without the layer, what handlers send is
/// followed all the same, and what other threads send within [`followed`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Follow;

impl<S: Subscriber> Layer<S> for Follow {
    fn on_enter(&self, _: &Id, _: Context<'_, S>) {
        enter();
    }

    fn on_exit(&self, _: &Id, _: Context<'_, S>) {
        leave();
    }
}

/// Does `work` with the sends of this thread followed: those in a span. For programs whose
/// subscriber does not have the layer [`Follow`].
///
/// ```
/// # use odeon_core::*;
/// fn order(shop: &ActorRef<u32>) {
///     let _span = tracing::info_span!("order").entered();
///     odeon_sight::followed(|| shop.send(7).unwrap());
/// }
/// ```
pub fn followed<R>(work: impl FnOnce() -> R) -> R {
    /// Also when the work unwinds.
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            leave();
        }
    }
    enter();
    let _leave = Leave;
    work()
}

fn enter() {
    let depth = DEPTH.get();
    DEPTH.set(depth + 1);
    if depth == 0 {
        follow_sends(true);
    }
}

fn leave() {
    let depth = DEPTH.get().saturating_sub(1);
    DEPTH.set(depth);
    if depth == 0 {
        follow_sends(false);
    }
}
