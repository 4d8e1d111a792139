//! What clients have asked and been told, and whether that can be explained by an order of all
//! operations.

mod search;
#[cfg(test)]
mod tests;

use std::fmt;
use std::hash::Hash;

/// What operations do to a state: the judge's own account of the actors that a [`History`] is of,
/// as simple as can be.
pub trait Model {
    /// All that the answers depend on.
    type State: Clone + Eq + Hash;
    /// What was asked.
    type Call;
    /// What was told.
    type Answer;

    /// What the step `step` of an operation, counted from 0, does to `state`; most operations have
    /// one. The answer is the one that the whole operation got; `None`: nobody was told, and
    /// anything may have been the answer. An operation has at most 255 steps.
    fn step(
        &self,
        state: &Self::State,
        call: &Self::Call,
        step: usize,
        answer: Option<&Self::Answer>,
    ) -> Step<Self::State>;
}

/// What one step of an operation comes to: see [`Model::step`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<S> {
    /// In this state the answer would be another one.
    Refuted,
    /// The state is this one, and another step follows, at any later moment.
    Next(S),
    /// The state is this one, and the operation is over.
    Last(S),
}

/// Operations, each from its call to its answer: made while clients run, and judged afterwards by
/// [`unexplained`](Self::unexplained).
///
/// Times are numbers of any clock that all calls and answers have in common: who calls at 5 or
/// later has seen what was answered before 5.
///
/// ```
/// use odeon_testkit::{History, Model, Step};
///
/// /// A register that is written to, or read.
/// struct Register;
/// #[derive(Debug)]
/// enum Call { Write(u64), Read }
/// impl Model for Register {
///     type State = u64;
///     type Call = Call;
///     type Answer = u64;
///     fn step(&self, state: &u64, call: &Call, _: usize, answer: Option<&u64>) -> Step<u64> {
///         let state = match call { Call::Write(value) => *value, Call::Read => *state };
///         if answer.is_none_or(|told| *told == state) { Step::Last(state) } else { Step::Refuted }
///     }
/// }
///
/// let mut history = History::new();
/// let write = history.called(1, Call::Write(7));
/// let read = history.called(2, Call::Read);
/// history.answered(read, 3, 7);
/// assert!(history.unexplained(&Register, 0).is_none(), "written already, although nobody was told");
/// history.answered(write, 4, 7);
/// let late = history.called(5, Call::Read);
/// history.answered(late, 6, 0);
/// assert!(history.unexplained(&Register, 0).is_some(), "nobody has written 0 since");
/// ```
#[derive(Debug, Clone)]
pub struct History<C, A> {
    operations: Vec<Operation<C, A>>,
}

/// Which operation of its history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call(usize);

#[derive(Debug, Clone)]
struct Operation<C, A> {
    called: u64,
    call: C,
    told: OperationResult<A>,
}

#[derive(Debug, Clone)]
enum OperationResult<A> {
    Answer { at: u64, answer: A },
    Nothing,
    Undone,
}

impl<C, A> Default for History<C, A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C, A> History<C, A> {
    /// Without operations.
    pub fn new() -> Self {
        Self { operations: Vec::new() }
    }

    /// A client asks. As long as it has not been answered its operation may happen, now or at any
    /// later time, or not at all.
    pub fn called(&mut self, at: u64, call: C) -> Call {
        self.operations.push(Operation { called: at, call, told: OperationResult::Nothing });
        Call(self.operations.len() - 1)
    }

    /// The client is told.
    ///
    /// # Panics
    /// If it was before, or this is before it has asked.
    #[track_caller]
    pub fn answered(&mut self, call: Call, at: u64, answer: A) {
        let operation = self.open(call);
        assert!(operation.called <= at, "nobody is answered before he asks");
        operation.told = OperationResult::Answer { at, answer };
    }

    /// The client knows that nothing has happened, and nothing will.
    ///
    /// # Panics
    /// If it was answered.
    #[track_caller]
    pub fn undone(&mut self, call: Call) {
        self.open(call).told = OperationResult::Undone;
    }

    #[track_caller]
    fn open(&mut self, call: Call) -> &mut Operation<C, A> {
        let operation = &mut self.operations[call.0];
        assert!(matches!(operation.told, OperationResult::Nothing), "the client has been told");
        operation
    }

    /// How many were answered, and how many of the others may have happened.
    pub fn counts(&self) -> (usize, usize) {
        let of = |is: fn(&OperationResult<A>) -> bool| {
            self.operations.iter().filter(|operation| is(&operation.told)).count()
        };
        (
            of(|told| matches!(told, OperationResult::Answer { .. })),
            of(|told| matches!(told, OperationResult::Nothing)),
        )
    }

    /// `None`: some order of all steps explains every answer, in which each operation takes place
    /// between its call and its answer, and those that were not answered after their call, in part,
    /// or not at all. (Linearizability: Herlihy and Wing 1990; the search is Wing and Gong's, 1993,
    /// with Lowe's memory of what was seen, 2017.)
    ///
    /// It takes longer the more operations overlap and the more were not answered.
    ///
    /// # Panics
    /// If an operation has more than 255 steps.
    pub fn unexplained<M>(&self, model: &M, initial: M::State) -> Option<Unexplained>
    where
        M: Model<Call = C, Answer = A>,
        C: fmt::Debug,
        A: fmt::Debug,
    {
        search::unexplained(&self.operations, model, initial)
    }
}

/// A history that no order explains: its text says how far the best order comes, and what none can
/// continue with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unexplained {
    /// How many of the answered operations the best order explains.
    pub explained: usize,
    /// Those of which one would have to come next, as far as they were answered.
    pub stuck: Vec<String>,
}

impl fmt::Display for Unexplained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no order explains more than {} answers; next would be one of:", self.explained)?;
        self.stuck.iter().try_for_each(|operation| write!(f, "\n    {operation}"))
    }
}
