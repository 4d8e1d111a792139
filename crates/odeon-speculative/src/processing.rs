//! How an actor's messages are processed: configuration, apart from what its handlers do.

pub(crate) mod pace;
pub(crate) mod width;
mod written;

pub use written::WrittenProcessing;

use crate::processing::width::{Controller, HillClimb, WidthPolicy};
use odeon_core::{Bound, MailboxName};
use std::fmt;
use std::sync::Arc;

/// TUNE: wider is nobody, guessed 2026-11: there is a runner for each place, and all messages that
/// run at once have a slot of the transactional memory (4,094).
const MOST_WIDTH: usize = 1024;

/// How the messages of a speculative actor are processed. The results are the same in every way;
/// speed is not.
///
/// ```
/// use odeon_speculative::{Ordering, Processing, Threshold};
///
/// let as_it_pays = Processing::adaptive();
/// let as_in_the_thesis = Processing::adaptive_with(Threshold::new);
/// let one_at_a_time = Processing::sequential();
/// let four_at_once = Processing::concurrent().width(4);
/// let lets_others_on = Processing::sequential().non_blocking();
/// let no_order = Processing::concurrent().ordering(Ordering::Unordered);
/// ```
///
/// A clone is cheap.
#[derive(Debug, Clone)]
pub struct Processing {
    pub(crate) mode: ProcessingMode,
    /// `None`: one per worker of the pool.
    pub(crate) width: Option<usize>,
    pub(crate) ordering: Ordering,
    /// Whether the actor waits for the outcome of a coordinated transaction that has been at it.
    pub(crate) blocks: bool,
    /// By mailbox, the last one for each.
    pub(crate) bounds: Vec<(usize, Bound)>,
}

#[derive(Debug, Clone)]
pub(crate) enum ProcessingMode {
    Sequential,
    Concurrent,
    /// By the policy of this actor's own.
    Adaptive(MakePolicy),
}

/// Makes policies.
#[derive(Clone)]
pub(crate) struct MakePolicy(Option<Arc<dyn Fn() -> Box<dyn WidthPolicy> + Send + Sync>>);

impl MakePolicy {
    /// Makes hill climbers, without memory for a closure.
    const HILL_CLIMB: Self = Self(None);

    fn make(&self) -> Box<dyn WidthPolicy> {
        match &self.0 {
            Some(make) => make(),
            None => Box::new(HillClimb::new()),
        }
    }
}

impl fmt::Debug for MakePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

/// In which order messages that wait at the same time are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ordering {
    /// Messages of one sender in the order in which they were sent; those of different senders in
    /// any.
    #[default]
    PerSender,
    /// In any order: faster if few senders send much.
    Unordered,
    /// All in the order in which they have arrived in the mailbox, with the same results and
    /// effects as one at a time: they run at once, and commit one after the other. Slower than the
    /// others where messages meet, or differ in length.
    ///
    /// For actors with one mailbox: with several, messages that wait for their guards are passed by
    /// later ones.
    ///
    /// A handler must not ask to [`retry`](odeon_stm::Tx::retry): nothing that comes later could
    /// change what it waits for, so it fails. A message of a coordinated transaction has its place
    /// in the order where its transaction runs.
    Mailbox,
}

impl Processing {
    /// One message at a time, without the cost of a transaction. A coordinated transaction has the
    /// actor to itself from its first message here until its outcome.
    pub fn sequential() -> Self {
        let ordering = Ordering::default();
        Self {
            mode: ProcessingMode::Sequential,
            width: None,
            ordering,
            blocks: true,
            bounds: Vec::new(),
        }
    }

    /// Several messages at once: as many as the pool has workers, or as [`width`](Self::width)
    /// says; coordinated transactions as with [`sequential`](Self::sequential).
    pub fn concurrent() -> Self {
        Self { mode: ProcessingMode::Concurrent, ..Self::sequential() }
    }

    /// As many messages at once as pay, between one and the [`width`](Self::width), found out and
    /// changed while the actor runs by a [`HillClimb`]; coordinated transactions do not
    /// [block](Self::non_blocking).
    pub fn adaptive() -> Self {
        Self {
            mode: ProcessingMode::Adaptive(MakePolicy::HILL_CLIMB),
            ..Self::concurrent().non_blocking()
        }
    }

