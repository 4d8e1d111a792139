//! Actors with several mailboxes: arrivals go into their mailboxes, then the next one is selected.

use super::{SequentialStep, handle_guarded, handle_rarely};
use crate::mailbox::{PRESSED_FROM, label};
use crate::messaging::pressure;
use crate::process::cell::{MessageCell, Selector};
use crate::turn::actor_cell::CellOwner;
use crate::turn::behavior::Behavior;
use crate::vocabulary::message::Message;

/// Takes the next message or signal of an actor with several mailboxes and handles it.
/// `SequentialStep::Idle`: nothing is ready.
///
/// Arrivals are sorted into their mailboxes until one is found that nothing behind it can go
/// before: that one is handled straight away, and the rest stays in the inbox. A signal goes before
/// all messages, and so is looked at what is followed.
///
/// # Safety
/// `message` and `owner` belong together.
#[inline(always)]
pub(super) unsafe fn handle_selected<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
) -> SequentialStep {
    let mut sorted = 0_usize;
    let CellOwner { inbox, selector, actor } = &mut *owner;
    let Selector { guards, set } = selector.as_deref_mut().expect("made with the actor");
    let actor = actor.as_mut().expect("an actor that has ended gets no turn");
    // SAFETY: by contract.
    while let Some(arrival) = unsafe { inbox.next(&message.inbox) } {
        let label = arrival.label;
        let content = arrival.take();
        if label > A::Msg::MAILBOXES as u32 {
            // SAFETY: label and content came together.
            return unsafe { handle_rarely(message, owner, label, content) };
        }
        let mailbox = (label - label::FIRST_MAILBOX) as usize;
        // SAFETY: by contract.
        let is_last = || !unsafe { inbox.has_next(&message.inbox) };
        if set.select_arrival(mailbox, guards, is_last) {
            // SAFETY: a mailbox label comes with a message. Read where it is used: no detour
            // through the stack.
            return handle_guarded(message, guards, actor, unsafe { content.assume_init() });
        }
        // SAFETY: as above.
        set.put(mailbox, unsafe { content.assume_init() });
        sorted += 1;
        if sorted % PRESSED_FROM == 0 {
            // As many may arrive meanwhile as are sorted.
            pressure::weigh(message, set.ready(*guards));
        }
    }
    match set.take_next(guards) {
        Some(content) => handle_guarded(message, guards, actor, content),
        None => SequentialStep::Idle,
    }
}
