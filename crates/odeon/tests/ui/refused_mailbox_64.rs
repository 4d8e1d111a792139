//! Mailboxes are numbered 0 to 63.

use odeon::Message;

#[derive(Message)]
enum Job {
    Urgent,
    #[mailbox(64)]
    Ordinary,
}

fn main() {}
