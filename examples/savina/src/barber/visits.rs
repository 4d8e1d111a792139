//! How long everything takes, and whether every customer has been served.

use super::BarberSetup;
use odeon_example_run::BusyWork;
use odeon_example_run::Finish;
use odeon_example_run::SplitMix64;

/// The parameters of a run, read once.
#[derive(Clone, Copy)]
pub(super) struct BarberPlan {
    pub(super) haircuts: usize,
    pause: u64,
    cut: u64,
    seed: u64,
}

impl BarberPlan {
    pub(super) fn new(setup: &BarberSetup) -> Self {
        Self { haircuts: setup.haircuts, pause: setup.pause, cut: setup.cut, seed: setup.seed }
    }

    /// What happens between two customers.
    pub(super) fn pauses(&self) -> Delays {
        Delays::new(self.seed, 0, self.pause)
    }

    /// What the barber does.
    pub(super) fn cuts(&self) -> Delays {
        Delays::new(self.seed, 1, self.cut)
    }
}

/// Busy times of random length.
pub(super) struct Delays {
    random: SplitMix64,
    work: BusyWork,
    most: u64,
}

/// Draws of every delay.
const LEAST: u64 = 10;

impl Delays {
    fn new(seed: u64, member: usize, most: u64) -> Self {
        let random = SplitMix64::of_member(seed, member);
        Self { random, work: BusyWork::new(member as u64), most }
    }

    pub(super) fn pass(&mut self) {
        self.work.draw(self.random.next() % self.most + LEAST);
    }
}

/// Who has been served: each customer once, and the barber knows of as many.
pub(super) struct Visits {
    served: Vec<bool>,
    missing: usize,
    mistake: Option<String>,
    finish: Finish,
}

impl Visits {
    pub(super) fn new(customers: usize, finish: Finish) -> Self {
        Self { served: vec![false; customers], missing: customers, mistake: None, finish }
    }

    /// A customer has been served; whether it was the last one.
    pub(super) fn served(&mut self, customer: usize) -> bool {
        if std::mem::replace(&mut self.served[customer], true) {
            self.note(format!("customer {customer} was served twice"));
        }
        self.missing -= 1;
        self.missing == 0
    }

    /// The room has closed: so many were in it at most, of so many seats. Ends the run.
    pub(super) fn closed(&mut self, most: usize, seats: usize, cuts: usize) {
        if most > seats {
            self.note(format!("{most} waited on {seats} seats"));
        }
        if cuts != self.served.len() {
            self.note(format!("the barber cut {cuts} of {} customers", self.served.len()));
        }
        self.finish.arrive_if(self.mistake.is_none(), || self.mistake.clone().unwrap_or_default());
    }

    #[cold]
    fn note(&mut self, mistake: String) {
        self.mistake.get_or_insert(mistake);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_example_run::finish_line;

    fn told(customers: [usize; 2], most: usize, cuts: usize) -> Option<String> {
        let (finish, waiting) = finish_line(1);
        let mut visits = Visits::new(2, finish);
        assert!(!visits.served(customers[0]));
        assert!(visits.served(customers[1]));
        visits.closed(most, 5, cuts);
        waiting.wait().err().map(|error| error.to_string())
    }

    #[test]
    fn mistakes_are_noticed() {
        assert_eq!(told([1, 0], 5, 2), None);
        assert!(
            told([1, 1], 5, 2).is_some_and(|error| error.contains("customer 1 was served twice"))
        );
        assert!(told([1, 0], 6, 2).is_some_and(|error| error.contains("6 waited on 5 seats")));
        assert!(told([1, 0], 5, 1).is_some_and(|error| error.contains("cut 1 of 2")));
    }
}
