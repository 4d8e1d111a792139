//! S20 with streams, items, wakers and messages whose code panics, also in destructors, or calls
//! the runtime back.

mod block_on;

use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use block_on::block_on;
use futures_core::Stream;
use odeon_core::*;
use odeon_stream::{Attach, Attached, OpenOutlet};

const SOON: Duration = Duration::from_secs(30);

/// Panics when it is dropped.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        explode();
    }
}

/// Panics with something that panics when it is dropped.
fn explode() -> ! {
    resume_unwind(Box::new(Bomb))
}

#[track_caller]
fn wait_for(mut what: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < SOON, "it does not happen");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Does something that is not to hang.
#[track_caller]
fn in_time<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, over) = std::sync::mpsc::channel();
    thread::spawn(move || done.send(work()));
    over.recv_timeout(SOON).expect("it comes to its end")
}

/// A waker that explodes.
struct Exploding(AtomicUsize);

impl Wake for Exploding {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
        explode()
    }
}

#[test]
fn s20_a_reader_whose_waker_panics_loses_nothing() {
    let theater = Theater::new().unwrap();
    let (outlet, mut reader) = theater.outlet(4);
    let exploding = Arc::new(Exploding(AtomicUsize::new(0)));
    let waker = Waker::from(exploding.clone());
    let mut read = Vec::new();
    for round in 0..10 {
        let mut cx = TaskContext::from_waker(&waker);
        while let Poll::Ready(item) = Pin::new(&mut reader).poll_next(&mut cx) {
            read.extend(item);
        }
        outlet.send(round).unwrap();
        wait_for(|| exploding.0.load(SeqCst) > round);
    }
    outlet.send(10).unwrap();
    drop(outlet);
    block_on(async {
        while let Some(item) = reader.next().await {
            read.push(item);
        }
    });
    assert_eq!(read, (0..=10).collect::<Vec<_>>());
}

#[test]
fn s20_a_waker_that_panics_at_the_end_of_a_stream_disturbs_nobody() {
    let theater = Theater::new().unwrap();
    for _ in 0..10 {
        let (outlet, mut reader) = theater.outlet::<u32>(4);
        let exploding = Arc::new(Exploding(AtomicUsize::new(0)));
        let waker = Waker::from(exploding.clone());
        let mut cx = TaskContext::from_waker(&waker);
        assert!(Pin::new(&mut reader).poll_next(&mut cx).is_pending());
        drop(outlet);
        wait_for(|| exploding.0.load(SeqCst) > 0);
        assert_eq!(block_on(reader.next()), None);
    }
    assert_eq!(theater.spawn(Collector::default()).ask(To::Count).wait(), Ok(0));
}

#[test]
fn s20_a_reader_may_be_dropped_with_items_that_explode() {
    let theater = Theater::new().unwrap();
    let (outlet, reader) = theater.outlet(8);
    for _ in 0..100 {
        outlet.send(Bomb).unwrap();
    }
    thread::sleep(Duration::from_millis(50));
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(reader)));
    if let Err(panic) = dropped {
        std::mem::forget(panic);
    }
    wait_for(|| outlet.is_closed());
    std::mem::forget(outlet.send(Bomb).unwrap_err());
}

#[test]
fn s20_any_room_is_a_room() {
    let theater = Theater::new().unwrap();
    for room in [0, usize::MAX, usize::MAX / 2, usize::MAX / 4] {
        let (outlet, mut reader) = theater.outlet(room);
        outlet.send(5).unwrap();
        assert_eq!(block_on(reader.next()), Some(5));
    }
}

