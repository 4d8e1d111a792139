//! S17 for senders and receivers that wait in the middle of a handler: memory stays bounded, and
//! nobody is held back by one that waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use futures_channel::oneshot;
use odeon_core::*;
use odeon_testkit::conformance::stage::probe::{Do, Log, Probe};

/// What a sender may leave with a receiver before it is held back, and one block of slack.
const LIMIT: usize = 1024 + 64;
/// What may be deferred before that counts, and two blocks that arrive meanwhile.
const DEFERRED: usize = 512 + 128;
const SOON: Duration = Duration::from_secs(20);

/// Sends one message to itself for each that it handles, and `at_once` to another.
struct Flooder {
    to: ActorRef<Job>,
    at_once: usize,
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
            return reply.send(7);
        }
        for _ in 0..self.at_once.min(self.left) {
            self.to.send(Job::Count).unwrap();
            self.sent.fetch_add(1, Ordering::SeqCst);
        }
        self.left -= self.at_once.min(self.left);
        if self.left > 0 {
            ctx.send_self(Flood::On);
        }
    }
}

/// Waits in the middle of its handlers.
struct Waiter {
    handled: Arc<AtomicUsize>,
}

enum Job {
    Count,
    /// Until the channel's sender is gone.
    Wait(oneshot::Receiver<()>),
    /// Waits, then asks, then tells the answer.
    WaitAndAsk(oneshot::Receiver<()>, ActorRef<Flood>, Sender<u32>),
    /// As many messages as it says, by `send_async`.
    Pass(ActorRef<Job>, usize),
    Inquire(ActorRef<Job>, Sender<u32>),
    Answer(Reply<u32>),
}
impl Message for Job {}

impl AsyncActor for Waiter {
    type Msg = Job;
    async fn handle(&mut self, job: Job, _: &mut AsyncContext<'_, Self>) {
        match job {
            Job::Count => {}
            Job::Wait(until) => drop(until.await),
            Job::WaitAndAsk(until, whom, out) => {
                let _ = until.await;
                out.send(whom.ask(Flood::Question).await.unwrap()).unwrap();
            }
            Job::Pass(to, count) => {
                for _ in 0..count {
                    to.send_async(Job::Count).await.unwrap();
                }
            }
            Job::Inquire(whom, out) => out.send(whom.ask(Job::Answer).await.unwrap()).unwrap(),
            Job::Answer(reply) => reply.send(8),
        }
        self.handled.fetch_add(1, Ordering::SeqCst);
    }
}

fn theater(workers: usize) -> Theater {
    Theater::builder().workers(workers).build().unwrap()
}

