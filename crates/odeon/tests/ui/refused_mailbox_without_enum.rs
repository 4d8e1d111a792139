//! A variant of which enum?

use odeon::prelude::*;

#[derive(Message)]
enum Event {
    #[mailbox(Reply)]
    Answer,
}

fn main() {}