type Act = Box<dyn FnOnce(&mut Context<'_, Collector>) + Send>;

/// Attaches a stream at its start, and counts what comes.
#[derive(Default)]
struct Collector {
    count: u32,
    attach: Option<Act>,
}

enum To {
    Item,
    #[allow(dead_code, reason = "for its end")]
    Armed(Option<Bomb>),
    Count(Reply<u32>),
    Do(Act),
}

impl Message for To {}

impl Actor for Collector {
    type Msg = To;
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        if let Some(attach) = self.attach.take() {
            attach(ctx);
        }
    }
    fn handle(&mut self, message: To, ctx: &mut Context<'_, Self>) {
        match message {
            To::Item | To::Armed(_) => self.count += 1,
            To::Count(reply) => reply.send(self.count),
            To::Do(what) => what(ctx),
        }
    }
}

/// What a stream does at each poll; it explodes at its end if it is to.
struct Doing<F>(F, #[allow(dead_code, reason = "for its end")] Option<Bomb>);

impl<F: FnMut(&mut TaskContext<'_>) -> Poll<Option<u32>> + Unpin> Stream for Doing<F> {
    type Item = u32;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Option<u32>> {
        (self.0)(cx)
    }
}

fn attached(
    theater: &Theater,
    attach: impl Fn(&mut Context<'_, Collector>) + Send + Sync + 'static,
) -> ActorRef<To> {
    let attach = Arc::new(attach);
    theater.actor().supervised(Supervision::new().restarts(3, SOON)).spawn(move || {
        let attach = attach.clone();
        let attach: Act = Box::new(move |ctx| attach(ctx));
        Collector { count: 0, attach: Some(attach) }
    })
}

#[test]
fn s20_streams_that_explode_at_a_poll_and_at_their_end_fail_their_actor_alone() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        let polls = Arc::new(AtomicUsize::new(0));
        let counts = polls.clone();
        let actor = attached(&theater, move |ctx| {
            let counts = counts.clone();
            let doing = move |_: &mut TaskContext<'_>| {
                counts.fetch_add(1, SeqCst);
                explode()
            };
            ctx.attach(Doing(doing, Some(Bomb)), |_| To::Item);
        });
        wait_for(|| actor.is_stopped());
        assert_eq!(polls.load(SeqCst), 4);
        assert_eq!(theater.spawn(Collector::default()).ask(To::Count).wait(), Ok(0));
    });
}

#[test]
fn s20_streams_that_explode_when_they_are_dropped() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        for ends in [false, true] {
            let actor = attached(&theater, move |ctx| {
                let mut left = 3;
                let doing = move |_: &mut TaskContext<'_>| {
                    if left == 0 {
                        return if ends { Poll::Ready(None) } else { Poll::Pending };
                    }
                    left -= 1;
                    Poll::Ready(Some(left))
                };
                ctx.attach_to_end(Doing(doing, Some(Bomb)), |_| To::Item, || To::Item);
            });
            thread::sleep(Duration::from_millis(20));
            actor.stop();
            wait_for(|| actor.is_stopped());
        }
        assert_eq!(theater.spawn(Collector::default()).ask(To::Count).wait(), Ok(0));
    });
}

#[test]
fn s20_conversions_that_explode_and_items_that_nobody_takes() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        let actor = attached(&theater, |ctx| {
            let doing = |_: &mut TaskContext<'_>| Poll::Ready(Some(1));
            let held = std::mem::ManuallyDrop::new(Bomb);
            ctx.attach(Doing(doing, None), move |_| {
                let _ = &held;
                explode()
            });
        });
        wait_for(|| actor.is_stopped());
        let actor = attached(&theater, |ctx| {
            let doing = |_: &mut TaskContext<'_>| Poll::Ready(Some(1));
            let me = ctx.actor_ref();
            ctx.attach(Doing(doing, Some(Bomb)), move |_| {
                me.stop();
                To::Armed(Some(Bomb))
            });
        });
        wait_for(|| actor.is_stopped());
        assert_eq!(theater.spawn(Collector::default()).ask(To::Count).wait(), Ok(0));
    });
}

