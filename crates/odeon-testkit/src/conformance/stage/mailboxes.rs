//! Guards and priorities of an actor with several mailboxes.

use std::sync::{Arc, Mutex};

use odeon_core::{Actor, ActorRef, Context, Message};

use super::{StageUnderTest, for_stages};

/// Mailbox 0 gives orders; 1 and 2 bring numbers.
enum Mail {
    Close(usize),
    Open(Vec<usize>),
    Number(usize, u64),
    /// On its handling the mailbox it came through is closed.
    CloseBehind(usize, u64),
}

impl Message for Mail {
    const MAILBOXES: usize = 3;
    fn mailbox(&self) -> usize {
        match self {
            Self::Close(_) | Self::Open(_) => 0,
            Self::Number(mailbox, _) | Self::CloseBehind(mailbox, _) => *mailbox,
        }
    }
}

#[derive(Default, Clone)]
struct Clerk {
    seen: Arc<Mutex<Vec<u64>>>,
}

impl Clerk {
    fn seen(&self) -> Vec<u64> {
        self.seen.lock().expect("the lock is never held in a panic").clone()
    }
}

impl Actor for Clerk {
    type Msg = Mail;
    fn handle(&mut self, msg: Mail, ctx: &mut Context<'_, Self>) {
        let note = |n| self.seen.lock().expect("as above").push(n);
        match msg {
            Mail::Close(mailbox) => ctx.close(mailbox),
            Mail::Open(mailboxes) => mailboxes.into_iter().for_each(|mailbox| ctx.open(mailbox)),
            Mail::Number(mailbox, n) => {
                assert!(ctx.is_open(mailbox), "a message came through a closed mailbox");
                note(n);
            }
            Mail::CloseBehind(mailbox, n) => {
                ctx.close(mailbox);
                note(n);
            }
        }
    }
}

fn send(to: &ActorRef<Mail>, messages: impl IntoIterator<Item = Mail>) {
    messages.into_iter().for_each(|message| to.send(message).expect("the clerk lives"));
}

/// Messages of a closed mailbox wait while others pass, and come in order once it opens.
pub fn s3_a_closed_mailbox_waits_in_order<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let clerk = Clerk::default();
        let actor = stage.spawn(clerk.clone());
        send(&actor, [Mail::Close(1)]);
        send(&actor, (0..200).map(|n| Mail::Number(1, n)));
        send(&actor, [Mail::Number(2, 1_000)]);
        stage.run_until(|| !clerk.seen().is_empty());
        assert_eq!(clerk.seen(), [1_000]);
        send(&actor, [Mail::Open(vec![1])]);
        stage.run_until(|| clerk.seen().len() == 201);
        assert_eq!(clerk.seen()[1..], (0..200).collect::<Vec<_>>());
    });
}

/// The mailbox with the lower number goes first, each in its own order.
pub fn s3_opened_mailboxes_are_served_by_priority<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let clerk = Clerk::default();
        let actor = stage.spawn(clerk.clone());
        send(&actor, [Mail::Close(1), Mail::Close(2)]);
        send(&actor, [(2, 20), (1, 10), (2, 21), (1, 11)].map(|(m, n)| Mail::Number(m, n)));
        send(&actor, [Mail::Open(vec![2, 1])]);
        stage.run_until(|| clerk.seen().len() == 4);
        assert_eq!(clerk.seen(), [10, 11, 20, 21]);
    });
}

/// The guard holds from the next message on.
pub fn s3_a_handler_may_close_the_mailbox_it_was_called_from<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let clerk = Clerk::default();
        let actor = stage.spawn(clerk.clone());
        send(&actor, [Mail::CloseBehind(1, 1), Mail::Number(1, 3), Mail::Number(2, 2)]);
        stage.run_until(|| clerk.seen().len() == 2);
        assert_eq!(clerk.seen(), [1, 2]);
        send(&actor, [Mail::Open(vec![1])]);
        stage.run_until(|| clerk.seen().len() == 3);
        assert_eq!(clerk.seen(), [1, 2, 3]);
    });
}
