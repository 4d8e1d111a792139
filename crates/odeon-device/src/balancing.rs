//! A pool of workers of several kinds behind one queue, which finds out by itself which of them are
//! best for the work.
//!
//! | question | files |
//! |---|---|
//! | what does a program decide? | `balancing/{builder,kind,objective}.rs` |
//! | how does a piece go, and come back? | `balancing/{piece,queue,distributor,member}.rs`, in this order |
//! | who takes how many pieces? | `balancing/worker_table.rs` |
//! | which workers work at the same time? | `balancing/{configuration,profiler}.rs`, `balancing/profiler/*` |
//! | how is that measured? | `balancing/window.rs` |
//! | what if a worker fails? | `balancing/{failure,member,distributor}.rs` |
//! | does it find the best, and at what cost? | `balancing/simulation.rs`, which runs all but the threads |
//!
//! After Hayduk's thesis, section 6.4.

mod builder;
mod configuration;
mod distributor;
mod failure;
mod kind;
mod member;
mod objective;
mod piece;
mod profiler;
mod queue;
mod report;
mod shared;
#[cfg(test)]
mod simulation;
mod window;
mod worker_table;

use std::fmt;
use std::sync::Arc;

use odeon_core::{Ask, Reply, extend};

pub use builder::{Balancing, BalancingError};
pub use configuration::Configuration;
pub use failure::{Then, WorkerFailure};
pub use kind::Kind;
pub use objective::{EnergySource, Objective};
pub use piece::{Returned, Undone, WhyUndone, WorkerError};
pub use report::{BalancingReport, ConfigurationReport, KindReport};

use piece::{Home, Together};
use shared::BalancingShared;

/// Workers of several kinds that take pieces of work from one queue when they are free. A handle:
/// its clones are the same pool.
///
/// A piece is moved: to the queue, to a worker, and back with its result. Nothing of it is copied,
/// and nobody else has it meanwhile. So a program that works in rounds submits all pieces of a
/// round, gets them back, and submits them again for the next one.
///
/// Which of the workers work at the same time is a [`Configuration`]. The pool tries all of them
/// with the first pieces, uses the best one by its [`Objective`], and looks whether it stays the
/// best. What is measured is the time in which the pool has work; so a worker that keeps a round
/// waiting for its last piece is not worth having, though more would get done with it if the work
/// never ended.
///
/// When all handles are gone the workers finish what was submitted, and end.
///
/// # Guarantees
/// S38: each piece comes back exactly once, done or [`Undone`]. No worker of the configuration in
/// use is idle while a piece waits.
///
/// # Examples
///
/// ```
/// use odeon_core::Theater;
/// use odeon_device::{BalancingPool, DeviceError, Kind, Place, Worker};
///
/// /// Sums the numbers up to one.
/// struct Sum { up_to: u64, result: u64 }
///
/// struct ByLoop;
/// impl Worker for ByLoop {
///     type Work = Sum;
///     fn place(&self) -> Place { Place::Cpu }
///     fn work(&mut self, batch: &mut [Sum]) -> Result<(), DeviceError> {
///         batch.iter_mut().for_each(|sum| sum.result = (1..=sum.up_to).sum());
///         Ok(())
///     }
/// }
///
/// struct ByFormula;
/// impl Worker for ByFormula {
///     type Work = Sum;
///     fn place(&self) -> Place { Place::Cpu }
///     fn work(&mut self, batch: &mut [Sum]) -> Result<(), DeviceError> {
///         batch.iter_mut().for_each(|sum| sum.result = sum.up_to * (sum.up_to + 1) / 2);
///         Ok(())
///     }
/// }
///
/// let theater = Theater::new()?;
/// let pool = BalancingPool::builder()
///     .kind(Kind::new("loop", Place::Cpu, 2, |_number| Ok(ByLoop)))
///     .kind(Kind::new("formula", Place::Cpu, 1, |_number| Ok(ByFormula)))
///     .profile_of(1_000)
///     .start(&theater)?;
/// let mut round: Vec<Sum> = (0..100).map(|n| Sum { up_to: 1_000 * n, result: 0 }).collect();
/// for _ in 0..10 {
///     let returned = pool.submit_all(round).wait()?;
///     round = returned.into_iter().collect::<Result<_, _>>()?;
/// }
/// assert_eq!(round[2].result, 2_001_000);
/// println!("used: {}", pool.report().in_use);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BalancingPool<W: Send + 'static> {
    inner: Arc<PoolHandle<W>>,
}

/// All handles have this in common, and the workers have not: when it goes the pool is closed.
struct PoolHandle<W: Send + 'static> {
    shared: Arc<BalancingShared<W>>,
}

