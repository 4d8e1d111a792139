//! Misuse that does not compile. Each example is wrong in one place; the same without that place
//! compiles.
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
//! Only what is `Copy` is copied out of a variable (the compiler's message names `read`):
//!
//! ```compile_fail,E0277
//! use odeon_stm::{TVar, atomically};
//! let name = TVar::new(String::new());
//! let copied = atomically(|tx| name.get(tx));
//! ```
//!
//! ```
//! use odeon_stm::{TVar, atomically};
//! let name = TVar::new(String::new());
//! let cloned = atomically(|tx| name.read(tx).cloned());
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
//! Values that are not for several threads are not for variables, and hooks hold nothing of the
//! attempt:
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
//!
//! A variable of one type is none of another, also where a value of the one would do as a value of
//! the other: a value that only the other may hold could be written.
//!
//! ```
//! use odeon_stm::TVar;
//! fn value(any: for<'a> fn(&'a str)) -> fn(&'static str) { any }
//! fn same(any: &TVar<for<'a> fn(&'a str)>) -> &TVar<for<'a> fn(&'a str)> { any }
//! ```
//!
//! ```compile_fail
//! use odeon_stm::TVar;
//! fn other(any: &TVar<for<'a> fn(&'a str)>) -> &TVar<fn(&'static str)> { any }
//! ```
//!
//! ```compile_fail
//! use odeon_stm::TLink;
//! fn other(any: &TLink<for<'a> fn(&'a str)>) -> &TLink<fn(&'static str)> { any }
//! ```
//!
//! ```
//! use odeon_stm::{TWord, Word};
//! #[derive(Clone, Copy)]
//! struct Act<F>(F);
//! impl<F: Copy + Send + Sync + 'static> Word for Act<F> {
//!     fn to_bits(self) -> u64 { 0 }
//!     fn from_bits(_: u64) -> Self { unreachable!() }
//! }
//! fn same(any: &TWord<Act<for<'a> fn(&'a str)>>) -> &TWord<Act<for<'a> fn(&'a str)>> { any }
//! ```
//!
//! ```compile_fail
//! use odeon_stm::{TWord, Word};
//! #[derive(Clone, Copy)]
//! struct Act<F>(F);
//! impl<F: Copy + Send + Sync + 'static> Word for Act<F> {
//!     fn to_bits(self) -> u64 { 0 }
//!     fn from_bits(_: u64) -> Self { unreachable!() }
//! }
//! fn other(any: &TWord<Act<for<'a> fn(&'a str)>>) -> &TWord<Act<fn(&'static str)>> { any }
//! ```
//!
//! Nor is a collection:
//!
//! ```compile_fail
//! use odeon_stm::TList;
//! fn other(any: &TList<for<'a> fn(&'a str)>) -> &TList<fn(&'static str)> { any }
//! ```
//!
//! ```compile_fail
//! use odeon_stm::TMap;
//! fn other(any: &TMap<u8, for<'a> fn(&'a str)>) -> &TMap<u8, fn(&'static str)> { any }
//! ```
//!
//! ```compile_fail
//! use odeon_stm::TMap;
//! fn other(any: &TMap<for<'a> fn(&'a str), u8>) -> &TMap<fn(&'static str), u8> { any }
//! ```
//!
//! ```compile_fail
//! use odeon_stm::TOrdMap;
//! fn other(any: &TOrdMap<u8, for<'a> fn(&'a str)>) -> &TOrdMap<u8, fn(&'static str)> { any }
//! ```
//!
//! ```compile_fail
//! use odeon_stm::TOrdMap;
//! fn other(any: &TOrdMap<for<'a> fn(&'a str), u8>) -> &TOrdMap<fn(&'static str), u8> { any }
//! ```
//!
//! ```compile_fail
//! use odeon_stm::TQueue;
//! fn other(any: &TQueue<for<'a> fn(&'a str)>) -> &TQueue<fn(&'static str)> { any }
//! ```
//!
//! ```compile_fail
//! use odeon_stm::TSet;
//! fn other(any: &TSet<for<'a> fn(&'a str)>) -> &TSet<fn(&'static str)> { any }
//! ```
//!
//! ```compile_fail
//! use odeon_stm::TVec;
//! fn other(any: &TVec<for<'a> fn(&'a str)>) -> &TVec<fn(&'static str)> { any }
//! ```
