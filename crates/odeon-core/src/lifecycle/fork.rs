//! Forked tasks: computations that run on the pool, in parallel with the actor that forks them,
//! which goes on with what they come to.
//!
//! A fork is a pipe (`lifecycle/pipe.rs`) whose future is ready at its first poll, and whose
//! carrier runs on the pool wherever its actor does. Of several tasks each one is an actor of the
//! pool for the length of one turn, and one pipe waits for the last of them: the *join*.
//!
//! After the `async` and the data-driven control of Habanero, as used by Imam and Sarkar:
//! "Selectors" (AGERE 2014), section 6.

use std::any::Any;
use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::lifecycle::pipe::{self, Pipe};
use crate::lifecycle::spawn;
use crate::process::cell::Header;
use crate::process::piped::Continuation;
use crate::process::unanswered;
use crate::turn::actor::Actor;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::message::Message;
use crate::vocabulary::oneshot;

/// What tasks that were forked together have come to so far.
struct Join<T> {
    /// In the order of the tasks.
    results: Vec<Option<T>>,
    left: usize,
    /// The first one.
    panic: Option<Box<dyn Any + Send>>,
    joined: Option<oneshot::Sender<ForkResult<T>>>,
}

/// What all tasks have come to, or the panic of one.
type ForkResult<T> = Result<Vec<T>, Box<dyn Any + Send>>;

/// Of `std` also in models: nobody waits or calls anything under this lock.
struct SharedJoin<T>(Mutex<Join<T>>);

impl<T> SharedJoin<T> {
    fn lock(&self) -> MutexGuard<'_, Join<T>> {
        self.0.lock().expect("no panic happens under the lock of a join")
    }

    /// Whether nobody waits for the results any more.
    fn is_cancelled(&self) -> bool {
        self.lock().joined.as_ref().is_none_or(oneshot::Sender::is_closed)
    }

    /// A task is over; the last one tells.
    fn put(&self, number: usize, result: std::thread::Result<T>) {
        let mut join = self.lock();
        let mut second = None;
        match result {
            Ok(value) => join.results[number] = Some(value),
            Err(panic) if join.panic.is_none() => join.panic = Some(panic),
            Err(panic) => second = Some(panic),
        }
        join.left -= 1;
        let told = if join.left == 0 { join.joined.take() } else { None };
        let (panic, results) = match told {
            Some(_) => (join.panic.take(), std::mem::take(&mut join.results)),
            None => (None, Vec::new()),
        };
        drop(join);
        // A second panic says nothing new, and what it holds may panic when it is dropped.
        std::mem::forget(second);
        let Some(told) = told else { return };
        let all = match panic {
            Some(panic) => Err(panic),
            None => Ok(results.into_iter().flatten().collect()),
        };
        // Whoever waited may be gone.
        let _ = told.send(all);
    }
}

/// One of the tasks: an actor that runs it when it starts.
struct ForkTask<T, F> {
    task: Option<F>,
    number: usize,
    join: Arc<SharedJoin<T>>,
}

/// What a task can be sent.
enum Nothing {}

impl Message for Nothing {}

impl<T: Send + 'static, F: FnOnce() -> T + Send + 'static> Actor for ForkTask<T, F> {
    type Msg = Nothing;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.stop();
        let Some(task) = self.task.take().filter(|_| !self.join.is_cancelled()) else { return };
        let result = catch_unwind(AssertUnwindSafe(task));
        if let Err(panic) = &result {
            let _ = unanswered::failed(&**panic);
        }
        self.join.put(self.number, result);
    }

    fn handle(&mut self, nothing: Nothing, _: &mut Context<'_, Self>) {
        match nothing {}
    }
}

/// Starts the tasks, and gives what is ready when the last one is over.
fn start<T, F, I>(
    beside: &Header,
    tasks: I,
) -> impl Future<Output = Vec<T>> + Send + 'static + use<T, F, I>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
    I: IntoIterator<Item = F>,
{
    let tasks: Vec<F> = tasks.into_iter().collect();
    let (tell, told) = oneshot::channel();
    let results = tasks.iter().map(|_| None).collect();
    let join = Join { results, left: tasks.len(), panic: None, joined: Some(tell) };
    let join = Arc::new(SharedJoin(Mutex::new(join)));
    let is_empty = tasks.is_empty();
    for (number, task) in tasks.into_iter().enumerate() {
        spawn::forked(beside, ForkTask { task: Some(task), number, join: join.clone() });
    }
    async move {
        if is_empty {
            return Vec::new();
        }
        match told.await {
            Ok(Ok(results)) => results,
            Ok(Err(panic)) => resume_unwind(panic),
            // The theater has ended a task, and ends whoever waits for it.
            Err(_) => pending().await,
        }
    }
}

