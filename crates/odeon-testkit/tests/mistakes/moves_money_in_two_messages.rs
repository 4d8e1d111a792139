//! Money that goes from one actor to another one. Two messages are two transactions, and between
//! them it is nowhere: what concerns both actors is one coordinated transaction.

use super::{Notes, Way, check, processing};
use odeon_core::{Access, Actor, ActorRef, Context, Message};
use odeon_speculative::{
    Coordinate, SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult,
};
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;

struct Account(TVar<i64>);

enum Do {
    Add(i64),
    /// Notes the balance under the number of the audit.
    Note(usize, Notes<(usize, i64)>),
}

impl Message for Do {
    fn access(&self) -> Access {
        match self {
            Self::Add(_) => Access::Update,
            Self::Note(..) => Access::Snapshot,
        }
    }
}

impl SpeculativeActor for Account {
    type Msg = Do;
    fn handle<'t>(
        &'t self,
        what: &'t Do,
        tx: &mut Tx<'t>,
        _: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match what {
            Do::Add(amount) => self.0.update(tx, |balance| balance + amount)?,
            Do::Note(audit, notes) => {
                let (audit, notes, balance) = (*audit, notes.clone(), self.0.get(tx)?);
                tx.on_commit(move || notes.add((audit, balance)));
            }
        }
        Ok(())
    }
}

struct Teller {
    accounts: [ActorRef<Do>; 2],
    notes: Notes<(usize, i64)>,
    way: Way,
}

enum Task {
    Transfer,
    Audit(usize),
}
impl Message for Task {}

impl Actor for Teller {
    type Msg = Task;
    fn handle(&mut self, task: Task, ctx: &mut Context<'_, Self>) {
        let [from, to] = &self.accounts;
        let outcome = match task {
            Task::Transfer if self.way == Way::Wrong => {
                from.send(Do::Add(-1)).unwrap();
                return to.send(Do::Add(1)).unwrap();
            }
            Task::Transfer => ctx.coordinate(|co| {
                co.send(from, Do::Add(-1));
                co.send(to, Do::Add(1));
            }),
            Task::Audit(number) => ctx.coordinate(|co| {
                co.send(from, Do::Note(number, self.notes.clone()));
                co.send(to, Do::Note(number, self.notes.clone()));
            }),
        };
        drop(outcome);
    }
}

/// Every audit finds all the money.
fn keeps_its_promise(seed: u64, way: Way) -> bool {
    const AUDITS: usize = 4;
    let (run, notes) = (Deterministic::new(seed), Notes::new());
    let account = || run.theater().spawn_speculative(Account(TVar::new(5)), processing(seed));
    let accounts = [account().actor_ref(), account().actor_ref()];
    let teller = |way| {
        let (accounts, notes) = (accounts.clone(), notes.clone());
        run.theater().spawn(Teller { accounts, notes, way })
    };
    let (mover, auditor) = (teller(way), teller(way));
    for number in 0..AUDITS {
        mover.send(Task::Transfer).unwrap();
        auditor.send(Task::Audit(number)).unwrap();
    }
    run.run_until_idle();
    let notes = notes.take();
    let balances = |audit| notes.iter().filter(move |(of, _)| *of == audit).map(|(_, n)| n);
    notes.len() == 2 * AUDITS && (0..AUDITS).all(|audit| balances(audit).sum::<i64>() == 10)
}

#[test]
fn s23_two_messages_are_two_transactions() {
    check(keeps_its_promise);
}
