//! Rule 2: which jobs of a lane are taken together, and what becomes of them if one does not end
//! well.

use super::super::{Board, How};
use crate::executor::job::Job;
use odeon_core::Access;
use odeon_core::extend::Lane;
use std::collections::VecDeque;

fn job(message: u32, access: Access, lane: u64) -> Job<u32> {
    Job::new(message, access, Some(Lane::of_number(lane)))
}

/// Changes 1, 2, 3 in a first lane, 11, 12 in a second one.
fn board(width: usize) -> Board<u32> {
    let mut board = Board::new(width);
    for (message, lane) in [(1, 1), (2, 1), (11, 2), (3, 1), (12, 2)] {
        board.add(job(message, Access::Update, lane));
    }
    board
}

fn messages(batch: &VecDeque<Job<u32>>) -> Vec<u32> {
    batch.iter().map(|job| job.message).collect()
}

/// All jobs of a batch have ended well.
fn finish(board: &mut Board<u32>, how: How, batch: &mut VecDeque<Job<u32>>) {
    board.finish(how);
    for place in 0..batch.len() {
        let lane = batch[place].lane;
        let is_followed = batch.get(place + 1).is_some_and(|next| next.lane == lane);
        board.finish_jobs(1, lane.filter(|_| !is_followed).into_iter());
    }
    batch.clear();
}

/// What is taken in batches of up to so many, one batch after the other.
fn batches(board: &mut Board<u32>, most: usize) -> Vec<Vec<u32>> {
    let (mut batch, mut all) = (VecDeque::new(), Vec::new());
    while let Some(how) = board.take(&mut batch, most) {
        all.push(messages(&batch));
        finish(board, how, &mut batch);
    }
    assert_eq!((board.waiting(), board.outstanding()), (0, 0));
    all
}

#[test]
fn what_follows_in_a_lane_is_taken_with_the_first_one() {
    assert_eq!(batches(&mut board(2), 16), [vec![1, 2, 3], vec![11, 12]]);
    assert_eq!(batches(&mut board(2), 2), [vec![1, 2], vec![11, 12], vec![3]]);
    // One executor gets both lanes, one after the other.
    assert_eq!(batches(&mut board(1), 16), [[1, 2, 3, 11, 12]]);
    assert_eq!(batches(&mut board(1), 3), [vec![1, 2, 3], vec![11, 12]]);
    assert_eq!(batches(&mut board(1), 1), [[1], [11], [2], [12], [3]]);
}

#[test]
fn only_jobs_of_one_kind_follow_each_other() {
    let mut board = Board::new(2);
    let kinds = [Access::Update, Access::Snapshot, Access::Relaxed, Access::Update];
    let kinds = kinds.into_iter().chain([Access::Exclusive, Access::Exclusive]);
    for (message, access) in (1..).zip(kinds) {
        board.add(job(message, access, 1));
    }
    assert_eq!(batches(&mut board, 16), [vec![1], vec![2, 3], vec![4], vec![5], vec![6]]);
}

#[test]
fn what_has_followed_a_job_that_comes_back_comes_after_it() {
    let mut board = board(2);
    let mut batch = VecDeque::new();
    let how = board.take(&mut batch, 16).expect("two are ready");
    let mut followers = Vec::from(batch.split_off(1));
    board.finish(how);
    assert!(board.unfollow(&mut followers).is_ok());
    assert!(board.put_back(batch.pop_back().expect("the first one")).is_ok());
    assert_eq!(board.waiting(), 5);
    assert_eq!(batches(&mut board, 16), [vec![11, 12], vec![1, 2, 3]]);
}

#[test]
fn what_has_followed_a_job_that_is_parked_comes_after_it() {
    let mut board = board(2);
    let mut batch = VecDeque::new();
    let how = board.take(&mut batch, 16).expect("two are ready");
    let mut followers = Vec::from(batch.split_off(1));
    assert!(board.unfollow(&mut followers).is_ok());
    let parked = batch.pop_back().expect("the first one");
    assert!(board.park(parked.lane).is_empty());
    board.finish(how);
    assert_eq!((board.waiting(), board.pressing()), (5, 2), "two of them behind the parked one");
    let how = board.take(&mut batch, 16).expect("the other lane");
    assert_eq!(messages(&batch), [11, 12]);
    finish(&mut board, how, &mut batch);
    assert!(board.take(&mut batch, 16).is_none());
    assert!(board.unpark(parked).is_ok());
    assert_eq!(batches(&mut board, 16), [[1, 2, 3]]);
}

#[test]
fn what_has_followed_comes_out_if_the_board_is_closed_meanwhile() {
    let mut board = board(2);
    let (mut batch, mut left) = (VecDeque::new(), Vec::new());
    board.take(&mut batch, 16).expect("two are ready");
    board.close(|job| left.push(job.message));
    let mut followers = Vec::from(batch.split_off(1));
    assert_eq!((left, board.unfollow(&mut followers)), (vec![11, 12], Err(vec![2, 3])));
    assert!(followers.is_empty());
}

/// A board with lane 1 halted by a parked job, which it answers as well.
fn halted_board() -> (Board<u32>, Job<u32>) {
    let (mut board, mut batch) = (Board::new(2), VecDeque::new());
    board.add(job(0, Access::Update, 1));
    let how = board.take(&mut batch, 16).expect("one is ready");
    let parked = batch.pop_back().expect("it was taken");
    assert!(board.park(parked.lane).is_empty());
    board.finish(how);
    (board, parked)
}

#[test]
fn jobs_that_come_together_are_taken_as_if_they_had_come_one_by_one() {
    let kinds = [Access::Update, Access::Update, Access::Snapshot, Access::Exclusive];
    let lanes = [1, 1, 1, 2, 2, 1, 3, 3, 3, 3, 2, 1];
    for shift in 0..kinds.len() * lanes.len() {
        let jobs = || {
            let kind = move |n: usize| kinds[(n / 3 + shift / lanes.len()) % kinds.len()];
            let lane = move |n: usize| lanes[(n + shift) % lanes.len()];
            (0..lanes.len()).map(move |n| match (n + shift) % 7 {
                0 => Job::new(1 + n as u32, kind(n), None),
                _ => job(1 + n as u32, kind(n), lane(n)),
            })
        };
        let ((mut one, parked), (mut other, same)) = (halted_board(), halted_board());
        jobs().for_each(|job| assert!(one.add(job).is_none()));
        assert!(other.add_all(&mut jobs().collect()).is_empty());
        assert_eq!((one.waiting(), one.pressing()), (other.waiting(), other.pressing()));
        assert_eq!(one.lanes_in_use(), other.lanes_in_use());
        assert!(one.unpark(parked).is_ok() && other.unpark(same).is_ok());
        assert_eq!(batches(&mut one, 3), batches(&mut other, 3));
    }
}
