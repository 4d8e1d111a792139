//! Makes a state again: applies what a log has, change by change.

use crate::state::error::RestoreError;
use crate::state::former::Former;
use crate::state::node::{Children, Durable, Node};
use crate::state::path::StatePath;
use crate::state::walk::{Lost, find};
use odeon_stm::journal::{ApplyError, Journaled};
use odeon_stm::staged::{Attempted, FinishedHere, attempt_here};
use odeon_stm::{Abort, Mode, ScopedTx, try_atomically};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;

/// Applies the changes of a log to a state that is as the program makes it, and takes over fields
/// that had another type.
///
/// It is for a state that nobody else writes meanwhile: changes are made by direct transactions, in
/// the order of the calls. A change allocates nothing but what the variable does; those of
/// a former field search a map.
///
/// # Examples
/// ```
/// use odeon_durable::state::{Durable, RestoreError, Restorer};
/// use odeon_stm::{TCounter, snapshot};
///
/// let before = [TCounter::new(5), TCounter::new(6)];
/// let after = [TCounter::new(0), TCounter::new(0)];
/// let mut told = Vec::new();
/// snapshot(|view| {
///     before.node().tell(view, &mut |name, change| told.push((name.to_vec(), change.to_vec())))
/// })?;
/// let mut restorer = Restorer::new(&after);
/// for (name, change) in &told {
///     restorer.apply(name, change)?;
/// }
/// assert!(matches!(restorer.apply(&[2], &[]), Err(RestoreError::UnknownName(_))));
/// restorer.finish();
/// assert_eq!(after.map(|counter| counter.peek()), [5, 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "`finish` takes over what fields were before they had another type"]
pub struct Restorer<'s> {
    state: Node<'s>,
    /// By the names that they have in the log: what fields were. `None` once it is taken over.
    formers: BTreeMap<Vec<u32>, Option<Box<dyn Former + 's>>>,
    /// A name that is looked up there.
    key: Vec<u32>,
}

impl<'s> Restorer<'s> {
    /// Begins with a state that is as the program makes it.
    pub fn new(state: &'s impl Durable) -> Self {
        Self { state: state.node(), formers: BTreeMap::new(), key: Vec::new() }
    }

    /// Makes one change that the log has, in a transaction of its own.
    ///
    /// # Errors
    /// [`RestoreError`] if it cannot be made: the state has none of it.
    ///
    /// # Panics
    /// At the caller's line within a transaction. Also if the conversion of a field panics, or asks
    /// to retry without having read anything.
    #[track_caller]
    pub fn apply(&mut self, name: &[u32], change: &[u8]) -> Result<(), RestoreError> {
        match find(self.state, name) {
            Ok(variable) => {
                if !self.formers.is_empty() {
                    self.convert_along(name);
                }
                make(self.state, variable, name, change)
            }
            Err(lost) => self.apply_to_what_was(lost, name, change),
        }
    }

    /// Makes all changes that `each` hands to the function that it is given, in one transaction if
    /// that can be: several times faster than one by one. Some hundred at once are best.
    ///
    /// `each` is run a second time if that cannot be, because a field had another type, or a change
    /// cannot be made. Then they are made one by one, and the state has those before an error.
    ///
    /// # Errors
    /// What `each` answers; it passes on the [`RestoreError`]s of [`apply`](Self::apply).
    ///
    /// # Panics
    /// As [`apply`](Self::apply), and as `each` does.
    ///
    /// # Examples
    /// ```
    /// use odeon_durable::state::{Durable, RestoreError, Restorer};
    /// use odeon_stm::TVar;
    ///
    /// let numbers = [TVar::new(0_u32), TVar::new(0), TVar::new(0)];
    /// let record: [(&[u32], &[u8]); 2] = [(&[0], &[7]), (&[2], &[9])];
    /// let mut restorer = Restorer::new(&numbers);
    /// restorer.apply_together(|apply| {
    ///     for (name, change) in record {
    ///         apply(name, change)?;
    ///     }
    ///     Ok::<_, RestoreError>(())
    /// })?;
    /// restorer.finish();
    /// assert_eq!(numbers.map(|number| number.peek()), [7, 0, 9]);
    /// # Ok::<(), RestoreError>(())
    /// ```
    #[track_caller]
    pub fn apply_together<E: From<RestoreError>>(
        &mut self,
        mut each: impl FnMut(&mut dyn FnMut(&[u32], &[u8]) -> Result<(), RestoreError>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.formers.is_empty() && is_made_at_once(self.state, &mut each) {
            return Ok(());
        }
        each(&mut |name, change| self.apply(name, change))
    }

    /// Takes over what fields were, where no later change has done so.
    ///
    /// # Panics
    /// As [`apply`](Self::apply).
    #[track_caller]
    pub fn finish(self) {
        for former in self.formers.into_values().flatten() {
            take_over(&*former);
        }
    }

    /// A change of what the state has no more.
    #[track_caller]
    fn apply_to_what_was(
        &mut self,
        lost: Lost<'s>,
        name: &[u32],
        change: &[u8],
    ) -> Result<(), RestoreError> {
        if lost.is_removed() {
            return Ok(());
        }
        let Some((branch, number, depth)) = lost.at_former() else {
            return Err(unknown(self.state, lost, name));
        };
        let (key, rest) = name.split_at(depth + 1);
        let former = match self.formers.get(key) {
            Some(former) => former,
            None => {
                let Some(former) = branch.former(number) else {
                    return Err(unknown(self.state, lost, name));
                };
                self.formers.entry(key.to_vec()).or_insert(Some(former))
            }
        };
        let Some(former) = former else {
            return Err(RestoreError::AlreadyConverted(StatePath::of(self.state, name)));
        };
        match find(former.node(), rest) {
            Ok(variable) => make(self.state, variable, name, change),
            Err(lost) if lost.is_removed() => Ok(()),
            Err(lost) => Err(unknown(self.state, lost, name)),
        }
    }

    /// Takes over what the fields of this name were: the change that comes was made after that.
    #[track_caller]
    fn convert_along(&mut self, name: &[u32]) {
        let mut node = self.state;
        for (depth, &number) in name.iter().enumerate() {
            let Node::Branch(branch) = node else { return };
            if let Children::Fields(table) = branch.children() {
                if let Some(was) = table.was(number) {
                    self.key.clear();
                    self.key.extend_from_slice(&name[..depth]);
                    self.key.push(was);
                    let former = self.formers.get_mut(&self.key).and_then(Option::take);
                    if let Some(former) = former {
                        take_over(&*former);
                    }
                }
            }
            let Some(child) = branch.child(number) else { return };
            node = child;
        }
    }
}

impl fmt::Debug for Restorer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Restorer")
            .field("state", &self.state)
            .field("formers", &self.formers.len())
            .finish_non_exhaustive()
    }
}

