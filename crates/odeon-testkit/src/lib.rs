//! What tests of actors are made with: runs that one seed replays, in virtual time, message by
//! message if need be; injected failures; accounts of messages and values; and the suites that
//! Odeon's own mailboxes and stages must pass. A dev-dependency only.
//!
//! | question | here | files |
//! |---|---|---|
//! | how do attempts of speculative actors overlap? | [`Deterministic`], [`Deterministic::interleave`] | `deterministic_scheduler/{baton,carriers}.rs` |
//! | which mistakes does that find? | `MISTAKES.md` | `tests/mistakes/*` |
//! | can I replay that run? | [`Deterministic`], [`for_seeds`], [`Trace`] | `deterministic_scheduler.rs`, `seeds.rs`, `replay.rs`, `trace.rs` |
//! | what time is it in the test, and how does it pass? | [`Deterministic::advance`], [`VirtualClock`] | `deterministic_scheduler/time.rs`, `virtual_clock.rs` |
//! | which message goes next? | [`Stepped`] | `stepped.rs` |
//! | what was sent to my actor's neighbour? | [`Probe`] | `probe.rs` |
//! | what if it fails there? | [`Faults`] | `faults.rs` |
//! | what does a handler wait for? | [`Bell`], [`yields`] | `waiting.rs` |
//! | did every message end up somewhere? | [`Ledger`] | `conservation.rs` |
//! | can what clients were told be explained? | [`History`], [`Model`] | `history.rs`, `history/*` |
//! | was every value dropped, and once? | [`DropTracker`] | `drop_tracker.rs` |
//! | what does my log find after a crash, or a disk that fails? | [`disk`] | `disk.rs`, `disk/*` |
//! | what does my kernel in CUDA C compute? | [`CudaOnCores`] | `cuda_on_cores.rs`, `cuda_on_cores/cuda.hpp` |
//! | what if it breaks its process, or never ends? | [`OwnProcess`] | `own_process.rs` |
//! | does my mailbox, my stage keep the promises? | [`conformance`] | `conformance/*` |
//!
//! # Any order, any time, and the same again
//!
//! In a [`Deterministic`] run one thread runs at a time: its seed decides whose turn it is, how
//! long that is, and when a timer that is due fires among them. [`for_seeds`] tries many; of one
//! that fails it prints the command that runs it again, alone (S23).
//!
//! ```
//! # use std::time::Duration;
//! use odeon_core::*;
//! use odeon_testkit::{Deterministic, for_seeds};
//!
//! /// Gives up after a minute.
//! struct Session { open: bool }
//! enum Event { TimedOut, IsOpen(Reply<bool>) }
//! # impl Message for Event {}
//!
//! impl Actor for Session {
//!     type Msg = Event;
//!     fn started(&mut self, ctx: &mut Context<'_, Self>) {
//!         ctx.send_after(Duration::from_secs(60), Event::TimedOut);
//!     }
//!     fn handle(&mut self, msg: Event, _: &mut Context<'_, Self>) {
//!         match msg {
//!             Event::TimedOut => self.open = false,
//!             Event::IsOpen(reply) => reply.send(self.open),
//!         }
//!     }
//! }
//!
//! for_seeds(100, |seed| {
//!     let run = Deterministic::new(seed);
//!     let session = run.theater().spawn(Session { open: true });
//!     let is_open = || {
//!         let answer = session.ask(Event::IsOpen);
//!         run.run_until_idle();
//!         answer.wait().unwrap()
//!     };
//!     run.advance(Duration::from_secs(59));
//!     assert!(is_open());
//!     run.advance(Duration::from_secs(1));
//!     assert!(!is_open());
//! });
//! ```
//!
//! # Attempts that overlap
//!
//! Where there are speculative actors the seed also interrupts their attempts, before they begin,
//! behind each read of a variable, and before effects are decided, for others to go on before them.
//! So what works by luck, because nothing came in between, fails with some seed, and again with the
//! same one. It finds what is wrong between messages and beside the variables: `MISTAKES.md` has a
//! kit of such actors, and the right way beside each. It does *not* find
//!
//! * data races in `unsafe` code, and what weak memory orderings do: one thread runs at a time;
//! * what comes between two plain instructions of a handler: only where it reads a variable, or
//!   peeks at one;
//! * what comes in the middle of a commit or of one access: that is Odeon's own affair, and checked
//!   by models;
//! * what no seed that was tried has come to: a mistake that needs five steps of four actors in one
//!   order takes more seeds;
//! * what is not asserted: a seed interleaves, and the test judges, best what must hold in every
//!   order.
//!
//! Variables are made after the `Deterministic` of their test: hashes of maps, for example, are
//! fixed from then on. A handler does not hold a lock of its own while it reads a variable; another
//! one that wants the lock blocks the test, which says so after half a minute.
//!
//! ```
//! use odeon_core::*;
//! use odeon_speculative::{Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult};
//! use odeon_stm::{TVar, Tx};
//! use odeon_testkit::Deterministic;
//!
//! /// Hands out numbers, each once; or so it seems.
//! struct Counter { next: TVar<u32> }
//! # struct Next(Reply<u32>);
//! # impl Message for Next {}
//! # struct Customer(ActorRef<Next>);
//! # impl Actor for Customer {
//! #     type Msg = Box<Reply<u32>>;
//! #     fn handle(&mut self, reply: Box<Reply<u32>>, _: &mut Context<'_, Self>) { self.0.send(Next(*reply)).unwrap() }
//! # }
//! impl SpeculativeActor for Counter {
//!     type Msg = Next;
//!     fn handle<'t>(
//!         &'t self, Next(reply): &'t Next, tx: &mut Tx<'t>, ctx: &mut SpeculativeContext<'_, Self>,
//!     ) -> TxResult {
//!         let number = self.next.peek(); // not `get(tx)?`
//!         self.next.set(tx, number + 1)?;
//!         ctx.reply(reply, number);
//!         Ok(())
//!     }
//! }
//!
//! let numbers_are_distinct = |seed| {
//!     let run = Deterministic::new(seed);
//!     let counter = Counter { next: TVar::new(0) };
//!     let counter = run.theater().spawn_speculative(counter, Processing::concurrent());
//!     let answers = [(); 2].map(|()| run.theater().spawn(Customer(counter.actor_ref())).ask(Box::new));
//!     run.run_until_idle();
//!     let [first, second] = answers.map(|answer| answer.wait().unwrap());
//!     first != second
//! };
//! assert!((0..1_000).any(|seed| !numbers_are_distinct(seed)));
//! ```
//!
//! # Message by message
//!
//! A [`Stepped`] actor handles what the test expects, and nothing else; a [`Probe`] stands in for
//! whoever is sent to:
//!
//! ```
//! # use std::time::Duration;
//! use odeon_core::*;
//! use odeon_testkit::Deterministic;
//!
//! #[derive(Debug)]
//! enum Order { Coffee, Cancel }
//! # impl Message for Order {}
//! struct Bar { kitchen: ActorRef<&'static str>, waiting: u32 }
//! impl Actor for Bar {
//!     type Msg = Order;
//!     fn handle(&mut self, order: Order, _: &mut Context<'_, Self>) {
//!         match order {
//!             Order::Coffee => { self.waiting += 1; self.kitchen.send("brew").unwrap(); }
//!             Order::Cancel if self.waiting > 0 => self.kitchen.send("stop").unwrap(),
//!             Order::Cancel => {}
//!         }
//!     }
//! }
//!
//! let run = Deterministic::new(42);
//! let kitchen = run.probe();
//! let bar = run.spawn_stepped(Bar { kitchen: kitchen.actor_ref(), waiting: 0 });
//! bar.send(Order::Coffee).unwrap();
//! bar.send(Order::Cancel).unwrap();
//! bar.disallow(|order| matches!(order, Order::Cancel));
//! bar.expect(|order| matches!(order, Order::Coffee));
//! assert_eq!(kitchen.next(Duration::ZERO), "brew");
//! bar.expect(|order| matches!(order, Order::Cancel));
//! assert_eq!(kitchen.next(Duration::ZERO), "stop");
//! bar.expect_nothing();
//! kitchen.expect_silence(Duration::from_secs(3600));
//! ```
//!
//! # Failures, and accounts of what became of everything
//!
//! [`Faults`] has an actor panic at chosen or random messages; a [`Ledger`] knows where each
//! message went, a [`DropTracker`] whether each value was dropped. They work on any stage, with
//! threads too:
//!
//! ```
//! # use std::time::Duration;
//! use odeon_core::*;
//! use odeon_testkit::{DropTracker, Faults, Ledger, Ticket, Tracked};
//!
//! struct Fragile { _state: Tracked<()> }
//! impl Actor for Fragile {
//!     type Msg = Ticket;
//!     fn handle(&mut self, ticket: Ticket, _: &mut Context<'_, Self>) { ticket.handled() }
//! }
//!
//! let (ledger, states) = (Ledger::new(), DropTracker::new());
//! let hook = ledger.dead_letter_hook::<Ticket>();
//! let theater = Theater::builder().on_dead_letter(hook).build()?;
//! let (faults, made) = (Faults::one_in(10, 42), states.clone());
//! let fragile = theater.actor().supervised(Supervision::new().restarts(3, Duration::MAX)).spawn(move || {
//!     faults.plain(Fragile { _state: made.track(()) })
//! });
//! (0..100).for_each(|_| { ledger.send(&fragile, |ticket| ticket); });
//! ledger.take_leftovers::<Ticket>(theater.shutdown(Duration::from_secs(5)));
//! drop(fragile);
//! let account = ledger.check(); // sent = handled + failed + returned + dead-lettered
//! assert!(account.failed > 0);
//! states.check();
//! # Ok::<(), BuildError>(())
//! ```
//!
//! # Handlers that wait
//!
//! A [`Bell`] is what a handler of an asynchronous actor waits for until the test rings it:
//!
//! ```
//! use odeon_core::*;
//! use odeon_testkit::{Bell, Deterministic};
//!
//! struct Patient;
//! impl AsyncActor for Patient {
//!     type Msg = Bell;
//!     async fn handle(&mut self, bell: Bell, ctx: &mut AsyncContext<'_, Self>) {
//!         bell.rings().await;
//!         ctx.stop();
//!     }
//! }
//!
//! let run = Deterministic::new(42);
//! let (bell, patient) = (Bell::new(), run.theater().spawn(Patient));
//! patient.send(bell.clone()).unwrap();
//! run.run_until_idle();
//! assert!(bell.waiting() == 1 && !patient.is_stopped());
//! bell.ring();
//! run.run_until_idle();
//! assert!(patient.is_stopped());
//! ```
#![deny(unsafe_code)]

pub mod conformance;
mod conservation;
mod cuda_on_cores;
mod deterministic_scheduler;
pub mod disk;
mod drop_tracker;
mod faults;
mod history;
mod own_process;
mod probe;
mod replay;
mod seeds;
mod silent_panic;
mod stepped;
mod trace;
mod virtual_clock;
mod waiting;

pub use conservation::{Account, Counted, Ledger, Ticket};
pub use cuda_on_cores::CudaOnCores;
pub use deterministic_scheduler::Deterministic;
pub use drop_tracker::{DropTracker, Tracked};
pub use faults::{AsyncFaulty, Faults, Faulty, INJECTED};
pub use history::{Call, History, Model, Step, Unexplained};
pub use own_process::OwnProcess;
pub use probe::Probe;
pub use seeds::for_seeds;
pub use silent_panic::silent_panic;
pub use stepped::Stepped;
pub use trace::{Choice, Trace};
pub use virtual_clock::VirtualClock;
pub use waiting::{Bell, Rings, Yields, yields};
