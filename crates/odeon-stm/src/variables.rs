//! The variables that users hold.

mod journaled;
pub(crate) mod labelled;
pub(crate) mod tcounter;
pub(crate) mod textreme;
pub(crate) mod tlink;
pub(crate) mod tvar;
pub(crate) mod tword;
