//! The workers of a pool: who is there, who is free, how fast they are.

use super::profiler::Went;

/// How often in a row a worker may fail at pieces that others can do.
///
/// TUNE: more than a coincidence; guessed.
pub(super) const MOST_STRIKES: u32 = 5;

/// All workers of a pool, by number. A configuration (`counts`; `None`: everybody works) lets the
/// first so many of each kind work that are there.
///
/// WHY some of it is kept twice: most changes in the distributor come while everybody works, and
/// ask only for what is not in the members: with 16 threads at the lock, reading what 16 others
/// have written last takes longer than all else.
pub(super) struct WorkerTable {
    members: Vec<WorkerEntry>,
    kinds: Vec<KindTally>,
    /// Members of each kind that are there.
    present: Vec<usize>,
    /// Pieces that are being worked at.
    in_hand: usize,
    /// Members that are free.
    idle: usize,
}

/// What is counted of one kind.
#[derive(Debug, Clone, Default)]
pub(super) struct KindTally {
    pub(super) pieces: u64,
    pub(super) batches: u64,
    pub(super) failures: u64,
    /// What the last one that was made works on.
    pub(super) device: Option<String>,
    /// What has become of the last of its workers that will not come back.
    pub(super) lost: Option<String>,
    /// What one of its workers has done of late, and in how many seconds: batches that are longer
    /// ago count less.
    of_late: (f64, f64),
    /// Pieces of the largest batch.
    largest_batch: usize,
}

impl KindTally {
    /// Pieces per second of one of its workers; `None`: not known yet.
    pub(super) fn pace(&self) -> Option<f64> {
        let (pieces, seconds) = self.of_late;
        (seconds > 0.0).then(|| pieces / seconds)
    }
}

/// How much of a batch counts still when there is another one. TUNE: guessed 2026-11.
const FADING: f64 = 0.75;

/// How many times as many pieces as the largest batch so far the next one may have.
///
/// TUNE: a batch of 64 is the fourth at the earliest; one that is far too long, because its pace is
/// known by one piece only, costs four times that; guessed 2026-11.
const GROWTH: usize = 4;

struct WorkerEntry {
    kind: usize,
    state: WorkerState,
    /// How many of its kind that stand before it are there.
    rank: usize,
    most_at_once: usize,
    /// Whether it has done something since it was made: first batches are no measure of others.
    warm: bool,
    began: f64,
    in_hand: usize,
    strikes: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WorkerState {
    /// Being made for the first time.
    Expected,
    /// Being made anew.
    Absent,
    Idle,
    /// Told that there is something to do.
    Called,
    Working,
    /// Will not come back.
    Gone,
}

impl WorkerTable {
    /// `most`: how many workers of each kind.
    pub(super) fn new(most: &[usize]) -> Self {
        let member = |kind| WorkerEntry {
            kind,
            state: WorkerState::Expected,
            rank: 0,
            most_at_once: 1,
            warm: false,
            began: 0.0,
            in_hand: 0,
            strikes: 0,
        };
        let of = |(kind, &count)| (0..count).map(move |_| member(kind));
        Self {
            members: most.iter().enumerate().flat_map(of).collect(),
            kinds: vec![KindTally::default(); most.len()],
            present: vec![0; most.len()],
            in_hand: 0,
            idle: 0,
        }
    }

    fn to(&mut self, member: usize, state: WorkerState) {
        let before = std::mem::replace(&mut self.members[member].state, state);
        self.idle -= usize::from(before == WorkerState::Idle);
        self.idle += usize::from(state == WorkerState::Idle);
    }

    fn take_in_hand(&mut self, member: usize, pieces: usize) {
        let before = std::mem::replace(&mut self.members[member].in_hand, pieces);
        self.in_hand = self.in_hand - before + pieces;
    }

    /// Others are there than before.
    fn rank(&mut self) {
        self.present.fill(0);
        for member in &mut self.members {
            let of_kind = &mut self.present[member.kind];
            member.rank = *of_kind;
            *of_kind += usize::from(member.is_present());
        }
    }

    pub(super) fn kind(&self, member: usize) -> usize {
        self.members[member].kind
    }

    pub(super) fn tally(&self, kind: usize) -> &KindTally {
        &self.kinds[kind]
    }

    pub(super) fn tally_mut(&mut self, kind: usize) -> &mut KindTally {
        &mut self.kinds[kind]
    }

