//! S20 streams into actors and out of them, with backpressure.

mod block_on;

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Poll};
use std::time::{Duration, Instant};

use block_on::block_on;
use futures_core::Stream;
use odeon_core::*;
use odeon_stream::{Attach, Attached, Item, OpenOutlet, Outlet, Reader};
use odeon_testkit::{Bell, Deterministic, DropTracker, Tracked, for_seeds, silent_panic};

const SOON: Duration = Duration::from_secs(20);

/// Messages that a receiver may have waiting, and one block of slack.
const LIMIT: usize = 1024 + 64;

/// The numbers below `end`, waiting now and then; counts how many it has given out.
struct Numbers {
    next: u32,
    end: u32,
    random: Random,
    given: Arc<AtomicUsize>,
    held: Option<Tracked<()>>,
}

impl Numbers {
    fn below(end: u32, seed: u64) -> Self {
        let random = Random::from_seed(seed);
        Self { next: 0, end, random, given: Arc::default(), held: None }
    }
}

impl Stream for Numbers {
    type Item = u32;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Option<u32>> {
        if self.random.below(4) == 0 {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.next == self.end {
            return Poll::Ready(None);
        }
        self.next += 1;
        self.given.fetch_add(1, Ordering::SeqCst);
        Poll::Ready(Some(self.next - 1))
    }
}

/// Attaches a stream at its start and writes down what comes.
struct Collector<S> {
    stream: Option<S>,
    log: Arc<Mutex<Vec<u32>>>,
    attached: Option<Attached>,
    gate: Option<std::sync::mpsc::Receiver<()>>,
}

enum To {
    Item(u32),
    End,
    Detach(Reply<bool>),
}
impl Message for To {}

const END: u32 = u32::MAX;

impl<S> Collector<S> {
    fn of(stream: S) -> (Self, Arc<Mutex<Vec<u32>>>) {
        let log = Arc::<Mutex<Vec<u32>>>::default();
        (Self { stream: Some(stream), log: log.clone(), attached: None, gate: None }, log)
    }

    fn take(&mut self, to: To) {
        match to {
            To::Item(n) => self.log.lock().unwrap().push(n),
            To::End => self.log.lock().unwrap().push(END),
            To::Detach(reply) => reply.send(self.attached.take().unwrap().detach()),
        }
    }
}

impl<S: Stream<Item = u32> + Send + 'static> Actor for Collector<S> {
    type Msg = To;
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        let stream = self.stream.take().unwrap();
        self.attached = Some(ctx.attach_to_end(stream, To::Item, || To::End));
    }
    fn handle(&mut self, to: To, _: &mut Context<'_, Self>) {
        if let Some(gate) = self.gate.take() {
            gate.recv().unwrap();
        }
        self.take(to);
    }
}

/// The same, with handlers that could wait.
struct Waiting<S>(Collector<S>);

impl<S: Stream<Item = u32> + Send + 'static> AsyncActor for Waiting<S> {
    type Msg = To;
    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        let stream = self.0.stream.take().unwrap();
        self.0.attached = Some(ctx.attach_to_end(stream, To::Item, || To::End));
    }
    async fn handle(&mut self, to: To, _: &mut AsyncContext<'_, Self>) {
        odeon_testkit::yields(1).await;
        self.0.take(to);
    }
}

#[track_caller]
fn wait_for(mut condition: impl FnMut() -> bool) {
    let since = Instant::now();
    while !condition() {
        assert!(since.elapsed() < SOON, "still waiting");
        std::thread::sleep(Duration::from_micros(50));
    }
}

fn all_below(end: u32) -> impl Iterator<Item = u32> {
    (0..end).chain([END])
}

fn has_all(log: &Mutex<Vec<u32>>, end: u32) -> bool {
    log.lock().unwrap().iter().copied().eq(all_below(end))
}

#[test]
fn s20_items_arrive_in_order_and_then_the_end_in_any_order_of_turns() {
    for_seeds(100, |seed| {
        let run = Deterministic::new(seed);
        let (plain, log) = Collector::of(Numbers::below(300, seed));
        let (waiting, other) = Collector::of(Numbers::below(300, seed + 1));
        // The streams keep their actors.
        drop(run.theater().spawn(plain));
        drop(run.theater().spawn(Waiting(waiting)));
        run.run_until_idle();
        assert!(has_all(&log, 300) && has_all(&other, 300));
        assert_eq!(run.theater().live_actors(), 0);
    });
}

