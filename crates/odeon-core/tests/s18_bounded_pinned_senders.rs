//! S18 on pinned stages: senders in plain handlers have their stage wait as a whole, before the
//! message is accepted; those in asynchronous ones wait alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_channel::oneshot;
use odeon_core::*;
use odeon_testkit::Bell;

const SOON: Duration = Duration::from_secs(20);
const CAPACITY: usize = 5;

/// Waits in its first handler.
struct Slow {
    handled: Arc<AtomicUsize>,
}

enum Job {
    Count,
    Wait(oneshot::Receiver<()>),
    Ask(oneshot::Receiver<()>, ActorRef<Flood>, std::sync::mpsc::Sender<u32>),
}
impl Message for Job {}

impl AsyncActor for Slow {
    type Msg = Job;
    async fn handle(&mut self, job: Job, _: &mut AsyncContext<'_, Self>) {
        match job {
            Job::Count => {}
            Job::Wait(until) => drop(until.await),
            Job::Ask(until, whom, out) => {
                let _ = until.await;
                out.send(whom.ask(Flood::Question).await.unwrap()).unwrap();
            }
        }
        self.handled.fetch_add(1, Ordering::SeqCst);
    }
}

struct Flooder {
    to: ActorRef<Job>,
    left: usize,
    sent: Arc<AtomicUsize>,
}

enum Flood {
    On,
    Question(Reply<u32>),
}
impl Message for Flood {}

impl Actor for Flooder {
    type Msg = Flood;
    fn handle(&mut self, message: Flood, ctx: &mut Context<'_, Self>) {
        if let Flood::Question(reply) = message {
            return reply.send(3);
        }
        self.to.send(Job::Count).unwrap();
        self.sent.fetch_add(1, Ordering::SeqCst);
        self.left -= 1;
        if self.left > 0 {
            ctx.send_self(Flood::On);
        }
    }
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < SOON, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn s18_a_full_mailbox_holds_a_pinned_stage_back() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let handled = Arc::new(AtomicUsize::new(0));
    let slow = Bounded::new_async(Slow { handled: handled.clone() });
    let slow = theater.spawn(slow.mailbox(0, Bound::wait(CAPACITY)));
    let (gate, until) = oneshot::channel();
    slow.send(Job::Wait(until)).unwrap();
    let sent = Arc::new(AtomicUsize::new(0));
    let flooder = Flooder { to: slow, left: 5_000, sent: sent.clone() };
    theater.actor().on(&stage).spawn(flooder).send(Flood::On).unwrap();
    wait_until("a full mailbox", || sent.load(Ordering::SeqCst) >= CAPACITY);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(sent.load(Ordering::SeqCst), CAPACITY);
    drop(gate);
    wait_until("the rest", || handled.load(Ordering::SeqCst) == 5_001);
}

#[test]
fn s18_a_receiver_may_ask_a_pinned_stage_that_its_bound_holds_back() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let handled = Arc::new(AtomicUsize::new(0));
    let slow = Bounded::new_async(Slow { handled: handled.clone() });
    let slow = theater.spawn(slow.mailbox(0, Bound::wait(CAPACITY)));
    let sent = Arc::new(AtomicUsize::new(0));
    let flooder = Flooder { to: slow.clone(), left: 1_000, sent: sent.clone() };
    let flooder = theater.actor().on(&stage).spawn(flooder);
    let (gate, until) = oneshot::channel();
    let (out, answers) = std::sync::mpsc::channel();
    slow.send(Job::Ask(until, flooder.clone(), out)).unwrap();
    flooder.send(Flood::On).unwrap();
    wait_until("a full mailbox", || sent.load(Ordering::SeqCst) >= CAPACITY);
    std::thread::sleep(Duration::from_millis(20));
    drop(gate);
    assert_eq!(answers.recv_timeout(SOON).unwrap(), 3);
    wait_until("the rest", || handled.load(Ordering::SeqCst) == 1_001);
}

/// Fills its own full mailbox by way of a relay, and then needs the relay.
struct Needy {
    relay: ActorRef<Relayed>,
    filled: Bell,
    done: std::sync::mpsc::Sender<u32>,
}

