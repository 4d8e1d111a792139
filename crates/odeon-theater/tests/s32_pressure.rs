//! S32, S17: one receiver that does not go on holds up those that send to it, and nobody else; and
//! nobody for ever.

use super::support::{Count, Counter, LARGEST_PACKET, LONG, Place, World, until};
use odeon_core::{Actor, ActorRef, Context, EndReason, Message, Reply};
use odeon_theater::LinkConfig;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread;
use std::time::Duration;

/// Pressed by a megabyte.
fn config() -> LinkConfig {
    LinkConfig { pressed_at: 1 << 20, ..LinkConfig::new("test", LARGEST_PACKET) }
}

fn reference<M>(here: &Place, there: &Place, name: &str) -> ActorRef<M>
where
    M: Message + Serialize + DeserializeOwned,
{
    here.network.at(there.network.id()).lookup(name).wait_timeout(LONG).unwrap().unwrap()
}

/// Does not go on until it may.
struct Stuck(Arc<(Mutex<bool>, Condvar)>);

#[derive(Serialize, Deserialize)]
struct Load(Vec<u8>);

impl Message for Load {}

impl Actor for Stuck {
    type Msg = Load;

    fn handle(&mut self, _: Load, _: &mut Context<'_, Self>) {
        let (may, changed) = &*self.0;
        drop(changed.wait_while(may.lock().unwrap(), |may| !*may).unwrap());
    }
}

#[test]
fn s32_who_has_much_waiting_for_one_actor_goes_on_with_others() {
    const MESSAGES: usize = 100_000;
    let world = World::with(1, config());
    let (a, b) = (world.theater(1), world.theater(2));
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    b.network.publish("stuck", &b.theater.spawn(Stuck(gate.clone())));
    b.network.publish("quick", &b.theater.spawn(Counter::default()));
    let ends = a.theater.spawn(Counter::default());
    a.network.publish("ends", &ends);
    let (stuck, quick) = (reference::<Load>(&a, &b, "stuck"), reference::<Count>(&a, &b, "quick"));
    let watched = reference::<Count>(&b, &a, "ends");
    let (tell, told) = mpsc::channel();
    let _ = watched.on_end(move |ended| tell.send(ended.reason()).unwrap());

    let sent = Arc::new(AtomicUsize::new(0));
    let counts = sent.clone();
    let flood = thread::spawn(move || {
        for _ in 0..MESSAGES {
            stuck.send(Load(vec![1; 1_000])).unwrap();
            counts.fetch_add(1, SeqCst);
        }
    });
    // Some are let go on once in a while.
    let hardly_goes_on = || {
        let before = sent.load(SeqCst);
        thread::sleep(Duration::from_millis(500));
        before > 2_000 && sent.load(SeqCst) == before
    };
    until("the flood is held back", hardly_goes_on);

    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        for n in 0..50_000 {
            quick.send(Count::Add(n)).unwrap();
        }
        done.send(quick.ask(Count::All).wait_timeout(LONG)).unwrap();
    });
    assert_eq!(is_done.recv_timeout(LONG).unwrap().map(|all| all.len()), Ok(50_000));
    ends.stop();
    assert_eq!(told.recv_timeout(LONG), Ok(EndReason::Stopped), "ends are told meanwhile");
    assert!(sent.load(SeqCst) < MESSAGES, "the flood is held back still");
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    flood.join().unwrap();
}

#[derive(Serialize, Deserialize)]
enum Talk {
    /// Asks this one for so many answers at once, and for one more with each, until all are this
    /// many.
    Begin(ActorRef<Talk>, u64, u64),
    Ask(ActorRef<Talk>, Vec<u8>),
    Answer(Vec<u8>),
    Answers(Reply<u64>),
}

impl Message for Talk {}

#[derive(Default)]
struct Talks {
    other: Option<ActorRef<Talk>>,
    to_ask: u64,
    answers: u64,
}

impl Actor for Talks {
    type Msg = Talk;

    fn handle(&mut self, msg: Talk, ctx: &mut Context<'_, Self>) {
        match msg {
            Talk::Begin(other, at_once, all) => {
                for _ in 0..at_once {
                    other.send(Talk::Ask(ctx.actor_ref(), vec![1; 200])).unwrap();
                }
                self.to_ask = all - at_once;
                self.other = Some(other);
            }
            Talk::Ask(by, _) => by.send(Talk::Answer(vec![1; 1_000])).unwrap(),
            Talk::Answer(_) => {
                self.answers += 1;
                if let (Some(other), 1..) = (&self.other, self.to_ask) {
                    self.to_ask -= 1;
                    other.send(Talk::Ask(ctx.actor_ref(), vec![1; 200])).unwrap();
                }
            }
            Talk::Answers(reply) => reply.send(self.answers),
        }
    }
}

#[test]
fn s32_s17_two_that_wait_for_each_other_go_on() {
    const ALL: u64 = 100_000;
    let world = World::with(2, config());
    let (a, b) = (world.theater(1), world.theater(2));
    let one = a.theater.spawn(Talks::default());
    b.network.publish("other", &b.theater.spawn(Talks::default()));
    let other = reference::<Talk>(&a, &b, "other");
    one.send(Talk::Begin(other, 90_000, ALL)).unwrap();
    until("all has been answered", || one.ask(Talk::Answers).wait_timeout(LONG) == Ok(ALL));
}
