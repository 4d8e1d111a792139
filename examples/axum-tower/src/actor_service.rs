//! An actor as a tower service: a request becomes a question, its answer the response.

use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll};
use std::time::Duration;

use odeon::{ActorRef, AskError, AskWithin, Message, Reply};
use tower::Service;

/// Asks an actor. Ready while the actor is not under pressure, so that middleware can wait, shed
/// load or choose another service before there is a question.
pub(crate) struct ActorService<M, Request, Response> {
    actor: ActorRef<M>,
    limit: Duration,
    question: Question<M, Request, Response>,
    /// While the service is not ready. Never locked: futures are not `Sync`, services should be.
    relieved: Mutex<Option<Relieved>>,
}

/// Makes a message of a request and the right to answer it.
pub(crate) type Question<M, Request, Response> = fn(Request, Reply<Response>) -> M;

type Relieved = Pin<Box<dyn Future<Output = ()> + Send>>;

impl<M, Request, Response> ActorService<M, Request, Response> {
    /// Asks `actor` what `question` makes of a request; gives up waiting after `limit`.
    pub(crate) fn new(
        actor: ActorRef<M>,
        limit: Duration,
        question: Question<M, Request, Response>,
    ) -> Self {
        Self { actor, limit, question, relieved: Mutex::new(None) }
    }
}

/// Each clone waits for itself.
impl<M: Message, Request, Response> Clone for ActorService<M, Request, Response> {
    fn clone(&self) -> Self {
        Self::new(self.actor.clone(), self.limit, self.question)
    }
}

impl<M, Request, Response> Service<Request> for ActorService<M, Request, Response>
where
    M: Message,
    Response: Send + 'static,
{
    type Response = Response;
    type Error = AskError;
    type Future = AskWithin<Response>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), AskError>> {
        let waits = self.relieved.get_mut().expect("never locked");
        if waits.is_none() && self.actor.is_under_pressure() {
            *waits = Some(Box::pin(self.actor.relieved()));
        }
        if waits.as_mut().is_some_and(|relieved| relieved.as_mut().poll(cx).is_pending()) {
            return Poll::Pending;
        }
        *waits = None;
        if self.actor.is_stopped() {
            return Poll::Ready(Err(AskError::Stopped));
        }
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> AskWithin<Response> {
        self.actor.ask_within(self.limit, |reply| (self.question)(request, reply))
    }
}
