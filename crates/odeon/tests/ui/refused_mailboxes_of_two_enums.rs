//! All mailboxes of a message type are variants of one enum.

use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy)]
enum Port {
    Reply,
}

#[derive(Mailboxes, Clone, Copy)]
enum Other {
    Regular,
}

#[derive(Message)]
enum Event {
    #[mailbox(Port::Reply)]
    Answer,
    #[mailbox(Other::Regular)]
    Order,
}

fn main() {}
