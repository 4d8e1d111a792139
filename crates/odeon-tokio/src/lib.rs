//! tokio inside of Odeon's actors, and Odeon's actors inside of a tokio program.
//!
//! Handlers of an [`AsyncActor`](odeon_core::AsyncActor) run on threads of Odeon. tokio's timers
//! and sockets, and `tokio::spawn`, look for their runtime on the thread they are used on: a
//! theater that was built with [`tokio_current`](TheaterBuilderExt::tokio_current) or
//! [`tokio`](TheaterBuilderExt::tokio) offers it on all of its threads, also in plain handlers and
//! on pinned and dedicated stages. tokio's channels and locks work without. With
//! [`on_tokio`](TheaterBuilderExt::on_tokio) a theater has no worker threads: its workers are tasks
//! of the runtime, and handlers run on its threads. Time that tokio has paused goes on for the
//! theater.
//!
//! # From tokio's tasks to actors
//! What is awaited never blocks the thread, in whatever theater: [`ask`](odeon_core::ActorRef::ask)
//! and [`send_async`](odeon_core::ActorRef::send_async) are futures for any executor, which wait
//! for a place in a bounded mailbox (S18) or for a receiver under pressure (S17) like for
//! everything else.
//!
//! In a program that has this crate, every theater knows tokio's tasks, however it was built:
//! * [`send`](odeon_core::ActorRef::send) does not block either where a runtime of tokio has been
//!   entered. It has no way to wait there, so the message is accepted however much is waiting, also
//!   beyond the capacity of a bounded mailbox, and counts. A task that sends more than an actor can
//!   handle awaits `send_async`, or looks at what `try_send` says. (tokio does not tell its tasks
//!   from the threads of `spawn_blocking` and of `Runtime::enter`. A flood from there goes by
//!   `send_async` as well, through `Handle::block_on`.)
//! * A question to an actor under pressure is sent when it is awaited and the actor is relieved;
//!   given up before, it is not sent. (Elsewhere it is accepted at once.)
//! * Each task is a sender of its own to a speculative actor (S25), which so handles messages of
//!   several tasks at once, be they on one thread. The future that `Runtime::block_on` or
//!   `#[tokio::main]` runs has no number; as a sender it is its thread.
//!
//! ```
//! use std::time::Duration;
//!
//! use odeon_core::*;
//! use odeon_tokio::{TheaterBuilderExt, TheaterExt};
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//! use tokio::net::{TcpListener, TcpStream};
//!
//! /// Keeps a connection, and uses it for one question at a time.
//! struct Connection { socket: TcpStream }
//!
//! enum Request { Shout(String, Reply<String>) }
//! impl Message for Request {}
//!
//! impl AsyncActor for Connection {
//!     type Msg = Request;
//!     async fn handle(&mut self, msg: Request, ctx: &mut AsyncContext<'_, Self>) {
//!         let Request::Shout(text, reply) = msg;
//!         let mut answer = vec![0; text.len()];
//!         let exchange = async {
//!             self.socket.write_all(text.as_bytes()).await?;
//!             self.socket.read_exact(&mut answer).await
//!         };
//!         match tokio::time::timeout(Duration::from_secs(5), exchange).await {
//!             Ok(Ok(_)) => reply.send(String::from_utf8_lossy(&answer).into_owned()),
//!             // The dropped reply tells the asker.
//!             Ok(Err(_)) | Err(_) => ctx.stop(),
//!         }
//!     }
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let listener = TcpListener::bind("127.0.0.1:0").await?;
//!     let address = listener.local_addr()?;
//!     tokio::spawn(async move {
//!         let (mut socket, _) = listener.accept().await.unwrap();
//!         let mut text = [0; 5];
//!         while socket.read_exact(&mut text).await.is_ok() {
//!             text.make_ascii_uppercase();
//!             socket.write_all(&text).await.unwrap();
//!         }
//!     });
//!
//!     let theater = Theater::builder().tokio_current().build()?;
//!     let connection = theater.spawn(Connection { socket: TcpStream::connect(address).await? });
//!     let answer = connection.ask(|reply| Request::Shout("hello".into(), reply)).await?;
//!     assert_eq!(answer, "HELLO");
//!
//!     let report = theater.shutdown_async(Duration::from_secs(5)).await;
//!     assert!(report.leftovers.is_empty());
//!     Ok(())
//! }
//! ```
//!
//! # Which ends first
//! The theater should. What waits for a timer or socket of a runtime that has been shut down is
//! woken, and panics in tokio: its actor fails (S5), the theater goes on.
//!
//! Dropping a [`Theater`] in an `async fn` is allowed: it cancels handlers that wait
//! and blocks until handlers in progress have returned, a second at most.
//! [`shutdown_async`](TheaterExt::shutdown_async) does not block.
#![forbid(unsafe_code)]

mod worker;

use std::time::Duration;

use odeon_core::extend::{turn_context, workers_as_tasks};
use odeon_core::{StopReport, Theater, TheaterBuilder};
use odeon_sync::contained::quietly;
use tokio::runtime::Handle;
use tokio::task::unconstrained;

