//! S13, S4: a shutdown and handlers that wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::Bell;

/// Longer than any of these tests may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Shorter than a handler that never ends, and long enough to begin it.
const BRIEF: Duration = Duration::from_millis(100);

/// What a [`Clerk`] is told.
enum Work {
    /// Wait for an answer that takes a moment.
    Ask(ActorRef<Late>),
    /// Wait until it rings.
    Await(Bell),
}
impl Message for Work {}

/// Notes what it has done to the end.
#[derive(Clone, Default)]
struct Done(Arc<AtomicUsize>);

impl Done {
    fn note(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

struct Clerk {
    /// What `started` waits for.
    opening: Option<Bell>,
    done: Done,
}

impl Clerk {
    fn new(done: &Done) -> Self {
        Self { opening: None, done: done.clone() }
    }
}

impl AsyncActor for Clerk {
    type Msg = Work;
    async fn started(&mut self, _: &mut AsyncContext<'_, Self>) {
        if let Some(bell) = self.opening.take() {
            bell.rings().await;
            self.done.note();
        }
    }
    async fn handle(&mut self, work: Work, _: &mut AsyncContext<'_, Self>) {
        match work {
            Work::Ask(late) => late.ask(Late).await.expect("it answers late"),
            Work::Await(bell) => bell.rings().await,
        }
        self.done.note();
    }
}

/// Answers only after a millisecond, by a thread that no stage knows.
struct Later;
struct Late(Reply<()>);
impl Message for Late {}

impl Actor for Later {
    type Msg = Late;
    fn handle(&mut self, Late(reply): Late, _: &mut Context<'_, Self>) {
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(1));
            reply.send(());
        });
    }
}

/// With a theater of its own for each kind of stage an actor may be on, bounded and not.
fn on_each_stage(test: impl Fn(Theater, &dyn Fn(&Theater, Clerk) -> ActorRef<Work>)) {
    let theater = || Theater::builder().workers(2).build().unwrap();
    test(theater(), &|theater, clerk| theater.spawn(clerk));
    test(theater(), &|theater, clerk| {
        theater.spawn(Bounded::new_async(clerk).mailbox(0, Bound::wait(100)))
    });
    test(theater(), &|theater, clerk| {
        theater.actor().supervised(Supervision::default()).spawn({
            let mut clerk = Some(clerk);
            move || clerk.take().expect("it does not fail")
        })
    });
    for bounded in [false, true] {
        test(theater(), &|theater, clerk| {
            let stage = theater.pinned("stage").unwrap();
            match bounded {
                false => theater.actor().on(&stage).spawn(clerk),
                true => theater
                    .actor()
                    .on(&stage)
                    .spawn(Bounded::new_async(clerk).mailbox(0, Bound::wait(100))),
            }
        });
    }
    test(theater(), &|theater, clerk| theater.actor().dedicated("own").spawn(clerk).unwrap());
}

#[test]
fn s13_the_drain_waits_for_every_queued_message_that_waits() {
    on_each_stage(|theater, spawn| {
        let done = Done::default();
        let (late, clerk) = (theater.spawn(Later), spawn(&theater, Clerk::new(&done)));
        (0..20).for_each(|_| clerk.send(Work::Ask(late.clone())).unwrap());
        let report = theater.shutdown(PATIENCE);
        assert_eq!((report.drained, report.leftovers.len(), report.stuck), (true, 0, 0));
        assert_eq!((done.count(), report.dead_letters.total()), (20, 0));
    });
}

#[test]
fn s13_a_handler_that_never_ends_is_cut_at_the_deadline() {
    on_each_stage(|theater, spawn| {
        let (done, bell) = (Done::default(), Bell::new());
        let clerk = spawn(&theater, Clerk::new(&done));
        clerk.send(Work::Await(bell.clone())).unwrap();
        while bell.waiting() == 0 {
            thread::yield_now();
        }
        (0..3).for_each(|_| clerk.send(Work::Await(Bell::new())).unwrap());
        let since = Instant::now();
        let report = theater.shutdown(BRIEF);
        assert!((BRIEF..PATIENCE).contains(&since.elapsed()));
        assert_eq!((report.drained, report.leftovers.len(), report.stuck), (false, 3, 0));
        assert_eq!(done.count(), 0);
        let by_shutdown = |letter: &DeadLetter| letter.reason == DeadLetterReason::Shutdown;
        assert!(report.leftovers.iter().all(by_shutdown));
    });
}

#[test]
fn s13_the_drain_waits_for_started_and_for_what_it_keeps_waiting() {
    on_each_stage(|theater, spawn| {
        let (done, bell) = (Done::default(), Bell::new());
        let clerk = Clerk { opening: Some(bell.clone()), ..Clerk::new(&done) };
        let clerk = spawn(&theater, clerk);
        let late = theater.spawn(Later);
        (0..3).for_each(|_| clerk.send(Work::Ask(late.clone())).unwrap());
        let ringer = thread::spawn(move || {
            while bell.waiting() == 0 {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(20));
            bell.ring();
        });
        let report = theater.shutdown(PATIENCE);
        assert_eq!((report.drained, report.leftovers.len(), report.stuck), (true, 0, 0));
        assert_eq!(done.count(), 4);
        ringer.join().unwrap();
    });
}

/// One that waits for ever does not hold up those beside it, and may be stopped to end the drain.
#[test]
fn s13_an_actor_that_is_stopped_is_not_waited_for() {
    on_each_stage(|theater, spawn| {
        let (done, bell) = (Done::default(), Bell::new());
        let clerk = spawn(&theater, Clerk::new(&done));
        clerk.send(Work::Await(bell.clone())).unwrap();
        let stopper = thread::spawn(move || {
            while bell.waiting() == 0 {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(20));
            clerk.stop();
        });
        let report = theater.shutdown(PATIENCE);
        assert_eq!((report.drained, report.stuck, done.count()), (true, 0, 0));
        stopper.join().unwrap();
    });
}
