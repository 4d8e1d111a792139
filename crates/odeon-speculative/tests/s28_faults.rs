//! S28, S26: a panic at any step of a handler of a coordinated transaction, one step after the
//! other, leaves everything as if the transaction had never been, at all its actors, and the actors
//! go on.

use crate::support::{Common, Do, Lab, Log, Note, ask};
use odeon_core::ActorRef;
use odeon_speculative::{Access, Coordinate, Processing, SpawnSpeculative, SpeculativeRef};
use odeon_testkit::{Deterministic, silent_panic};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

const LABS: usize = 3;
/// What the transaction adds to an account of each.
const MOVES: [i64; LABS] = [-3, 1, 2];

/// Counts the steps of all handlers, and panics once, at the one with this number.
#[derive(Clone)]
struct Steps(Arc<(AtomicUsize, usize)>);

impl Steps {
    fn step(&self) {
        let (taken, fails_at) = &*self.0;
        if taken.fetch_add(1, SeqCst) == *fails_at {
            silent_panic("injected");
        }
    }

    fn have_failed(&self) -> bool {
        self.0.0.load(SeqCst) > self.0.1
    }
}

#[derive(Clone)]
struct World {
    labs: Vec<ActorRef<Do>>,
    log: ActorRef<Note<usize>>,
    steps: Steps,
}

impl World {
    /// A message to the actor with this number, which joins one to the next actor if it is to go
    /// on.
    fn message(&self, at: usize, goes_on: bool) -> Do {
        let World { labs, log, steps } = self.clone();
        let world = self.clone();
        Do::handing_on(Access::Update, move |lab, tx, ctx, reply| {
            steps.step();
            let balance = lab.vars[0].get(tx)?;
            steps.step();
            lab.vars[0].set(tx, balance + MOVES[at])?;
            steps.step();
            lab.vars[1].update(tx, |messages| messages + 1)?;
            steps.step();
            log.send(Note::Of(at)).unwrap();
            steps.step();
            ctx.send_self(Do::increment(2));
            steps.step();
            let look = |reply| Do::look(7).answering(reply);
            ctx.ask(&labs[(at + 1) % LABS], look, |_| Do::increment(3));
            steps.step();
            if goes_on && at + 1 < LABS {
                let mut next = world.message(at + 1, true);
                if let Some(reply) = reply {
                    next = next.answering(ctx.pass_on(reply));
                }
                steps.step();
                ctx.join(&labs[at + 1], next);
            } else if let Some(reply) = reply {
                ctx.reply(reply, 1);
            }
            steps.step();
            ctx.send_after(Duration::from_secs(1), Do::increment(4));
            steps.step();
            Ok(0)
        })
    }
}

/// Runs it; whether a step has failed.
fn run(seed: u64, processing: &Processing, joins: bool, fails_at: usize) -> bool {
    let run = Deterministic::new(seed);
    let log = Log::new();
    let spawn = |_| -> SpeculativeRef<Do> {
        let lab = Lab::new(&Arc::new(Common::default()));
        run.theater().spawn_speculative(lab, processing.clone())
    };
    let labs: Vec<_> = (0..LABS).map(spawn).collect();
    let steps = Steps(Arc::new((AtomicUsize::new(0), fails_at)));
    let refs = labs.iter().map(|lab| lab.actor_ref()).collect();
    let world = World { labs: refs, log: run.theater().spawn(log.clone()), steps };
    let (answer, outcome) = if joins {
        (Some(ask(&labs[0], world.message(0, true))), None)
    } else {
        let plan = |co: &mut odeon_speculative::Plan| {
            (0..LABS).for_each(|at| co.send(&labs[at], world.message(at, false)));
        };
        (None, Some(run.theater().coordinate(plan)))
    };
    run.run_until_idle();
    run.advance(Duration::from_secs(2));
    run.run_until_idle();
    let has_failed = world.steps.have_failed();
    if let Some(answer) = answer {
        assert_eq!(answer.wait_timeout(Duration::ZERO).is_err(), has_failed, "the answer");
    }
    if let Some(outcome) = outcome {
        let outcome = outcome.wait_timeout(Duration::ZERO).expect("decided");
        assert_eq!(outcome.is_err(), has_failed, "the outcome");
    }
    let happened = i64::from(!has_failed);
    for (at, lab) in labs.iter().enumerate() {
        let look = |var| {
            let value = ask(lab, Do::look(var));
            run.run_until_idle();
            value.wait_timeout(Duration::ZERO).expect("the actor goes on")
        };
        let vars: Vec<_> = (0..5).map(look).collect();
        let once = [MOVES[at] * happened, happened, happened, happened, happened];
        assert_eq!(vars, once, "actor {at}: account, messages, and what effects have done");
    }
    assert_eq!(log.all(), if has_failed { vec![] } else { vec![0, 1, 2] });
    let failures: u64 = labs.iter().map(|lab| lab.speculation().failures).sum();
    assert_eq!(failures, u64::from(has_failed));
    has_failed
}

#[test]
fn s28_a_panic_at_any_step_leaves_nothing_behind() {
    for processing in [
        Processing::sequential(),
        Processing::concurrent().width(3),
        Processing::sequential().non_blocking(),
        Processing::concurrent().non_blocking().width(3),
    ] {
        for joins in [false, true] {
            let steps = (0..).take_while(|at| run(*at as u64, &processing, joins, *at)).count();
            // Every step of each of the handlers, that of the first one twice if its message
            // becomes a transaction.
            assert!(steps >= 9 * LABS, "{steps} steps, {processing:?}");
        }
    }
}
