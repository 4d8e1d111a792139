//! One message to many actors, cloned only as often as needed.

use std::borrow::Borrow;

use crate::messaging::actor_ref::ActorRef;
use crate::vocabulary::message::Message;

/// Sends a message to each of these actors; returns how many it was delivered to.
///
/// The last one gets the message itself, the others clones. For an actor that has ended nothing is
/// cloned. Each gets it as by [`ActorRef::send`]: nobody is left out for being slow. What is dear
/// to clone goes into an `Arc`.
///
/// # Panics
/// As [`ActorRef::send`], and if cloning panics; those before have got the message then.
///
/// ```
/// # use odeon_core::*;
/// # use std::sync::mpsc::{Sender, channel};
/// # struct Note(Sender<String>);
/// # impl Actor for Note {
/// #     type Msg = String;
/// #     fn handle(&mut self, text: String, _: &mut Context<'_, Self>) { self.0.send(text).unwrap() }
/// # }
/// # let (out, notes) = channel();
/// let theater = Theater::new()?;
/// let actors: Vec<_> = (0..3).map(|_| theater.spawn(Note(out.clone()))).collect();
/// assert_eq!(broadcast(&actors, String::from("all")), 3);
/// # for _ in 0..3 { assert_eq!(notes.recv().unwrap(), "all"); }
/// # Ok::<(), BuildError>(())
/// ```
#[track_caller]
pub fn broadcast<M, R>(to: impl IntoIterator<Item = R>, message: M) -> usize
where
    M: Message + Clone,
    R: Borrow<ActorRef<M>>,
{
    let mut live = to.into_iter().filter(|actor| !actor.borrow().is_stopped());
    let Some(mut next) = live.next() else { return 0 };
    let mut delivered = 0;
    // A clone that came back, for the one after.
    let mut spare = None;
    for following in live {
        let clone = spare.take().unwrap_or_else(|| message.clone());
        match next.borrow().send(clone) {
            Ok(()) => delivered += 1,
            Err(error) => spare = Some(error.into_message()),
        }
        next = following;
    }
    delivered + usize::from(next.borrow().send(message).is_ok())
}
