//! The packets of `examples/ledger-server`.

use super::wire::{Wire, refused};
use odeon_bench::error::BenchError;
use odeon_example_ledger::{Transfer, Verdict};
use odeon_example_ledger_server::packets::{LedgerRequest, verdict_of};

#[derive(Default)]
pub(super) struct PacketWire;

impl Wire for PacketWire {
    fn greet(&mut self, _: &mut Vec<u8>) -> usize {
        0
    }

    fn ask(&mut self, transfer: &Transfer, to: &mut Vec<u8>) {
        LedgerRequest::Transfer(*transfer).write(to);
    }

    fn answer(&mut self, from: &mut &[u8]) -> Result<Option<Verdict>, BenchError> {
        let Some((first, rest)) = from.split_first() else { return Ok(None) };
        *from = rest;
        verdict_of(*first).map(Some).ok_or_else(|| refused(first))
    }
}
