//! Misuse that does not compile. Each example is wrong in one place; the same without that place compiles.
//!
//! A reference that was read does not leave the attempt, by no way:
//!
//! ```compile_fail
//! use odeon_stm::{TVar, atomically};
//! let name = TVar::new(String::new());
//! let mut escaped = None;
//! atomically(|tx| {
//!     escaped = Some(name.read(tx)?);
//!     Ok(())
//! });
//! ```
//!
//! ```
//! use odeon_stm::{TVar, atomically};
//! let name = TVar::new(String::new());
//! let mut escaped = None;
//! atomically(|tx| {
//!     escaped = Some(name.read(tx)?.clone());
//!     Ok(())
//! });
//! assert!(escaped.is_some());
//! ```
//!
//! ```compile_fail
//! use odeon_stm::{TVar, snapshot};
//! let name = TVar::new(String::new());
//! let escaped: &String = snapshot(|view| name.read(view)).unwrap();
//! ```
//!
//! ```compile_fail
//! use odeon_stm::staged::{Attempted, attempt};
//! use odeon_stm::{Abort, Mode, TVar};
//! use std::sync::Arc;
//! let name = Arc::new(TVar::new(String::new()));
//! let run = attempt(name, Mode::Logged, |name, tx| Ok::<_, Abort<()>>(name.read(tx)?));
//! ```
//!
//! A node does not leave it either:
//!
//! ```compile_fail
//! use odeon_stm::{TLink, atomically};
//! let link: TLink<u32> = TLink::new(None);
//! let escaped: Option<&u32> = atomically(|tx| link.get(tx));
//! ```
//!
//! A snapshot writes nothing:
//!
//! ```compile_fail
//! use odeon_stm::{TVar, snapshot};
//! let count = TVar::new(0);
//! let _ = snapshot(|view| count.set(view, 1));
//! ```
//!
//! The view does not outlive its closure, and a variable made within does not outlive the attempt:
//!
//! ```compile_fail
//! use odeon_stm::atomically;
//! let mut kept = None;
//! atomically(|tx| {
//!     kept = Some(tx);
//!     Ok(())
//! });
//! ```
//!
//! ```compile_fail
//! use odeon_stm::{TVar, atomically};
//! atomically(|tx| {
//!     let count = TVar::new(0);
//!     count.set(tx, 1)
//! });
//! ```
//!
//! A variable does not end while a transaction may use it:
//!
//! ```compile_fail
//! use odeon_stm::{TVar, atomically};
//! let name = TVar::new(String::new());
//! atomically(|tx| {
//!     let seen = name.read(tx)?;
//!     drop(name);
//!     Ok(seen.len())
//! });
//! ```
//!
//! Values that are not for several threads are not for variables, and hooks hold nothing of the attempt:
//!
//! ```compile_fail
//! use odeon_stm::TVar;
//! let shared = TVar::new(std::rc::Rc::new(1));
//! ```
//!
//! ```compile_fail
//! use odeon_stm::{TVar, atomically};
//! let name = TVar::new(String::new());
//! atomically(|tx| {
//!     let seen = name.read(tx)?;
//!     tx.on_commit(move || println!("{seen}"));
//!     Ok(())
//! });
//! ```
