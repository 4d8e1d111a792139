//! All files of a log, and the judgement of what is found in them.
//!
//! What is written begins only when all before it is durable. So a bad block with another one
//! behind it, in its file or a later one, was durable once: that is damage. One with nothing behind
//! it is the torn end of what nobody was told of. The header of a later block is enough: that it
//! was written at all says that its predecessor had become durable.

use crate::error::{Damage, LogError, Problem, TornEnd};
use crate::format::{BlockHeader, BlockKind, FileKind, FileName, HeaderFlaw, LogId, Records};
use crate::reading::block_reader::{BlockReader, NextBlock, read_header};
use crate::reading::contents::Contents;
use crate::reading::found::{Found, LogEnd, LogFile, ReadEvent};
use crate::storage::Storage;
use std::collections::VecDeque;
use std::sync::Arc;

/// Reads a log without a right to write, and goes on behind what is damaged.
///
/// It changes nothing. If the log is being written meanwhile, the last epoch may look torn, and
/// files that it was going to read may be gone.
///
/// # Examples
/// ```
/// use odeon_log::{DirectoryStorage, Found, LogOptions, LogReader, Recovery};
/// use std::sync::Arc;
///
/// let folder = std::env::temp_dir().join(format!("odeon-reader-{}", std::process::id()));
/// let storage = Arc::new(DirectoryStorage::create(&folder)?);
/// let mut writer = Recovery::open(storage.clone(), LogOptions::default())?.into_writer()?;
/// writer.append_epoch([&b"one"[..], b"two"])?;
///
/// let mut reader = LogReader::open(storage)?;
/// let mut records = 0;
/// while let Some(found) = reader.read_next()? {
///     match found {
///         Found::Epoch { records: of_epoch, .. } => records += of_epoch.len(),
///         Found::Damage(damage) => panic!("{damage}"),
///         _ => {}
///     }
/// }
/// assert_eq!(records, 2);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LogReader {
    storage: Arc<dyn Storage>,
    contents: Contents,
    id: Option<LogId>,
    /// How many of the files were begun.
    begun: usize,
    current: Option<BlockReader>,
    /// The number of the next block of the current file.
    expected: u64,
    /// Where the last segment ends.
    end: u64,
    told: VecDeque<ReadEvent>,
}

impl LogReader {
    /// Finds the files of a log. A directory without any is an empty log.
    ///
    /// # Errors
    /// If the storage cannot list them.
    pub fn open(storage: Arc<dyn Storage>) -> Result<Self, LogError> {
        let contents = Contents::of(&*storage)?;
        let files = contents.snapshot.iter().chain(&contents.segments);
        // What cannot be read is told when its turn comes.
        let id = files.filter_map(|name| Some(read_header(&*storage, *name).ok()?.ok()?.id)).next();
        let (current, told) = (None, VecDeque::new());
        Ok(Self { storage, contents, id, begun: 0, current, expected: 1, end: 0, told })
    }

    /// Whose log it is; nothing if no header of a file is readable.
    pub fn id(&self) -> Option<LogId> {
        self.id
    }

    /// Whether there is no file of a log.
    pub fn is_empty(&self) -> bool {
        let Contents { snapshot, segments, leftovers } = &self.contents;
        snapshot.is_none() && segments.is_empty() && leftovers.is_empty()
    }

