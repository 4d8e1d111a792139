//! One thread: who is hungry waits in a `VecDeque`, and eats when nobody else does.

use super::feast::Feast;
use odeon_example_run::RunError;
use odeon_example_run::Timed;
use odeon_example_run::finish_line;
use std::collections::VecDeque;

pub(super) fn run(seats: usize, rounds: u64) -> Result<Timed, RunError> {
    let (finish, waiting) = finish_line(1);
    let mut feast = Feast::new(seats, rounds, finish);
    let (timed, ()) = Timed::of(seats as u64 * rounds, || {
        let mut hungry: VecDeque<(usize, u64)> = (0..seats).map(|seat| (seat, 1)).collect();
        while let Some((seat, meal)) = hungry.pop_front() {
            feast.serve(seat);
            feast.clear(seat);
            if meal < rounds {
                hungry.push_back((seat, meal + 1));
            } else {
                feast.leave(seat, meal);
            }
        }
    });
    waiting.wait().map(|()| timed)
}
