//! Guards of speculative actors under random schedules: a message that nobody lets in again shows
//! as a deadlock, one that was let in too early as a failure, one that is lost in the sums. Run by
//! `ci/shuttle.sh`.

use crate::shuttle_support::{end, random, some_processing, theater, wait};
use crate::support::buffer::{Use, Watched, assert_all_in_order};
use odeon_speculative::Coordinate;
use odeon_sync::schedules::check_with_priorities;
use odeon_sync::thread;
use shuttle::future::block_on;

/// Two threads put into a small buffer, a third one and a coordinated transaction take out, and the
/// processing changes.
#[test]
fn s3_who_waits_for_a_guard_is_let_in() {
    check_with_priorities(1_500, || {
        let theater = theater();
        let watched = Watched::new(&theater, 1 + random(2) as u64, some_processing());
        let buffer = watched.buffer.clone();
        let puts = [0, 1].map(|sender| {
            let buffer = watched.buffer.clone();
            thread::spawn(move || (0..3).for_each(|n| buffer.send(Use::put((sender, n))).unwrap()))
        });
        let gets = thread::spawn({
            let buffer = watched.buffer.clone();
            move || {
                (0..3)
                    .for_each(|_| _ = block_on(buffer.ask(|reply| Use::get(Some(reply)))).unwrap());
            }
        });
        let both = theater.coordinate(|co| {
            co.send(&buffer, Use::get(None));
            co.send(&buffer, Use::set_room(1 + random(2) as u64));
        });
        buffer.set_processing(some_processing());
        (0..2).for_each(|_| buffer.send(Use::get(None)).unwrap());
        assert_eq!(wait(both), Ok(()));
        puts.into_iter().chain([gets]).for_each(|thread| thread.join().unwrap());
        // Behind the gets of this thread.
        while block_on(buffer.ask(Use::count)) != Ok(0) {
            thread::yield_now();
        }
        assert_eq!(buffer.speculation().failures, 0);
        drop(buffer);
        let taken = watched.into_taken();
        end(theater);
        assert_all_in_order(&taken.all(), 2, 3);
    });
}

/// The actor ends while messages wait for their guard, come, and are let in.
#[test]
fn s3_s4_who_waits_for_a_guard_at_the_end_is_not_lost() {
    check_with_priorities(1_500, || {
        let theater = theater();
        let watched = Watched::new(&theater, 0, some_processing());
        let puts = [0, 1].map(|sender| {
            let buffer = watched.buffer.clone();
            thread::spawn(move || {
                (0..2).map(|n| buffer.send(Use::put((sender, n)))).filter(Result::is_ok).count()
            })
        });
        let room = watched.buffer.send(Use::set_room(1));
        watched.buffer.stop();
        let sent: usize = puts.into_iter().map(|put| put.join().unwrap()).sum();
        let buffer = watched.buffer.clone();
        block_on(buffer.ended());
        let handled = buffer.speculation().commits + theater.dead_letters();
        assert_eq!(handled as usize, sent + usize::from(room.is_ok()));
        drop((buffer, watched));
        end(theater);
    });
}