    /// The names of files that count for nothing: an older snapshot, segments of which a snapshot
    /// has all, what was not finished. They are removed when the log is opened to be written.
    pub fn leftovers(&self) -> impl Iterator<Item = String> + '_ {
        self.contents.leftovers.iter().map(FileName::to_string)
    }

    /// What comes next; nothing at the end.
    ///
    /// # Errors
    /// If the storage cannot read a file. The next call goes on with the file behind it.
    pub fn read_next(&mut self) -> Result<Option<Found<'_>>, LogError> {
        let Some(event) = self.next_event()? else { return Ok(None) };
        Ok(Some(match event {
            ReadEvent::File(FileKind::Snapshot, file) => Found::Snapshot(file),
            ReadEvent::File(FileKind::Segment, file) => Found::Segment(file),
            ReadEvent::Block(header, offset) if header.kind == BlockKind::Chunk => {
                Found::Chunk { offset, bytes: self.payload() }
            }
            ReadEvent::Block(header, offset) => {
                Found::Epoch { epoch: header.number, offset, records: self.records(&header) }
            }
            ReadEvent::Damage(damage) => Found::Damage(damage),
            ReadEvent::TornEnd(end) => Found::TornEnd(end),
        }))
    }

    /// That of the block that was told last.
    pub(crate) fn payload(&self) -> &[u8] {
        self.current.as_ref().map_or(&[], BlockReader::payload)
    }

    /// Those of the epoch that was told last.
    pub(crate) fn records(&self, header: &BlockHeader) -> Records<'_> {
        let records = Records::parse(self.payload(), header.records);
        records.expect("it was looked at before it was told")
    }

    pub(crate) fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Where the log ends, once all of it was read; nothing if it has not begun.
    pub(crate) fn end(&self) -> Option<LogEnd> {
        let &segment = self.contents.segments.last()?;
        Some(LogEnd { segment, length: self.end, last_epoch: self.expected - 1 })
    }

    pub(crate) fn next_event(&mut self) -> Result<Option<ReadEvent>, LogError> {
        loop {
            if let Some(event) = self.told.pop_front() {
                return Ok(Some(event));
            }
            match self.current.take() {
                Some(reader) => {
                    let name = reader.name();
                    self.read_block(reader).map_err(LogError::storage("read", name))?;
                }
                None if !self.begin_file()? => return Ok(None),
                None => {}
            }
        }
    }

    /// Begins the next file; answers whether there is one.
    fn begin_file(&mut self) -> Result<bool, LogError> {
        let mut files = self.contents.snapshot.iter().chain(&self.contents.segments);
        let Some(&name) = files.nth(self.begun) else { return Ok(false) };
        self.begun += 1;

        let header = read_header(&*self.storage, name)?;
        let problem = match header {
            Ok(header) => (Some(header.id) != self.id).then_some(Problem::OtherLog),
            Err(HeaderFlaw::Damaged) => Some(Problem::Header),
            Err(HeaderFlaw::Misnamed) => Some(Problem::Misnamed),
            Err(HeaderFlaw::Version(version)) => Some(Problem::Version(version)),
        };
        let id = self.id.unwrap_or(LogId(0));
        let reader = BlockReader::open(&*self.storage, name, id);
        let reader = reader.map_err(LogError::storage("read", name))?;
        let file = LogFile { name: name.to_string(), epoch: name.epoch, bytes: reader.length() };
        self.told.push_back(ReadEvent::File(name.kind, file));
        self.expected = 1;
        if name.kind == FileKind::Segment {
            self.expected = name.epoch;
            self.check_beginning(name);
        }
        // Behind a damaged header are blocks; in a file that belongs elsewhere are none.
        if matches!(problem, None | Some(Problem::Header)) && self.id.is_some() {
            self.end = reader.offset();
            self.current = Some(reader);
        }
        if let Some(problem) = problem {
            self.tell(name, 0, problem);
        }
        Ok(true)
    }

    /// The first segment goes on where the snapshot ends.
    fn check_beginning(&mut self, name: FileName) {
        let first = self.behind_snapshot();
        if self.contents.segments.first() == Some(&name) && name.epoch > first {
            self.tell(name, 0, Problem::MissingEpochs { first, last: name.epoch - 1 });
        }
    }

    /// The first epoch that the snapshot has not.
    pub(crate) fn behind_snapshot(&self) -> u64 {
        self.contents.snapshot.map_or(1, |snapshot| snapshot.epoch.saturating_add(1))
    }

    /// Reads a block, and keeps the reader if more may follow.
    fn read_block(&mut self, mut reader: BlockReader) -> std::io::Result<()> {
        let (name, offset) = (reader.name(), reader.offset());
        match (reader.next_block()?, name.kind) {
            (NextBlock::Block(header), FileKind::Segment) => {
                self.take_epoch(reader, header, offset)
            }
            (NextBlock::Block(header), FileKind::Snapshot) => {
                self.take_chunk(reader, header, offset)
            }
            (NextBlock::End, FileKind::Segment) => self.end_segment(name, offset),
            (NextBlock::End, FileKind::Snapshot) => self.end_snapshot(name, offset, true),
            (NextBlock::Bad(problem, header), kind) => {
                let goes_on = reader.skip_bad()?;
                let is_next = header.is_none_or(|header| header.number == self.expected);
                let may_be_torn = kind == FileKind::Segment
                    && self.contents.segments.last() == Some(&name)
                    && self.expected >= self.behind_snapshot();
                if may_be_torn && is_next && !goes_on {
                    let bytes = reader.length() - offset;
                    self.told.push_back(ReadEvent::TornEnd(TornEnd {
                        file: name.to_string(),
                        offset,
                        bytes,
                    }));
                    return Ok(());
                }
                self.tell(name, offset, problem);
                match kind {
                    _ if goes_on => self.current = Some(reader),
                    FileKind::Segment => self.end_segment(name, offset),
                    FileKind::Snapshot => self.end_snapshot(name, offset, false),
                }
            }
        }
        Ok(())
    }

    fn take_epoch(&mut self, reader: BlockReader, header: BlockHeader, offset: u64) {
        let (name, expected, found) = (reader.name(), self.expected, header.number);
        if found > expected {
            self.tell(name, offset, Problem::MissingEpochs { first: expected, last: found - 1 });
        } else if found < expected {
            self.tell(name, offset, Problem::OutOfOrder { expected, found });
        }
        self.expected = found.saturating_add(1);
        self.end = reader.offset();
        let is_epoch = header.kind == BlockKind::Epoch;
        if is_epoch && Records::parse(reader.payload(), header.records).is_some() {
            self.told.push_back(ReadEvent::Block(header, offset));
        } else {
            self.tell(name, offset, Problem::Payload);
        }
        self.current = Some(reader);
    }

    fn take_chunk(&mut self, reader: BlockReader, header: BlockHeader, offset: u64) {
        let (name, expected, found) = (reader.name(), self.expected, header.number);
        match header.kind {
            BlockKind::Chunk => {
                if found != expected {
                    self.tell(name, offset, Problem::OutOfOrder { expected, found });
                }
                self.expected = found.saturating_add(1);
                self.told.push_back(ReadEvent::Block(header, offset));
                self.current = Some(reader);
            }
            BlockKind::Footer => {
                let is_whole = found == expected - 1 && reader.offset() == reader.length();
                self.end_snapshot(name, offset, !is_whole);
            }
            BlockKind::Epoch => {
                self.tell(name, offset, Problem::Payload);
                self.current = Some(reader);
            }
        }
    }

    fn end_segment(&mut self, name: FileName, offset: u64) {
        let expected = self.expected;
        let next = self.contents.segments.iter().find(|next| next.epoch > name.epoch).copied();
        let there = next.map_or(self.behind_snapshot(), |next| next.epoch);
        if expected < there {
            let missing = Problem::MissingEpochs { first: expected, last: there - 1 };
            self.tell(name, offset, missing);
        } else if let Some(next) = next.filter(|next| next.epoch < expected) {
            self.tell(next, 0, Problem::OutOfOrder { expected, found: next.epoch });
        }
    }

    fn end_snapshot(&mut self, name: FileName, offset: u64, is_damaged: bool) {
        if is_damaged {
            self.tell(name, offset, Problem::SnapshotEnd);
        }
        if self.contents.segments.is_empty() {
            // There was one when the snapshot was made, and the last one is never removed.
            self.tell(name, offset, Problem::NoSegment);
        }
    }

    fn tell(&mut self, name: FileName, offset: u64, problem: Problem) {
        self.told.push_back(ReadEvent::Damage(Damage { file: name.to_string(), offset, problem }));
    }
}