#[test]
fn s20_s18_a_bounded_mailbox_makes_a_stream_wait_also_one_that_rejects() {
    for bound in [Bound::wait(2), Bound::reject(1), Bound::reject(3)] {
        for_seeds(50, |seed| {
            let run = Deterministic::new(seed);
            let (plain, log) = Collector::of(Numbers::below(100, seed));
            let (waiting, other) = Collector::of(Numbers::below(100, seed + 1));
            run.theater().spawn(Bounded::new(plain).mailbox(0, bound));
            run.theater().spawn(Bounded::new_async(Waiting(waiting)).mailbox(0, bound));
            run.run_until_idle();
            assert!(has_all(&log, 100) && has_all(&other, 100));
        });
    }
}

#[test]
fn s20_s18_a_stream_waits_for_an_asynchronous_actor_of_a_pinned_stage() {
    struct Slow(Option<Numbers>, Bell);
    impl AsyncActor for Slow {
        type Msg = u32;
        async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
            ctx.attach(self.0.take().unwrap(), |n| n);
        }
        async fn handle(&mut self, _: u32, _: &mut AsyncContext<'_, Self>) {
            self.1.rings().await;
        }
    }
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    for bound in [Bound::wait(10), Bound::reject(10)] {
        let (numbers, bell) = (Numbers::below(1_000, 1), Bell::new());
        let given = numbers.given.clone();
        let slow = Bounded::new_async(Slow(Some(numbers), bell.clone())).mailbox(0, bound);
        let _slow = theater.actor().on(&stage).spawn(slow);
        wait_for(|| given.load(Ordering::SeqCst) >= 12);
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(given.load(Ordering::SeqCst), 12, "one is handled, one waits for room");
        bell.ring();
        wait_for(|| given.load(Ordering::SeqCst) == 1_000);
    }
}

#[test]
fn s20_on_every_stage() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let mut logs = Vec::new();
    let mut collector = |seed| {
        let (collector, log) = Collector::of(Numbers::below(20_000, seed));
        logs.push(log);
        collector
    };
    let _actors = [
        theater.spawn(collector(1)),
        theater.actor().on(&stage).spawn(collector(2)),
        theater.actor().dedicated("own").spawn(collector(3)).unwrap(),
        theater.actor().on(&stage).spawn(Waiting(collector(4))),
    ];
    for log in logs {
        wait_for(|| has_all(&log, 20_000));
    }
}

#[test]
fn s20_a_stream_is_polled_no_further_than_its_actor_accepts() {
    let theater = Theater::builder().workers(2).build().unwrap();
    for dedicated in [false, true] {
        let numbers = Numbers::below(10_000, 1);
        let given = numbers.given.clone();
        let (mut collector, log) = Collector::of(numbers);
        let (open, gate) = channel();
        collector.gate = Some(gate);
        let _actor = match dedicated {
            false => theater.spawn(collector),
            true => theater.actor().dedicated("own").spawn(collector).unwrap(),
        };
        wait_for(|| given.load(Ordering::SeqCst) >= 512);
        std::thread::sleep(Duration::from_millis(50));
        assert!(given.load(Ordering::SeqCst) <= LIMIT, "{given:?}");
        open.send(()).unwrap();
        wait_for(|| has_all(&log, 10_000));
    }
}

#[test]
fn s20_a_detached_stream_is_dropped_and_sends_no_end() {
    for_seeds(50, |seed| {
        let run = Deterministic::new(seed);
        let tracker = DropTracker::new();
        let mut numbers = Numbers::below(u32::MAX, seed);
        numbers.held = Some(tracker.track(()));
        let given = numbers.given.clone();
        let (collector, log) = Collector::of(numbers);
        let actor = run.theater().spawn(collector);
        run.run_steps(50);
        let detached = actor.ask(To::Detach);
        run.run_until_idle();
        assert_eq!(detached.wait(), Ok(true));
        tracker.check();
        let given = given.load(Ordering::SeqCst) as u32;
        let arrived = log.lock().unwrap().len() as u32;
        assert!(log.lock().unwrap().iter().copied().eq(0..arrived));
        assert!(arrived == given || arrived + 1 == given, "one may have waited for room");
    });
}

