//! One file of a log, read block by block.

use crate::error::{LogError, Problem};
use crate::format::{
    BLOCK_HEADER, BlockHeader, FILE_HEADER, FileHeader, FileName, HeaderFlaw, LogId, Seed,
};
use crate::storage::{Storage, StorageRead};
use std::io::{BufReader, ErrorKind, Read, Result, Seek, SeekFrom};

/// How many bytes are read at once, at least.
/// TUNE: guessed.
const WINDOW: usize = 64 * 1024;

/// Reads one file. Holds one block at a time.
pub(super) struct BlockReader {
    name: FileName,
    source: BufReader<Box<dyn StorageRead>>,
    seed: Seed,
    /// Bytes of the file when it was opened.
    length: u64,
    /// Of the next block; the source stands there, but behind a bad block.
    offset: u64,
    payload: Vec<u8>,
}

/// What comes next in a file.
pub(super) enum NextBlock {
    Block(BlockHeader),
    End,
    /// No block that was written whole. A header that is whole tells what it should have been.
    Bad(Problem, Option<BlockHeader>),
}

/// The header of a file, or what is wrong with it.
pub(super) fn read_header(
    storage: &dyn Storage,
    name: FileName,
) -> std::result::Result<std::result::Result<FileHeader, HeaderFlaw>, LogError> {
    let mut bytes = [0; FILE_HEADER];
    let read = storage.open(&name.to_string()).and_then(|mut source| source.read_exact(&mut bytes));
    match read {
        Ok(()) => Ok(FileHeader::parse(name, &bytes)),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(Err(HeaderFlaw::Damaged)),
        Err(error) => Err(LogError::storage("read", name)(error)),
    }
}

impl BlockReader {
    /// Opens a file of the log with that id, whose header is as it should be or damaged.
    pub(super) fn open(storage: &dyn Storage, name: FileName, id: LogId) -> Result<Self> {
        let mut source = storage.open(&name.to_string())?;
        let length = source.seek(SeekFrom::End(0))?;
        let offset = length.min(FILE_HEADER as u64);
        source.seek(SeekFrom::Start(offset))?;
        let seed = Seed::of(&FileHeader::of(name, id).to_bytes());
        let source = BufReader::with_capacity(WINDOW, source);
        Ok(Self { name, source, seed, length, offset, payload: Vec::new() })
    }

    pub(super) fn name(&self) -> FileName {
        self.name
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Where the next block begins, or the one that is bad.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// That of the last block.
    pub(super) fn payload(&self) -> &[u8] {
        &self.payload
    }

    pub(super) fn next_block(&mut self) -> Result<NextBlock> {
        let left = self.length - self.offset;
        if left == 0 {
            return Ok(NextBlock::End);
        }
        let Some(behind) = left.checked_sub(BLOCK_HEADER as u64) else {
            return Ok(NextBlock::Bad(Problem::BlockHeader, None));
        };
        let mut bytes = [0; BLOCK_HEADER];
        self.source.read_exact(&mut bytes)?;
        let Some(header) = BlockHeader::parse(&bytes, self.seed, self.offset) else {
            return Ok(NextBlock::Bad(Problem::BlockHeader, None));
        };
        // Before any memory is asked for: a file has no more bytes than it has.
        if u64::from(header.length) > behind {
            return Ok(NextBlock::Bad(Problem::Truncated, Some(header)));
        }
        self.payload.resize(header.length as usize, 0);
        self.source.read_exact(&mut self.payload)?;
        if !header.is_of(&self.payload) {
            return Ok(NextBlock::Bad(Problem::Payload, Some(header)));
        }
        self.offset += (BLOCK_HEADER + self.payload.len()) as u64;
        Ok(NextBlock::Block(header))
    }

    /// Goes to the next header behind a bad block. Answers whether there is one; if not, the bad
    /// block is the last.
    pub(super) fn skip_bad(&mut self) -> Result<bool> {
        let mut window = Vec::new();
        let mut start = self.offset + 1;
        while self.length.saturating_sub(start) >= BLOCK_HEADER as u64 {
            let size = (self.length - start).min(WINDOW as u64) as usize;
            window.resize(size, 0);
            self.source.seek(SeekFrom::Start(start))?;
            self.source.read_exact(&mut window)?;
            for (at, bytes) in window.windows(BLOCK_HEADER).enumerate() {
                let header = bytes.first_chunk().expect("windows have that size");
                let offset = start + at as u64;
                if BlockHeader::parse(header, self.seed, offset).is_some() {
                    self.source.seek(SeekFrom::Start(offset))?;
                    self.offset = offset;
                    return Ok(true);
                }
            }
            // A header may begin in one window and end in the next.
            start += (size - (BLOCK_HEADER - 1)) as u64;
        }
        Ok(false)
    }
}