impl<A: Behavior> Context<'_, A> {
    /// Runs `task` on the pool, in parallel with this actor, and calls `then` with what it returns
    /// as a turn of this actor: with its state, and never during a handler. So a handler can leave
    /// a long computation to another worker.
    ///
    /// In all other respects it is a [`pipe`](Self::pipe): it ends with the state that forked it (a
    /// task that has not begun is dropped, one under way runs to its end for nothing), a panic of
    /// the task is a failure of this actor, and it keeps the actor meanwhile. A task must not wait
    /// for something: it keeps a worker of the pool busy.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::sync::mpsc::{Sender, channel};
    /// struct Sums { total: u64, out: Sender<u64> }
    /// impl Actor for Sums {
    ///     type Msg = Vec<u64>;
    ///     fn handle(&mut self, numbers: Vec<u64>, ctx: &mut Context<'_, Self>) {
    ///         ctx.fork(
    ///             move || numbers.iter().sum::<u64>(),
    ///             |sums, sum, _ctx| {
    ///                 sums.total += sum;
    ///                 sums.out.send(sums.total).unwrap();
    ///             },
    ///         );
    ///     }
    /// }
    /// # let theater = Theater::new()?;
    /// # let (out, totals) = channel();
    /// # let sums = theater.spawn(Sums { total: 0, out });
    /// sums.send(vec![1, 2, 3]).unwrap();
    /// assert_eq!(totals.recv().unwrap(), 6);
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn fork<T, F, G>(&self, task: F, then: G) -> Pipe
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
        G: FnOnce(&mut A, T, &mut Context<'_, A>) + Send + 'static,
    {
        pipe::fork(self.actor_ref(), async move { task() }, |output| {
            Continuation::of_actor(move |actor, ctx| then(actor, output, ctx))
        })
    }

    /// Runs all `tasks` on the pool, in parallel with this actor and with each other, and calls
    /// `then` with all that they return, in the order of the tasks, when the last one is over; at
    /// once if there are none. If one panics, `then` is not called, and the actor fails when the
    /// last one is over. See [`fork`](Self::fork).
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::sync::mpsc::{Sender, channel};
    /// struct Squares(Sender<Vec<u64>>);
    /// impl Actor for Squares {
    ///     type Msg = u64;
    ///     fn handle(&mut self, up_to: u64, ctx: &mut Context<'_, Self>) {
    ///         let tasks = (1..=up_to).map(|n| move || n * n);
    ///         ctx.fork_all(tasks, |this, squares, _ctx| this.0.send(squares).unwrap());
    ///     }
    /// }
    /// # let theater = Theater::new()?;
    /// # let (out, squares) = channel();
    /// # theater.spawn(Squares(out)).send(4).unwrap();
    /// assert_eq!(squares.recv().unwrap(), [1, 4, 9, 16]);
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn fork_all<T, F, G>(&self, tasks: impl IntoIterator<Item = F>, then: G) -> Pipe
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
        G: FnOnce(&mut A, Vec<T>, &mut Context<'_, A>) + Send + 'static,
    {
        self.pipe(start(&self.cell().header, tasks), then)
    }
}

impl<A: AsyncBehavior> AsyncContext<'_, A> {
    /// Runs `task` on the pool, in parallel with this actor, and calls `then` with what it returns
    /// as a turn of this actor, when no handler waits. See [`Context::fork`].
    pub fn fork<T, F, G>(&self, task: F, then: G) -> Pipe
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
        G: FnOnce(&mut A, T, &mut AsyncContext<'_, A>) + Send + 'static,
    {
        pipe::fork(self.actor_ref(), async move { task() }, |output| {
            Continuation::of_async_actor(move |actor, ctx| then(actor, output, ctx))
        })
    }

    /// Runs all `tasks` on the pool, and calls `then` with all that they return when the last one
    /// is over. See [`Context::fork_all`].
    pub fn fork_all<T, F, G>(&self, tasks: impl IntoIterator<Item = F>, then: G) -> Pipe
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
        G: FnOnce(&mut A, Vec<T>, &mut AsyncContext<'_, A>) + Send + 'static,
    {
        self.pipe(start(&self.cell().header, tasks), then)
    }
}
