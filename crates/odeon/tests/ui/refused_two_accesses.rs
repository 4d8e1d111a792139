//! A message has one kind of access.

use odeon::Message;

#[derive(Message)]
enum Account {
    #[access(snapshot)]
    #[access(relaxed)]
    Balance,
}

fn main() {}
