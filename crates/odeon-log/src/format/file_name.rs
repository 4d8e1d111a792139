//! The names of files: a number, so that they sort, and what it is a number of.

use std::fmt;

/// Behind the name of a file that is not finished. It counts for nothing, and is removed.
const UNFINISHED: &str = ".unfinished";

/// What a file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileKind {
    Segment,
    Snapshot,
}

impl FileKind {
    fn suffix(self) -> &'static str {
        match self {
            Self::Segment => ".segment",
            Self::Snapshot => ".snapshot",
        }
    }
}

/// The name of a file of a log. `epoch` is the first one of a segment, and the last one that a
/// snapshot has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileName {
    pub(crate) kind: FileKind,
    pub(crate) epoch: u64,
    pub(crate) is_unfinished: bool,
}

impl FileName {
    pub(crate) fn segment(epoch: u64) -> Self {
        Self { kind: FileKind::Segment, epoch, is_unfinished: false }
    }

    pub(crate) fn snapshot(epoch: u64) -> Self {
        Self { kind: FileKind::Snapshot, epoch, is_unfinished: false }
    }

    /// The name until the file is finished.
    pub(crate) fn unfinished(self) -> Self {
        Self { is_unfinished: true, ..self }
    }

    /// Nothing for a file that is no log's: one may lie beside it.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let finished = name.strip_suffix(UNFINISHED);
        let rest = finished.unwrap_or(name);
        let kinds = [FileKind::Segment, FileKind::Snapshot].into_iter();
        let (kind, digits) =
            kinds.filter_map(|kind| Some((kind, rest.strip_suffix(kind.suffix())?))).next()?;
        let epoch = digits.parse().ok()?;
        let parsed = Self { kind, epoch, is_unfinished: finished.is_some() };
        // Each file has one name, and the first epoch is 1.
        let is_written_so = parsed.to_string() == name && (kind, epoch) != (FileKind::Segment, 0);
        is_written_so.then_some(parsed)
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unfinished = if self.is_unfinished { UNFINISHED } else { "" };
        write!(f, "{:020}{}{unfinished}", self.epoch, self.kind.suffix())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_was_written_and_no_other_is() {
        for name in
            [FileName::segment(1), FileName::snapshot(u64::MAX), FileName::segment(7).unfinished()]
        {
            assert_eq!(FileName::parse(&name.to_string()), Some(name));
        }
        assert_eq!(FileName::segment(12).to_string(), "00000000000000000012.segment");
        for other in [
            "lock",
            "",
            ".segment",
            "12.segment",
            "+0000000000000000012.segment",
            "99999999999999999999.segment",
            "00000000000000000012.segment.bak",
            "00000000000000000000.segment",
            ".unfinished",
        ] {
            assert_eq!(FileName::parse(other), None, "{other}");
        }
    }
}
