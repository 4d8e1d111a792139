//! Which files a directory has, and which of them the state is made of.

use crate::error::LogError;
use crate::format::{FileKind, FileName};
use crate::storage::Storage;

/// The files of a log.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    /// The newest one.
    pub(crate) snapshot: Option<FileName>,
    /// Those with epochs behind the snapshot and the last one before them, by their first epochs.
    pub(crate) segments: Vec<FileName>,
    /// What a snapshot has made superfluous, and what was not finished.
    pub(crate) leftovers: Vec<FileName>,
}

impl Contents {
    pub(crate) fn of(storage: &dyn Storage) -> Result<Self, LogError> {
        let names = storage.list().map_err(LogError::storage("list the files", ""))?;
        Ok(Self::among(names.iter().filter_map(|name| FileName::parse(name))))
    }

    fn among(names: impl Iterator<Item = FileName>) -> Self {
        let (mut leftovers, finished): (Vec<_>, Vec<_>) =
            names.partition(|name| name.is_unfinished);
        let (mut segments, mut snapshots): (Vec<_>, Vec<_>) =
            finished.into_iter().partition(|name| name.kind == FileKind::Segment);
        segments.sort_by_key(|name| name.epoch);
        snapshots.sort_by_key(|name| name.epoch);

        let snapshot = snapshots.pop();
        leftovers.append(&mut snapshots);
        let next = snapshot.map_or(1, |snapshot| snapshot.epoch.saturating_add(1));
        // A segment has no epoch from the first of the next one on.
        let superfluous = segments.iter().skip(1).take_while(|later| later.epoch <= next).count();
        leftovers.extend(segments.drain(..superfluous));
        Self { snapshot, segments, leftovers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among(names: &[FileName]) -> Contents {
        Contents::among(names.iter().copied())
    }

    #[test]
    fn the_newest_snapshot_makes_what_it_has_superfluous() {
        let [first, second, third] = [1, 11, 21].map(FileName::segment);
        let segments = |snapshot: u64| {
            among(&[third, FileName::snapshot(snapshot), first, FileName::snapshot(2), second])
                .segments
        };
        assert_eq!(segments(9), [first, second, third]);
        assert_eq!(segments(10), [second, third]);
        assert_eq!(segments(19), [second, third]);
        assert_eq!(segments(20), [third]);
        assert_eq!(segments(25), [third]);
        let contents =
            among(&[third, FileName::snapshot(20), FileName::snapshot(2), first, second]);
        assert_eq!(contents.snapshot, Some(FileName::snapshot(20)));
        assert_eq!(contents.leftovers, [FileName::snapshot(2), first, second]);
    }

    #[test]
    fn what_is_not_finished_does_not_count() {
        let [segment, snapshot] =
            [FileName::segment(2), FileName::snapshot(1)].map(FileName::unfinished);
        let contents = among(&[FileName::segment(1), segment, snapshot]);
        assert_eq!((contents.snapshot, &*contents.segments), (None, &[FileName::segment(1)][..]));
        assert_eq!(contents.leftovers, [segment, snapshot]);
    }
}
