//! S18 no way to send ignores a bound: actors, replies, timers, groups, worker pools, names,
//! attempts.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::bounded::*;
use odeon_core::extend::Outbox;
use odeon_core::*;
use odeon_testkit::conformance::stage::probe::{Do, Log, Probe};
use odeon_testkit::{Deterministic, for_seeds};

/// A clerk with one note too few to be full.
fn nearly_full(
    spawn: Spawn<'_>,
    notes: &Notes,
    bound: Bound,
    capacity: u64,
) -> (ActorRef<Work>, Busy) {
    let clerk = spawn(notes, bound);
    let busy = Busy::keep(&clerk);
    (1..capacity).for_each(|number| clerk.send(Work::Note(number)).unwrap());
    (clerk, busy)
}

#[test]
fn s18_a_weak_reference_a_broadcast_and_a_group_heed_the_bound() {
    on_all(|theater, spawn| {
        let notes = Notes::default();
        let (clerk, busy) = nearly_full(spawn, &notes, Bound::reject(3), 3);
        let weak = clerk.downgrade();
        weak.upgrade().unwrap().send(Work::Note(3)).unwrap();
        assert!(weak.upgrade().unwrap().send(Work::Note(4)).unwrap_err().is_full());
        let limit = Duration::from_secs(1);
        let mut asked = std::pin::pin!(clerk.ask_within(limit, Work::Ask));
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        let refused = std::task::Poll::Ready(Err(AskError::Full));
        assert_eq!(asked.as_mut().poll(&mut cx), refused);
        drop(busy);
        until(|| notes.len() == 3);

        // One of two is full: the other one gets it.
        let bounded = |log: &Log| Bounded::new(Probe::new(log)).mailbox(0, Bound::reject(1));
        let (full, free) = (Log::default(), Log::default());
        let actors = [theater.spawn(bounded(&full)), theater.spawn(bounded(&free))];
        let (enter, entered) = channel();
        let (leave, left) = channel::<()>();
        let job = Do::run(move |_| {
            enter.send(()).unwrap();
            left.recv().unwrap();
        });
        actors[0].send(job).unwrap();
        entered.recv().unwrap();
        actors[0].send(Do::Note(1)).unwrap();
        let group = Group::new();
        actors.iter().for_each(|actor| assert!(group.join(actor)));
        let cloned: usize = actors.iter().filter(|actor| actor.send(Do::Note(2)).is_ok()).count();
        assert_eq!((cloned, group.len()), (1, 2));
        leave.send(()).unwrap();
        until(|| full.handled() == [1] && free.handled() == [2]);
    });
}

/// A message that can be published.
#[derive(Clone)]
struct News(u64);
impl Message for News {}

struct Reader(Notes, Option<Arc<std::sync::Barrier>>);
impl Actor for Reader {
    type Msg = News;
    fn handle(&mut self, News(number): News, _: &mut Context<'_, Self>) {
        if let Some(gate) = self.1.take() {
            gate.wait();
            gate.wait();
        }
        self.0.note(number);
    }
}

#[test]
fn s18_what_is_published_passes_over_the_full() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let gate = Arc::new(std::sync::Barrier::new(2));
    let (slow, quick) = (Notes::default(), Notes::default());
    let reader = |notes: &Notes, gate| {
        let reader = Reader(notes.clone(), gate);
        theater.spawn(Bounded::new(reader).mailbox(0, Bound::reject(1)))
    };
    let readers = [reader(&slow, Some(gate.clone())), reader(&quick, None)];
    let group = Group::new();
    readers.iter().for_each(|reader| assert!(group.join(reader)));
    assert_eq!(group.publish(News(1)), 2);
    gate.wait();
    until(|| quick.len() == 1);
    assert_eq!(group.publish(News(2)), 2);
    until(|| quick.len() == 2);
    assert_eq!(group.publish(News(3)), 1);
    assert_eq!(broadcast(&readers[..1], News(4)), 0);
    gate.wait();
    until(|| slow.len() == 2 && quick.len() == 3);
    assert_eq!((slow.all(), quick.all()), (vec![1, 2], vec![1, 2, 3]));
}

