//! Rule 4: what changes and reads get of the places and of the batches while both wait. And who is
//! left behind at the end.

use super::*;
use crate::coordination::Precedence;
use crate::executor::participant::Awaits;
use crate::executor::transaction::Transactions;
use odeon_core::{Access, Message};
use std::iter;

mod followers;

/// A board on which so many of each kind always wait.
struct Loaded {
    board: Board<()>,
    /// Changes, reads.
    waiting: [usize; 2],
    running: Vec<How>,
    batch: VecDeque<Job<()>>,
    /// Batches that were taken: changes, reads.
    taken: [usize; 2],
}

impl Loaded {
    fn new(width: usize, waiting: [usize; 2]) -> Self {
        let board = Board::new(width);
        Self { board, waiting, running: Vec::new(), batch: VecDeque::new(), taken: [0, 0] }
    }

    fn fill(&mut self) {
        let Board { changes, reads, .. } = &self.board;
        let missing = [self.waiting[0] - changes.len(), self.waiting[1] - reads.len()];
        for (access, missing) in [Access::Update, Access::Snapshot].into_iter().zip(missing) {
            (0..missing).for_each(|_| _ = self.board.add(Job::new((), access, None)));
        }
    }

    /// Whether a batch could be taken.
    fn take(&mut self) -> bool {
        self.fill();
        let Some(how) = self.board.take(&mut self.batch, 1) else { return false };
        self.batch.clear();
        self.taken[usize::from(how == How::Reading)] += 1;
        self.running.push(how);
        true
    }

    /// The batch at a place of those that run is over.
    fn finish(&mut self, place: usize) {
        let how = self.running.swap_remove(place);
        self.board.finish(how);
        self.board.finish_jobs(1, iter::empty());
    }

    #[track_caller]
    fn each_kind_has_got_a_tenth(&self) {
        let all: usize = self.taken.iter().sum();
        let (width, taken) = (self.board.width(), self.taken);
        assert!(taken.iter().all(|kind| 10 * kind >= all - 10), "width {width}: {taken:?}");
    }
}

/// Many more of one kind than of the other, and as many.
const LOADS: [[usize; 2]; 3] = [[100, 1], [1, 100], [10, 10]];

fn each_width_and_load(mut test: impl FnMut(usize, [usize; 2])) {
    for width in 1..=48 {
        LOADS.into_iter().for_each(|load| test(width, load));
    }
}

#[test]
fn each_kind_gets_one_batch_of_ten_of_one_executor() {
    each_width_and_load(|width, load| {
        let mut loaded = Loaded::new(width, load);
        for _ in 0..1_000 {
            assert!(loaded.take());
            loaded.finish(0);
        }
        loaded.each_kind_has_got_a_tenth();
    });
}

#[test]
fn each_kind_gets_one_batch_of_ten_of_as_many_executors_as_places() {
    each_width_and_load(|width, load| {
        let mut loaded = Loaded::new(width, load);
        for turn in 0..2_000 {
            while loaded.take() {}
            assert_eq!(loaded.running.len(), width);
            // Not always the one that has begun first.
            loaded.finish(turn * 7 % width);
        }
        loaded.each_kind_has_got_a_tenth();
    });
}

/// However long the batches of the other kind take.
#[test]
fn each_kind_keeps_a_tenth_of_the_places() {
    each_width_and_load(|width, load| {
        for is_read_long in [false, true] {
            let mut loaded = Loaded::new(width, load);
            for _ in 0..200 {
                while loaded.take() {}
                let reads = loaded.running.iter().filter(|how| **how == How::Reading).count();
                let least = if width == 1 { 0 } else { width.div_ceil(10) };
                let of_each = [reads, width - reads];
                assert!(
                    of_each.into_iter().all(|kind| kind >= least),
                    "width {width}: {of_each:?}"
                );
                let is_short = |how: &How| (*how == How::Reading) != is_read_long;
                loaded.finish(loaded.running.iter().position(is_short).unwrap_or(0));
            }
        }
    });
}

