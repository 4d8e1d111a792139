//! The log of transactions from its disk.

use super::Runs;
use super::record::RunsReader;
use super::writing::Writing;
use crate::actor::store::{Store, refused};
use odeon_log::{LogError, Recovered, Recovery};
use std::io;

/// What was found.
pub(super) struct Opened {
    pub(super) writing: Writing,
    pub(super) kept: Runs,
}

/// Why the log of transactions cannot be opened.
const NOT_ITS_OWN: &str = "it is whole, and was not written by durable actors";

/// `None`: there is none, and it does not `begin`.
pub(super) fn open(store: &Store, begins: bool) -> Result<Option<Opened>, LogError> {
    let Some(storage) = store.transactions_storage(begins)? else { return Ok(None) };
    let mut recovery = Recovery::open(storage, store.transactions_options())?;
    let (mut kept, mut reader, mut bytes) = (Runs::new(), RunsReader::default(), 0);
    let mut is_its_own = true;
    while let Some(recovered) = recovery.read_next()? {
        match recovered {
            Recovered::Chunk(record) => is_its_own &= reader.read(record, &mut kept).is_some(),
            Recovered::Epoch { records, .. } => {
                is_its_own &= reader.is_whole();
                for record in records {
                    bytes += record.len() as u64;
                    is_its_own &= reader.read(record, &mut kept).is_some();
                }
            }
            Recovered::TornEnd(_) => {}
        }
    }
    if !is_its_own || !reader.is_whole() {
        let error = io::Error::new(io::ErrorKind::InvalidData, NOT_ITS_OWN);
        return Err(refused("read the log of transactions", String::new(), error));
    }
    let writing = Writing::new(recovery.into_writer()?, store.bytes_until_snapshot(), bytes);
    Ok(Some(Opened { writing, kept }))
}