enum Need {
    Answer,
    Relief,
    Nothing,
}
impl Message for Need {}

impl AsyncActor for Needy {
    type Msg = Need;
    async fn handle(&mut self, need: Need, _: &mut AsyncContext<'_, Self>) {
        match need {
            Need::Answer => {
                self.filled.rings().await;
                self.done.send(self.relay.ask(Relayed::Question).await.unwrap()).unwrap();
            }
            Need::Relief => {
                self.filled.rings().await;
                // Nobody is held back by what somebody sends to itself: the relay is under
                // pressure.
                self.relay.send_async(Relayed::Nothing).await.unwrap();
                self.done.send(4).unwrap();
            }
            Need::Nothing => {}
        }
    }
}

enum Relayed {
    Fill(ActorRef<Need>, Bell),
    Question(Reply<u32>),
    Nothing,
}
impl Message for Relayed {}

struct Relay;
impl Actor for Relay {
    type Msg = Relayed;
    fn handle(&mut self, message: Relayed, ctx: &mut Context<'_, Self>) {
        match message {
            Relayed::Fill(needy, filled) => {
                (0..2_000).for_each(|_| ctx.send_self(Relayed::Nothing));
                (0..CAPACITY + 1).for_each(|_| needy.send(Need::Nothing).unwrap());
                filled.ring();
            }
            Relayed::Question(reply) => reply.send(3),
            Relayed::Nothing => {}
        }
    }
}

#[test]
fn s18_s17_a_handler_on_a_pinned_stage_may_need_whom_its_bound_holds_back() {
    for (need, comes) in [(Need::Answer, 3), (Need::Relief, 4)] {
        let theater = Theater::builder().workers(1).build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        let (filled, (done, needed)) = (Bell::new(), std::sync::mpsc::channel());
        let relay = theater.spawn(Relay);
        let needy = Needy { relay: relay.clone(), filled: filled.clone(), done };
        let needy = Bounded::new_async(needy).mailbox(0, Bound::wait(CAPACITY));
        let needy = theater.actor().on(&stage).spawn(needy);
        needy.send(need).unwrap();
        wait_until("a handler that waits", || filled.waiting() == 1);
        relay.send(Relayed::Fill(needy, filled)).unwrap();
        assert_eq!(needed.recv_timeout(SOON), Ok(comes));
    }
}

/// Sends as a future, from a handler on a pinned stage.
struct Patient {
    to: ActorRef<Job>,
    sent: Arc<AtomicUsize>,
}

impl AsyncActor for Patient {
    type Msg = ();
    async fn handle(&mut self, (): (), _: &mut AsyncContext<'_, Self>) {
        for _ in 0..100 {
            self.to.send_async(Job::Count).await.unwrap();
            self.sent.fetch_add(1, Ordering::SeqCst);
        }
    }
}

#[test]
fn s18_a_handler_on_a_pinned_stage_that_waits_for_a_place_does_not_hold_up_the_stage() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let handled = Arc::new(AtomicUsize::new(0));
    let slow = Bounded::new_async(Slow { handled: handled.clone() });
    let slow = theater.spawn(slow.mailbox(0, Bound::wait(CAPACITY)));
    let (gate, until) = oneshot::channel();
    slow.send(Job::Wait(until)).unwrap();
    wait_until("a handler that waits", || slow.try_send(Job::Count).is_ok());
    let sent = Arc::new(AtomicUsize::new(0));
    let patient = Patient { to: slow.clone(), sent: sent.clone() };
    let patient = theater.actor().on(&stage).spawn(patient);
    patient.send(()).unwrap();
    wait_until("a full mailbox", || slow.try_send(Job::Count).is_err());
    std::thread::sleep(Duration::from_millis(20));
    assert!(sent.load(Ordering::SeqCst) < CAPACITY);
    let neighbour = Flooder { to: slow, left: 0, sent: sent.clone() };
    let neighbour = theater.actor().on(&stage).spawn(neighbour);
    assert_eq!(neighbour.ask(Flood::Question).wait_timeout(SOON), Ok(3));
    drop(gate);
    wait_until("the rest", || sent.load(Ordering::SeqCst) == 100);
}
