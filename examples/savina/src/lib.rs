//! Programs of the Savina suite (Imam and Sarkar, AGERE 2014), each in versions: with several
//! guarded mailboxes (a *selector*), and with what an actor needs to do the same with one. A
//! version is one file with its messages and actors, wholly, so that versions can be compared by
//! their length too; what they share lies beside them. The floor of each does the work without
//! actors.
//!
//! | program | what waits, and for what |
//! |---|---|
//! | [`logmap`] | series of the logistic map, for the next term |
//! | [`chameneos`] | creatures, for another one at a mall |
//! | [`banking`] | accounts, for the other account of a transfer |
//! | [`bndbuffer`] | producers and consumers, for room and for items |
//! | [`adderjoin`] | numbers of several sources, for those of the others |
//! | [`filterbank`] | what comes out of banks of filters, for the other banks |
//! | [`nqueens`], [`astar`] | work, for what has priority |
//! | [`philosophers`] | the hungry, for forks |
//! | [`barber`] | customers, for a seat |
//! | [`cigsmok`] | smokers, for ingredients |
//! | [`dictionary`], [`sortedlist`] | writers, for readers, and the other way round |

#![deny(unsafe_code)]

pub mod adderjoin;
pub mod astar;
pub mod bank_transfers;
pub mod banking;
pub mod barber;
pub mod bndbuffer;
mod book;
pub mod chameneos;
pub mod cigsmok;
mod clients;
pub mod dictionary;
pub mod filterbank;
pub mod logmap;
pub mod nqueens;
pub mod philosophers;
pub mod sortedlist;

#[cfg(test)]
mod tests;
