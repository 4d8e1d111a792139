//! S14: the end of an actor as something to wait for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::mpsc::{Sender, channel};
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{Deterministic, DropTracker, Tracked, silent_panic};

const SOON: Duration = Duration::from_secs(20);
const BRIEF: Duration = Duration::from_millis(20);

struct Mortal {
    _state: Option<Tracked<()>>,
}

enum Fate {
    Stop,
    Fail,
    Live,
}
impl Message for Fate {}

impl Actor for Mortal {
    type Msg = Fate;
    fn handle(&mut self, fate: Fate, ctx: &mut Context<'_, Self>) {
        match fate {
            Fate::Stop => ctx.stop(),
            Fate::Fail => silent_panic("as it was told"),
            Fate::Live => {}
        }
    }
}

fn mortal() -> Mortal {
    Mortal { _state: None }
}

#[test]
fn s14_a_thread_waits_for_the_end_and_its_reason() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let spawn: [&dyn Fn() -> ActorRef<Fate>; 3] =
        [&|| theater.spawn(mortal()), &|| theater.actor().on(&stage).spawn(mortal()), &|| {
            theater.actor().dedicated("own").spawn(mortal()).unwrap()
        }];
    for spawn in spawn {
        let (stopped, failed, released) = (spawn(), spawn(), spawn());
        let (first, second) = (stopped.ended(), stopped.ended());
        stopped.send(Fate::Stop).unwrap();
        let ended = first.wait();
        assert_eq!((ended.actor(), ended.reason()), (stopped.id(), EndReason::Stopped));
        assert!(stopped.is_stopped());
        assert_eq!(second.wait(), ended, "each who watches is told");
        assert_eq!(stopped.ended().wait().reason(), EndReason::Stopped, "it has ended already");

        let watching = failed.ended();
        failed.send(Fate::Fail).unwrap();
        let ended = watching.wait();
        assert_eq!((ended.reason(), ended.failure()), (EndReason::Failed, Some("as it was told")));

        // Waiting keeps nobody.
        let ended = released.ended();
        released.send(Fate::Live).unwrap();
        drop(released);
        assert_eq!(ended.wait().reason(), EndReason::Stopped);
    }
    let last = theater.spawn(mortal());
    let ended = last.ended();
    assert!(theater.shutdown(SOON).drained);
    assert_eq!(ended.wait().reason(), EndReason::Shutdown);
    assert_eq!(last.ended().wait().reason(), EndReason::Shutdown);
}

#[test]
fn s14_a_wait_with_a_limit_can_be_taken_up_again() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let actor = theater.spawn(mortal());
    let mut ended = actor.ended();
    let since = Instant::now();
    assert_eq!(ended.wait_timeout(BRIEF), Err(Elapsed));
    assert!(since.elapsed() >= BRIEF);
    actor.send(Fate::Stop).unwrap();
    assert_eq!(ended.wait_timeout(SOON).unwrap().reason(), EndReason::Stopped);
}

/// When the future is complete the state is dropped and what waited is with the dead letters.
#[test]
fn s14_a_future_is_complete_once_all_is_over() {
    let run = Deterministic::new(1);
    let states = DropTracker::new();
    let actor = run.theater().spawn(Mortal { _state: Some(states.track(())) });
    let mut ended = pin!(actor.ended());
    let mut poll = || ended.as_mut().poll(&mut TaskContext::from_waker(Waker::noop()));
    run.run_until_idle();
    assert!(poll().is_pending());
    actor.send(Fate::Stop).unwrap();
    (0..3).for_each(|_| actor.send(Fate::Live).unwrap());
    run.run_until_idle();
    let Poll::Ready(ended) = poll() else { panic!("it has ended") };
    assert_eq!(ended.reason(), EndReason::Stopped);
    states.check();
    assert_eq!(run.theater().dead_letters(), 3);
}

#[test]
fn s14_an_asynchronous_actor_awaits_the_end_of_another() {
    struct Heir(Sender<(EndReason, usize)>);
    impl AsyncActor for Heir {
        type Msg = ActorRef<Fate>;
        async fn handle(&mut self, other: ActorRef<Fate>, _: &mut AsyncContext<'_, Self>) {
            let ends: [UntilEnded; 3] = std::array::from_fn(|_| other.ended());
            other.send(Fate::Fail).unwrap();
            let [first, second, third] = ends;
            drop(second);
            let reason = first.await.reason();
            assert_eq!(third.await.reason(), reason);
            // At once: it has ended.
            self.0.send((other.ended().await.reason(), 3)).unwrap();
        }
    }
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    for pinned in [false, true] {
        let (out, told) = channel();
        let heir = match pinned {
            false => theater.spawn(Heir(out)),
            true => theater.actor().on(&stage).spawn(Heir(out)),
        };
        heir.send(theater.actor().on(&stage).spawn(mortal())).unwrap();
        assert_eq!(told.recv_timeout(SOON), Ok((EndReason::Failed, 3)));
        heir.send(theater.spawn(mortal())).unwrap();
        assert_eq!(told.recv_timeout(SOON), Ok((EndReason::Failed, 3)));
    }
}

#[test]
fn s14_who_gives_up_takes_it_from_nobody_else() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let actor = theater.spawn(mortal());
    let mut waiting: Vec<_> = (0..100).map(|_| Some(actor.ended())).collect();
    for at in (0..100).step_by(2) {
        assert_eq!(waiting[at].as_mut().unwrap().wait_timeout(Duration::ZERO), Err(Elapsed));
        waiting[at] = None;
    }
    actor.stop();
    let told = waiting.into_iter().flatten().map(|ended| ended.wait().reason());
    assert_eq!(told.collect::<Vec<_>>(), [EndReason::Stopped; 50]);
}

#[test]
fn s14_blocking_for_an_end_on_a_stage_panics() {
    struct Rash(Sender<String>);
    impl Actor for Rash {
        type Msg = ActorRef<Fate>;
        fn handle(&mut self, other: ActorRef<Fate>, _: &mut Context<'_, Self>) {
            let panic = catch_unwind(AssertUnwindSafe(|| other.ended().wait())).unwrap_err();
            self.0.send(panic.downcast_ref::<String>().unwrap().clone()).unwrap();
        }
    }
    let theater = Theater::builder().workers(1).build().unwrap();
    let (out, said) = channel();
    theater.spawn(Rash(out)).send(theater.spawn(mortal())).unwrap();
    let said = said.recv_timeout(SOON).unwrap();
    assert!(said.contains("the end of an actor") && said.contains("Context::watch"), "{said}");
}