#[test]
fn s20_the_end_of_the_actor_drops_its_stream() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let tracker = DropTracker::new();
    let mut numbers = Numbers::below(u32::MAX, 1);
    numbers.held = Some(tracker.track(()));
    let (collector, log) = Collector::of(numbers);
    let actor = theater.spawn(collector);
    wait_for(|| log.lock().unwrap().len() > 1_000);
    actor.stop();
    wait_for(|| theater.live_actors() == 0);
    tracker.check();
}

#[test]
fn s20_a_panic_of_the_stream_is_a_failure_of_its_actor() {
    struct Broken;
    impl Stream for Broken {
        type Item = u32;
        fn poll_next(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Option<u32>> {
            silent_panic("a broken stream")
        }
    }
    let run = Deterministic::new(1);
    let (tell, told) = channel();
    let actor = run.theater().spawn(Collector::of(Broken).0);
    actor.on_end(move |ended| tell.send(ended.failure().map(String::from)).unwrap());
    run.run_until_idle();
    assert_eq!(told.try_recv().unwrap().as_deref(), Some("a broken stream"));
}

#[test]
fn s20_a_stream_that_is_always_ready_leaves_others_their_turns() {
    struct Endless;
    impl Stream for Endless {
        type Item = u32;
        fn poll_next(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Option<u32>> {
            Poll::Ready(Some(1))
        }
    }
    struct Deaf;
    impl Actor for Deaf {
        type Msg = Box<Reply<()>>;
        fn handle(&mut self, reply: Box<Reply<()>>, _: &mut Context<'_, Self>) {
            reply.send(());
        }
    }
    let theater = Theater::builder().workers(1).build().unwrap();
    let _flooded = theater.spawn(Collector::of(Endless).0);
    let deaf = theater.spawn(Deaf);
    for _ in 0..100 {
        assert_eq!(deaf.ask(Box::new).wait_timeout(SOON), Ok(()));
    }
}

async fn read_all<T: Send + 'static>(mut reader: Reader<T>) -> Vec<T> {
    let mut all = Vec::new();
    while let Some(item) = reader.next().await {
        all.push(item);
    }
    all
}

/// Sends numbers into its outlet, a few per message.
struct Source {
    out: Outlet<u32>,
    next: u32,
    end: u32,
    sent: Arc<AtomicUsize>,
}

impl Actor for Source {
    type Msg = ();
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.send_self(());
    }
    fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
        for _ in 0..10 {
            if self.next == self.end || self.out.send(self.next).is_err() {
                return ctx.stop();
            }
            self.next += 1;
            self.sent.fetch_add(1, Ordering::SeqCst);
        }
        ctx.send_self(());
    }
}

#[test]
fn s20_what_is_sent_into_an_outlet_is_read_in_order_to_the_end() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    for room in [0, 1, 100] {
        for pinned in [false, true] {
            let (out, reader) = theater.outlet(room);
            let source = Source { out, next: 0, end: 20_000, sent: Arc::default() };
            let _source = match pinned {
                false => theater.spawn(source),
                true => theater.actor().on(&stage).spawn(source),
            };
            assert!(block_on(read_all(reader)).into_iter().eq(0..20_000));
        }
    }
}

#[test]
fn s20_a_slow_reader_holds_senders_back() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (out, mut reader) = theater.outlet(4);
    let sent = Arc::new(AtomicUsize::new(0));
    let handle = out.clone();
    let source = theater.spawn(Source { out, next: 0, end: 10_000, sent: sent.clone() });
    // Until it is full; what gets in meanwhile is no number of the source's.
    wait_for(|| handle.try_send(END).is_err_and(|error| error.is_full()));
    std::thread::sleep(Duration::from_millis(50));
    // On their way (half as many again, since the actor between waits), ready for the reader, in
    // the hand of that actor, of the message that felt it.
    let ahead = LIMIT * 3 / 2 + 4 + 2 + 10;
    assert!(sent.load(Ordering::SeqCst) <= ahead, "{sent:?}");
    assert!(handle.try_send(END).unwrap_err().is_full());
    drop(handle);
    let mut next_number = || loop {
        let next = block_on(reader.next());
        if next != Some(END) {
            break next;
        }
    };
    for n in 0..10_000 {
        assert_eq!(next_number(), Some(n));
        assert!(sent.load(Ordering::SeqCst) <= n as usize + ahead);
    }
    assert_eq!(next_number(), None);
    wait_for(|| source.is_stopped());
}