fn waiter(theater: &Theater) -> (ActorRef<Job>, Arc<AtomicUsize>) {
    let handled = Arc::new(AtomicUsize::new(0));
    (theater.spawn(Waiter { handled: handled.clone() }), handled)
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = std::time::Instant::now();
    while !condition() {
        assert!(start.elapsed() < SOON, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Lets everybody who may run do so for a while.
fn let_run(theater: &Theater) {
    let log = Log::default();
    let bystander = theater.spawn(Probe::new(&log));
    for n in 0..300 {
        bystander.send(Do::Note(n)).unwrap();
        wait_until("a turn of a bystander", || log.handled().len() == n as usize + 1);
    }
}

#[test]
fn s17_senders_are_held_back_while_a_handler_waits() {
    for workers in [1, 2] {
        let theater = theater(workers);
        let (receiver, handled) = waiter(&theater);
        for round in 1..=2 {
            let (gate, until) = oneshot::channel();
            receiver.send(Job::Wait(until)).unwrap();
            let sent = Arc::new(AtomicUsize::new(0));
            let to = receiver.clone();
            let flooder = Flooder { to, at_once: 10, left: 20_000, sent: sent.clone() };
            theater.spawn(flooder).send(Flood::On).unwrap();
            wait_until("pressure", || sent.load(Ordering::SeqCst) >= 900);
            let_run(&theater);
            let ahead = sent.load(Ordering::SeqCst);
            assert!(
                ahead <= LIMIT + DEFERRED + 10,
                "{ahead} messages are waiting, {workers} workers"
            );
            drop(gate);
            let all = round * 20_001;
            wait_until("the rest", || handled.load(Ordering::SeqCst) == all);
        }
    }
}

#[test]
fn s17_a_receiver_may_ask_a_sender_that_it_holds_back() {
    for workers in [1, 2] {
        let theater = theater(workers);
        let (receiver, handled) = waiter(&theater);
        let sent = Arc::new(AtomicUsize::new(0));
        let to = receiver.clone();
        let sender = theater.spawn(Flooder { to, at_once: 2_000, left: 4_000, sent });
        let (gate, until) = oneshot::channel();
        let (out, answers) = channel();
        receiver.send(Job::WaitAndAsk(until, sender.clone(), out)).unwrap();
        sender.send(Flood::On).unwrap();
        let_run(&theater);
        drop(gate);
        assert_eq!(answers.recv_timeout(SOON).unwrap(), 7);
        wait_until("the flood", || handled.load(Ordering::SeqCst) == 4_001);
    }
}

#[test]
fn s17_a_sender_may_be_held_back_while_a_receiver_asks_it() {
    // The question is under way before its receiver is held back by whoever asks.
    for workers in [1, 2] {
        let theater = theater(workers);
        let (receiver, handled) = waiter(&theater);
        let sent = Arc::new(AtomicUsize::new(0));
        let to = receiver.clone();
        let sender = theater.spawn(Flooder { to, at_once: 2_000, left: 4_000, sent });
        let (out, answers) = channel();
        sender.send(Flood::On).unwrap();
        receiver.send(Job::WaitAndAsk(oneshot::channel().1, sender, out)).unwrap();
        assert_eq!(answers.recv_timeout(SOON).unwrap(), 7);
        wait_until("the flood", || handled.load(Ordering::SeqCst) == 4_001);
    }
}

/// Fills `to`, whose handler is waiting, beyond the limit; done when the handler goes on.
fn fill(to: &ActorRef<Job>, job: impl Fn() -> Job + Send + 'static) -> std::thread::JoinHandle<()> {
    let to = to.clone();
    std::thread::spawn(move || (0..1_500).for_each(|_| to.send(job()).unwrap()))
}

#[test]
fn s17_two_under_pressure_send_to_each_other() {
    let theater = theater(2);
    let (a, handled_a) = waiter(&theater);
    let (b, handled_b) = waiter(&theater);
    let (gates, fillers): (Vec<_>, Vec<_>) = [(&a, &b), (&b, &a)]
        .map(|(from, to)| {
            let (gate, until) = oneshot::channel::<()>();
            from.send(Job::Wait(until)).unwrap();
            let to = to.clone();
            (gate, fill(from, move || Job::Pass(to.clone(), 2)))
        })
        .into_iter()
        .unzip();
    wait_until("pressure", || {
        let full = |to: &ActorRef<Job>| to.try_send(Job::Count).is_err();
        full(&a) && full(&b)
    });
    drop(gates);
    fillers.into_iter().for_each(|filler| filler.join().unwrap());
    let all = || handled_a.load(Ordering::SeqCst) + handled_b.load(Ordering::SeqCst);
    wait_until("everything", || all() >= 2 * (1 + 1_500 + 3_000));
}

#[test]
fn s17_one_waits_for_relief_and_the_other_for_its_answer() {
    for workers in [1, 2] {
        let theater = theater(workers);
        let (a, _) = waiter(&theater);
        let (b, handled) = waiter(&theater);
        let (gate, until) = oneshot::channel::<()>();
        let (out, answers) = channel();
        b.send(Job::Wait(until)).unwrap();
        // Behind the gate, so that it is asked while `a` waits for relief.
        b.send(Job::Inquire(a.clone(), out)).unwrap();
        let filler = fill(&b, || Job::Count);
        wait_until("pressure", || b.try_send(Job::Count).is_err());
        a.send(Job::Pass(b.clone(), 10)).unwrap();
        let_run(&theater);
        drop(gate);
        assert_eq!(answers.recv_timeout(SOON).unwrap(), 8);
        filler.join().unwrap();
        wait_until("everything", || handled.load(Ordering::SeqCst) >= 2 + 1_500 + 10);
    }
}

#[test]
fn s17_a_pinned_stage_is_held_back() {
    let theater = theater(1);
    let stage = theater.pinned("stage").unwrap();
    let (receiver, handled) = waiter(&theater);
    let (gate, until) = oneshot::channel();
    receiver.send(Job::Wait(until)).unwrap();
    let sent = Arc::new(AtomicUsize::new(0));
    let (to, left) = (receiver.clone(), 20_000);
    let flooder = Flooder { to, at_once: 10, left, sent: sent.clone() };
    theater.actor().on(&stage).spawn(flooder).send(Flood::On).unwrap();
    wait_until("pressure", || sent.load(Ordering::SeqCst) >= 900);
    let_run(&theater);
    let ahead = sent.load(Ordering::SeqCst);
    // A batch of a stage is 64 messages of its own and as many from elsewhere.
    assert!(ahead <= LIMIT + DEFERRED + 128 * 10, "{ahead} messages are waiting");
    drop(gate);
    wait_until("the rest", || handled.load(Ordering::SeqCst) == 20_001);
}

#[test]
fn s17_a_receiver_may_ask_a_pinned_stage_that_it_holds_back() {
    let theater = theater(1);
    let stage = theater.pinned("stage").unwrap();
    let (receiver, handled) = waiter(&theater);
    let sent = Arc::new(AtomicUsize::new(0));
    let flooder = Flooder { to: receiver.clone(), at_once: 2_000, left: 4_000, sent };
    let sender = theater.actor().on(&stage).spawn(flooder);
    let (gate, until) = oneshot::channel();
    let (out, answers) = channel();
    receiver.send(Job::WaitAndAsk(until, sender.clone(), out)).unwrap();
    sender.send(Flood::On).unwrap();
    let_run(&theater);
    drop(gate);
    assert_eq!(answers.recv_timeout(SOON).unwrap(), 7);
    wait_until("the flood", || handled.load(Ordering::SeqCst) == 4_001);
}

/// Blocks on an answer.
struct Blocker {
    out: Sender<u32>,
}

enum ToBlocker {
    Nothing,
    Ask(Receiver<()>, ActorRef<FloodBlocker>),
}
impl Message for ToBlocker {}

impl Actor for Blocker {
    type Msg = ToBlocker;
    fn handle(&mut self, message: ToBlocker, _: &mut Context<'_, Self>) {
        if let ToBlocker::Ask(until, whom) = message {
            let _ = until.recv();
            self.out.send(whom.ask(FloodBlocker::Question).wait().unwrap()).unwrap();
        }
    }
}

/// Floods a [`Blocker`].
struct BlockerFlooder {
    to: ActorRef<ToBlocker>,
}

enum FloodBlocker {
    On,
    Question(Reply<u32>),
}
impl Message for FloodBlocker {}

impl Actor for BlockerFlooder {
    type Msg = FloodBlocker;
    fn handle(&mut self, message: FloodBlocker, _: &mut Context<'_, Self>) {
        match message {
            FloodBlocker::On => {
                (0..2_000).for_each(|_| self.to.send(ToBlocker::Nothing).unwrap());
            }
            FloodBlocker::Question(reply) => reply.send(9),
        }
    }
}

#[test]
fn s17_a_dedicated_actor_may_block_on_a_sender_that_it_holds_back() {
    let theater = theater(1);
    let (out, answers) = channel();
    let blocker = theater.actor().dedicated("blocker").spawn(Blocker { out }).unwrap();
    let sender = theater.spawn(BlockerFlooder { to: blocker.clone() });
    let (gate, until) = channel::<()>();
    blocker.send(ToBlocker::Ask(until, sender.clone())).unwrap();
    sender.send(FloodBlocker::On).unwrap();
    let_run(&theater);
    drop(gate);
    assert_eq!(answers.recv_timeout(SOON).unwrap(), 9);
}

/// Asks with a deadline that is long past the test's.
struct Patient {
    out: Sender<Result<u32, AskError>>,
    handled: Arc<AtomicUsize>,
}

enum ToPatient {
    Count,
    Ask(oneshot::Receiver<()>, ActorRef<PatientFlood>),
}
impl Message for ToPatient {}

impl AsyncActor for Patient {
    type Msg = ToPatient;
    async fn handle(&mut self, message: ToPatient, _: &mut AsyncContext<'_, Self>) {
        if let ToPatient::Ask(until, whom) = message {
            let _ = until.await;
            let answer = whom.ask_within(10 * SOON, PatientFlood::Question).await;
            self.out.send(answer).unwrap();
        }
        self.handled.fetch_add(1, Ordering::SeqCst);
    }
}

struct PatientFlooder {
    to: ActorRef<ToPatient>,
}

enum PatientFlood {
    On,
    Question(Reply<u32>),
}
impl Message for PatientFlood {}

impl Actor for PatientFlooder {
    type Msg = PatientFlood;
    fn handle(&mut self, message: PatientFlood, _: &mut Context<'_, Self>) {
        match message {
            PatientFlood::On => (0..2_000).for_each(|_| self.to.send(ToPatient::Count).unwrap()),
            PatientFlood::Question(reply) => reply.send(5),
        }
    }
}

#[test]
fn s17_a_question_with_a_deadline_is_seen_to_wait() {
    let theater = theater(1);
    let (out, answers) = channel();
    let handled = Arc::new(AtomicUsize::new(0));
    let receiver = theater.spawn(Patient { out, handled: handled.clone() });
    let sender = theater.spawn(PatientFlooder { to: receiver.clone() });
    let (gate, until) = oneshot::channel();
    receiver.send(ToPatient::Ask(until, sender.clone())).unwrap();
    sender.send(PatientFlood::On).unwrap();
    let_run(&theater);
    drop(gate);
    assert_eq!(answers.recv_timeout(SOON).unwrap(), Ok(5));
    wait_until("the flood", || handled.load(Ordering::SeqCst) == 2_001);
}

/// Passes every message on.
struct Passer {
    to: ActorRef<Job>,
    passed: Arc<AtomicUsize>,
}

impl Actor for Passer {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        self.to.send(Job::Count).unwrap();
        self.passed.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn s17_a_flooded_pipeline_does_not_grow_at_its_slowest_stage() {
    for pinned in [false, true] {
        let theater = theater(2);
        let (slow, handled) = waiter(&theater);
        let (gate, until) = oneshot::channel();
        slow.send(Job::Wait(until)).unwrap();
        let passed = Arc::new(AtomicUsize::new(0));
        let passer = Passer { to: slow.clone(), passed: passed.clone() };
        let passer = match pinned {
            true => theater.actor().on(&theater.pinned("passer").unwrap()).spawn(passer),
            false => theater.spawn(passer),
        };
        let flood = std::thread::spawn(move || (0..10_000).for_each(|_| passer.send(()).unwrap()));
        wait_until("pressure", || passed.load(Ordering::SeqCst) >= 900);
        let_run(&theater);
        let ahead = passed.load(Ordering::SeqCst);
        assert!(ahead <= LIMIT + DEFERRED + 128, "{ahead} messages are waiting");
        drop(gate);
        flood.join().unwrap();
        wait_until("the rest", || handled.load(Ordering::SeqCst) == 10_001);
    }
}
