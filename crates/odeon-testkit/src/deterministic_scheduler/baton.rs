//! Who goes next where turns can be interrupted: one thread at a time has the *baton*.
//!
//! PROTOCOL
//! 1. The test's thread and the [carriers](super::carriers) are all there is. Whoever has the baton
//!    runs; all others wait for it under this lock.
//! 2. It is passed at the end of a turn, at a point in a turn, and by the test. Who gets it is
//!    drawn from the seed, but for the test, which gets it when it has had as many steps as it
//!    wanted, or when nothing is left to do.
//! 3. So what happens follows from what is drawn, and what is drawn from what happens. Which thread
//!    is which makes no difference.

use std::any::Any;

use odeon_core::{ActorId, Random};

use super::seeded_stage::SeededStep;

/// TUNE: turns that are interrupted at the same time. More threads find no more, and cost memory.
/// Guessed.
const MOST_INTERRUPTED: usize = 24;

/// Who has the baton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    Test,
    /// By its number.
    Carrier(usize),
}

/// A turn in the middle.
#[derive(Debug)]
pub(super) struct Interrupted {
    pub(super) carrier: usize,
    pub(super) actor: Option<ActorId>,
    /// What had happened when it last found that it has to wait.
    waits_since: Option<u64>,
}

/// What the seed has chosen.
pub(super) enum SeededChoice {
    /// Nothing: the test goes on.
    Test,
    /// The interrupted turn of this carrier.
    Resume(usize),
    /// A step that is not begun.
    Fresh,
}

/// How the test wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InterruptMode {
    /// Turns are interrupted.
    Interleaved,
    /// The turn that runs goes on to its end.
    Whole,
    /// The same, and those that wait are given up.
    GivingUp,
}

pub(super) struct Baton {
    pub(super) holder: Holder,
    pub(super) mode: InterruptMode,
    /// In the order in which they were interrupted.
    pub(super) interrupted: Vec<Interrupted>,
    /// Carriers without a turn.
    pub(super) spare: Vec<usize>,
    /// What the carrier that gets the baton begins with.
    pub(super) step: Option<SeededStep>,
    /// Whose turn each carrier has.
    pub(super) actors: Vec<Option<ActorId>>,
    /// Steps that the test still wants, and those that it has had.
    pub(super) left: usize,
    pub(super) made: usize,
    /// How much has happened that others may have waited for.
    happened: u64,
    /// What has panicked on a carrier, and is no actor's.
    pub(super) panic: Option<Box<dyn Any + Send>>,
    pub(super) is_over: bool,
    /// Whether a carrier has not given it back.
    pub(super) is_stuck: bool,
    random: Random,
    /// At every so-many-th point a turn is interrupted.
    interrupts: usize,
    /// Every so-many-th choice is one of a turn that was interrupted, if there are others.
    resumes: usize,
}

impl Baton {
    pub(super) fn new(seed: u64) -> Self {
        // Other numbers than those by which turns are chosen.
        let mut random = Random::from_seed(!seed);
        // How turns interleave differs from seed to seed: some mistakes show when all go on in
        // small pieces, some when one stays behind while others come a long way.
        let interrupts = [1, 2, 4, 8][random.below(4)];
        let resumes = [1, 2, 4, 16][random.below(4)];
        Self {
            holder: Holder::Test,
            mode: InterruptMode::Interleaved,
            interrupted: Vec::new(),
            spare: Vec::new(),
            step: None,
            actors: Vec::new(),
            left: 0,
            made: 0,
            happened: 0,
            panic: None,
            is_over: false,
            is_stuck: false,
            random,
            interrupts,
            resumes,
        }
    }

    /// A number from 1 to `most`.
    pub(super) fn choose(&mut self, most: usize) -> usize {
        if self.mode == InterruptMode::Interleaved { 1 + self.random.below(most) } else { most }
    }

    /// Whether the turn at a point is interrupted there.
    pub(super) fn interrupts(&mut self, has_fresh: bool) -> bool {
        let may =
            self.mode == InterruptMode::Interleaved && self.interrupted.len() < MOST_INTERRUPTED;
        let has_others = has_fresh || self.may_resume().next().is_some();
        may && has_others && self.random.below(self.interrupts) == 0
    }

    /// The turn of this carrier is in the middle.
    pub(super) fn interrupt(&mut self, carrier: usize) {
        self.happened += 1;
        self.put_aside(carrier, None);
    }

    /// The turn of this carrier cannot go on before something has happened.
    pub(super) fn wait(&mut self, carrier: usize, is_first: bool) {
        self.happened += u64::from(is_first);
        let since = Some(self.happened);
        self.put_aside(carrier, since);
    }

    fn put_aside(&mut self, carrier: usize, waits_since: Option<u64>) {
        let actor = self.actors[carrier];
        self.interrupted.push(Interrupted { carrier, actor, waits_since });
    }

    /// The turn of this carrier is over.
    pub(super) fn finished(&mut self, carrier: usize) {
        self.happened += 1;
        self.actors[carrier] = None;
    }

    /// The places of turns that can go on, as far as is known.
    fn may_resume(&self) -> impl Iterator<Item = usize> {
        let may = |turn: &Interrupted| turn.waits_since.is_none_or(|since| since < self.happened);
        self.interrupted.iter().enumerate().filter(move |(_, turn)| may(turn)).map(|(at, _)| at)
    }

    /// Whether a turn in the middle may go on.
    pub(super) fn has_resumable(&self) -> bool {
        self.may_resume().next().is_some()
    }

    /// Protocol 2: who goes next; and how many could have been resumed.
    pub(super) fn next(&mut self, has_fresh: bool) -> (SeededChoice, usize) {
        let places: Vec<usize> = self.may_resume().collect();
        let is_fresh = match (has_fresh, places.is_empty()) {
            _ if self.left == 0 || self.panic.is_some() => return (SeededChoice::Test, 0),
            (false, true) => return (SeededChoice::Test, 0),
            (has_fresh, true) => has_fresh,
            (false, false) => false,
            (true, false) => self.random.below(self.resumes) > 0,
        };
        self.left -= 1;
        self.made += 1;
        if is_fresh {
            return (SeededChoice::Fresh, places.len());
        }
        let chosen = self.random.below(places.len());
        (SeededChoice::Resume(self.resume(places[chosen])), places.len())
    }

    /// The turn at this place goes on; answers its carrier.
    pub(super) fn resume(&mut self, place: usize) -> usize {
        self.interrupted.remove(place).carrier
    }
}
