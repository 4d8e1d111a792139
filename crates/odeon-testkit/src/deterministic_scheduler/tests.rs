//! The stage itself: replay, steps, what is left.

use std::sync::{Arc, Mutex};

use super::seeded_stage::LONGEST_TURN_MESSAGES;
use super::*;
use odeon_core::{Actor, ActorRef, Context, Message};

struct Node {
    next: Option<ActorRef<Token>>,
    log: Arc<Mutex<Vec<(u32, u32)>>>,
    number: u32,
}

enum Token {
    Next(ActorRef<Token>),
    Hop(u32),
}
impl Message for Token {}

impl Actor for Node {
    type Msg = Token;
    fn handle(&mut self, msg: Token, ctx: &mut Context<'_, Self>) {
        match msg {
            Token::Next(next) => self.next = Some(next),
            Token::Hop(left) => {
                self.log.lock().unwrap().push((self.number, left));
                match &self.next {
                    _ if left == 0 => {}
                    Some(next) => next.send(Token::Hop(left - 1)).unwrap(),
                    None => ctx.send_self(Token::Hop(left - 1)),
                }
            }
        }
    }
}

/// Eight tokens in a ring of five: plenty to reorder.
fn run(seed: u64) -> (Trace, Vec<(u32, u32)>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let run = Deterministic::new(seed);
    let nodes: Vec<_> = (0..5)
        .map(|number| run.theater().spawn(Node { next: None, log: log.clone(), number }))
        .collect();
    for (at, node) in nodes.iter().enumerate() {
        node.send(Token::Next(nodes[(at + 1) % nodes.len()].clone())).unwrap();
    }
    for token in 0..8 {
        nodes[token % nodes.len()].send(Token::Hop(20)).unwrap();
    }
    run.run_until_idle();
    let trace = run.trace();
    let report = run.shutdown();
    assert!(report.leftovers.is_empty());
    let log = log.lock().unwrap().clone();
    (trace, log)
}

#[test]
fn one_seed_replays_a_run_and_another_gives_another() {
    let ((trace, log), (again, log_again)) = (run(7), run(7));
    assert_eq!(trace.first_difference(&again), None);
    assert!(trace.turns() > 40);
    assert_eq!(log, log_again);
    let (other, other_log) = run(8);
    assert!(trace.first_difference(&other).is_some());
    assert_ne!(log, other_log);
}

#[test]
fn steps_stop_where_they_are_told_and_the_rest_comes_back() {
    let run = Deterministic::new(1);
    let log = Arc::new(Mutex::new(Vec::new()));
    let node = run.theater().spawn(Node { next: None, log: log.clone(), number: 0 });
    for _ in 0..30 {
        node.send(Token::Hop(0)).unwrap();
    }
    assert_eq!(run.run_steps(2), 2);
    assert!(!run.is_idle());
    let handled = log.lock().unwrap().len();
    let report = run.shutdown();
    assert_eq!(handled + report.leftovers.len(), 30);
    assert!(handled <= 2 * LONGEST_TURN_MESSAGES);
}
