//! Runs of commits as records of an epoch, or chunks of a snapshot; `docs/log-format.md` has every
//! byte.

use super::{Runs, append};
use crate::actor::record::Head;
use odeon_log::LogId;
use std::borrow::Cow;

/// What a run begins with: of which log, the number of its first commit, and how many there are.
const RUN: usize = 32;

/// The records of these runs, a head before them.
pub(super) fn records(runs: &Runs) -> Vec<Cow<'_, [u8]>> {
    let mut records = vec![Head::Runs(runs.len() as u64).to_bytes().to_vec().into()];
    for (log, run) in runs {
        let mut head = Vec::with_capacity(RUN);
        head.extend_from_slice(&log.0.to_le_bytes());
        head.extend_from_slice(&run.front().map_or(0, |(first, _)| *first).to_le_bytes());
        head.extend_from_slice(&(run.len() as u64).to_le_bytes());
        records.push(head.into());
        records.extend(run.iter().map(|(_, changes)| changes[..].into()));
    }
    records
}

/// Reads records, one after the other. What belongs to a log goes behind what is there of it.
#[derive(Default)]
pub(super) struct RunsReader {
    /// Runs to come.
    runs: u64,
    /// Of which log commits come, the number of the next one, and how many there are to come.
    run: Option<(LogId, u64, u64)>,
}

impl RunsReader {
    /// `None` if that is no such record.
    pub(super) fn read(&mut self, record: &[u8], into: &mut Runs) -> Option<()> {
        if let Some((log, number, left)) = self.run.take_if(|(_, _, left)| *left > 0) {
            let run = into.entry(log).or_default();
            // A snapshot has what epochs behind it may have once more.
            if run.back().is_none_or(|(last, _)| *last < number) {
                append(run, [(number, record.into())]);
            }
            self.run = Some((log, number + 1, left - 1));
        } else if self.runs > 0 {
            let record: &[u8; RUN] = record.try_into().ok()?;
            let (log, numbers) = record.split_first_chunk::<16>()?;
            let (first, count) = numbers.split_first_chunk::<8>()?;
            let count = u64::from_le_bytes(count.try_into().ok()?);
            let first = u64::from_le_bytes(*first);
            first.checked_add(count)?;
            self.run = Some((LogId(u128::from_le_bytes(*log)), first, count));
            self.runs -= 1;
        } else {
            let Some(Head::Runs(runs)) = Head::of(record) else { return None };
            self.runs = runs;
        }
        Some(())
    }

    /// Whether all of what has begun was there.
    pub(super) fn is_whole(&self) -> bool {
        self.runs == 0 && self.run.is_none_or(|(_, _, left)| left == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Run;
    use super::*;

    fn run(first: u64, commits: u64) -> Run {
        (first..first + commits).map(|number| (number, [number as u8; 3][..].into())).collect()
    }

    #[test]
    fn runs_are_read_as_they_were_written() {
        let runs = Runs::from([(LogId(7), run(5, 3)), (LogId(u128::MAX), run(1, 1))]);
        let (mut reader, mut read) = (RunsReader::default(), Runs::new());
        for record in records(&runs) {
            reader.read(&record, &mut read).expect("it was written so");
        }
        assert!(reader.is_whole());
        // Once more, as behind a snapshot, and further.
        for record in records(&Runs::from([(LogId(7), run(6, 4))])) {
            reader.read(&record, &mut read).expect("it was written so");
        }
        assert_eq!(read.remove(&LogId(7)), Some(run(5, 5)));
        assert_eq!(read.remove(&LogId(u128::MAX)), Some(run(1, 1)));
    }

    /// As `docs/log-format.md` has it.
    #[test]
    fn each_byte_has_its_place() {
        let runs = Runs::from([(LogId(0x0102), run(5, 2))]);
        let written = records(&runs);
        let written: Vec<&[u8]> = written.iter().map(|record| &record[..]).collect();
        let of_run = [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0];
        let of_run = [&of_run[..], &[2, 0, 0, 0, 0, 0, 0, 0]].concat();
        let head: &[u8] = &[3, 1, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(written, [head, &of_run, &[5, 5, 5], &[6, 6, 6]]);
    }

    #[test]
    fn nothing_else_is_read() {
        let runs = Runs::from([(LogId(7), run(5, 2))]);
        let whole = records(&runs);
        for end in 1..whole.len() {
            let (mut reader, mut read) = (RunsReader::default(), Runs::new());
            whole[..end].iter().for_each(|record| reader.read(record, &mut read).unwrap());
            assert!(!reader.is_whole());
        }
        for record in [&b""[..], &[0; 32], &Head::StateAfter(1).to_bytes()] {
            assert!(RunsReader::default().read(record, &mut Runs::new()).is_none());
        }
    }
}
