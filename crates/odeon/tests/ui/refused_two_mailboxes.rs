//! A variant goes to one mailbox.

use odeon::Message;

#[derive(Message)]
enum Job {
    #[mailbox(1)]
    #[mailbox(2)]
    Ordinary,
}

fn main() {}
