//! How handlers use the guards of their actor's mailboxes.

use crate::messaging::bounded::check_keeps_all;
use crate::messaging::reply::Reply;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::error::AskError;
use crate::vocabulary::mailboxes::{MailboxOf, number_of};
use crate::vocabulary::message::Message;

/// The mailboxes that a caller has named, one bit each.
///
/// # Panics
/// If one of them does not exist.
#[track_caller]
fn bits_of<M: Message, N: MailboxOf<M>>(names: impl IntoIterator<Item = N>) -> u64 {
    let mut bits = 0;
    for name in names {
        bits |= 1 << number_of(name);
    }
    bits
}

macro_rules! guard_functions {
    ($context:ident, $actor:ident) => {
        impl<A: $actor> $context<'_, A> {
            /// Opens a mailbox: its messages may be selected again. No effect if it is open.
            ///
            /// # Panics
            /// If there is no such mailbox. A message type with one mailbox has no guards: compile
            /// error.
            #[inline]
            #[track_caller]
            pub fn open(&mut self, mailbox: impl MailboxOf<A::Msg>) {
                self.guards_mut().open(number_of(mailbox));
            }

            /// Closes a mailbox: its messages wait, in order, until it is opened. No effect if it
            /// is closed.
            ///
            /// An actor that has closed all its mailboxes fails, or stops, unless something is
            /// under way that may open one: see [`WhenAllClosed`](crate::WhenAllClosed).
            ///
            /// # Panics
            /// As [`open`](Self::open).
            #[inline]
            #[track_caller]
            pub fn close(&mut self, mailbox: impl MailboxOf<A::Msg>) {
                self.guards_mut().close(number_of(mailbox));
            }

            /// Opens all mailboxes.
            #[inline]
            pub fn open_all(&mut self) {
                self.guards_mut().open_only(u64::MAX);
            }

            /// Opens these mailboxes and closes all others: what the actor does next is another
            /// behaviour.
            ///
            /// # Panics
            /// As [`open`](Self::open).
            #[inline]
            #[track_caller]
            pub fn close_all_except<N: MailboxOf<A::Msg>>(
                &mut self,
                mailboxes: impl IntoIterator<Item = N>,
            ) {
                let bits = bits_of::<A::Msg, N>(mailboxes);
                self.guards_mut().open_only(bits);
            }

            /// Whether a mailbox is open. All are when the actor starts; the only one of a message
            /// type with one always is.
            ///
            /// # Panics
            /// If there is no such mailbox.
            #[inline]
            #[track_caller]
            pub fn is_open(&self, mailbox: impl MailboxOf<A::Msg>) -> bool {
                let mailbox = number_of(mailbox);
                self.guards().is_none_or(|guards| guards.is_open(mailbox))
            }

            /// The mailbox in which the message that is being handled has waited; 0 before the
            /// first one.
            #[inline(always)]
            pub fn mailbox(&self) -> usize {
                self.guards().map_or(0, |guards| guards.current())
            }

            /// As [`reply_to`](Self::reply_to), and the actor waits: until the answer has come to
            /// `mailbox`, no other mailbox is open. No thread waits. This is the reply-blocked
            /// state of *Selectors: Actors with Multiple Guarded Mailboxes* (section 3).
            ///
            /// The answer comes to `mailbox`, whatever the message says; keep that mailbox for
            /// answers. When its message is handled the other mailboxes are as they were. Guards
            /// that are changed meanwhile (by what goes on after a [pipe](Self::pipe)) hold from
            /// then on. An actor that asks several times within one handler waits for all answers.
            /// Who asks and is not answered learns so at once ([`AskError::NoReply`]).
            ///
            /// `message` runs where the answer is given. A panic in it is a failure of this actor
            /// (S5), which then waits for that answer no more.
            ///
            /// # Panics
            /// As [`open`](Self::open); if a bound of that mailbox
            /// [drops the oldest](crate::Bound::drop_oldest).
            #[track_caller]
            pub fn reply_blocked<T, F>(
                &mut self,
                mailbox: impl MailboxOf<A::Msg>,
                message: F,
            ) -> Reply<T>
            where
                T: Send + 'static,
                F: FnOnce(Result<T, AskError>) -> A::Msg + Send + 'static,
            {
                let mailbox = number_of(mailbox);
                self.await_answer(mailbox);
                Reply::to_mailbox(self.actor_ref(), mailbox, message)
            }

            /// The actor waits for one more answer in this mailbox.
            #[track_caller]
            pub(crate) fn await_answer(&mut self, mailbox: usize) {
                check_keeps_all(self.cell(), mailbox);
                self.guards_mut().await_answer(mailbox);
            }
        }
    };
}

guard_functions!(Context, Behavior);
guard_functions!(AsyncContext, AsyncBehavior);
