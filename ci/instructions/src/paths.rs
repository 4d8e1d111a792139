//! The paths that are counted, named as in the benchmarks where there is one.

mod beside_others;
mod call;
mod create;
mod fjthrput;
mod pingpong;
mod ring;
mod snapshot;
mod speculative;
mod transaction;

use odeon::prelude::*;
use std::fmt::Display;
use std::sync::mpsc::Receiver;

/// Each path, and how many operations show its cost.
pub(crate) const PATHS: [(&str, u64); 12] = [
    ("ring", 50_000),
    ("fjthrput", 50_000),
    ("pingpong", 50_000),
    ("create", 20_000),
    ("transaction", 50_000),
    ("transaction-beside", 50_000),
    ("snapshot", 50_000),
    ("speculative", 20_000),
    ("change-beside", 20_000),
    ("question-beside", 20_000),
    ("call", 20_000),
    ("call-speculative", 20_000),
];

/// Takes one path so many times.
pub(crate) fn run(path: &str, operations: u64) -> Result<(), String> {
    match path {
        "ring" => ring::run(operations),
        "fjthrput" => fjthrput::run(operations),
        "pingpong" => pingpong::run(operations),
        "create" => create::run(operations),
        "transaction" => {
            transaction::run(operations);
            Ok(())
        }
        "transaction-beside" => {
            snapshot::with_transactions(operations);
            Ok(())
        }
        "snapshot" => {
            snapshot::run(operations);
            Ok(())
        }
        "speculative" => speculative::run(operations),
        "change-beside" => beside_others::changes(operations),
        "question-beside" => beside_others::questions(operations),
        "call" => call::of_plain(operations),
        "call-speculative" => call::of_speculative(operations),
        _ => Err(format!("no such path: {path}")),
    }
}

fn theater() -> Result<Theater, String> {
    Theater::builder().workers(1).build().map_err(text)
}

fn wait(end: &Receiver<()>) -> Result<(), String> {
    end.recv().map_err(text)
}

fn text(error: impl Display) -> String {
    error.to_string()
}
