//! Names or numbers, not both.

use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy)]
enum Port {
    Reply,
    Regular,
}

#[derive(Message)]
enum Event {
    #[mailbox(Port::Regular)]
    Order,
    #[mailbox(0)]
    Answer,
}

fn main() {}
