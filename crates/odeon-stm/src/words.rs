//! What everything else is made of: the word that says who holds a variable and since when, the
//! clock, reasons for a rollback, how users' code is called.

pub(crate) mod abort;
pub(crate) mod contained;
pub(crate) mod copies;
pub(crate) mod flaw;
pub(crate) mod hooks;
pub(crate) mod label;
pub(crate) mod version_clock;
pub(crate) mod version_word;