    /// How many workers of each kind are there.
    pub(super) fn present(&self) -> Vec<usize> {
        self.present.clone()
    }

    /// How many workers of a kind a configuration lets work.
    fn active_of(&self, counts: Option<&[usize]>, kind: usize) -> usize {
        let present = self.present[kind];
        counts.map_or(present, |counts| present.min(counts[kind]))
    }

    /// Whether each worker has been made once, or could not be.
    pub(super) fn is_complete(&self) -> bool {
        self.members.iter().all(|member| member.state != WorkerState::Expected)
    }

    /// Whether nobody is there, and nobody will come.
    pub(super) fn is_empty(&self) -> bool {
        self.members.iter().all(|member| member.state == WorkerState::Gone)
    }

    /// Pieces that are being worked at.
    pub(super) fn in_hand(&self) -> usize {
        self.in_hand
    }

    /// Whether anybody is free.
    pub(super) fn has_idle(&self) -> bool {
        self.idle > 0
    }

    pub(super) fn is_gone(&self, member: usize) -> bool {
        self.members[member].state == WorkerState::Gone
    }

    /// Members that have been called and not come yet, of those whom the configuration lets work.
    pub(super) fn called(&self, counts: Option<&[usize]>) -> usize {
        self.active(counts).filter(|member| member.state == WorkerState::Called).count()
    }

    /// Whether a configuration lets this worker work.
    pub(super) fn is_active(&self, counts: Option<&[usize]>, member: usize) -> bool {
        let it = &self.members[member];
        it.is_present() && counts.is_none_or(|counts| it.rank < counts[it.kind])
    }

    fn active<'a>(
        &'a self,
        counts: Option<&'a [usize]>,
    ) -> impl Iterator<Item = &'a WorkerEntry> + 'a {
        let numbers = (0..self.members.len()).filter(move |&number| self.is_active(counts, number));
        numbers.map(|number| &self.members[number])
    }

    /// Whether all whom the configuration lets work have done so before.
    pub(super) fn is_warm(&self, counts: Option<&[usize]>) -> bool {
        self.active(counts).all(|member| member.warm)
    }

    /// Whether nobody else works.
    pub(super) fn is_settled(&self, counts: Option<&[usize]>) -> bool {
        let working = |&number: &usize| self.members[number].state == WorkerState::Working;
        (0..self.members.len()).filter(working).all(|number| self.is_active(counts, number))
    }

    /// Whether a worker takes a piece that has failed alone at the kinds `failed_at`: at any place
    /// where it has not failed, of those that work now if there is one, and where it has failed if
    /// it has everywhere.
    pub(super) fn may_try(&self, counts: Option<&[usize]>, member: usize, failed_at: u64) -> bool {
        let it = &self.members[member];
        if !it.is_present() {
            return false;
        }
        let has_failed = |kind: usize| failed_at & (1 << kind) != 0;
        let active = self.is_active(counts, member);
        if !has_failed(it.kind) {
            return active || self.active(counts).all(|other| has_failed(other.kind));
        }
        active && self.has_failed_everywhere(failed_at)
    }

    /// Whether there is nobody of another kind than these.
    pub(super) fn has_failed_everywhere(&self, failed_at: u64) -> bool {
        let present = self.members.iter().filter(|member| member.is_present());
        present.into_iter().all(|member| failed_at & (1 << member.kind) != 0)
    }

