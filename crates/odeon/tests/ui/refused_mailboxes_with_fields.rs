//! The name of a mailbox is a name.

use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy)]
enum Port {
    Reply(u32),
}

fn main() {}
