//! S31: a reference is sent on to a third theater, and something goes wrong after the first packet,
//! or the second, and so on to the last. Whoever has got it has an actor, and an actor to which
//! nobody refers is let go.

use super::stepwise::Trouble::{self, CutForAWhile, CutForLong, Isolated, Killed, Unplugged};
use super::stepwise::{Stepwise, id};
use odeon_core::{Actor, ActorRef, AskError, Context, Message, Reply};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Says when it is let go.
struct Somebody(Arc<AtomicBool>);

#[derive(Serialize, Deserialize)]
struct Hello(Reply<u64>);

impl Message for Hello {}

impl Actor for Somebody {
    type Msg = Hello;

    fn handle(&mut self, Hello(reply): Hello, _: &mut Context<'_, Self>) {
        reply.send(7);
    }
}

impl Drop for Somebody {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

type Kept = Arc<Mutex<Vec<ActorRef<Hello>>>>;

struct Keeper(Kept);

#[derive(Serialize, Deserialize)]
struct Keep(ActorRef<Hello>);

impl Message for Keep {}

impl Actor for Keeper {
    type Msg = Keep;

    fn handle(&mut self, Keep(somebody): Keep, _: &mut Context<'_, Self>) {
        self.0.lock().unwrap().push(somebody);
    }
}

/// X sends W references to an actor of Y.
const X: usize = 0;
const Y: usize = 1;
const W: usize = 2;

/// Longer than all of it takes.
const DONE_WITHIN: Duration = Duration::from_millis(250);

/// Something happens after so many packets. Answers how many there were.
fn run(seed: u64, trouble: Option<Trouble>, after: usize) -> usize {
    let what = format!("seed {seed}, {trouble:?} after {after}");
    let mut run = Stepwise::new(seed, 3, |_| ());
    let (is_gone, kept) = (Arc::new(AtomicBool::new(false)), Kept::default());
    let (at_y, at_w) = (&run.places[Y], &run.places[W]);
    at_y.network.publish("somebody", &at_y.theater().spawn(Somebody(is_gone.clone())));
    at_w.network.publish("keeper", &at_w.theater().spawn(Keeper(kept.clone())));
    let somebody = run.places[X].network.at(id(Y)).lookup::<Hello>("somebody");
    let keeper = run.places[X].network.at(id(W)).lookup::<Keep>("keeper");
    run.pass(Duration::from_millis(200));
    let keeper = keeper.wait_timeout(Duration::ZERO).unwrap().unwrap();
    let mut somebody = Some(somebody.wait_timeout(Duration::ZERO).unwrap().unwrap());
    // It is kept by X alone.
    run.places[Y].network.unpublish("somebody");
    run.pass(Duration::from_millis(100));

    run.packets = 0;
    let (until, mut sent) = (run.now + DONE_WITHIN, 0);
    while run.now < until && run.packets < after {
        match &somebody {
            Some(this) if run.packets >= 6 * sent => {
                let _ = keeper.send(Keep(this.clone()));
                sent += 1;
                if sent == 3 {
                    somebody = None;
                }
            }
            _ => {}
        }
        run.step();
    }
    drop(somebody);
    let packets = run.packets;
    if let Some(trouble) = trouble {
        run.trouble(trouble);
    }
    run.pass(Duration::from_secs(3));

    let references = kept.lock().unwrap().clone();
    if run.places[W].is_dead {
        // What lies there keeps nobody.
        references.into_iter().for_each(std::mem::forget);
    } else {
        let may_be_lost =
            matches!(trouble, Some(Killed(Y) | Unplugged(Y) | Isolated(Y | W) | CutForLong(Y, W)));
        let asked: Vec<_> = references.iter().map(|somebody| somebody.ask(Hello)).collect();
        run.pass(Duration::from_millis(300));
        for (ask, somebody) in asked.into_iter().zip(references) {
            match ask.wait_timeout(Duration::ZERO) {
                Ok(7) => {}
                answer => assert!(
                    may_be_lost && somebody.is_stopped() && answer == Err(AskError::Stopped),
                    "{what}: {answer:?}"
                ),
            }
        }
        if matches!(trouble, None | Some(CutForAWhile(..))) {
            assert_eq!(kept.lock().unwrap().len(), sent, "{what}");
        }
        kept.lock().unwrap().clear();
    }
    drop(keeper);
    run.pass(Duration::from_millis(1_500));
    assert_eq!(is_gone.load(SeqCst), !run.places[Y].is_dead, "{what}: nobody refers to it");
    packets
}

#[track_caller]
fn after_every_packet(troubles: &[Trouble]) {
    for seed in [1, 2, 3] {
        let packets = run(seed, None, usize::MAX);
        assert!(packets > 20, "{packets}");
        for &trouble in troubles {
            for after in 0..packets {
                run(seed, Some(trouble), after);
            }
        }
    }
}

#[test]
fn s31_whoever_is_killed_at_any_step_references_that_have_come_lead_to_an_actor() {
    after_every_packet(&[X, Y, W].map(Killed));
    after_every_packet(&[X, Y, W].map(Unplugged));
}

#[test]
fn s31_whichever_way_is_cut_at_any_step_references_that_have_come_lead_to_an_actor() {
    let ways = [(X, Y), (X, W), (Y, W)];
    after_every_packet(&ways.map(|(one, other)| CutForAWhile(one, other)));
    after_every_packet(&ways.map(|(one, other)| CutForLong(one, other)));
    after_every_packet(&[X, Y, W].map(Isolated));
}
