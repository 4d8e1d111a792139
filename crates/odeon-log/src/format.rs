//! What the bytes of a log are: `docs/log-format.md` by the letter.
//!
//! | file | has |
//! |---|---|
//! | `format/file_name.rs` | which files there are |
//! | `format/file_header.rs` | how each begins |
//! | `format/block.rs` | what follows: epochs, chunks, and the end of a snapshot |
//! | `format/records.rs` | the records of an epoch |
//! | `format/block_buffer.rs` | a block while it is made |

mod block;
mod block_buffer;
mod file_header;
mod file_name;
mod records;

pub(crate) use block::{BLOCK_HEADER, BlockHeader, BlockKind, Seed};
pub(crate) use block_buffer::BlockBuffer;
pub(crate) use file_header::{FILE_HEADER, FileHeader, HeaderFlaw};
pub(crate) use file_name::{FileKind, FileName};

pub use file_header::{FORMAT_VERSION, LogId};
pub use records::Records;
