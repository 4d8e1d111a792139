//! Streams into actors and out of them, with backpressure in both directions.
//!
//! | question | file |
//! |---|---|
//! | how do the items of a stream become messages of an actor? | `attach.rs` |
//! | how does what an actor sends become a stream? | `outlet.rs` |
//!
//! A stream is anything that implements `Stream` of the `futures-core` crate: channels of tokio and
//! others, sockets, bodies of requests, or what the combinators of `futures` and `tokio-stream`
//! make of them.
//!
//! ```
//! use odeon_core::*;
//! use odeon_stream::{Attach, OpenOutlet, Outlet};
//!
//! /// Squares the numbers of a stream, and gives them out as another one.
//! struct Squares { numbers: Option<odeon_stream::Reader<u64>>, out: Outlet<u64> }
//! enum Number { Next(u64), NoMore }
//! impl Message for Number {}
//!
//! impl Actor for Squares {
//!     type Msg = Number;
//!     fn started(&mut self, ctx: &mut Context<'_, Self>) {
//!         let numbers = self.numbers.take().expect("starts once");
//!         ctx.attach_to_end(numbers, Number::Next, || Number::NoMore);
//!     }
//!     fn handle(&mut self, number: Number, ctx: &mut Context<'_, Self>) {
//!         match number {
//!             // An error: whoever read the squares has lost interest.
//!             Number::Next(n) => if self.out.send(n * n).is_err() { ctx.stop() },
//!             Number::NoMore => ctx.stop(),
//!         }
//!     }
//! }
//!
//! let theater = Theater::new()?;
//! let (input, numbers) = theater.outlet(16);
//! let (out, mut squares) = theater.outlet(16);
//! theater.spawn(Squares { numbers: Some(numbers), out });
//! (1..=3).for_each(|n| input.send(n).unwrap());
//! drop(input);
//!
//! let sum = async {
//!     let mut sum = 0;
//!     while let Some(square) = squares.next().await {
//!         sum += square;
//!     }
//!     sum
//! };
//! # use std::{pin::pin, sync::Arc, task::{Context as Task, Poll, Wake, Waker}, thread};
//! # struct Unpark(thread::Thread);
//! # impl Wake for Unpark { fn wake(self: Arc<Self>) { self.0.unpark() } }
//! # let (mut sum, waker) = (pin!(sum), Waker::from(Arc::new(Unpark(thread::current()))));
//! # let sum = loop {
//! #     match sum.as_mut().poll(&mut Task::from_waker(&waker)) {
//! #         Poll::Ready(sum) => break sum,
//! #         Poll::Pending => thread::park(),
//! #     }
//! # };
//! assert_eq!(sum, 14);
//! # Ok::<(), BuildError>(())
//! ```
#![forbid(unsafe_code)]

mod attach;
mod outlet;

pub use attach::{Attach, Attached};
pub use outlet::{Item, OpenOutlet, Outlet, Reader};
