//! S18 for senders on a pinned stage: the stage waits as a whole, before the message is accepted.
#![cfg(not(any(odeon_loom, odeon_shuttle)))]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use odeon_core::*;

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
            Job::Wait(until) => drop(until.into_future().await),
            Job::Ask(until, whom, out) => {
                let _ = until.into_future().await;
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
    let slow = theater.spawn_async(slow.mailbox(0, Bound::wait(CAPACITY)));
    let (gate, until) = oneshot::channel();
    slow.send(Job::Wait(until)).unwrap();
    let sent = Arc::new(AtomicUsize::new(0));
    let flooder = Flooder { to: slow, left: 5_000, sent: sent.clone() };
    theater.spawn_on(&stage, flooder).send(Flood::On).unwrap();
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
    let slow = theater.spawn_async(slow.mailbox(0, Bound::wait(CAPACITY)));
    let sent = Arc::new(AtomicUsize::new(0));
    let flooder = Flooder { to: slow.clone(), left: 1_000, sent: sent.clone() };
    let flooder = theater.spawn_on(&stage, flooder);
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
