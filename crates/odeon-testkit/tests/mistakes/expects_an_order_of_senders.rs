//! A door that one sender opens before it tells another one to go through. The messages of *one*
//! sender are handled in their order; those of two are not, although the one was sent because of
//! the other: who comes too early waits.

use super::{Notes, Way, check, processing};
use odeon_core::{Actor, ActorRef, Context, Message};
use odeon_speculative::{SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;

struct Door {
    is_open: TVar<bool>,
    notes: Notes<bool>,
    way: Way,
}

enum Step {
    Open,
    Through,
}
impl Message for Step {}

impl SpeculativeActor for Door {
    type Msg = Step;
    fn handle<'t>(
        &'t self,
        step: &'t Step,
        tx: &mut Tx<'t>,
        _: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match step {
            Step::Open => self.is_open.set(tx, true)?,
            Step::Through => {
                let is_open = self.is_open.get(tx)?;
                if !is_open && self.way == Way::Right {
                    return Ok(tx.retry()?);
                }
                let notes = self.notes.clone();
                tx.on_commit(move || notes.add(is_open));
            }
        }
        Ok(())
    }
}

struct Porter {
    door: ActorRef<Step>,
    guest: ActorRef<Come>,
}

struct Guest {
    door: ActorRef<Step>,
}

struct Come;
impl Message for Come {}

impl Actor for Porter {
    type Msg = Come;
    fn handle(&mut self, Come: Come, _: &mut Context<'_, Self>) {
        self.door.send(Step::Open).unwrap();
        self.guest.send(Come).unwrap();
    }
}

impl Actor for Guest {
    type Msg = Come;
    fn handle(&mut self, Come: Come, _: &mut Context<'_, Self>) {
        self.door.send(Step::Through).unwrap();
    }
}

/// The guest finds the door open.
fn keeps_its_promise(seed: u64, way: Way) -> bool {
    let (run, notes) = (Deterministic::new(seed), Notes::new());
    let door = Door { is_open: TVar::new(false), notes: notes.clone(), way };
    let door = run.theater().spawn_speculative(door, processing(seed)).actor_ref();
    let guest = run.theater().spawn(Guest { door: door.clone() });
    run.theater().spawn(Porter { door, guest }).send(Come).unwrap();
    run.run_until_idle();
    notes.take() == [true]
}

#[test]
fn s23_two_senders_have_no_order() {
    check(keeps_its_promise);
}
