//! The owner's side of an inbox belongs to one thread at a time.

fn shared<T: Sync>() {}

fn main() {
    shared::<odeon_core::extend::InboxOwner<u32>>();
}
