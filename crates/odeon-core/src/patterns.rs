//! Coordination patterns on guarded mailboxes, as small types that an actor keeps in its state.
//!
//! They are those of *Selectors: Actors with Multiple Guarded Mailboxes* (Imam and Sarkar,
//! AGERE 2014), sections 3 to 7:
//!
//! | pattern | here |
//! |---|---|
//! | wait for an answer without blocking a thread | [`Context::reply_blocked`](crate::Context::reply_blocked), with a deadline [`reply_blocked_within`](crate::Context::reply_blocked_within) |
//! | one item of each of *n* streams | [`Join`] |
//! | fire when several mailboxes have a message each, also within a time | [`Joins`] and the macro `when!` |
//! | priorities, with a bound on waiting | [`Selection`](crate::Selection) |
//! | bounded buffer, and all else that the state decides | declared guards: [`Actor::guards`](crate::Actor::guards) |
//! | stash, become | [`Context::close`](crate::Context::close) keeps messages where they are, in order; [`Context::close_all_except`](crate::Context::close_all_except) changes what the actor listens to |
//! | control messages before all others | a mailbox of their own, the first one |
//!
//! All are safe code on the functions that any actor has.

pub(crate) mod bounded;
mod join;
mod joins;
mod patience;
pub(crate) mod read_write;
pub(crate) mod worker_pool;

pub use join::{Join, Row};
pub use joins::{Held, Joins};

use std::time::Duration;

use crate::lifecycle::timer::Timer;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::message::Message;

/// The context of a handler, of either kind, as patterns use it. Not to be implemented by others.
pub trait SelectorContext: sealed::Sealed {
    /// What the actor can be sent.
    type Msg;

    #[doc(hidden)]
    const MAILBOXES: usize;

    #[doc(hidden)]
    fn current(&self) -> usize;
    #[doc(hidden)]
    fn close_one(&mut self, mailbox: usize);
    #[doc(hidden)]
    fn open_these(&mut self, mailboxes: u64);
    #[doc(hidden)]
    fn now(&self) -> Duration;
    #[doc(hidden)]
    fn arm(&self, after: Duration, message: Self::Msg) -> Timer;
}

mod sealed {
    pub trait Sealed {}
    impl<A: super::Behavior> Sealed for super::Context<'_, A> {}
    impl<A: super::AsyncBehavior> Sealed for super::AsyncContext<'_, A> {}
}

macro_rules! selector_context {
    ($context:ident, $actor:ident) => {
        impl<A: $actor> SelectorContext for $context<'_, A> {
            type Msg = A::Msg;
            const MAILBOXES: usize = A::Msg::MAILBOXES;

            #[inline(always)]
            fn current(&self) -> usize {
                self.mailbox()
            }

            #[inline(always)]
            fn close_one(&mut self, mailbox: usize) {
                self.guards_mut().close(mailbox);
            }

            #[inline(always)]
            fn open_these(&mut self, mailboxes: u64) {
                self.guards_mut().open_all_of(mailboxes);
            }

            fn now(&self) -> Duration {
                self.theater().now()
            }

            fn arm(&self, after: Duration, message: A::Msg) -> Timer {
                self.send_after(after, message)
            }
        }
    };
}

selector_context!(Context, Behavior);
selector_context!(AsyncContext, AsyncBehavior);

/// The bit of a mailbox.
fn bit(mailbox: usize) -> u64 {
    1 << mailbox
}
