//! The tests of this crate as one program: what they share is compiled and linked once. Those
//! beside it, in `Cargo.toml`, have a process of their own.

mod derive_mailboxes;
mod derive_message;
mod speculative_guards;
mod when;
