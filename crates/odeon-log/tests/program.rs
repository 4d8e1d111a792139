//! A random program over a disk that fails, and what must be true of what it leaves.

use odeon_core::Random;
use odeon_log::{LogError, LogId, LogOptions, LogWriter, Recovered, Recovery, SnapshotWriter};
use odeon_testkit::disk::SimulatedDisk;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

type Records = Vec<Vec<u8>>;

/// What programs have been told, over several lives of a process and several crashes.
#[derive(Clone, Default)]
pub(crate) struct Told {
    /// The state after each acknowledged epoch, from 0 on, as one number: a wrong record anywhere
    /// makes it wrong.
    states: Vec<u64>,
    /// The records of the epoch that was begun and not acknowledged.
    begun: Option<Records>,
}

pub(crate) fn options() -> LogOptions {
    LogOptions::default().segment_bytes(3_000).new_id(LogId(7))
}

/// The state after an epoch with these records.
fn next_state<'r>(state: u64, records: impl IntoIterator<Item = &'r [u8]>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (state, records.into_iter().collect::<Vec<_>>()).hash(&mut hasher);
    hasher.finish()
}

fn slices(records: &Records) -> impl Iterator<Item = &[u8]> {
    records.iter().map(Vec::as_slice)
}

/// What a snapshot of the state after an epoch has.
fn chunks(epoch: u64, state: u64) -> Records {
    let mut random = Random::from_seed(state);
    let mut chunks = vec![epoch.to_le_bytes().to_vec(), state.to_le_bytes().to_vec()];
    for _ in 0..random.below(4) {
        chunks.push(some_bytes(&mut random, 700));
    }
    chunks
}

fn some_bytes(random: &mut Random, most: usize) -> Vec<u8> {
    let mut bytes = vec![0; random.below(most)];
    // Not all of them, which takes long: the first and last ones, and some between.
    bytes.iter_mut().step_by(61).for_each(|byte| *byte = random.next_u64() as u8);
    bytes
}

impl Told {
    fn last(&self) -> u64 {
        self.states.len() as u64
    }

    fn state(&self, epoch: u64) -> u64 {
        epoch.checked_sub(1).map_or(0, |at| self.states[at as usize])
    }

    /// Opens the log, and checks that it has what was acknowledged, and at most what was begun.
    /// What it has counts as acknowledged once the writer is there.
    ///
    /// # Panics
    /// If it has anything else, or is held for damaged.
    pub(crate) fn open(&mut self, disk: &SimulatedDisk) -> Result<LogWriter, LogError> {
        let mut recovery = Recovery::open(Arc::new(disk.clone()), options())?;
        let mut snapshot = Records::new();
        let mut later = Vec::new();
        loop {
            match recovery.read_next() {
                Ok(Some(Recovered::Chunk(bytes))) => snapshot.push(bytes.to_vec()),
                Ok(Some(Recovered::Epoch { epoch, records })) => {
                    later.push((epoch, records.map(<[u8]>::to_vec).collect::<Records>()));
                }
                Ok(Some(Recovered::TornEnd(end))) => assert!(end.bytes > 0),
                Ok(None) => break,
                Err(error @ LogError::Storage { .. }) => return Err(error),
                Err(error) => panic!("{error}"),
            }
        }
        let (mut epoch, mut state) = (0, 0);
        if let [number, ..] = &*snapshot {
            epoch = u64::from_le_bytes(number[..].try_into().expect("it was written so"));
            assert!(epoch <= self.last(), "a snapshot of what was never acknowledged");
            state = self.state(epoch);
            assert_eq!(snapshot, chunks(epoch, state));
        }
        for (number, records) in &later {
            epoch += 1;
            assert_eq!(*number, epoch);
            state = next_state(state, slices(records));
            if epoch <= self.last() {
                assert_eq!(state, self.state(epoch), "epoch {epoch} has other records");
            } else {
                assert_eq!(epoch, self.last() + 1, "more than what was begun");
                assert_eq!(Some(records), self.begun.as_ref());
            }
        }
        assert!(epoch >= self.last(), "{} were acknowledged, and {epoch} are there", self.last());
        let writer = recovery.into_writer()?;
        assert_eq!(writer.last_epoch(), epoch);
        if epoch > self.last() {
            self.states.push(state);
        }
        self.begun = None;
        Ok(writer)
    }

    /// Appends one epoch.
    pub(crate) fn append(
        &mut self,
        writer: &mut LogWriter,
        records: Records,
    ) -> Result<(), LogError> {
        let done = writer.append_epoch(slices(&records));
        match done {
            Ok(epoch) => {
                self.states.push(next_state(self.state(self.last()), slices(&records)));
                assert_eq!(epoch, self.last());
                Ok(())
            }
            Err(error) => {
                // Never two: a writer that has failed writes nothing more.
                let again = writer.append_epoch([&b"again"[..]]).expect_err("it is for good");
                assert_eq!(again.to_string(), error.to_string());
                assert!(writer.begin_snapshot().is_err());
                self.begun = Some(records);
                Err(error)
            }
        }
    }
}

/// A snapshot that is being written.
struct Begun {
    writer: SnapshotWriter,
    chunks: std::vec::IntoIter<Vec<u8>>,
}

impl Begun {
    /// Writes the next chunk, or finishes it.
    fn go_on(mut self) -> Result<Option<Self>, LogError> {
        match self.chunks.next() {
            Some(chunk) => self.writer.write_chunk(&chunk).map(|()| Some(self)),
            None => self.writer.finish().map(|()| None),
        }
    }
}

/// Opens the log, and appends epochs and writes snapshots by the seed, until the disk refuses or
/// the program is over. A snapshot that fails is no reason to end.
pub(crate) fn live(told: &mut Told, disk: &SimulatedDisk, seed: u64) -> Result<(), LogError> {
    let mut random = Random::from_seed(seed);
    let mut writer = told.open(disk)?;
    let mut snapshots: Vec<Begun> = Vec::new();
    for _ in 0..6 + random.below(8) {
        match random.below(8) {
            0 => {
                // That of the same epoch may be under way.
                if let Ok(writer) = writer.begin_snapshot() {
                    let chunks = chunks(writer.epoch(), told.state(writer.epoch())).into_iter();
                    snapshots.push(Begun { writer, chunks });
                }
            }
            1..=3 if !snapshots.is_empty() => {
                let snapshot = snapshots.swap_remove(random.below(snapshots.len()));
                snapshots.extend(snapshot.go_on().ok().flatten());
            }
            4 if random.below(6) == 0 => {
                drop((writer, std::mem::take(&mut snapshots)));
                writer = told.open(disk)?;
            }
            _ => {
                let most = [20, 700, 3_000][random.below(3)];
                let records = (0..random.below(4)).map(|_| some_bytes(&mut random, most)).collect();
                told.append(&mut writer, records)?;
            }
        }
    }
    Ok(())
}
