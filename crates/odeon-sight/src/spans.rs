//! The span of each message that is handled.

use odeon_core::extend::{Cause, Handling, Scope, Tracer};
use tracing::Span;

use crate::follow::followed;

/// How the span of a handler relates to the one in which its message was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Relation {
    /// It is its child, so the whole way of a request is one tree. The sender's span stays open
    /// until all that it has caused is handled.
    #[default]
    Child,
    /// It follows from it, and is otherwise a root of its own: for chains that never end.
    FollowsFrom,
}

/// Has each message handled in a span of its own if it was sent in one (S22); for
/// [`TheaterBuilder::tracer`](odeon_core::TheaterBuilder::tracer).
///
/// The spans are named `handle`, with target `odeon` and level `INFO`, and have the fields `actor`
/// (its id), `actor_type` and `message_type`. A handler's span is entered while it runs; that of an
/// asynchronous handler at each of its polls, so what it waits for in between is not part of it.
///
/// Messages of timers are followed to where the timer was armed, those of periodic ones and the
/// `started` of new actors are not followed. In an actor with several mailboxes that is no
/// asynchronous one, a message that has to wait for others of its actor is not followed any
/// further. Nor are messages beyond the 65,536th under way at a time.
///
/// ```
/// # use std::sync::Arc;
/// # use odeon_core::Theater;
/// use odeon_sight::{Relation, Spans};
///
/// let theater = Theater::builder()
///     .tracer(Arc::new(Spans::new().relation(Relation::FollowsFrom)))
///     .build()?;
/// # Ok::<(), odeon_core::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Spans {
    relation: Relation,
}

impl Spans {
    /// Children of the spans in which messages are sent.
    pub fn new() -> Self {
        Self::default()
    }

    /// How spans relate to those in which messages are sent. Default: [`Relation::Child`].
    pub fn relation(mut self, relation: Relation) -> Self {
        self.relation = relation;
        self
    }
}

impl Tracer for Spans {
    fn sent(&self) -> Option<Cause> {
        let span = Span::current();
        (!span.is_none()).then(|| Box::new(span) as Cause)
    }

    fn begins(&self, cause: Cause, handling: &Handling) -> Box<dyn Scope> {
        let cause = cause.downcast::<Span>().expect("made by `sent`");
        let parent = match self.relation {
            Relation::Child => cause.id(),
            Relation::FollowsFrom => None,
        };
        let span = tracing::info_span!(
            target: "odeon",
            parent: parent,
            "handle",
            actor = %handling.actor,
            actor_type = handling.actor_type,
            message_type = handling.message_type,
        );
        if self.relation == Relation::FollowsFrom {
            span.follows_from(cause.id());
        }
        // A subscriber that has no use for such spans must not break the way of those that it has.
        Box::new(InSpan(if span.is_disabled() { *cause } else { span }))
    }
}

struct InSpan(Span);

impl Scope for InSpan {
    fn run(&mut self, work: &mut dyn FnMut()) {
        self.0.in_scope(|| followed(work));
    }
}
