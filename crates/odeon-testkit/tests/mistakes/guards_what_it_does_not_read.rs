//! A room with seats, and a guard that lets nobody in who would have none. A guard is part of the
//! attempt that it lets in, if it reads in it: what it has only peeked at may be another's seat by
//! now.

use super::{Way, check, processing};
use odeon_core::{Actor, ActorRef, Context, Message};
use odeon_speculative::{SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;
use std::sync::Arc;

const SEATS: u64 = 1;

struct Room {
    taken: Arc<TVar<u64>>,
    way: Way,
}

enum Move {
    Leave,
    /// To the second mailbox, which has the guard.
    Enter,
}

impl Message for Move {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        match self {
            Self::Leave => 0,
            Self::Enter => 1,
        }
    }
}

impl SpeculativeActor for Room {
    type Msg = Move;

    fn admits<'t>(&'t self, mailbox: usize, tx: &mut Tx<'t>) -> TxResult<bool> {
        let taken = match self.way {
            _ if mailbox == 0 => return Ok(true),
            Way::Wrong => self.taken.peek(),
            Way::Right => self.taken.get(tx)?,
        };
        // Also of a guard that peeks: one that refuses has to have read what it waits for.
        Ok(taken < SEATS || self.taken.get(tx)? < SEATS)
    }

    fn handle<'t>(
        &'t self,
        step: &'t Move,
        tx: &mut Tx<'t>,
        _: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match step {
            Move::Leave => self.taken.update(tx, |taken| taken.saturating_sub(1))?,
            Move::Enter => self.taken.update(tx, |taken| taken + 1)?,
        }
        Ok(())
    }
}

struct Guest(ActorRef<Move>);

struct Come;
impl Message for Come {}

impl Actor for Guest {
    type Msg = Come;
    fn handle(&mut self, Come: Come, _: &mut Context<'_, Self>) {
        self.0.send(Move::Enter).unwrap();
    }
}

/// Nobody is let in who has no seat.
fn keeps_its_promise(seed: u64, way: Way) -> bool {
    let (run, taken) = (Deterministic::new(seed), Arc::new(TVar::new(0)));
    let room = Room { taken: taken.clone(), way };
    let room = run.theater().spawn_speculative(room, processing(seed)).actor_ref();
    for _ in 0..3 {
        run.theater().spawn(Guest(room.clone())).send(Come).unwrap();
    }
    run.run_until_idle();
    let is_kept = taken.peek() <= SEATS;
    // The others leave one after the other.
    (0..3).for_each(|_| room.send(Move::Leave).unwrap());
    run.run_until_idle();
    is_kept
}

#[test]
fn s23_a_guard_that_peeks_lets_too_many_in() {
    check(keeps_its_promise);
}
