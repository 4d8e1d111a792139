//! The search for an order that explains a history.
//!
//! What has happened is one number of steps for each operation. Which state that has led to depends
//! on the order, so both together are remembered: from there the search goes on once. Operations
//! that were answered stand in the order of their answers: all of them below some place are over,
//! and none is begun from some place on, so only those between are written down.

use super::{Model, Operation, OperationResult, Step, Unexplained};
use std::collections::HashSet;
use std::fmt;

/// As the number of steps of an operation that is over.
const OVER: u8 = u8::MAX;

pub(super) fn unexplained<M, C, A>(
    operations: &[Operation<C, A>],
    model: &M,
    initial: M::State,
) -> Option<Unexplained>
where
    M: Model<Call = C, Answer = A>,
    C: fmt::Debug,
    A: fmt::Debug,
{
    let search = HistorySearch::new(operations, model);
    let best = search.run(initial).err()?;
    let stuck = search.candidates(&best).into_iter().filter_map(|it| match it {
        It::Answered(it) => Some(search.answered[it].to_string()),
        It::Lost(_) => None,
    });
    Some(Unexplained { explained: best.explained(), stuck: stuck.collect() })
}

/// An operation that was answered.
struct Answered<'a, C, A> {
    called: u64,
    at: u64,
    call: &'a C,
    answer: &'a A,
}

impl<C: fmt::Debug, A: fmt::Debug> fmt::Display for Answered<'_, C, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { called, at, call, answer } = self;
        write!(f, "{called}..{at}: {call:?} answered {answer:?}")
    }
}

/// What has happened.
#[derive(Clone, PartialEq, Eq, Hash)]
struct SearchProgress {
    /// So many of the answered operations are over, all those before any other one.
    over: usize,
    /// The steps of the answered ones that follow; none of those behind is begun.
    begun: Vec<u8>,
    /// Of those that were not answered.
    lost: Vec<u8>,
}

impl SearchProgress {
    fn of(&self, it: It) -> u8 {
        match it {
            It::Answered(it) => self.begun.get(it - self.over).copied().unwrap_or(0),
            It::Lost(it) => self.lost[it],
        }
    }

    fn set(&mut self, it: It, steps: u8) {
        match it {
            It::Lost(it) => self.lost[it] = steps,
            It::Answered(it) => {
                let place = it - self.over;
                if self.begun.len() <= place {
                    self.begun.resize(place + 1, 0);
                }
                self.begun[place] = steps;
                let over = self.begun.iter().take_while(|steps| **steps == OVER).count();
                self.begun.drain(..over);
                self.over += over;
            }
        }
    }

    /// How many answers have been explained.
    fn explained(&self) -> usize {
        self.over + self.begun.iter().filter(|steps| **steps == OVER).count()
    }
}

/// The place of an operation among those that were answered, or among those that were not.
#[derive(Clone, Copy)]
enum It {
    Answered(usize),
    Lost(usize),
}

struct HistorySearch<'a, M: Model> {
    model: &'a M,
    /// In the order of their answers.
    answered: Vec<Answered<'a, M::Call, M::Answer>>,
    /// When the first of these and those behind them was called.
    first_called: Vec<u64>,
    lost: Vec<(u64, &'a M::Call)>,
}

impl<'a, M: Model> HistorySearch<'a, M> {
    fn new(operations: &'a [Operation<M::Call, M::Answer>], model: &'a M) -> Self {
        let (mut answered, mut lost) = (Vec::new(), Vec::new());
        for Operation { called, call, told } in operations {
            match told {
                OperationResult::Answer { at, answer } => {
                    answered.push(Answered { called: *called, at: *at, call, answer });
                }
                OperationResult::Nothing => lost.push((*called, call)),
                OperationResult::Undone => {}
            }
        }
        answered.sort_by_key(|operation| operation.at);
        let mut first = u64::MAX;
        let mut first_called: Vec<u64> = answered
            .iter()
            .rev()
            .map(|operation| {
                first = first.min(operation.called);
                first
            })
            .collect();
        first_called.reverse();
        Self { model, answered, first_called, lost }
    }

    /// `Err`: no order explains all answers; what one that explains the most has done.
    // WHY no recursion: a history has more steps than a thread has stack for.
    fn run(&self, initial: M::State) -> Result<(), SearchProgress> {
        let begin = SearchProgress { over: 0, begun: Vec::new(), lost: vec![0; self.lost.len()] };
        let (mut best, mut most) = (begin.clone(), 0);
        let mut seen = HashSet::new();
        let mut branches = vec![(begin, initial)];
        while let Some(branch) = branches.pop() {
            if seen.contains(&branch) {
                continue;
            }
            let (progress, state) = &branch;
            if progress.over == self.answered.len() {
                return Ok(());
            }
            if progress.explained() > most {
                (best, most) = (progress.clone(), progress.explained());
            }
            // WHY in reverse: the last one that is put there goes first, and whoever was answered
            // first happened first, more often than not.
            for it in self.candidates(progress).into_iter().rev() {
                branches.extend(self.step(progress, state, it));
            }
            seen.insert(branch);
        }
        Err(best)
    }

    fn step(
        &self,
        progress: &SearchProgress,
        state: &M::State,
        it: It,
    ) -> Option<(SearchProgress, M::State)> {
        let (call, answer) = match it {
            It::Answered(it) => (self.answered[it].call, Some(self.answered[it].answer)),
            It::Lost(it) => (self.lost[it].1, None),
        };
        let steps = progress.of(it);
        let (steps, state) = match self.model.step(state, call, usize::from(steps), answer) {
            Step::Refuted => return None,
            Step::Next(state) => {
                assert!(steps + 1 < OVER, "an operation has at most {OVER} steps");
                (steps + 1, state)
            }
            // Nobody was told of it, and nothing comes of it here.
            Step::Last(after) if answer.is_none() && after == *state => return None,
            Step::Last(state) => (OVER, state),
        };
        let mut progress = progress.clone();
        progress.set(it, steps);
        Some((progress, state))
    }

    /// Those that can take their next step: they were called before any that is not over was
    /// answered.
    fn candidates(&self, progress: &SearchProgress) -> Vec<It> {
        let Some(first) = self.answered.get(progress.over) else { return Vec::new() };
        let near = (progress.over..self.answered.len())
            .take_while(|&it| self.first_called[it] <= first.at)
            .filter(|&it| self.answered[it].called <= first.at)
            .map(It::Answered);
        let lost = (0..self.lost.len()).filter(|&it| self.lost[it].0 <= first.at).map(It::Lost);
        near.chain(lost).filter(|it| progress.of(*it) != OVER).collect()
    }
}