#[test]
fn s18_replies_timers_watches_and_messages_to_oneself_are_accepted_and_count() {
    for bound in [Bound::reject(1), Bound::wait(1)] {
        let run = Deterministic::new(1);
        let log = Log::default();
        let actor = run.theater().spawn(Bounded::new(Probe::new(&log)).mailbox(0, bound));
        let other = run.theater().spawn(Probe::new(&Log::default()));
        let (out, replies) = channel();
        let watched = other.clone();
        let job = Do::run(move |ctx| {
            ctx.watch(&watched, |_| Do::Note(1));
            ctx.send_after(Duration::from_millis(1), Do::Note(2));
            out.send(ctx.reply_to(|_: Result<(), AskError>| Do::Note(3))).unwrap();
            ctx.send_self(Do::Note(4));
            ctx.send_self(Do::Note(5));
        });
        actor.send(job).unwrap();
        while log.handled().is_empty() {
            assert_eq!(run.run_steps(1), 1);
        }
        run.run_until_idle();
        actor.send(Do::Note(6)).unwrap();
        assert!(actor.try_send(Do::Note(7)).unwrap_err().is_full());
        replies.recv().unwrap().send(());
        other.stop();
        run.clock().advance(Duration::from_millis(2));
        run.run_until_idle();
        let mut handled = log.handled();
        handled.sort_unstable();
        assert_eq!(handled, [1, 2, 3, 4, 5, 6]);
        actor.try_send(Do::Note(8)).unwrap();
    }
}

#[test]
fn s18_of_a_worker_pool_a_free_member_gets_the_message_and_a_key_stays_with_its_own() {
    let theater = Theater::builder().workers(4).build().unwrap();
    for routing in [Routing::RoundRobin, Routing::LeastLoaded, Routing::ByKey(|_: &Work| 7)] {
        let notes = Notes::default();
        let made = notes.clone();
        let make = move |_| Bounded::new(Clerk(made.clone())).mailbox(1, Bound::reject(2));
        let pool = theater.actor().supervised(Supervision::new()).pool(3, routing, make);
        let busy: Vec<_> = pool.members().iter().map(Busy::keep).collect();
        let sends = || (0..).take_while(|number| pool.send(Work::Note(*number)).is_ok()).count();
        let room = if matches!(routing, Routing::ByKey(_)) { 2 } else { 6 };
        assert_eq!(sends(), room);
        assert!(pool.send(Work::Note(9)).unwrap_err().is_full());
        assert_eq!(pool.ask(Work::Ask).wait(), Err(AskError::Full));
        drop(busy);
        until(|| notes.len() == room);
        pool.send(Work::Note(9)).unwrap();
        pool.stop();
        assert!(!pool.send(Work::Note(9)).unwrap_err().is_full());
    }
}

