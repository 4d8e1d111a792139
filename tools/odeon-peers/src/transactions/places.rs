//! Which variables a transaction of `stm` touches, drawn as Odeon's benchmark draws them.

use crate::params::Stm;
use crate::splitmix::SplitMix64;

/// Draws for one thread: one variable of each of `length` equal parts, so that they are different.
pub struct Places {
    numbers: SplitMix64,
    part: u64,
    places: Vec<usize>,
}

/// The variables of one transaction.
pub struct Drawn<'a> {
    pub places: &'a [usize],
    /// The last draw, of which the places have used the upper bits.
    bits: u64,
}

impl Places {
    pub fn of_thread(params: &Stm, thread: usize) -> Self {
        let mut of_threads = SplitMix64::new(params.seed.wrapping_add(thread as u64));
        Self {
            numbers: SplitMix64::new(of_threads.next()),
            part: (params.variables / params.length) as u64,
            places: vec![0; params.length],
        }
    }

    pub fn draw(&mut self) -> Drawn<'_> {
        let (mut bits, mut start) = (0, 0);
        for place in &mut self.places {
            bits = self.numbers.next();
            // WHY not `%`: a division takes as long as a good part of a transaction.
            let within = (u128::from(bits) * u128::from(self.part)) >> 64;
            *place = (start + within as u64) as usize;
            start += self.part;
        }
        Drawn { places: &self.places, bits }
    }
}

impl Drawn<'_> {
    /// Which of the first two places is special.
    fn turn(&self) -> usize {
        (self.bits & 1) as usize
    }

    /// Every other place.
    pub fn read(&self) -> impl Iterator<Item = usize> {
        self.places[self.turn()..].iter().step_by(2).copied()
    }

    /// The remaining places.
    pub fn written(&self) -> impl Iterator<Item = usize> {
        self.places[1 - self.turn()..].iter().step_by(2).copied()
    }

    /// The place that pays in a transfer.
    pub fn payer(&self) -> usize {
        self.places[self.turn()]
    }

    /// What it pays to each of the others: 1 to 1,024.
    pub fn amount(&self) -> u64 {
        1 + ((self.bits >> 1) & 1023)
    }
}
