//! Actors with several mailboxes: arrivals go into their mailboxes, then the next one is selected.

use std::mem::MaybeUninit;

use super::{Step, handle, handle_rarely};
use crate::actor::Actor;
use crate::cell::{MessageCell, Owner, Selector};
use crate::mailbox::{PRESSED_FROM, label};
use crate::message::Message;
use crate::pressure;

/// Who has several mailboxes has a selector.
const SEVERAL: &str = "several mailboxes";

/// The result of sorting: a signal goes before all messages, and so is looked at what is followed.
enum Sorted<M> {
    Rare(u32, MaybeUninit<M>),
    Next(Option<M>),
}

/// Takes the next message or signal of an actor with several mailboxes and handles it. `Step::Idle`: nothing is ready.
///
/// Most often nothing has arrived, or one message alone, which goes next: then nothing is sorted.
///
/// # Safety
/// `message` and `owner` belong together.
#[inline(always)]
pub(super) unsafe fn handle_selected<A: Actor>(
    message: &MessageCell<A::Msg>,
    owner: &mut Owner<A>,
) -> Step {
    // SAFETY: by contract.
    let Some(arrival) = (unsafe { owner.inbox.next(&message.inbox) }) else {
        let Selector { guards, set } = &mut **owner.selector.as_mut().expect(SEVERAL);
        return match set.take_next(guards) {
            Some(content) => handle(message, owner, content),
            None => Step::Idle,
        };
    };
    let label = arrival.label;
    let content = arrival.take();
    // SAFETY: by contract.
    let alone =
        label <= A::Msg::MAILBOXES as u32 && !unsafe { owner.inbox.has_next(&message.inbox) };
    let Selector { guards, set } = &mut **owner.selector.as_mut().expect(SEVERAL);
    if alone && set.select_arrival((label - label::FIRST_MAILBOX) as usize, guards) {
        // SAFETY: a mailbox label comes with a message. Read where it is used: no detour through the stack.
        return handle(message, owner, unsafe { content.assume_init() });
    }
    // SAFETY: by contract; label and content came together.
    match unsafe { sort_arrivals(message, owner, (label, content)) } {
        // SAFETY: label and content came together.
        Sorted::Rare(label, content) => unsafe { handle_rarely(message, owner, label, content) },
        Sorted::Next(Some(content)) => handle(message, owner, content),
        Sorted::Next(None) => Step::Idle,
    }
}

/// Takes everything out of the inbox into its mailboxes, behind the `first` arrival, then selects.
///
/// # Safety
/// `message` and `owner` belong together; `first` is a label and what came with it.
#[inline]
unsafe fn sort_arrivals<A: Actor>(
    message: &MessageCell<A::Msg>,
    owner: &mut Owner<A>,
    first: (u32, MaybeUninit<A::Msg>),
) -> Sorted<A::Msg> {
    let Selector { guards, set } = &mut **owner.selector.as_mut().expect(SEVERAL);
    let mut arrival = Some(first);
    let mut sorted = 0_usize;
    while let Some((label, content)) = arrival {
        if label > A::Msg::MAILBOXES as u32 {
            return Sorted::Rare(label, content);
        }
        // SAFETY: a mailbox label comes with a message.
        set.put((label - label::FIRST_MAILBOX) as usize, unsafe { content.assume_init() });
        sorted += 1;
        if sorted % PRESSED_FROM == 0 {
            // As many may arrive meanwhile as are sorted.
            pressure::weigh(message, set.ready(*guards));
        }
        // SAFETY: by contract.
        arrival = unsafe { owner.inbox.pop(&message.inbox) };
    }
    Sorted::Next(set.take_next(guards))
}