#[test]
fn s18_the_bounds_of_an_actor_that_makes_itself_hold_when_it_is_made() {
    for bound in [Bound::wait(2), Bound::reject(2), Bound::drop_oldest(2)] {
        let theater = Theater::builder().workers(1).build().unwrap();
        let (notes, sent) = (Notes::default(), Count::default());
        let (enter, entered) = channel();
        let (leave, left) = channel::<()>();
        let left = std::sync::Mutex::new(left);
        let made = notes.clone();
        let make = move || {
            enter.send(()).unwrap();
            left.lock().unwrap().recv().unwrap();
            Bounded::new(Clerk(made.clone())).mailbox(1, bound)
        };
        let clerk = theater.actor().lookup_or_spawn("clerk", make).unwrap();
        entered.recv().unwrap();
        // It is being made: threads wait, nobody is told of a bound that may be another.
        assert!(clerk.try_send(Work::Note(0)).unwrap_err().is_full());
        let senders: Vec<_> = (0..4).map(|n| send_all(&clerk, n..n + 1, &sent)).collect();
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(sent.now(), 0);
        assert!(senders.iter().all(|sender| !sender.is_finished()), "somebody was told");
        leave.send(()).unwrap();
        let back: usize = senders.into_iter().map(|sender| sender.join().unwrap().len()).sum();
        // A thread that is so late that the clerk was made may find it full.
        assert!(back == 0 || bound == Bound::reject(2), "{back} came back");
        until(|| notes.len() + theater.dead_letters() as usize + back == 4);
        let busy = Busy::keep(&clerk);
        (0..2).for_each(|number| clerk.send(Work::Note(number)).unwrap());
        let is_full = clerk.try_send(Work::Note(2)).is_err_and(|error| error.is_full());
        assert_eq!(is_full, bound != Bound::drop_oldest(2));
        drop(busy);
    }
}

#[test]
fn s18_an_attempt_learns_at_once_and_what_it_held_back_too_long_is_reported() {
    let (tell, told) = channel();
    let tell = std::sync::Mutex::new(tell);
    let hook = move |letter: DeadLetter| tell.lock().unwrap().send(letter.reason).unwrap();
    let theater = Theater::builder().workers(1).on_dead_letter(hook).build().unwrap();
    let notes = Notes::default();
    let bounded = |bound| theater.spawn(Bounded::new(Clerk(notes.clone())).mailbox(1, bound));

    let clerk = bounded(Bound::reject(1));
    let busy = Busy::keep(&clerk);
    let mut outbox = Outbox::new();
    outbox.hold_during(|| clerk.send(Work::Note(1))).unwrap();
    outbox.hold_during(|| clerk.try_send(Work::Note(2))).unwrap();
    outbox.release();
    assert_eq!(told.recv().unwrap(), DeadLetterReason::Rejected);
    assert!(outbox.hold_during(|| clerk.send(Work::Note(3))).unwrap_err().is_full());
    assert!(outbox.hold_during(|| clerk.try_send(Work::Note(3))).unwrap_err().is_full());
    drop(busy);
    until(|| notes.all() == [1]);

    let clerk = bounded(Bound::wait(1));
    let busy = Busy::keep(&clerk);
    let releases = std::thread::spawn({
        let clerk = clerk.clone();
        move || {
            let mut outbox = Outbox::new();
            outbox.hold_during(|| (4..6).for_each(|n| clerk.send(Work::Note(n)).unwrap()));
            outbox.release();
        }
    });
    std::thread::sleep(Duration::from_millis(20));
    assert!(!releases.is_finished());
    drop(busy);
    releases.join().unwrap();
    until(|| notes.all() == [1, 4, 5]);
}

#[test]
fn s18_children_are_on_the_same_stage_with_and_without_bounds() {
    for_seeds(10, |seed| {
        let run = Deterministic::new(seed);
        let log = Log::default();
        let parent = run.theater().spawn(Bounded::new(Probe::new(&log)).mailbox(0, Bound::wait(1)));
        let child_log = log.clone();
        let job = Do::run(move |ctx| {
            let log = child_log.clone();
            let child = ctx
                .actor()
                .supervised(Supervision::new())
                .spawn(move || Bounded::new(Probe::new(&log)).mailbox(0, Bound::reject(2)));
            let plain = ctx.spawn(Probe::new(&child_log));
            (1..3).for_each(|number| child.send(Do::Note(number)).unwrap());
            assert!(child.send(Do::Note(0)).unwrap_err().is_full());
            (3..50).for_each(|number| plain.send(Do::Note(number)).unwrap());
        });
        parent.send(job).unwrap();
        run.run_until_idle();
        let mut handled = log.handled();
        handled.sort_unstable();
        assert!(handled.into_iter().eq(1..50));
    });
}
