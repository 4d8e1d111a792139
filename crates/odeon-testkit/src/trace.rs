//! What a deterministic run decided, to compare two runs of one seed.

use std::fmt;

use odeon_core::extend::{Origin, TurnOutcome};

/// One event of a deterministic run. Actors appear by their place in the queue, never by address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// An actor was woken.
    Woken(Origin),
    /// An actor was given a turn.
    Turn {
        /// How many actors could have been chosen.
        runnable: usize,
        /// Which one was: its place among them, in the order in which they were woken.
        chosen: usize,
        /// How many messages its turn might handle.
        messages: u32,
    },
    /// The test said which actor was to have a turn, of one message.
    Told,
    /// What that turn came to.
    Outcome(TurnOutcome),
    /// The turn that ran was interrupted at a point in a transaction, so that others go on before
    /// it.
    Interrupted,
    /// A turn that was interrupted went on.
    Resumed {
        /// How many could have.
        interrupted: usize,
    },
    /// The next timer that was due fired.
    Timer {
        /// How many actors could have been chosen instead.
        runnable: usize,
    },
}

/// All events of a run so far.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Trace {
    choices: Vec<Choice>,
}

impl Trace {
    pub(crate) fn record(&mut self, choice: Choice) {
        self.choices.push(choice);
    }

    /// The events in their order.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// How many turns were given.
    pub fn turns(&self) -> usize {
        self.choices
            .iter()
            .filter(|choice| matches!(choice, Choice::Turn { .. } | Choice::Told))
            .count()
    }

    /// The first event at which this run and `other` differ, with its number.
    pub fn first_difference(
        &self,
        other: &Self,
    ) -> Option<(usize, Option<Choice>, Option<Choice>)> {
        let longer = self.choices.len().max(other.choices.len());
        (0..longer)
            .map(|at| (at, self.choices.get(at).copied(), other.choices.get(at).copied()))
            .find(|(_, mine, theirs)| mine != theirs)
    }
}

/// Prints the length only: a trace has easily a million events.
impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trace({} events)", self.choices.len())
    }
}
