//! Endings that few meet: dead letters as the observer sees them (S4), closed mailboxes of an actor
//! that nobody can reach (S11), what a watcher finds (S14), a stop while an actor pauses before its
//! restart (S15).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Deterministic, DropTracker, Faults, Tracked, silent_panic};

enum Do {
    Close,
    Fail,
    Stop,
    Keep,
}

impl Message for Do {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        usize::from(matches!(self, Self::Keep))
    }
}

struct Keeper {
    _state: Tracked<()>,
}

impl Keeper {
    fn new() -> Self {
        Self::tracked(&DropTracker::new())
    }

    fn tracked(states: &DropTracker) -> Self {
        Self { _state: states.track(()) }
    }
}

impl Actor for Keeper {
    type Msg = Do;
    fn handle(&mut self, msg: Do, ctx: &mut Context<'_, Self>) {
        match msg {
            Do::Close => ctx.close(1),
            Do::Fail => silent_panic("asked to"),
            Do::Stop => ctx.stop(),
            Do::Keep => {}
        }
    }
}

#[derive(Default)]
struct Letters(Mutex<Vec<(ActorId, DeadLetterReason)>>);

impl Observer for Letters {
    fn dead_letter(&self, actor: ActorId, reason: DeadLetterReason) {
        self.0.lock().unwrap().push((actor, reason));
    }
}

fn observed(seed: u64) -> (Deterministic, Arc<Letters>) {
    let letters = Arc::new(Letters::default());
    (Deterministic::with(seed, Theater::builder().observer(letters.clone())), letters)
}

#[test]
fn s4_the_observer_is_told_of_each_dead_letter() {
    let (run, letters) = observed(1);
    let actors = [(); 3].map(|()| run.theater().spawn(Keeper::new()));
    for actor in &actors {
        actor.send(Do::Close).unwrap();
        actor.send(Do::Keep).unwrap();
    }
    actors[0].send(Do::Stop).unwrap();
    actors[1].send(Do::Fail).unwrap();
    run.run_until_idle();
    assert_eq!(run.theater().dead_letters(), 2);
    // What comes back in the report is told as well.
    assert_eq!(run.shutdown().leftovers.len(), 1);
    let reasons = [DeadLetterReason::Stopped, DeadLetterReason::Failed, DeadLetterReason::Shutdown];
    let mut expected: Vec<_> = actors.iter().map(ActorRef::id).zip(reasons).collect();
    let mut told = letters.0.lock().unwrap().clone();
    expected.sort_by_key(|(actor, _)| *actor);
    told.sort_by_key(|(actor, _)| *actor);
    assert_eq!(told, expected);
}

#[test]
fn s11_closed_mailboxes_of_an_unreachable_actor_are_dead_lettered() {
    let (run, letters) = observed(1);
    let keeper = run.theater().spawn(Keeper::new());
    let id = keeper.id();
    keeper.send(Do::Close).unwrap();
    (0..3).for_each(|_| keeper.send(Do::Keep).unwrap());
    run.run_until_idle();
    assert_eq!((run.theater().live_actors(), run.theater().dead_letters()), (1, 0));
    drop(keeper);
    run.run_until_idle();
    assert_eq!((run.theater().live_actors(), run.theater().dead_letters()), (0, 3));
    assert_eq!(*letters.0.lock().unwrap(), [(id, DeadLetterReason::Stopped); 3]);
}

#[test]
fn s14_who_is_told_finds_actor_state_and_messages_gone() {
    for end in [Do::Stop, Do::Fail] {
        let (run, letters) = observed(1);
        let (states, found) = (DropTracker::new(), Arc::new(Mutex::new(None)));
        let keeper = run.theater().spawn(Keeper::tracked(&states));
        let watch = {
            let (keeper, states) = (keeper.clone(), states.clone());
            let (letters, found) = (letters.clone(), found.clone());
            move |_: &Ended| {
                let letters = letters.0.lock().unwrap().len();
                *found.lock().unwrap() = Some((keeper.is_stopped(), states.alive(), letters));
            }
        };
        keeper.on_end(watch);
        // Two deferred in a closed mailbox, and one in the inbox behind the end.
        for message in [Do::Close, Do::Keep, Do::Keep, end, Do::Close] {
            keeper.send(message).unwrap();
        }
        run.run_until_idle();
        assert_eq!(found.lock().unwrap().take(), Some((true, 0, 3)));
    }
}

#[test]
fn s15_a_stop_during_a_pause_takes_effect_at_its_end() {
    let (run, letters) = observed(1);
    let (pause, faults) = (Duration::from_secs(10), Faults::at([1, 2]));
    let (plan, policy) = (faults.clone(), Supervision::new().pauses(pause, pause));
    let keeper = run.theater().actor().supervised(policy).spawn(move || plan.plain(Keeper::new()));
    (0..3).for_each(|_| keeper.send(Do::Keep).unwrap());
    run.run_until_idle();
    // The first restart came at once; before the second it pauses.
    assert_eq!(faults.injected(), 2);
    keeper.stop();
    run.advance(pause - Duration::from_millis(1));
    assert!(!keeper.is_stopped());
    run.advance(Duration::from_millis(1));
    assert!(keeper.is_stopped());
    assert_eq!(faults.messages(), 2, "the third was not handled");
    assert_eq!(*letters.0.lock().unwrap(), [(keeper.id(), DeadLetterReason::Stopped)]);
}

/// Who comes too late was never there: what an observer counts adds up.
#[test]
fn s4_an_observer_is_told_of_no_end_without_a_beginning() {
    #[derive(Default)]
    struct Seen {
        spawned: Mutex<Vec<ActorId>>,
        ended: Mutex<Vec<ActorId>>,
    }
    impl Observer for Seen {
        fn actor_spawned(&self, actor: ActorId) {
            self.spawned.lock().unwrap().push(actor);
        }
        fn actor_ended(&self, actor: ActorId, _: EndReason) {
            self.ended.lock().unwrap().push(actor);
        }
    }
    /// Has an heir when its theater ends.
    struct Parent(Option<WorkerPool<Do>>);
    impl Actor for Parent {
        type Msg = Do;
        fn handle(&mut self, _: Do, ctx: &mut Context<'_, Self>) {
            let policy = Supervision::new();
            let make = |_| Keeper::new();
            self.0 = Some(ctx.actor().supervised(policy).pool(1, Routing::RoundRobin, make));
        }
        fn stopped(&mut self) {
            self.0.as_ref().unwrap().resize(3);
        }
    }
    let seen = Arc::new(Seen::default());
    let run = Deterministic::with(1, Theater::builder().observer(seen.clone()));
    let parent = run.theater().spawn(Parent(None));
    parent.send(Do::Keep).unwrap();
    run.run_until_idle();
    assert_eq!(run.shutdown().stuck, 0);
    let [mut spawned, mut ended] =
        [&seen.spawned, &seen.ended].map(|actors| actors.lock().unwrap().clone());
    spawned.sort();
    ended.sort();
    assert_eq!((spawned.len(), &spawned), (2, &ended));
}
