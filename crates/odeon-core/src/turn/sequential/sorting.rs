//! Actors with several mailboxes: arrivals go into their mailboxes, then the next one is selected.

use std::mem::MaybeUninit;

use crate::actor::Actor;
use crate::cell::{MessageCell, Owner, Selector};
use crate::mailbox::{PRESSED_FROM, label};
use crate::message::Message;
use crate::pressure;

/// The result of sorting: a signal goes before all messages, and so is looked at what is followed.
pub(super) enum Sorted<M> {
    Rare(u32, MaybeUninit<M>),
    Next(Option<M>),
}

/// Takes everything out of the inbox into its mailboxes, then selects.
///
/// The last arrival is not put into its mailbox if it would be selected at once.
///
/// # Safety
/// `message` and `owner` belong together.
#[inline(always)]
pub(super) unsafe fn sort_arrivals<A: Actor>(
    message: &MessageCell<A::Msg>,
    owner: &mut Owner<A>,
) -> Sorted<A::Msg> {
    let Selector { guards, set } = &mut **owner.selector.as_mut().expect("several mailboxes");
    let mut last: Option<(usize, MaybeUninit<A::Msg>)> = None;
    let mut sorted = 0_usize;
    // SAFETY: by contract.
    while let Some((label, content)) = unsafe { owner.inbox.pop(&message.inbox) } {
        if label > A::Msg::MAILBOXES as u32 {
            if let Some((mailbox, content)) = last {
                // SAFETY: only contents with a mailbox label are kept.
                set.put(mailbox, unsafe { content.assume_init() });
            }
            return Sorted::Rare(label, content);
        }
        let mailbox = (label - label::FIRST_MAILBOX) as usize;
        if let Some((mailbox, content)) = last.replace((mailbox, content)) {
            // SAFETY: as above.
            set.put(mailbox, unsafe { content.assume_init() });
        }
        sorted += 1;
        if sorted % PRESSED_FROM == 0 {
            // As many may arrive meanwhile as are sorted.
            pressure::weigh(message, set.ready(*guards));
        }
    }
    if let Some((mailbox, content)) = last {
        // SAFETY: as above.
        let content = unsafe { content.assume_init() };
        if set.select_arrival(mailbox, guards) {
            return Sorted::Next(Some(content));
        }
        set.put(mailbox, content);
    }
    Sorted::Next(set.take_next(guards))
}