#[test]
fn s20_dropping_the_reader_closes_the_outlet() {
    for waiting in [0, 3, 100] {
        let letters = Arc::new(AtomicUsize::new(0));
        let counted = letters.clone();
        let builder = Theater::builder().workers(2).on_dead_letter(move |letter| {
            assert!(letter.message.downcast::<Item<Tracked<()>>>().is_ok());
            counted.fetch_add(1, Ordering::SeqCst);
        });
        let theater = builder.build().unwrap();
        let tracker = DropTracker::new();
        let (out, reader) = theater.outlet(1);
        (0..waiting).for_each(|_| out.send(tracker.track(())).unwrap());
        drop(reader);
        wait_for(|| out.is_closed());
        drop(out.send(tracker.track(())).unwrap_err().into_message());
        wait_for(|| theater.live_actors() == 0);
        tracker.check();
        // At most two were ready, and one in the hand of the actor between.
        assert!(letters.load(Ordering::SeqCst) + 3 >= waiting.max(3), "{letters:?} of {waiting}");
    }
}

#[test]
fn s20_the_end_of_the_theater_is_the_end_of_the_stream() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (out, reader) = theater.outlet(2);
    (0..10).for_each(|n| out.send(n).unwrap());
    // Nobody reads, and items wait for room.
    let report = theater.shutdown(Duration::from_millis(50));
    assert!(!report.drained && report.stuck == 0);
    let read = block_on(read_all(reader));
    assert!(read.iter().copied().eq(0..read.len() as u32) && read.len() <= 4);
    assert!(read.len() + report.leftovers.len() >= 9, "one was in the hand of the actor between");
    assert!(out.send(0).is_err());
}

/// From one actor through another to a third: nothing is lost, doubled or reordered.
#[test]
fn s20_streams_through_actors_in_any_order() {
    struct Middle {
        from: Option<Reader<u32>>,
        to: Option<Outlet<u32>>,
    }
    impl Actor for Middle {
        type Msg = To;
        fn started(&mut self, ctx: &mut Context<'_, Self>) {
            let from = self.from.take().unwrap();
            ctx.attach_to_end(from, To::Item, || To::End);
        }
        fn handle(&mut self, to: To, _: &mut Context<'_, Self>) {
            match to {
                To::Item(n) => self.to.as_ref().unwrap().send(n + 1).unwrap(),
                _ => drop(self.to.take()),
            }
        }
    }
    for_seeds(30, |seed| {
        let run = Deterministic::new(seed);
        let theater = run.theater();
        let (out, mut reader) = theater.outlet(seed as usize % 3);
        let source = Source { out, next: 0, end: 3_000, sent: Arc::default() };
        drop(theater.spawn(source));
        for _ in 0..3 {
            let (to, next) = theater.outlet(seed as usize % 5);
            drop(theater.spawn(Middle { from: Some(reader), to: Some(to) }));
            reader = next;
        }
        let (collector, log) = Collector::of(reader);
        drop(theater.spawn(collector));
        run.run_until_idle();
        let expected: Vec<u32> = (3..3_003).chain([END]).collect();
        assert_eq!(*log.lock().unwrap(), expected);
        assert_eq!(theater.live_actors(), 0);
    });
}

#[test]
fn s20_an_outlet_may_be_awaited() {
    struct Waits(Outlet<u32>, Bell);
    impl AsyncActor for Waits {
        type Msg = ();
        async fn handle(&mut self, (): (), ctx: &mut AsyncContext<'_, Self>) {
            let (own, mut read) = ctx.outlet(1);
            own.send(7).unwrap();
            let seven = read.next().await.unwrap();
            self.1.rings().await;
            for n in 0..3_000 {
                self.0.send_async(n + seven).await.unwrap();
            }
            ctx.stop();
        }
    }
    for seed in 0..10 {
        let run = Deterministic::new(seed);
        let (out, reader) = run.theater().outlet(3);
        let bell = Bell::new();
        let waits = run.theater().spawn(Waits(out, bell.clone()));
        waits.send(()).unwrap();
        run.run_until_idle();
        bell.ring();
        let (collector, log) = Collector::of(reader);
        let _collector = run.theater().spawn(collector);
        run.run_until_idle();
        assert!(log.lock().unwrap().iter().copied().eq((7..3_007).chain([END])));
    }
}
