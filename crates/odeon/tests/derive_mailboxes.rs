//! Mailboxes by name: `#[derive(Mailboxes)]`, names in `#[mailbox(..)]`, `#[guards]`, and senders
//! that decide.
#![cfg(not(any(odeon_loom, odeon_shuttle)))]

use std::collections::VecDeque;

use odeon::prelude::*;
use odeon::{MailboxName, MailboxOf};

#[derive(Mailboxes, Clone, Copy, Debug, PartialEq)]
enum Port {
    Control,
    Producer,
    Consumer,
}

#[derive(Message)]
enum Use {
    #[mailbox(Port::Producer)]
    Put(u32),
    #[mailbox(Port::Consumer)]
    Get(Reply<u32>),
    Size(Reply<usize>),
}

#[test]
fn variants_are_numbered_in_order() {
    assert_eq!(Port::ALL, [Port::Control, Port::Producer, Port::Consumer]);
    assert!(Port::ALL.iter().enumerate().all(|(number, port)| port.number() == number));
    assert_eq!((Use::MAILBOXES, Use::Put(1).mailbox()), (3, 1));
}

struct Buffer {
    items: VecDeque<u32>,
    capacity: usize,
}

#[guards]
impl Actor for Buffer {
    type Msg = Use;

    #[guard(Port::Producer)]
    fn has_room(&self) -> bool {
        self.items.len() < self.capacity
    }

    #[guard(Port::Consumer)]
    fn has_items(&self) -> bool {
        !self.items.is_empty()
    }

    fn handle(&mut self, msg: Use, _ctx: &mut Context<'_, Self>) {
        match msg {
            Use::Put(item) => self.items.push_back(item),
            Use::Get(reply) => reply.send(self.items.pop_front().expect("guarded")),
            Use::Size(reply) => reply.send(self.items.len()),
        }
    }
}

#[test]
fn guards_are_what_their_functions_say_from_the_start() {
    let theater = Theater::new().unwrap();
    let buffer = theater.spawn(Buffer { items: VecDeque::new(), capacity: 2 });
    let waiting: Vec<_> = (0..2).map(|_| buffer.ask(Use::Get)).collect();
    (1..=6).for_each(|item| buffer.send(Use::Put(item)).unwrap());
    let got: Vec<u32> = waiting.into_iter().map(|answer| answer.wait().unwrap()).collect();
    assert_eq!(got, [1, 2]);
    // It is full, and the rest waits.
    while buffer.ask(Use::Size).wait().unwrap() != 2 {}
    let got: Vec<u32> = (0..4).map(|_| buffer.ask(Use::Get).wait().unwrap()).collect();
    assert_eq!(got, [3, 4, 5, 6]);
}

/// One function for two mailboxes, in an asynchronous actor.
struct Shop {
    open: bool,
}

#[derive(Message)]
#[mailboxes(Port)]
enum Visit {
    Open(bool),
    #[mailbox(Producer)]
    Bring(Reply<&'static str>),
    #[mailbox(Port::Consumer)]
    Take(Reply<&'static str>),
}

#[guards]
impl AsyncActor for Shop {
    type Msg = Visit;

    #[guard(Port::Producer, Port::Consumer)]
    fn is_open(&self) -> bool {
        self.open
    }

    async fn handle(&mut self, msg: Visit, _ctx: &mut AsyncContext<'_, Self>) {
        match msg {
            Visit::Open(open) => self.open = open,
            Visit::Bring(reply) => reply.send("brought"),
            Visit::Take(reply) => reply.send("taken"),
        }
    }
}

#[test]
fn an_asynchronous_actor_declares_guards_too() {
    let theater = Theater::new().unwrap();
    let shop = theater.spawn(Shop { open: false });
    let (bring, take) = (shop.ask(Visit::Bring), shop.ask(Visit::Take));
    shop.send(Visit::Open(true)).unwrap();
    assert_eq!((bring.wait(), take.wait()), (Ok("brought"), Ok("taken")));
}

/// Says where it was when it was handled.
#[derive(Message)]
#[mailboxes(Port)]
struct Where(Reply<Port>);

struct Clerk;

impl Actor for Clerk {
    type Msg = Where;
    fn handle(&mut self, Where(reply): Where, ctx: &mut Context<'_, Self>) {
        reply.send(Port::ALL[ctx.mailbox()]);
    }
}

#[test]
fn a_sender_may_decide() {
    let theater = Theater::new().unwrap();
    let clerk = theater.spawn(Clerk);
    assert_eq!(clerk.ask(Where).wait(), Ok(Port::Control));
    for port in Port::ALL {
        assert_eq!(clerk.mailbox(*port).ask(Where).wait(), Ok(*port));
    }
    assert_eq!(clerk.mailbox(2).ask(Where).wait(), Ok(Port::Consumer));
}

#[test]
#[should_panic(expected = "there is no mailbox 3: the actor has 3 (numbered from 0)")]
fn a_number_without_a_mailbox_is_refused_at_the_caller() {
    let theater = Theater::new().unwrap();
    let _ = theater.spawn(Clerk).mailbox(3);
}

#[test]
fn bounds_are_of_mailboxes_by_name() {
    let theater = Theater::new().unwrap();
    let buffer = Buffer { items: VecDeque::new(), capacity: 1 };
    let buffer = theater.spawn(Bounded::new(buffer).mailbox(Port::Producer, Bound::reject(1)));
    buffer.send(Use::Put(1)).unwrap();
    while buffer.ask(Use::Size).wait().unwrap() != 1 {}
    buffer.send(Use::Put(2)).unwrap();
    assert!(matches!(buffer.send(Use::Put(3)), Err(SendError::Full(Use::Put(3)))));
    // The bound is of the mailbox, whoever chose it.
    let reply = |reply| Use::Get(reply);
    assert!(buffer.mailbox(Port::Producer).ask(reply).wait().is_err());
    assert_eq!(buffer.ask(Use::Get).wait(), Ok(1));
    assert_eq!(buffer.ask(Use::Get).wait(), Ok(2));
}

/// Names may be shared, and messages generic.
#[derive(Message)]
enum Generic<T> {
    #[mailbox(Port::Consumer)]
    Value(T),
}

#[test]
fn generic_messages_have_named_mailboxes() {
    fn names<M: Message>(_: &M, name: impl MailboxOf<M>) -> usize {
        name.number()
    }
    let message = Generic::Value([1, 2]);
    assert_eq!((message.mailbox(), names(&message, Port::Consumer)), (2, 2));
    let Generic::Value(_) = message;
}
