//! The tests of this crate as one program. Those beside it, in `Cargo.toml`, measure their process
//! or end it.

mod composed;
mod crashes;
mod damage;
mod directory;
mod encoded;
mod folder;
mod golden;
mod made;
mod mutations;
mod program;
