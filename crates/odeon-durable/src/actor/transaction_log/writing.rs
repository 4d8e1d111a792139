//! The thread that writes the log of transactions.

use super::cut::Cut;
use super::record::records;
use super::{Failing, Life, Run, Runs, SharedState, State, TakesPart, append, bytes_of, fail_all};
use crate::actor::store::refused;
use odeon_log::{LogError, LogWriter};
use odeon_sync::contained::{contained, forget};
use std::borrow::Cow;
use std::io;
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};

/// Why nothing is answered any more if that thread has a defect.
const PANICKED: &str = "the thread that writes the log of transactions has panicked";

/// See the module.
pub(super) struct Writing {
    writer: LogWriter,
    /// Bytes of epochs behind a snapshot, beyond which there is another one.
    snapshot_after: u64,
    behind: u64,
    /// Bytes of the last snapshot.
    snapshot: u64,
}

impl Writing {
    pub(super) fn new(writer: LogWriter, snapshot_after: u64, behind: u64) -> Self {
        Self { writer, snapshot_after, behind, snapshot: 0 }
    }

    /// # Errors
    /// If the system gives no thread.
    pub(super) fn start(mut self, shared: Arc<SharedState>) -> Result<JoinHandle<()>, LogError> {
        let run = move || {
            let ended = contained(|| self.run(&shared));
            let failure = match ended {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error,
                Err(panic) => {
                    forget(panic);
                    refused("write", String::new(), io::Error::other(PANICKED))
                }
            };
            let failing = shared.lock().fail_for_good(failure);
            shared.rests.notify_all();
            fail_all(failing);
        };
        let thread = thread::Builder::new().name("log of transactions".into()).spawn(run);
        thread.map_err(|error| refused("start a thread for the log", String::new(), error))
    }

    fn run(&mut self, shared: &SharedState) -> Result<(), LogError> {
        loop {
            let mut state = shared.lock();
            let cut = loop {
                let cut = state.cut();
                if !cut.is_empty() {
                    break cut;
                }
                if state.is_closing {
                    let kept = state.kept.clone();
                    drop(state);
                    // So that nobody finds, and keeps, what actors' logs have long had.
                    return if self.behind > 0 { self.write_snapshot(&kept) } else { Ok(()) };
                }
                state = shared.changed.wait(state).expect("no panic happens under this lock");
            };
            let runs = state.take(&cut);
            state.is_writing = true;
            drop(state);
            let appended = self.append(&runs);
            let mut state = shared.lock();
            state.is_writing = false;
            let settled = appended.map(|()| state.settle(&cut, runs));
            drop(state);
            shared.rests.notify_all();
            for (log, number) in settled? {
                if let Some(log) = log.upgrade() {
                    log.settle(number);
                }
            }
            if self.behind >= self.snapshot_after.max(self.snapshot) {
                let kept = shared.lock().kept.clone();
                // One that fails is tried again when as much has been written again.
                let _ = self.write_snapshot(&kept);
            }
        }
    }

    fn append(&mut self, runs: &Runs) -> Result<(), LogError> {
        let records = records(runs);
        self.behind += bytes(&records);
        self.writer.append_epoch(records.iter().map(|record| &record[..]))?;
        Ok(())
    }

    fn write_snapshot(&mut self, kept: &Runs) -> Result<(), LogError> {
        let records = records(kept);
        (self.behind, self.snapshot) = (0, bytes(&records));
        let mut snapshot = self.writer.begin_snapshot()?;
        records.iter().try_for_each(|record| snapshot.write_chunk(record))?;
        snapshot.finish()
    }
}

fn bytes(records: &[Cow<'_, [u8]>]) -> u64 {
    records.iter().map(|record| record.len() as u64).sum()
}

impl State {
    /// Takes what is offered up to the cut.
    fn take(&mut self, cut: &Cut) -> Runs {
        let runs = cut.iter().filter_map(|(life, end)| {
            let log = self.logs.get_mut(life)?;
            let count = log.offered.partition_point(|(number, _)| number <= end);
            let run: Run = log.offered.drain(..count).collect();
            log.bytes -= bytes_of(&run);
            Some((log.id, run))
        });
        runs.collect()
    }

    /// These runs are durable. Answers who is to be told, and up to which number.
    fn settle(&mut self, cut: &Cut, runs: Runs) -> Vec<(Weak<dyn TakesPart>, u64)> {
        self.transactions.retain(|_, transaction| {
            let is_in = |(log, number): &(Life, u64)| cut.get(log).is_some_and(|end| number <= end);
            !transaction.parts.iter().any(is_in)
        });
        for (id, run) in runs {
            append(self.kept.entry(id).or_default(), run);
        }
        let log = |life| self.logs.get(life)?.log.clone();
        cut.iter().filter_map(|(life, end)| Some((log(life)?, *end))).collect()
    }

    /// Nothing is written any more.
    fn fail_for_good(&mut self, failure: LogError) -> Failing {
        let logs = self.give_up(self.transactions.keys().copied().collect(), &failure);
        let failing = self.fail(logs, &failure);
        self.failure = Some(failure);
        self.is_writing = false;
        failing
    }
}
