//! Workers in processes elsewhere, behind a [RabbitMQ](https://www.rabbitmq.com) broker.
//!
//! This is the middleware way of Hayduk's thesis, sections 6.3.2 and 6.5.3: who has work writes it
//! to a queue, processes that have the processors for it wait there, and results come back by
//! another queue. Here the proxy of the thesis is a [`Worker`](odeon_device::Worker),
//! [`RabbitWorker`], so that a program changes one line to have its work done elsewhere; and a
//! worker process is any other `Worker` and [`serve`]. Lapin, by which the broker is reached, is
//! named by no other crate of Odeon.
//!
//! | question | file |
//! |---|---|
//! | where is the broker, which queue? | `queue.rs` |
//! | what of a piece of work travels? | `portable.rs`, `shared.rs` |
//! | what do messages look like? | `packet.rs`, `failure.rs` |
//! | connecting, publishing | `broker.rs` |
//! | the side that has work | `client.rs`, `client/*` |
//! | the side that does it | `server.rs`, `server/*` |
//!
//! # The protocol
//!
//! 1. A piece of work is one message on the queue of its kind: the request, the ids of its inputs,
//!    and how often it was tried. Its answers go to a queue that ends with the connection of its
//!    client, under a number that is used once.
//! 2. A worker process publishes the answer, waits until the broker has it, and acknowledges the
//!    request then. What it has not acknowledged when it ends, the broker gives to others.
//! 3. The first answer to a number counts. Others, and answers to what nobody waits for any more,
//!    are dropped.
//! 4. A worker process that lacks an input asks the client for it, and names a queue of its own.
//!    The input comes there in parts. Meanwhile the request is not acknowledged. While nothing
//!    comes it asks for no input at all, from time to time, to see whether the client is still
//!    there.
//! 5. A request that comes a second time, or whose work has failed, is published anew with one try
//!    more before it is acknowledged. When its tries are used up the client is told what went wrong
//!    instead.
//! 6. What cannot be read goes to the queue of dead letters, `NAME.dead`, before it is
//!    acknowledged; who sent it is told, if it says where.
#![forbid(unsafe_code)]

mod broker;
mod client;
mod failure;
mod input;
mod packet;
mod portable;
mod queue;
mod server;
mod shared;

pub use client::{Asking, Counts, RabbitWorker};
pub use input::Input;
pub use portable::Portable;
pub use queue::Queue;
pub use server::{Served, Serving, Stop, serve, serve_and_tell};
pub use shared::{ContentId, Shared};
