//! There are four kinds of access.

use odeon::Message;

#[derive(Message)]
enum Account {
    #[access(read)]
    Balance,
}

fn main() {}