    /// How many of `waiting` pieces a worker takes in one batch: its part of what all that work do
    /// in the time that is left, by how fast they have been. So when it comes back, the others have
    /// not run out of pieces meanwhile: it leaves `(S - s) / S` of `R` pieces to them, which are
    /// together `S - s` fast, so they need `R / S` for them, as long as it needs itself. This is
    /// guided self-scheduling (Polychronopoulos and Kuck, 1987) with parts by weight (Hummel et
    /// al., 1996).
    ///
    /// What it costs is known only of so many pieces as it has done at once, so a batch is at most
    /// [`GROWTH`] times as large as the largest one. Whose own pace is not known takes one: it may
    /// be far slower than all others, and a batch is not interrupted. As long as somebody else's is
    /// not known, all count as equally fast.
    pub(super) fn share(&self, counts: Option<&[usize]>, member: usize, waiting: usize) -> usize {
        let kind = &self.kinds[self.members[member].kind];
        let known = GROWTH.saturating_mul(kind.largest_batch).max(1);
        let most = self.members[member].most_at_once.min(waiting).min(known);
        if most <= 1 {
            return most;
        }
        let Some(mine) = kind.pace() else { return 1 };
        let active = || (0..self.kinds.len()).map(|kind| (kind, self.active_of(counts, kind)));
        let active = || active().filter(|(_, count)| *count > 0);
        let paces = active().map(|(kind, count)| Some(count as f64 * self.kinds[kind].pace()?));
        let known: Option<f64> = paces.sum();
        let part = match known {
            Some(all) if all > 0.0 => mine / all,
            _ => 1.0 / active().map(|(_, count)| count).sum::<usize>().max(1) as f64,
        };
        // A little less, so that a whole number stays one.
        let share = (part * waiting as f64 - 1e-6).ceil() as usize;
        share.clamp(1, most)
    }

    /// How long a batch of this kind may take that has pieces enough, as far as its pace is known.
    /// Seconds.
    pub(super) fn longest_batch(&self, kind: usize) -> Option<f64> {
        let of_kind = self.members.iter().filter(|member| member.kind == kind);
        let most = of_kind.map(|member| member.most_at_once).max()?;
        let kind = &self.kinds[kind];
        let pieces = most.min(GROWTH.saturating_mul(kind.largest_batch).max(1));
        Some(pieces as f64 / kind.pace()?)
    }

    /// The free worker that is to be called next for pieces nobody has tried: the fastest.
    pub(super) fn next_idle(&self, counts: Option<&[usize]>) -> Option<usize> {
        let idle = (0..self.members.len()).filter(|&number| {
            self.members[number].state == WorkerState::Idle && self.is_active(counts, number)
        });
        let pace = |number: usize| self.kinds[self.members[number].kind].pace().unwrap_or(f64::MAX);
        // The first of several that are equally fast.
        idle.fold(None, |best: Option<usize>, number| match best {
            Some(best) if pace(best) >= pace(number) => Some(best),
            _ => Some(number),
        })
    }

    /// A free worker that takes a piece that has failed.
    pub(super) fn idle_for(&self, counts: Option<&[usize]>, failed_at: u64) -> Option<usize> {
        (0..self.members.len()).find(|&number| {
            self.members[number].state == WorkerState::Idle
                && self.may_try(counts, number, failed_at)
        })
    }

    pub(super) fn call(&mut self, member: usize) {
        self.to(member, WorkerState::Called);
    }

    pub(super) fn rest(&mut self, member: usize) {
        if self.members[member].is_present() {
            self.to(member, WorkerState::Idle);
        }
    }

    pub(super) fn begin(&mut self, member: usize, pieces: usize, now: f64) {
        self.to(member, WorkerState::Working);
        self.take_in_hand(member, pieces);
        self.members[member].began = now;
    }

    /// A batch has come to its end, well.
    pub(super) fn went(&mut self, member: usize, now: f64) -> Went {
        let it = &mut self.members[member];
        let (pieces, took) = (it.in_hand, (now - it.began).max(0.0));
        let was_warm = std::mem::replace(&mut it.warm, true);
        it.strikes = 0;
        self.to(member, WorkerState::Called);
        self.take_in_hand(member, 0);
        let it = &self.members[member];
        let kind = &mut self.kinds[it.kind];
        kind.pieces += pieces as u64;
        kind.batches += 1;
        kind.largest_batch = kind.largest_batch.max(pieces);
        if was_warm && took > 0.0 {
            // WHY not the mean of paces: a batch of few pieces, at the end of a round, is mostly
            // launch.
            let (before, seconds) = kind.of_late;
            kind.of_late = (FADING * before + pieces as f64, FADING * seconds + took);
        }
        Went { kind: it.kind, pieces, took, is_first: !was_warm }
    }

    /// A batch has failed.
    pub(super) fn failed(&mut self, member: usize) {
        self.to(member, WorkerState::Called);
        self.take_in_hand(member, 0);
        self.kinds[self.members[member].kind].failures += 1;
    }

    /// Another one has done what this one has failed at.
    pub(super) fn strike(&mut self, member: usize) {
        self.members[member].strikes += 1;
    }

