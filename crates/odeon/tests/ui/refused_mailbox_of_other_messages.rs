//! The mailboxes of one actor have no names at another.

use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy)]
enum Port {
    Reply,
    Regular,
}

#[derive(Mailboxes, Clone, Copy)]
enum Other {
    Reply,
}

#[derive(Message)]
enum Event {
    #[mailbox(Port::Reply)]
    Answer(u32),
    #[mailbox(Port::Regular)]
    Order(u32),
}

fn send(to: &ActorRef<Event>) {
    let _ = to.mailbox(Other::Reply).send(Event::Order(1));
}

fn main() {}
