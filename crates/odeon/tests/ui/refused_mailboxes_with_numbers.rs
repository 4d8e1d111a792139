//! The order of the variants is the order of the mailboxes.

use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy)]
enum Port {
    Reply = 3,
}

fn main() {}
