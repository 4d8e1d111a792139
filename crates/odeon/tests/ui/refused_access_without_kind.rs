//! The kind of access is named.

use odeon::Message;

#[derive(Message)]
enum Account {
    #[access]
    Balance,
}

fn main() {}
