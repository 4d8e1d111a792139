//! What commits have changed, from the executors to the thread that writes the log.

use crossbeam_utils::CachePadded;
use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicUsize, Ordering};
use std::thread_local;

/// Parts, so that executors seldom meet: a power of two.
/// TUNE: guessed; as many as the executors of a small machine.
const PARTS: usize = 16;

/// TUNE: commits for which memory is kept in each part, of some bytes each; guessed.
const KEPT: usize = 16 * 1024;

/// TUNE: bytes of changes of an epoch, beyond which the rest comes with the next one; guessed. An
/// epoch has less than 4 GiB.
const EPOCH: usize = 64 * 1024 * 1024;

/// The changes of commits that nobody has fetched.
#[derive(Debug, Default)]
pub(super) struct HandedOver([CachePadded<Mutex<Commits>>; PARTS]);

/// Changes of some commits, in the order in which they were handed over.
#[derive(Debug, Default)]
pub(super) struct Commits {
    /// The number of each, and where its changes end.
    ends: Vec<(u64, usize)>,
    changes: Vec<u8>,
}

impl Commits {
    fn push(&mut self, number: u64, changes: &[u8]) {
        self.changes.extend_from_slice(changes);
        self.ends.push((number, self.changes.len()));
    }

    fn each(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut begin = 0;
        self.ends.iter().map(move |&(number, end)| {
            let changes = &self.changes[begin..end];
            begin = end;
            (number, changes)
        })
    }

    fn clear(&mut self) {
        self.ends.clear();
        self.ends.shrink_to(KEPT);
        self.changes.clear();
        self.changes.shrink_to(16 * KEPT);
    }
}

/// The part of this thread.
fn part() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        // ORDERING: Relaxed: any number will do.
        static PART: usize = THREADS.fetch_add(1, Ordering::Relaxed) & (PARTS - 1);
    }
    PART.with(|part| *part)
}

impl HandedOver {
    /// Adds the changes of a commit; answers how many bytes wait in this part.
    pub(super) fn push(&self, number: u64, changes: &[u8]) -> usize {
        let mut commits = self.0[part()].lock().expect("no panic happens under this lock");
        commits.push(number, changes);
        commits.changes.len()
    }

    fn fetch(&self, part: usize, emptied: &mut Commits) {
        let mut commits = self.0[part].lock().expect("no panic happens under this lock");
        std::mem::swap(&mut *commits, emptied);
    }
}

/// What was fetched and is not written.
#[derive(Debug, Default)]
pub(super) struct FetchedCommits {
    parts: [Commits; PARTS],
    /// What has come behind a gap.
    early: Commits,
    /// Memory for what comes next.
    spare: Commits,
}

impl FetchedCommits {
    /// Fetches all that was handed over.
    pub(super) fn fetch(&mut self, from: &HandedOver) {
        for (number, part) in self.parts.iter_mut().enumerate() {
            if part.ends.is_empty() {
                from.fetch(number, part);
            } else {
                let mut more = std::mem::take(&mut self.spare);
                from.fetch(number, &mut more);
                more.each().for_each(|(number, changes)| part.push(number, changes));
                more.clear();
                self.spare = more;
            }
        }
    }

    /// The changes of the commits behind `last`, in the order of their numbers: up to the first one
    /// that is not there, and as many as an epoch has.
    pub(super) fn in_order(&self, last: u64) -> Vec<&[u8]> {
        let all = self.parts.iter().chain([&self.early]).flat_map(Commits::each);
        let mut all: Vec<(u64, &[u8])> = all.collect();
        all.sort_unstable_by_key(|&(number, _)| number);
        let mut bytes = 0;
        let in_order =
            all.into_iter().zip(last + 1..).take_while(|((number, changes), expected)| {
                let fits = bytes == 0 || bytes + changes.len() <= EPOCH;
                bytes += changes.len();
                number == expected && fits
            });
        in_order.map(|((_, changes), _)| changes).collect()
    }

    /// Whether the changes of all commits behind `from` up to `to` are there, and no others.
    pub(super) fn has_all(&self, from: u64, to: u64) -> bool {
        let parts = self.parts.iter().chain([&self.early]);
        parts.map(|part| part.ends.len() as u64).sum::<u64>() == to - from
    }

    /// Whether the changes of this commit are there.
    pub(super) fn has(&self, number: u64) -> bool {
        let mut parts = self.parts.iter().chain([&self.early]);
        parts.any(|part| part.ends.iter().any(|&(there, _)| there == number))
    }

    /// What was written, up to this number, goes.
    pub(super) fn forget_up_to(&mut self, last: u64) {
        let mut early = std::mem::take(&mut self.spare);
        for part in self.parts.iter_mut().chain([&mut self.early]) {
            let behind = part.each().filter(|&(number, _)| number > last);
            behind.for_each(|(number, changes)| early.push(number, changes));
            part.clear();
        }
        self.spare = std::mem::replace(&mut self.early, early);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_come_in_the_order_of_their_numbers_and_none_behind_a_gap() {
        let (handed_over, mut fetched) = (HandedOver::default(), FetchedCommits::default());
        for number in [3, 1, 5, 2] {
            handed_over.push(number, &[number as u8; 2]);
        }
        fetched.fetch(&handed_over);
        assert_eq!(fetched.in_order(0), [[1, 1], [2, 2], [3, 3]]);
        assert_eq!(fetched.in_order(3), [[0_u8; 0]; 0]);
        fetched.forget_up_to(3);
        std::thread::scope(|scope| {
            scope.spawn(|| handed_over.push(4, &[]));
        });
        fetched.fetch(&handed_over);
        assert_eq!(fetched.in_order(3), [&[][..], &[5, 5]]);
        fetched.forget_up_to(4);
        handed_over.push(6, &[6]);
        fetched.fetch(&handed_over);
        assert_eq!(fetched.in_order(4), [&[5, 5][..], &[6]]);
        fetched.forget_up_to(6);
        assert!(fetched.in_order(6).is_empty());
    }
}