#[cold]
fn unknown(state: Node<'_>, lost: Lost<'_>, name: &[u32]) -> RestoreError {
    lost.explain(StatePath::of(state, name)).into()
}

/// What was to be done is no change of a variable.
struct NoChange;

#[track_caller]
fn make(
    state: Node<'_>,
    variable: &dyn Journaled,
    name: &[u32],
    change: &[u8],
) -> Result<(), RestoreError> {
    let made = directly(|tx| match variable.apply(tx, change) {
        Ok(()) => Ok(()),
        Err(ApplyError::NoChange) => Err(Abort::Failed(NoChange)),
        Err(ApplyError::Rollback(rollback)) => Err(rollback.into()),
    });
    made.map_err(|NoChange| RestoreError::NoChange(StatePath::of(state, name)))
}

/// Makes all changes in one transaction, or none: if one of them is not simply one of a variable,
/// or something else is in the way.
#[track_caller]
fn is_made_at_once<E>(
    state: Node<'_>,
    each: &mut impl FnMut(&mut dyn FnMut(&[u32], &[u8]) -> Result<(), RestoreError>) -> Result<(), E>,
) -> bool {
    let run = attempt_here(Mode::Direct, |tx| {
        let mut has_failed = false;
        let outcome = each(&mut |name, change| {
            let made = match find(state, name) {
                Ok(variable) => variable
                    .apply(tx, change)
                    .map_err(|_| RestoreError::NoChange(StatePath::of(state, name))),
                Err(lost) if lost.is_removed() => Ok(()),
                Err(lost) => Err(unknown(state, lost, name)),
            };
            has_failed |= made.is_err();
            made
        });
        match outcome {
            Ok(()) if !has_failed => Ok(()),
            _ => Err(Abort::Failed(NoChange)),
        }
    });
    match run {
        Attempted::Finished(finished, ()) => has_committed(finished),
        Attempted::Failed(NoChange) | Attempted::RolledBack(_) => false,
    }
}

#[track_caller]
fn take_over(former: &dyn Former) {
    let Ok(()) = directly(|tx| former.convert(tx).map_err(Abort::<Infallible>::Rollback));
}

/// Runs a transaction on variables that nobody else writes. WHY the second one: an irrevocable
/// transaction, elsewhere in the process, may roll back a direct one.
#[track_caller]
fn directly<'env, E>(
    mut run: impl for<'t> FnMut(&mut ScopedTx<'t, 'env>) -> Result<(), Abort<E>>,
) -> Result<(), E> {
    match attempt_here(Mode::Direct, &mut run) {
        Attempted::Finished(finished, ()) => {
            if has_committed(finished) {
                return Ok(());
            }
        }
        Attempted::Failed(error) => return Err(error),
        Attempted::RolledBack(_) => {}
    }
    try_atomically(run)
}

fn has_committed(finished: FinishedHere<'_>) -> bool {
    match finished.commit_if_simple() {
        Ok(()) => true,
        Err(finished) => finished.commit().is_ok(),
    }
}