#[test]
fn s20_a_stream_may_detach_itself_and_stop_its_actor_while_it_is_polled() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        let slot: Arc<Mutex<Option<Attached>>> = Arc::default();
        let known = slot.clone();
        let actor = theater.spawn(Collector::default());
        let me = actor.clone();
        let attach = Box::new(move |ctx: &mut Context<'_, Collector>| {
            let inner = known.clone();
            let doing = move |_: &mut TaskContext<'_>| {
                if let Some(attached) = inner.lock().unwrap().take() {
                    assert!(attached.detach());
                    me.send(To::Item).unwrap();
                    return Poll::Ready(Some(1));
                }
                Poll::Pending
            };
            let attached = ctx.attach(Doing(doing, Some(Bomb)), |_| To::Item);
            *known.lock().unwrap() = Some(attached);
        });
        actor.send(To::Do(attach)).unwrap();
        wait_for(|| slot.lock().unwrap().is_none());
        wait_for(|| actor.is_stopped() || actor.ask(To::Count).wait_timeout(SOON).is_ok());
    });
}

/// A message of two mailboxes that says another one each time it is asked.
struct Fickle;

static FICKLE: AtomicUsize = AtomicUsize::new(0);

impl Message for Fickle {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        FICKLE.fetch_add(1, SeqCst) % 2
    }
}

struct Slow(Option<Arc<AtomicBool>>);

impl Actor for Slow {
    type Msg = Fickle;
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.close(0);
        ctx.attach(Doing(|_: &mut TaskContext<'_>| Poll::Ready(Some(1)), None), |_| Fickle);
        if let Some(started) = &self.0 {
            started.store(true, SeqCst);
        }
    }
    fn handle(&mut self, _: Fickle, _: &mut Context<'_, Self>) {}
}

#[test]
fn s20_a_stream_whose_messages_change_their_mailbox_leaves_others_their_turns() {
    in_time(|| {
        let theater = Theater::builder().workers(1).build().unwrap();
        let started = Arc::new(AtomicBool::new(false));
        let slow = Slow(Some(started.clone()));
        let slow = Bounded::new(slow).mailbox(0, Bound::reject(1));
        let slow = theater.spawn(slow);
        wait_for(|| started.load(SeqCst));
        for _ in 0..20 {
            assert_eq!(theater.spawn(Collector::default()).ask(To::Count).wait(), Ok(0));
            thread::sleep(Duration::from_millis(5));
        }
        slow.stop();
        wait_for(|| slow.is_stopped());
    });
}

#[test]
fn s20_wakers_outlive_streams_actors_and_theaters() {
    in_time(|| {
        let kept: Arc<Mutex<Vec<Waker>>> = Arc::default();
        let over = Arc::new(AtomicBool::new(false));
        let (wakers, ends) = (kept.clone(), over.clone());
        let waking = thread::spawn(move || {
            while !ends.load(SeqCst) {
                for waker in wakers.lock().unwrap().iter() {
                    waker.wake_by_ref();
                }
                thread::yield_now();
            }
            let wakers = std::mem::take(&mut *wakers.lock().unwrap());
            for (n, waker) in wakers.into_iter().enumerate() {
                if n % 2 == 0 { waker.wake() } else { drop(waker) }
            }
        });
        for round in 0..20 {
            let theater = Theater::new().unwrap();
            let keep = kept.clone();
            let actor = attached(&theater, move |ctx| {
                let keep = keep.clone();
                let mut left = 20;
                let doing = move |cx: &mut TaskContext<'_>| {
                    left -= 1;
                    keep.lock().unwrap().push(cx.waker().clone());
                    match left {
                        0 => explode(),
                        n if n % 2 == 0 => Poll::Ready(Some(n)),
                        _ => Poll::Pending,
                    }
                };
                ctx.attach(Doing(doing, None), |_| To::Item);
            });
            thread::sleep(Duration::from_millis(2 * round % 7));
            if round % 3 == 0 {
                actor.stop();
            }
        }
        over.store(true, SeqCst);
        waking.join().unwrap();
    });
}
