//! A ledger that begins with records that anybody has made up, in a log that is whole: as one
//! sequence of bytes, so that a fuzzer can change it.
//!
//! A record is two bytes of length and as many bytes; an epoch ends with [`END`] as a length. What
//! is too short at the end is left out.

use super::ledger::{Audited, find_again, processings, spawn, store};
use odeon_core::Theater;
use odeon_durable::RecoverError;
use odeon_log::{Found, LogOptions, LogReader, Recovery};
use odeon_testkit::disk::SimulatedDisk;
use std::sync::Arc;

const END: u16 = u16::MAX;

/// The epochs of a log.
pub(crate) fn records_of(disk: &SimulatedDisk) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut reader = LogReader::open(Arc::new(disk.clone())).unwrap();
    while let Some(found) = reader.read_next().unwrap() {
        if let Found::Epoch { records, .. } = found {
            for record in records {
                bytes.extend((record.len() as u16).to_le_bytes());
                bytes.extend(record);
            }
            bytes.extend(END.to_le_bytes());
        }
    }
    bytes
}

/// What a ledger has that begins with them, if it begins.
pub(crate) fn open(theater: &Theater, mut bytes: &[u8]) -> Result<Option<Audited>, RecoverError> {
    let disk = SimulatedDisk::new(1);
    let log = Recovery::open(Arc::new(disk.clone()), LogOptions::default()).unwrap();
    let mut writer = log.into_writer().unwrap();
    let mut records = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        match u16::from_le_bytes(*length) {
            END => {
                writer.append_epoch(records.drain(..)).unwrap();
                bytes = rest;
            }
            length => {
                let Some((record, rest)) = rest.split_at_checked(length.into()) else { break };
                records.push(record);
                bytes = rest;
            }
        }
    }
    drop(writer);
    let ledger = spawn(theater, &store(disk), processings()[1].clone())?;
    Ok(find_again(&ledger))
}
