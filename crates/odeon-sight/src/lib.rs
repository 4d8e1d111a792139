//! What is seen of Odeon's actors from outside: spans of [`tracing`] that follow a message across
//! actors, numbers for the [`metrics`] facade, a log of failures, and one of dead letters that does
//! not flood.
//!
//! | what | by | promised in |
//! |---|---|---|
//! | spans | [`Spans`] in the theater, [`Follow`] in the subscriber | S22 |
//! | metrics | [`Export`], by hand or every so often | S21 |
//! | dead letters | [`DeadLetterLog`] | S4 |
//! | which actor failed | [`FailureLog`] | S5 |
//!
//! A theater without them, and a thread in no span, pay nothing.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use odeon_core::*;
//! use odeon_sight::{DeadLetterLog, Export, FailureLog, Follow, Spans};
//! use tracing_subscriber::prelude::*;
//!
//! struct Shop;
//! impl Actor for Shop {
//!     type Msg = &'static str;
//!     fn handle(&mut self, what: &'static str, _: &mut Context<'_, Self>) {
//!         // In a span `handle` with actor and types, within the one in which the order was sent.
//!         tracing::info!(what, "sold");
//!     }
//! }
//!
//! tracing_subscriber::registry().with(Follow).init();
//! let theater = Theater::builder()
//!     .stats(true)
//!     .tracer(Arc::new(Spans::new()))
//!     .observer(Arc::new((FailureLog, DeadLetterLog::default())))
//!     .build()?;
//! let _exporting = Export::all().every(&theater, Duration::from_secs(10));
//! let shop = theater.spawn(Shop);
//!
//! let _span = tracing::info_span!("request", number = 7).entered();
//! shop.send("apples")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod dead_letter_log;
mod export;
mod failure_log;
mod follow;
mod spans;

pub use dead_letter_log::DeadLetterLog;
pub use export::{Export, Exporting};
pub use failure_log::FailureLog;
pub use follow::{Follow, followed};
pub use spans::{Relation, Spans};
