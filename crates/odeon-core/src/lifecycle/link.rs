//! Links: two actors that fail together.

use std::sync::Arc;

use odeon_sync::{Mutex, MutexGuard};

use crate::lifecycle::watch::{self, Watch};
use crate::messaging::actor_ref::ActorRef;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::relations::ControlRequest;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::ended::Ended;
use crate::vocabulary::failure_text::Escalated;
use crate::vocabulary::message::Message;
use crate::vocabulary::observe::EndReason;

/// A link that is in force. Dropping it changes nothing; [`cancel`](Self::cancel) ends it.
#[derive(Clone, Debug)]
pub struct Link {
    state: Arc<Mutex<LinkState>>,
}

#[derive(Debug)]
enum LinkState {
    /// Its sides are being made.
    Made,
    Tied([Watch; 2]),
    /// Also if an actor has ended before both sides were there: what comes then is cancelled.
    Gone,
}

impl Link {
    /// Ends the link: a failure that happens afterwards stays where it is.
    pub fn cancel(self) {
        let before = std::mem::replace(&mut *self.lock(), LinkState::Gone);
        if let LinkState::Tied(sides) = before {
            for side in sides {
                side.cancel();
            }
        }
    }
}

impl<A: Behavior> Context<'_, A> {
    /// Links this actor with another: if either ends as failed, the other one fails as well, with
    /// what its own [`Supervision`](crate::Supervision) makes of that (a plain actor ends). If one
    /// ends in any other way, the link is gone. If `other` has failed already, this actor fails at
    /// its next message boundary. Links keep neither actor alive.
    pub fn link<M: Message>(&self, other: &ActorRef<M>) -> Link {
        Link::between(&self.erased(), &other.erased())
    }
}

impl<A: AsyncBehavior> AsyncContext<'_, A> {
    /// Links this actor with another: if either ends as failed, the other one fails as well. See
    /// [`Context::link`]. A handler of this actor that waits then is cancelled.
    pub fn link<M: Message>(&self, other: &ActorRef<M>) -> Link {
        Link::between(&ErasedWeakRef::new(&self.cell().header), &other.erased())
    }
}

impl Link {
    fn between(one: &ErasedWeakRef, other: &ErasedWeakRef) -> Self {
        let link = Link { state: Arc::new(Mutex::new(LinkState::Made)) };
        let sides = [link.side(other, one), link.side(one, other)];
        let mut state = link.lock();
        if matches!(*state, LinkState::Made) {
            *state = LinkState::Tied(sides);
            drop(state);
        } else {
            drop(state);
            for side in sides {
                side.cancel();
            }
        }
        link
    }

    fn lock(&self) -> MutexGuard<'_, LinkState> {
        self.state.lock().expect("nothing panics under the lock of a link")
    }

    /// Has `survivor` fail if `watched` does.
    fn side(&self, watched: &ErasedWeakRef, survivor: &ErasedWeakRef) -> Watch {
        let (link, survivor) = (self.clone(), survivor.clone());
        let told = move |ended: &Ended| {
            if ended.reason() == EndReason::Failed {
                let failure = ended.failure().unwrap_or("a panic without a text");
                let text = format!("linked actor {} failed: {failure}", ended.actor()).into();
                // A survivor that has ended needs no telling.
                let _ = survivor.request(ControlRequest::Fail(Box::new(Escalated {
                    from: ended.actor(),
                    text,
                })));
            }
            link.cancel();
        };
        watch::watch(watched, Box::new(told))
    }
}
