//! An inbox has one owner.

fn copied<T: Clone>() {}

fn main() {
    copied::<odeon_core::extend::InboxOwner<u32>>();
}
