//! Bounded mailboxes under random schedules: threads and actors that wait, against the owner, each
//! other and the end. One who is not let on shows as a deadlock. Run by `ci/shuttle.sh`.
//!
//! Nothing here may block except through `odeon-sync`.

use std::sync::Arc as StdArc;
use std::time::Duration;

use odeon_core::*;
use odeon_sync::schedules::check;
use odeon_sync::{Condvar, Mutex, thread};
use odeon_testkit::{Counted, Ledger, Ticket};

const LONG: Duration = Duration::from_secs(3600);

/// Counts to a number; a model thread waits for it.
#[derive(Default)]
struct Gate {
    count: Mutex<u64>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        *self.count.lock().unwrap() += 1;
        self.changed.notify_all();
    }

    fn wait_for(&self, target: u64) {
        let mut count = self.count.lock().unwrap();
        while *count < target {
            count = self.changed.wait(count).unwrap();
        }
    }
}

/// Passes tokens on to the next one until they have no hops left.
struct Node {
    next: Option<WeakRef<Token>>,
    gate: StdArc<Gate>,
}

enum Token {
    Next(WeakRef<Token>),
    Hop(u32, Ticket),
}

impl Message for Token {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        usize::from(matches!(self, Self::Hop(..)))
    }
}

impl Counted for Token {
    fn into_ticket(self) -> Option<Ticket> {
        if let Self::Hop(_, ticket) = self { Some(ticket) } else { None }
    }
}

impl Node {
    fn new(gate: &StdArc<Gate>) -> Bounded<Self> {
        let node = Self { next: None, gate: gate.clone() };
        Bounded::new(node).mailbox(1, Bound::wait(1))
    }
}

impl Actor for Node {
    type Msg = Token;
    fn handle(&mut self, token: Token, _ctx: &mut Context<'_, Self>) {
        match token {
            Token::Next(next) => self.next = Some(next),
            Token::Hop(0, ticket) => {
                ticket.handled();
                self.gate.pass();
            }
            Token::Hop(hops, ticket) => {
                let next = self.next.as_ref().and_then(WeakRef::upgrade);
                let hop = Token::Hop(hops - 1, ticket);
                let Some(next) = next else { return hop.into_ticket().unwrap().returned() };
                if let Err(error) = next.send(hop) {
                    error.into_message().into_ticket().unwrap().returned();
                }
            }
        }
    }
}

/// Two actors with room for one message each send to each other, and threads wait to send to both.
#[test]
fn s18_nobody_stands_still_in_a_ring_with_room_for_one() {
    check(2_000, || {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (gate, ledger) = (StdArc::new(Gate::default()), Ledger::new());
        let nodes = [theater.spawn(Node::new(&gate)), theater.spawn(Node::new(&gate))];
        for (at, node) in nodes.iter().enumerate() {
            assert!(node.send(Token::Next(nodes[1 - at].downgrade())).is_ok());
        }
        let senders = [0, 1].map(|at| {
            let (node, ledger) = (nodes[at].clone(), ledger.clone());
            thread::spawn(move || {
                (0..3).for_each(|_| assert!(ledger.send(&node, |ticket| Token::Hop(3, ticket))));
            })
        });
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        gate.wait_for(6);
        ledger.check();
        assert_eq!(theater.shutdown(LONG).stuck, 0);
    });
}

/// Threads wait while an actor is stopped and its theater ends: each message is handled, comes
/// back, or is left over.
#[test]
fn s18_the_end_lets_everybody_go() {
    check(2_000, || {
        let (gate, ledger) = (StdArc::new(Gate::default()), Ledger::new());
        let hook = ledger.dead_letter_hook::<Token>();
        let theater = Theater::builder().workers(1).on_dead_letter(hook).build().unwrap();
        let node = theater.spawn(Node::new(&gate));
        let senders = [(); 2].map(|()| {
            let (node, ledger) = (node.clone(), ledger.clone());
            thread::spawn(move || {
                for _ in 0..2 {
                    ledger.send(&node, |ticket| Token::Hop(0, ticket));
                }
            })
        });
        let stopper = thread::spawn({
            let node = node.clone();
            move || node.stop()
        });
        let report = theater.shutdown(Duration::ZERO);
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        stopper.join().unwrap();
        assert_eq!(report.stuck, 0);
        ledger.take_leftovers::<Token>(report);
        assert_eq!(ledger.check().sent, 4);
    });
}
