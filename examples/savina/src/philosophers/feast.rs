//! A round table with a fork between each two seats, and who has eaten.

use odeon_example_run::Finish;

/// As many as a selector can have mailboxes for, and one for what is not to wait.
pub const MAX_SEATS: usize = 63;

/// Everything that an arbitrator knows about forks and meals, and the checks of both.
pub(super) struct Feast {
    seats: usize,
    rounds: u64,
    /// Bit `n`: the fork on the left of seat `n`, which is on the right of the one before, lies on
    /// the table.
    forks: u64,
    served: u64,
    gone: usize,
    mistake: Option<String>,
    finish: Finish,
}

impl Feast {
    pub(super) fn new(seats: usize, rounds: u64, finish: Finish) -> Self {
        Self { seats, rounds, forks: (1 << seats) - 1, served: 0, gone: 0, mistake: None, finish }
    }

    pub(super) fn seats(&self) -> usize {
        self.seats
    }

    pub(super) fn rounds(&self) -> u64 {
        self.rounds
    }

    #[inline]
    pub(super) fn after(&self, seat: usize) -> usize {
        if seat + 1 == self.seats { 0 } else { seat + 1 }
    }

    #[inline]
    pub(super) fn before(&self, seat: usize) -> usize {
        if seat == 0 { self.seats - 1 } else { seat - 1 }
    }

    #[inline]
    fn forks_of(&self, seat: usize) -> u64 {
        1 << seat | 1 << self.after(seat)
    }

    /// Whether both forks of a seat are on the table.
    #[inline]
    pub(super) fn can_eat(&self, seat: usize) -> bool {
        let forks = self.forks_of(seat);
        self.forks & forks == forks
    }

    /// Gives out the forks of a seat.
    #[inline]
    pub(super) fn serve(&mut self, seat: usize) {
        if !self.can_eat(seat) {
            self.note(|| format!("philosopher {seat} got a fork that somebody else had"));
        }
        self.forks &= !self.forks_of(seat);
        self.served += 1;
    }

    /// Takes them back.
    #[inline]
    pub(super) fn clear(&mut self, seat: usize) {
        if self.forks & self.forks_of(seat) != 0 {
            self.note(|| format!("philosopher {seat} gave back a fork that it did not have"));
        }
        self.forks |= self.forks_of(seat);
    }

    /// A philosopher has had so many meals, and goes; whether it was the last one. Then the run is
    /// over.
    pub(super) fn leave(&mut self, seat: usize, meals: u64) -> bool {
        if meals != self.rounds {
            self.note(|| format!("philosopher {seat} had {meals} meals"));
        }
        self.gone += 1;
        if self.gone < self.seats {
            return false;
        }
        if self.served != self.seats as u64 * self.rounds {
            let served = self.served;
            self.note(|| format!("{served} meals were served"));
        }
        self.finish.arrive_if(self.mistake.is_none(), || self.mistake.clone().unwrap_or_default());
        true
    }

    #[cold]
    fn note(&mut self, mistake: impl FnOnce() -> String) {
        self.mistake.get_or_insert_with(mistake);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_example_run::RunError;
    use odeon_example_run::finish_line;

    fn after(feast: impl FnOnce(&mut Feast)) -> Result<(), RunError> {
        let (finish, waiting) = finish_line(1);
        feast(&mut Feast::new(3, 1, finish));
        waiting.wait()
    }

    fn eat(feast: &mut Feast, seat: usize) {
        feast.serve(seat);
        feast.clear(seat);
    }

    #[test]
    fn neighbours_share_forks() {
        let (finish, _waiting) = finish_line(1);
        let mut feast = Feast::new(4, 1, finish);
        feast.serve(3);
        assert_eq!([0, 1, 2, 3].map(|seat| feast.can_eat(seat)), [false, true, false, false]);
        feast.serve(1);
        feast.clear(3);
        assert_eq!([0, 1, 2, 3].map(|seat| feast.can_eat(seat)), [false, false, false, true]);
    }

    #[test]
    fn mistakes_are_noticed() {
        let leave_all = |feast: &mut Feast| (0..3).for_each(|seat| _ = feast.leave(seat, 1));
        after(|feast| {
            (0..3).for_each(|seat| eat(feast, seat));
            leave_all(feast);
        })
        .expect("everybody has eaten");
        let told = |feast: fn(&mut Feast)| {
            let outcome = after(|of| {
                feast(of);
                leave_all(of);
            });
            outcome.unwrap_err().to_string()
        };
        assert!(told(|_| {}).contains("0 meals were served"));
        assert!(told(|feast| feast.clear(2)).contains("did not have"));
        assert!(told(|feast| (0..2).for_each(|seat| feast.serve(seat))).contains("somebody else"));
        let hungry = after(|feast| (0..3).for_each(|seat| _ = feast.leave(seat, 0)));
        assert!(hungry.unwrap_err().to_string().contains("philosopher 0 had 0 meals"));
    }
}