#[test]
fn a_kind_that_waits_alone_gets_all_places() {
    each_width_and_load(|width, _| {
        for load in [[10, 0], [0, 10]] {
            let mut loaded = Loaded::new(width, load);
            while loaded.take() {}
            assert_eq!(loaded.running.len(), width);
        }
    });
}

/// Its message, for which it wants a place, may have become void meanwhile: then nobody else knows
/// of it.
#[test]
fn who_waits_for_a_place_is_told_of_the_end() {
    let mut board = Board::<()>::new(1);
    let waits = Precedence::default().begin_with_one();
    assert!(board.defer(waits.clone(), Awaits::default()));
    let left_behind = board.close(|_| ());
    assert!(left_behind.present.is_empty());
    assert_eq!(
        left_behind.deferred.iter().map(|of| of.number()).collect::<Vec<_>>(),
        [waits.number()]
    );
    assert!(!board.defer(waits, Awaits::default()));
}

/// A number that goes to the mailbox that it says.
struct To(u8);

impl Message for To {
    const MAILBOXES: usize = 3;
}

#[test]
fn of_what_is_ready_the_lowest_mailbox_begins_first() {
    let mut board = Board::new(1);
    let mailboxes = [2, 1, 2, 0, 1, 0, 2];
    for (number, mailbox) in mailboxes.into_iter().enumerate() {
        board.add(Job { mailbox, ..Job::new(To(number as u8), Access::Update, None) });
    }
    let (mut batch, mut order) = (VecDeque::new(), Vec::new());
    while let Some(how) = board.take(&mut batch, 1) {
        order.extend(batch.drain(..).map(|job| (job.mailbox, job.message.0)));
        board.finish(how);
        board.finish_jobs(1, iter::empty());
    }
    assert_eq!(order, [(0, 3), (0, 5), (1, 1), (1, 4), (2, 0), (2, 2), (2, 6)]);
}

/// What one sender has sent to one mailbox stays in order; what it has sent to another one is not
/// behind it, also if it waits elsewhere.
#[test]
fn a_parked_job_holds_up_nothing_of_its_sender_in_other_mailboxes() {
    let mut board = Board::new(2);
    let sender = Lane::of_number(3);
    let job = |number, mailbox: u8| {
        let lane = Some(sender.in_mailbox(mailbox.into()));
        Job { mailbox, ..Job::new(To(number), Access::Update, lane) }
    };
    let mut batch = VecDeque::new();
    board.add(job(0, 1));
    let how = board.take(&mut batch, 1).expect("one is ready");
    [job(1, 1), job(2, 0)].into_iter().for_each(|job| _ = board.add(job));
    let parked = batch.pop_back().expect("taken");
    assert!(board.park(parked.lane).is_empty());
    board.finish(how);
    assert_eq!((board.waiting(), board.pressing()), (3, 1), "parked, behind it, ready");
    board.take(&mut batch, 1).expect("the other mailbox");
    assert_eq!(batch.pop_back().expect("taken").message.0, 2);
    assert!(board.take(&mut batch, 1).is_none());
    assert!(board.unpark(parked).is_ok());
    board.take(&mut batch, 1).expect("it is back");
    assert_eq!(batch.pop_back().expect("taken").message.0, 0);
}

/// A caller's message is handled beside a shard that brings those of another sender.
#[test]
fn nothing_is_parked_beside_others_of_its_place() {
    let lanes: Vec<_> = (0..1000).map(Lane::of_number).collect();
    let lane = lanes[0];
    let is_neighbour = |other: &&Lane| **other != lane && other.place() == lane.place();
    let other = *lanes.iter().find(is_neighbour).unwrap();
    let mut board = Board::<()>::new(2);
    board.add(Job::new((), Access::Update, Some(other)));
    assert!(!board.park_beside(lane));
    let mut batch = VecDeque::new();
    let how = board.take(&mut batch, 1).unwrap();
    assert!(!board.park_beside(lane), "it would give the place to the next one");
    board.finish(how);
    board.finish_jobs(1, iter::once(other));
    assert!(board.park_beside(lane));
    assert!(!board.park_beside(lane), "the lane waits for something");
    assert_eq!(board.outstanding(), 1);
}
