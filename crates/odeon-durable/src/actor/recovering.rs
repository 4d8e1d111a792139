//! An actor's state from its log.

use super::record::Head;
use super::store::Store;
use super::transaction_log::Run;
use crate::state::{Durable, RestoreError, Restorer};
use odeon_log::{LogError, LogWriter, Records, Recovered, Recovery, TornEnd};
use odeon_stm::journal::{Changes, add_change};
use odeon_stm::snapshot_within;
use std::error::Error;
use std::fmt;

/// Why a durable actor could not begin.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecoverError {
    /// The log cannot be read or written.
    Log(LogError),
    /// The log has what the state has not.
    State(RestoreError),
    /// The log is whole, and what is in it was not written by a durable actor.
    NotOfAnActor {
        /// In which epoch; 0: in the snapshot.
        epoch: u64,
    },
    /// The log is whole, and an epoch goes on behind commits that are not there.
    MissingCommits {
        /// Which epoch.
        epoch: u64,
        /// The last commit before it.
        last: u64,
        /// The first that it has.
        first: u64,
    },
    /// The log of transactions of the store has commits of this actor behind others that are not
    /// there: the actor's log is not the one that was written last.
    MissingBeforeTransaction {
        /// The last commit in the actor's log.
        last: u64,
        /// The first behind it in the log of transactions.
        next: u64,
    },
}

impl fmt::Display for RecoverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Log(error) => error.fmt(f),
            Self::State(error) => error.fmt(f),
            Self::NotOfAnActor { epoch: 0 } => {
                f.write_str("the snapshot was not written by a durable actor")
            }
            Self::NotOfAnActor { epoch } => {
                write!(f, "epoch {epoch} was not written by a durable actor")
            }
            Self::MissingCommits { epoch, last, first } => {
                write!(
                    f,
                    "epoch {epoch} begins with commit {first}, and the last before it is {last}"
                )
            }
            Self::MissingBeforeTransaction { last, next } => {
                write!(
                    f,
                    "the log of transactions goes on with commit {next}, and the last in the log \
                     of the actor is {last}"
                )
            }
        }
    }
}

impl Error for RecoverError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Log(error) => Some(error),
            Self::State(error) => Some(error),
            Self::NotOfAnActor { .. }
            | Self::MissingCommits { .. }
            | Self::MissingBeforeTransaction { .. } => None,
        }
    }
}

impl From<LogError> for RecoverError {
    fn from(error: LogError) -> Self {
        Self::Log(error)
    }
}

impl From<RestoreError> for RecoverError {
    fn from(error: RestoreError) -> Self {
        Self::State(error)
    }
}

/// A log whose state is made, to go on with.
pub(super) struct RecoveredLog {
    pub(super) writer: LogWriter,
    /// How many commits were found.
    pub(super) found: u64,
    /// The number of the last commit, also if that is the begin of the log.
    pub(super) last: u64,
    /// Bytes behind the snapshot.
    pub(super) behind: u64,
    /// Bytes of the snapshot.
    pub(super) snapshot: u64,
    pub(super) torn: Option<TornEnd>,
}

/// Makes `state`, which is as the program makes it, what the log says.
///
/// # Errors
/// If there is no such state; it may have been made in part.
pub(super) fn recover(
    store: &Store,
    name: &str,
    state: &impl Durable,
) -> Result<RecoveredLog, RecoverError> {
    let mut recovery = Recovery::open(store.storage(name)?, store.options())?;
    let mut making = Making { restorer: Restorer::new(state), last: None, behind: 0, snapshot: 0 };
    let mut torn = None;
    while let Some(recovered) = recovery.read_next()? {
        match recovered {
            Recovered::Chunk(bytes) => making.chunk(bytes)?,
            Recovered::Epoch { epoch, records } => making.epoch(epoch, records)?,
            Recovered::TornEnd(end) => torn = Some(end),
        }
    }
    store.transactions().open(store, false)?;
    let id = recovery.id();
    let kept = store.transactions().kept(id, making.last.unwrap_or(0));
    making.kept(&kept)?;
    let Making { restorer, last, behind, snapshot } = making;
    restorer.finish();
    let mut writer = recovery.into_writer()?;
    if let Some((first, _)) = kept.front() {
        let head = Head::CommitsFrom(*first).to_bytes();
        let changes = kept.iter().map(|(_, changes)| &changes[..]);
        writer.append_epoch([&head[..]].into_iter().chain(changes))?;
    }
    let found = last.unwrap_or(0);
    let last = last.map_or_else(|| begin(&mut writer, state), Ok)?;
    Ok(RecoveredLog { writer, found, last, behind, snapshot, torn })
}

