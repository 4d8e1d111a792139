//! Who smokes, how long, and how much of it must have come to each smoker.

use super::SmokersSetup;
use odeon_example_run::BusyWork;
use odeon_example_run::Finish;
use odeon_example_run::SplitMix64;

/// The rounds to come; the same ones for the same parameters.
#[derive(Clone)]
pub(super) struct Rounds {
    random: SplitMix64,
    smokers: u64,
    most: u64,
    left: u64,
}

/// Ingredients: for whom, and for how long.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    pub(super) smoker: usize,
    pub(super) draws: u64,
}

/// Draws of every cigarette.
const LEAST: u64 = 10;

impl Rounds {
    pub(super) fn new(setup: &SmokersSetup) -> Self {
        Self {
            random: SplitMix64::new(setup.seed),
            smokers: setup.smokers,
            most: setup.smoke,
            left: setup.rounds,
        }
    }

    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// What each smoker will have had after all rounds.
    pub(super) fn shares(&self) -> Vec<Share> {
        let mut shares = vec![Share::default(); self.smokers as usize];
        for round in self.clone() {
            shares[round.smoker].add(round.draws);
        }
        shares
    }
}

impl Iterator for Rounds {
    type Item = Round;

    fn next(&mut self) -> Option<Round> {
        self.left = self.left.checked_sub(1)?;
        let smoker = (self.random.next() % self.smokers) as usize;
        Some(Round { smoker, draws: self.random.next() % self.most + LEAST })
    }
}

/// Cigarettes of one smoker, and the draws of all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Share {
    cigarettes: u64,
    draws: u64,
}

impl Share {
    fn add(&mut self, draws: u64) {
        self.cigarettes += 1;
        self.draws += draws;
    }
}

/// What a smoker does.
pub(super) struct Smoking {
    work: BusyWork,
    smoked: Share,
    expected: Share,
    finish: Finish,
}

impl Smoking {
    pub(super) fn new(expected: Share, finish: Finish) -> Self {
        Self { work: BusyWork::new(0), smoked: Share::default(), expected, finish }
    }

    pub(super) fn smoke(&mut self, draws: u64) {
        self.work.draw(draws);
        self.smoked.add(draws);
    }

    /// Arrives at the end.
    pub(super) fn end(&self) {
        let Self { smoked, expected, .. } = self;
        let wrong = || format!("a smoker had {smoked:?}; expected {expected:?}");
        self.finish.arrive_if(smoked == expected, wrong);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_example_run::finish_line;

    #[test]
    fn shares_add_up_and_a_lost_cigarette_is_noticed() {
        let rounds = Rounds { random: SplitMix64::new(3), smokers: 4, most: 5, left: 100 };
        let shares = rounds.shares();
        assert_eq!(shares.iter().map(|share| share.cigarettes).sum::<u64>(), 100);
        assert!(shares.iter().all(|share| share.cigarettes > 0), "{shares:?}");
        assert!(rounds.clone().all(|round| (LEAST..LEAST + 5).contains(&round.draws)));
        let smoked = |cigarettes: usize| {
            let (finish, waiting) = finish_line(1);
            let mut smoking = Smoking::new(shares[2], finish);
            let own = rounds.clone().filter(|round| round.smoker == 2);
            own.take(cigarettes).for_each(|round| smoking.smoke(round.draws));
            smoking.end();
            waiting.wait()
        };
        smoked(100).expect("all of them");
        assert!(smoked(1).unwrap_err().to_string().contains("a smoker had"));
    }
}