use worker::TokioWorker;

/// Gives a theater's threads a tokio runtime.
pub trait TheaterBuilderExt: Sized {
    /// Enters the runtime of `handle` on every thread of the theater.
    ///
    /// ```
    /// # use odeon_core::*;
    /// use odeon_tokio::TheaterBuilderExt;
    ///
    /// struct Sleeper;
    /// impl AsyncActor for Sleeper {
    ///     type Msg = Box<Reply<&'static str>>;
    ///     async fn handle(&mut self, reply: Self::Msg, _ctx: &mut AsyncContext<'_, Self>) {
    ///         tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    ///         reply.send("rested");
    ///     }
    /// }
    ///
    /// let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    /// let theater = Theater::builder().tokio(runtime.handle().clone()).build()?;
    /// assert_eq!(theater.spawn(Sleeper).ask(Box::new).wait()?, "rested");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    fn tokio(self, handle: Handle) -> Self;

    /// As [`tokio`](Self::tokio), with the runtime that this is called in.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    #[must_use]
    #[track_caller]
    fn tokio_current(self) -> Self {
        self.tokio(Handle::current())
    }

    /// Has the pool's workers be tasks of the runtime of `handle`, as many as it has threads
    /// (unless [`workers`](TheaterBuilder::workers) says otherwise behind this): there is one pool
    /// of threads for actors and tasks, and a message from one to the other wakes no thread beside
    /// those. Other threads of the theater enter the runtime, as with [`tokio`](Self::tokio).
    ///
    /// A worker gives turns for some 50 us, then lets tasks go first. Handlers may take as long as
    /// tasks between two `.await`s; one that blocks belongs on a
    /// [dedicated stage](odeon_core::ActorBuilder::dedicated). `block_on` panics in them, as in
    /// tasks. What is bound to threads of the theater is not for these workers:
    /// [`pin_workers`](TheaterBuilder::pin_workers), [`stack_size`](TheaterBuilder::stack_size). A
    /// [`thread_context`](TheaterBuilder::thread_context) surrounds each poll of a worker.
    ///
    /// When the runtime or the theater ends, threads of the theater take over, so that neither
    /// waits for the other.
    ///
    /// ```
    /// # use odeon_core::*;
    /// use odeon_tokio::TheaterBuilderExt;
    ///
    /// struct Doubler;
    /// struct Double(u64, Reply<u64>);
    /// impl Message for Double {}
    /// impl Actor for Doubler {
    ///     type Msg = Double;
    ///     fn handle(&mut self, Double(n, reply): Double, _: &mut Context<'_, Self>) {
    ///         reply.send(2 * n);
    ///     }
    /// }
    ///
    /// #[tokio::main]
    /// async fn main() -> Result<(), Box<dyn std::error::Error>> {
    ///     let theater = Theater::builder().on_tokio().build()?;
    ///     let doubler = theater.spawn(Doubler);
    ///     assert_eq!(doubler.call(|reply| Double(21, reply)).await?, 42);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    fn on_tokio_of(self, handle: Handle) -> Self;

    /// As [`on_tokio_of`](Self::on_tokio_of), with the runtime that this is called in.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    #[must_use]
    #[track_caller]
    fn on_tokio(self) -> Self {
        self.on_tokio_of(Handle::current())
    }
}

impl TheaterBuilderExt for TheaterBuilder {
    fn tokio(self, handle: Handle) -> Self {
        turn_context(self, move |work| {
            let entered = handle.enter();
            work();
            // A handler that has entered a runtime itself and never left it has tokio panic here;
            // and what must not unwind would end the process.
            quietly(|| drop(entered));
        })
    }

    fn on_tokio_of(self, handle: Handle) -> Self {
        let builder = self.workers(handle.metrics().num_workers()).tokio(handle.clone());
        workers_as_tasks(builder, move |worker| {
            // tokio's budget is one for each poll of a task, and a worker gives turns to many.
            handle.spawn(unconstrained(TokioWorker::new(worker, handle.clone())));
        })
    }
}

/// A theater's end, without blocking the task that asks for it.
pub trait TheaterExt: Sized {
    /// As [`Theater::shutdown`], waiting on one of tokio's blocking threads.
    ///
    /// # Panics
    /// Outside of a tokio runtime. When it is awaited, if the runtime has been shut down before the
    /// shutdown could begin: then the theater has been dropped, and there is no report.
    ///
    /// # Cancellation
    /// The shutdown begins with the call, not with the first poll, and goes on if the future is
    /// dropped; its report is lost then, and with it the messages that were not handled.
    fn shutdown_async(self, deadline: Duration) -> impl Future<Output = StopReport> + Send;
}

impl TheaterExt for Theater {
    #[track_caller]
    fn shutdown_async(self, deadline: Duration) -> impl Future<Output = StopReport> + Send {
        let stopping = tokio::task::spawn_blocking(move || self.shutdown(deadline));
        async {
            stopping.await.expect("the runtime has ended before the theater's shutdown could begin")
        }
    }
}