/// Begins a log with the state as the program makes it, under the number of a commit, which it
/// answers: what another program makes it later changes nothing.
fn begin(writer: &mut LogWriter, state: &impl Durable) -> Result<u64, RecoverError> {
    const FIRST: u64 = 1;
    let mut record = Vec::new();
    let told = snapshot_within(usize::MAX, |view| {
        state.node().tell(view, &mut |name, change| add_change(name, change, &mut record))
    });
    told.expect("nobody else has the state");
    writer.append_epoch([&Head::CommitsFrom(FIRST).to_bytes()[..], &record])?;
    Ok(FIRST)
}

/// No commit has a number as large as this: an actor that commits each nanosecond has it after two
/// centuries.
const LARGEST: u64 = 1 << 62;

struct Making<'s> {
    restorer: Restorer<'s>,
    /// The number of the last commit whose changes are made; `None` before anything was read.
    last: Option<u64>,
    behind: u64,
    snapshot: u64,
}

impl Making<'_> {
    fn chunk(&mut self, bytes: &[u8]) -> Result<(), RecoverError> {
        self.snapshot += bytes.len() as u64;
        if self.last.is_some() {
            return self.make(bytes, 0);
        }
        match Head::of(bytes) {
            Some(Head::StateAfter(number)) if number < LARGEST => {
                self.last = Some(number);
                Ok(())
            }
            _ => Err(RecoverError::NotOfAnActor { epoch: 0 }),
        }
    }

    fn epoch(&mut self, epoch: u64, mut records: Records<'_>) -> Result<(), RecoverError> {
        let first = match records.next().and_then(Head::of) {
            Some(Head::CommitsFrom(first)) if (1..LARGEST).contains(&first) => first,
            _ => return Err(RecoverError::NotOfAnActor { epoch }),
        };
        let last = self.last.unwrap_or(0);
        if first > last + 1 {
            return Err(RecoverError::MissingCommits { epoch, last, first });
        }
        for (number, changes) in (first..).zip(records) {
            self.behind += changes.len() as u64;
            // A snapshot may have commits that were written behind it.
            if self.last.is_none_or(|last| number > last) {
                self.make(changes, epoch)?;
                self.last = Some(number);
            }
        }
        Ok(())
    }

    /// Makes what the log of transactions has, and the actor's own has not.
    fn kept(&mut self, kept: &Run) -> Result<(), RecoverError> {
        for (number, changes) in kept {
            let last = self.last.unwrap_or(0);
            if *number != last + 1 {
                return Err(RecoverError::MissingBeforeTransaction { last, next: *number });
            }
            self.behind += changes.len() as u64;
            self.make(changes, 0)?;
            self.last = Some(*number);
        }
        Ok(())
    }

    fn make(&mut self, changes: &[u8], epoch: u64) -> Result<(), RecoverError> {
        self.restorer.apply_together(|apply| {
            Changes::of(changes).try_for_each(|change| {
                let change = change.map_err(|_| RecoverError::NotOfAnActor { epoch })?;
                Ok(apply(&change.name, change.bytes)?)
            })
        })
    }
}