impl<W: Send + 'static> BalancingPool<W> {
    /// A pool to be configured.
    pub fn builder() -> Balancing<W> {
        Balancing::new()
    }

    fn new(shared: Arc<BalancingShared<W>>) -> Self {
        Self { inner: Arc::new(PoolHandle { shared }) }
    }

    /// Submits a piece. The answer is the piece, with its result, or why it was not done.
    ///
    /// Waiting for it ends with [`AskError::NoReply`](odeon_core::AskError::NoReply) only if the
    /// process lost it.
    pub fn submit(&self, work: W) -> Ask<Returned<W>> {
        let (reply, ask) = extend::question();
        self.submit_to(work, reply);
        ask
    }

    /// Submits a piece that comes back by `reply`: in an actor, as one of its messages
    /// ([`Context::reply_to`](odeon_core::Context::reply_to)). In an attempt (S8), with its
    /// effects.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use odeon_device::*;
    /// # use std::sync::mpsc::{Sender, channel};
    /// # struct Doubler;
    /// # impl Worker for Doubler {
    /// #     type Work = u32;
    /// #     fn place(&self) -> Place { Place::Cpu }
    /// #     fn work(&mut self, batch: &mut [u32]) -> Result<(), DeviceError> {
    /// #         batch.iter_mut().for_each(|n| *n *= 2);
    /// #         Ok(())
    /// #     }
    /// # }
    /// struct Asker { pool: BalancingPool<u32>, out: Sender<u32> }
    /// enum ToAsker { Begin(u32), Back(Result<Returned<u32>, AskError>) }
    /// impl Message for ToAsker {}
    /// impl Actor for Asker {
    ///     type Msg = ToAsker;
    ///     fn handle(&mut self, message: ToAsker, ctx: &mut Context<'_, Self>) {
    ///         match message {
    ///             ToAsker::Begin(n) => self.pool.submit_to(n, ctx.reply_to(ToAsker::Back)),
    ///             ToAsker::Back(Ok(Ok(doubled))) => self.out.send(doubled).unwrap(),
    ///             ToAsker::Back(_) => ctx.stop(),
    ///         }
    ///     }
    /// }
    /// # let theater = Theater::new()?;
    /// # let pool = BalancingPool::builder().kind(Kind::new("cpu", Place::Cpu, 1, |_| Ok(Doubler))).start(&theater)?;
    /// # let (out, doubled) = channel();
    /// # theater.spawn(Asker { pool, out }).send(ToAsker::Begin(21)).unwrap();
    /// # assert_eq!(doubled.recv()?, 42);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn submit_to(&self, work: W, reply: Reply<Returned<W>>) {
        let shared = self.inner.shared.clone();
        extend::let_happen(move || {
            let piece = std::iter::once((work, Home::Alone(reply)));
            shared.ask(|distributor, now| distributor.submit(piece, now));
        });
    }

    /// Submits several pieces. The answer comes when all are back: as they were submitted, in that
    /// order.
    pub fn submit_all(&self, works: Vec<W>) -> Ask<Vec<Returned<W>>> {
        let (reply, ask) = extend::question();
        self.submit_all_to(works, reply);
        ask
    }

    /// As [`submit_all`](Self::submit_all); they come back by `reply`.
    pub fn submit_all_to(&self, works: Vec<W>, reply: Reply<Vec<Returned<W>>>) {
        if works.is_empty() {
            return reply.send(Vec::new());
        }
        let shared = self.inner.shared.clone();
        extend::let_happen(move || {
            let together = Together::new(works.len(), reply);
            let places = works.into_iter().enumerate();
            let pieces =
                places.map(move |(place, work)| (work, Home::Among(together.clone(), place)));
            shared.ask(|distributor, now| distributor.submit(pieces, now));
        });
    }

    /// Waits until there is room in the queue, or there is none to come because the pool has
    /// stopped. Somebody else's pieces may come in between.
    pub fn room(&self) -> Ask<()> {
        let (reply, ask) = extend::question();
        self.inner.shared.ask(|distributor, now| distributor.wait_for_room(reply, now));
        ask
    }

    /// Has all configurations tried again, with the next pieces.
    pub fn profile(&self) {
        self.inner.shared.ask(|distributor, now| distributor.profile(now));
    }

    /// What the pool has done and measured so far.
    ///
    /// # Panics
    /// In a source of energy, while this pool reads that.
    #[track_caller]
    pub fn report(&self) -> BalancingReport {
        self.inner.shared.report()
    }

    /// Stops the pool: what waits comes back as it is ([`WhyUndone::Stopped`]), as does what is
    /// submitted from here on; what is in work comes back done. The workers end.
    pub fn stop(&self) {
        self.inner.shared.ask(|distributor, now| distributor.close(true, now));
    }
}

impl<W: Send + 'static> Drop for PoolHandle<W> {
    fn drop(&mut self) {
        self.shared.ask(|distributor, now| distributor.close(false, now));
    }
}

impl<W: Send + 'static> Clone for BalancingPool<W> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl<W: Send + 'static> fmt::Debug for BalancingPool<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("BalancingPool");
        if self.inner.shared.is_in_meter() {
            return shown.finish_non_exhaustive();
        }
        shown.field("report", &self.report()).finish()
    }
}