    /// As [`adaptive`](Self::adaptive), by another policy. `make` is called once for each actor
    /// that is processed so, and again at each
    /// [`set_processing`](crate::SpeculativeRef::set_processing); not if the width can only be 1.
    pub fn adaptive_with<P: WidthPolicy + 'static>(
        make: impl Fn() -> P + Send + Sync + 'static,
    ) -> Self {
        let make = MakePolicy(Some(Arc::new(move || Box::new(make()))));
        Self { mode: ProcessingMode::Adaptive(make), ..Self::concurrent().non_blocking() }
    }

    /// A coordinated transaction that has been here leaves nothing behind but that what it has read
    /// and written is protected until its outcome: other messages go on meanwhile. So it is with
    /// [`adaptive`](Self::adaptive) anyway.
    #[must_use]
    pub fn non_blocking(self) -> Self {
        Self { blocks: false, ..self }
    }

    /// How many messages may be in attempts at once, at least 1. More than 1,024 count as that.
    ///
    /// # Panics
    /// If `width` is 0.
    #[must_use]
    #[track_caller]
    pub fn width(mut self, width: usize) -> Self {
        assert!(width > 0, "a width of 0 would never handle a message");
        self.width = Some(width);
        self
    }

    /// In which order messages are handled.
    #[must_use]
    pub fn ordering(mut self, ordering: Ordering) -> Self {
        self.ordering = ordering;
        self
    }

    /// Bounds a mailbox: so many of its messages wait or are being handled, since one whose attempt
    /// is rolled back waits again. What the next sender meets with is the [`Bound`]'s. Bounds are
    /// chosen at the spawn, and stay.
    ///
    /// A message of a coordinated transaction is accepted beyond the bound, and counted.
    ///
    /// ```
    /// use odeon_core::{Bound, Message, Reply, SendError, Theater};
    /// use odeon_speculative::*;
    /// use odeon_stm::{TVar, Tx};
    ///
    /// struct Add(u64, Reply<u64>);
    /// impl Message for Add {}
    ///
    /// struct Sum(TVar<u64>);
    /// impl SpeculativeActor for Sum {
    ///     type Msg = Add;
    ///     fn handle<'t>(
    ///         &'t self,
    ///         Add(n, sum): &'t Add,
    ///         tx: &mut Tx<'t>,
    ///         ctx: &mut SpeculativeContext<'_, Self>,
    ///     ) -> TxResult {
    ///         self.0.update(tx, |sum| sum + n)?;
    ///         ctx.reply(sum, self.0.get(tx)?);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let theater = Theater::new()?;
    /// // With a thousand messages before it, a message comes back: its sender can say no at once.
    /// let processing = Processing::default().bounded(0, Bound::reject(1_000));
    /// let sum = theater.spawn_speculative(Sum(TVar::new(0)), processing);
    /// assert_eq!(sum.ask(|reply| Add(5, reply)).wait(), Ok(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the bound is one that [drops the oldest](Bound::drop_oldest) message: that may be under
    /// way.
    #[must_use]
    #[track_caller]
    pub fn bounded(mut self, mailbox: impl MailboxName, bound: Bound) -> Self {
        assert!(
            !bound.drops_oldest(),
            "a speculative actor cannot drop its oldest message, which may be under way: `Bound::reject` or `Bound::wait`"
        );
        let mailbox = mailbox.number();
        self.bounds.retain(|(of, _)| *of != mailbox);
        self.bounds.push((mailbox, bound));
        self
    }
}

impl Processing {
    /// The bounds of each of so many mailboxes; `None` if none has one.
    ///
    /// # Panics
    /// If there is one of another mailbox.
    #[track_caller]
    pub(crate) fn bounds_of(&self, mailboxes: usize) -> Option<Arc<[Option<Bound>]>> {
        let mut bounds = vec![None; mailboxes];
        for (mailbox, bound) in &self.bounds {
            assert!(
                *mailbox < mailboxes,
                "there is no mailbox {mailbox} to be bounded: the actor has {mailboxes} (numbered from 0)"
            );
            bounds[*mailbox] = Some(*bound);
        }
        (!self.bounds.is_empty()).then(|| bounds.into())
    }

    /// Whether an actor processed so in a pool of `workers` may handle several messages at once.
    pub(crate) fn may_be_wide(&self, workers: usize) -> bool {
        let is_sequential = matches!(self.mode, ProcessingMode::Sequential);
        !is_sequential && self.width.unwrap_or(workers) > 1
    }

    /// The same, by no policy.
    pub(crate) fn one_at_a_time(&self) -> Self {
        Self { mode: ProcessingMode::Sequential, ..self.clone() }
    }

    /// The width to begin with in a pool of `workers`, and who changes it.
    pub(crate) fn begin(&self, workers: usize) -> (usize, Option<Controller>) {
        let most = self.width.unwrap_or(workers).min(MOST_WIDTH);
        match &self.mode {
            ProcessingMode::Sequential => (1, None),
            ProcessingMode::Concurrent => (most, None),
            ProcessingMode::Adaptive(_) if most == 1 => (1, None),
            ProcessingMode::Adaptive(make) => {
                let (first, controller) = Controller::new(make.make(), most);
                (first, Some(controller))
            }
        }
    }
}

impl Default for Processing {
    /// [`Processing::adaptive`].
    fn default() -> Self {
        Self::adaptive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processing::width::Fixed;

    #[test]
    fn no_actor_is_wider_than_pays() {
        let wide = |processing: Processing| processing.width(usize::MAX).begin(2).0;
        assert_eq!(wide(Processing::concurrent()), MOST_WIDTH);
        assert_eq!(wide(Processing::adaptive_with(|| Fixed::new(usize::MAX))), MOST_WIDTH);
        assert_eq!(Processing::concurrent().begin(2).0, 2);
    }
}
