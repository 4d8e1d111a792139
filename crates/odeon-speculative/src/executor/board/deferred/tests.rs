//! Rules 1 to 4, while others come without end.

use super::super::{Board, How, VisitTask};
use super::PASSES;
use crate::coordination::Precedence;
use crate::executor::enlistment::Enlistment;
use crate::executor::job::{Job, JobKind};
use crate::executor::participant::{Awaits, ParticipantEntry};
use crate::executor::transaction::Transaction;
use crate::executor::transaction::Transactions;
use odeon_core::Access;
use std::collections::VecDeque;
use std::sync::Arc;

const PLACE: Awaits = Awaits { place: true, holds: true };

fn transaction() -> Arc<dyn Transaction> {
    Precedence::default().begin_with_one()
}

/// A board where somebody waits for a place.
fn with_one_waiting(width: usize) -> (Board<()>, Arc<dyn Transaction>) {
    let (mut board, waiting) = (Board::new(width), transaction());
    assert!(board.defer(waiting.clone(), PLACE));
    (board, waiting)
}

fn add(board: &mut Board<()>, enlistment: Option<Box<Enlistment>>) {
    board.add(Job { enlistment, ..Job::new((), Access::Update, None) });
}

/// Who is taken up next, if anybody is.
fn taken_up(board: &mut Board<()>) -> Option<u64> {
    match board.take_visit(&mut Vec::new()) {
        Some(VisitTask::GoesOn(coordination)) => Some(coordination.number()),
        _ => None,
    }
}

#[test]
fn who_waits_is_taken_up_after_one_arrival_at_most() {
    for width in [1, 2] {
        let (mut board, waiting) = with_one_waiting(width);
        let mut next = || {
            (0..3).for_each(|_| {
                add(&mut board, Some(Enlistment::alone(Precedence::default().begin_with_one())))
            });
            taken_up(&mut board)
        };
        assert!([next(), next()].contains(&Some(waiting.number())), "width {width}");
    }
}

#[test]
fn newcomers_take_a_bounded_number_of_places_before_who_waits() {
    for width in [1, 2] {
        let (mut board, waiting) = with_one_waiting(width);
        let newcomers = (0..100).map(|_| transaction().number()).take_while(|who| {
            let entry = board.enter(*who, false);
            if entry == ParticipantEntry::Entered {
                board.leave(*who, false, false);
            }
            entry == ParticipantEntry::Entered
        });
        assert_eq!(newcomers.count(), PASSES, "width {width}");
        assert_eq!(taken_up(&mut board), Some(waiting.number()));
        assert_eq!(board.enter(waiting.number(), false), ParticipantEntry::Entered);
        board.leave(waiting.number(), false, false);
        assert_eq!(board.enter(transaction().number(), false), ParticipantEntry::Entered);
    }
}

#[test]
fn batches_take_a_bounded_number_of_places_before_who_waits() {
    for width in [1, 2] {
        let (mut board, waiting) = with_one_waiting(width);
        (0..100).for_each(|_| add(&mut board, None));
        let mut batch = VecDeque::new();
        let batches = (0..100).map_while(|_| {
            let how = board.take(&mut batch, 1)?;
            board.finish(how);
            board.finish_jobs(1, std::iter::empty());
            Some(how)
        });
        assert_eq!(batches.count(), PASSES, "width {width}");
        assert!(board.has_next());
        assert_eq!(taken_up(&mut board), Some(waiting.number()));
    }
}

#[test]
fn an_exclusive_message_is_in_nobodys_way_for_ever_nor_has_it_to_wait() {
    let (mut board, waiting) = with_one_waiting(1);
    for _ in 0..=PASSES {
        let newcomer = transaction().number();
        if board.enter(newcomer, false) == ParticipantEntry::Entered {
            board.leave(newcomer, false, false);
        }
    }
    board.add(Job::new((), Access::Exclusive, None));
    assert_eq!(taken_up(&mut board), None);
    assert_eq!(board.take(&mut VecDeque::new(), 1), Some(How::Alone));
    board.finish(How::Alone);
    board.finish_jobs(1, std::iter::empty());
    assert_eq!(taken_up(&mut board), Some(waiting.number()));
}

#[test]
fn who_is_taken_up_has_its_place_kept_until_it_comes_or_not() {
    for comes in [false, true] {
        let (mut board, waiting) = with_one_waiting(1);
        assert_eq!(taken_up(&mut board), Some(waiting.number()));
        add(&mut board, None);
        let newcomer = transaction().number();
        assert_eq!(board.enter(newcomer, false), ParticipantEntry::Busy);
        assert_eq!(board.take(&mut VecDeque::new(), 1), None);
        if comes {
            assert_eq!(board.enter(waiting.number(), false), ParticipantEntry::Entered);
            board.leave(waiting.number(), false, false);
        }
        board.keep_no_more(waiting.number());
        assert_eq!(board.enter(newcomer, false), ParticipantEntry::Entered);
    }
}

#[test]
fn who_waits_stands_in_the_queue_once() {
    let (mut board, waiting) = with_one_waiting(1);
    let other = transaction();
    board.defer(other.clone(), Awaits::default());
    (0..3).for_each(|_| assert!(board.defer(waiting.clone(), Awaits::default())));
    assert_eq!(taken_up(&mut board), Some(waiting.number()));
    assert_eq!(
        board.enter(waiting.number(), false),
        ParticipantEntry::Entered,
        "what it waited for counts"
    );
    board.leave(waiting.number(), false, false);
    assert_eq!(taken_up(&mut board), Some(other.number()));
    assert_eq!((taken_up(&mut board), board.outstanding()), (None, 0));
}

#[test]
fn messages_get_their_share_beside_arrivals_without_end() {
    let (mut board, mut batch) = (Board::new(1), VecDeque::new());
    add(&mut board, None);
    let tasks = (0..100).take_while(|_| {
        add(&mut board, Some(Enlistment::alone(Precedence::default().begin_with_one())));
        board.take_visit(&mut Vec::new()).is_some()
    });
    assert!(tasks.count() < 10);
    assert_eq!(board.take(&mut batch, 1), Some(How::Direct));
    board.finish(How::Direct);
    board.finish_jobs(1, std::iter::empty());
    assert!(board.take_visit(&mut Vec::new()).is_some());
}

/// One that has met too many conflicts.
#[test]
fn who_is_to_run_alone_waits_for_those_who_have_entered_and_for_no_others() {
    let mut board = Board::new(2);
    let newcomers: Vec<_> = (0..100).map(|_| transaction().number()).collect();
    assert_eq!(board.enter(newcomers[0], false), ParticipantEntry::Entered);
    board.add(Job { kind: JobKind::Alone, ..Job::new((), Access::Update, None) });
    let overlap = newcomers.windows(2).all(|two| {
        let entry = board.enter(two[1], false);
        board.leave(two[0], false, false);
        entry == ParticipantEntry::Entered
    });
    assert!(!overlap, "always somebody else is there");
    assert_eq!(board.take(&mut VecDeque::new(), 1), Some(How::Alone));
}