    /// Whether that has been so too often, without anything that it could do in between.
    pub(super) fn is_condemned(&self, member: usize) -> bool {
        self.members[member].strikes >= MOST_STRIKES
    }

    /// Calls everybody who is free.
    pub(super) fn call_all_idle(&mut self) -> Vec<usize> {
        let is_idle = |&number: &usize| self.members[number].state == WorkerState::Idle;
        let idle: Vec<usize> = (0..self.members.len()).filter(is_idle).collect();
        idle.iter().for_each(|&number| self.call(number));
        idle
    }

    pub(super) fn came(&mut self, member: usize, most_at_once: usize) {
        self.to(member, WorkerState::Called);
        self.rank();
        let it = &mut self.members[member];
        (it.warm, it.most_at_once) = (false, most_at_once.max(1));
    }

    pub(super) fn absent(&mut self, member: usize) {
        self.to(member, WorkerState::Absent);
        self.rank();
    }

    pub(super) fn gone(&mut self, member: usize, why: String) {
        self.to(member, WorkerState::Gone);
        self.take_in_hand(member, 0);
        self.rank();
        self.kinds[self.members[member].kind].lost = Some(why);
    }
}

impl WorkerEntry {
    fn is_present(&self) -> bool {
        matches!(self.state, WorkerState::Idle | WorkerState::Called | WorkerState::Working)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_paces(most_at_once: usize, cpu: f64, gpu: f64) -> WorkerTable {
        let mut workers = WorkerTable::new(&[1, 2]);
        for (member, most) in [(0, most_at_once), (1, 1), (2, 1)] {
            workers.came(member, most);
        }
        (workers.kinds[0].of_late, workers.kinds[1].of_late) = ((gpu, 1.0), (cpu, 1.0));
        workers.kinds[0].largest_batch = 32;
        workers
    }

    #[test]
    fn a_device_takes_its_part_and_no_more() {
        let workers = with_paces(64, 1.0, 8.0);
        assert_eq!(workers.share(None, 0, 100), 64);
        assert_eq!(workers.share(None, 0, 50), 40);
        assert_eq!(workers.share(None, 0, 3), 3, "0.6 pieces for the others");
        assert_eq!(workers.share(None, 0, 5), 4);
        assert_eq!(workers.share(Some(&[1, 0]), 0, 50), 50, "alone it leaves nothing");
        assert_eq!(workers.share(None, 1, 50), 1);
    }

    #[test]
    fn goes_grow() {
        let mut workers = with_paces(64, 1.0, 1_000.0);
        workers.kinds[0].largest_batch = 1;
        assert_eq!(workers.share(None, 0, 100), 4);
        workers.begin(0, 4, 0.0);
        workers.went(0, 0.1);
        assert_eq!(workers.share(None, 0, 100), 16);
    }

    #[test]
    fn while_a_pace_is_unknown_all_others_count_alike() {
        let mut workers = with_paces(64, 1.0, 8.0);
        workers.kinds[1].of_late = (0.0, 0.0);
        assert_eq!(workers.share(None, 0, 30), 10);
        assert_eq!(workers.share(None, 0, 31), 11);
        (workers.kinds[0].of_late, workers.kinds[1].of_late) = ((0.0, 0.0), (1.0, 1.0));
        assert_eq!(workers.share(None, 0, 30), 1, "it may be far slower than the others");
    }

    #[test]
    fn what_failed_at_one_kind_is_for_another_one_even_if_that_has_nothing_else_to_do() {
        let workers = with_paces(64, 1.0, 8.0);
        let only_device = Some(&[1, 0][..]);
        assert!(workers.may_try(only_device, 0, 0) && !workers.may_try(only_device, 1, 0));
        assert!(!workers.may_try(only_device, 0, 0b01) && workers.may_try(only_device, 1, 0b01));
        assert!(workers.may_try(only_device, 0, 0b11) && !workers.may_try(only_device, 1, 0b11));
    }

    #[test]
    fn the_first_so_many_that_are_there_work() {
        let mut workers = with_paces(1, 1.0, 1.0);
        let one_cpu = Some(&[0, 1][..]);
        assert!(workers.is_active(one_cpu, 1) && !workers.is_active(one_cpu, 2));
        workers.absent(1);
        assert!(!workers.is_active(one_cpu, 1) && workers.is_active(one_cpu, 2));
        assert_eq!(workers.present(), [1, 1]);
    }
}
