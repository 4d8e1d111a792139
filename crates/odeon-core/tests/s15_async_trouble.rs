//! S15 for asynchronous actors: random failures, restarts and stops with accounts, and panics on
//! top of panics.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Deterministic, DropTracker, Tracked, for_seeds, silent_panic, yields};

const SOON: Duration = Duration::from_secs(20);

fn at_once() -> Supervision {
    Supervision::new()
        .restarts(1_000_000, Duration::from_secs(3600))
        .pauses(Duration::ZERO, Duration::ZERO)
}

/// Random failures, restarts and stops: every message is handled once or dead-lettered, every state
/// and everything that handlers held dropped.
fn trouble(seed: u64, theater: &Theater) -> impl FnOnce(usize, &StopReport) + use<> {
    struct Unreliable {
        _state: Tracked<()>,
        tracker: DropTracker,
        handled: Arc<AtomicUsize>,
    }
    struct Risk(bool, u32);
    impl Message for Risk {}
    impl AsyncActor for Unreliable {
        type Msg = Risk;
        async fn handle(&mut self, Risk(fails, waits): Risk, _: &mut AsyncContext<'_, Self>) {
            self.handled.fetch_add(1, Ordering::SeqCst);
            let _held = self.tracker.track(());
            yields(waits).await;
            if fails {
                silent_panic("at random");
            }
        }
    }
    let mut random = Random::from_seed(seed);
    let (tracker, handled) = (DropTracker::new(), Arc::new(AtomicUsize::new(0)));
    let mut sent = 0;
    let actors: Vec<_> = (0..8)
        .map(|n| {
            let (tracker, handled) = (tracker.clone(), handled.clone());
            let policy = match n % 4 {
                0 => at_once().restarts(3, SOON),
                1 => at_once().always(Directive::Resume),
                2 => at_once().always(Directive::Stop),
                _ => at_once(),
            };
            theater.actor().supervised(policy).spawn(move || Unreliable {
                _state: tracker.track(()),
                tracker: tracker.clone(),
                handled: handled.clone(),
            })
        })
        .collect();
    for _ in 0..1_000 {
        let actor = &actors[random.below(actors.len())];
        let risk = Risk(random.below(20) == 0, random.below(3) as u32);
        sent += usize::from(actor.send(risk).is_ok());
        if random.below(400) == 0 {
            actor.stop();
        }
    }
    move |dead_before, report| {
        assert_eq!(report.stuck, 0);
        let dead = dead_before + report.leftovers.len();
        assert_eq!(sent, handled.load(Ordering::SeqCst) + dead);
        drop(actors);
        tracker.check();
    }
}

#[test]
fn s15_random_failures_of_asynchronous_actors_lose_nothing_in_any_order() {
    for_seeds(100, |seed| {
        let run = Deterministic::new(seed);
        let close = trouble(seed, run.theater());
        if seed % 2 == 0 {
            run.run_until_idle();
        } else {
            run.run_steps(300);
        }
        let dead = run.theater().dead_letters() as usize;
        close(dead, &run.shutdown());
    });
}

#[test]
fn s15_random_failures_of_asynchronous_actors_lose_nothing_in_parallel() {
    for_seeds(20, |seed| {
        let dead = Arc::new(AtomicUsize::new(0));
        let counted = dead.clone();
        let builder = Theater::builder().workers(2).on_dead_letter(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        let theater = builder.build().unwrap();
        let close = trouble(seed, &theater);
        let report = theater.shutdown(SOON);
        close(dead.load(Ordering::SeqCst), &report);
    });
}

#[test]
fn s15_a_panic_while_a_restart_cancels_is_contained() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                silent_panic("a destructor");
            }
        }
    }
    struct Fragile(u32, std::sync::mpsc::Sender<u32>);
    enum To {
        Wait,
        Note,
    }
    impl Message for To {}
    impl AsyncActor for Fragile {
        type Msg = To;
        async fn handle(&mut self, to: To, ctx: &mut AsyncContext<'_, Self>) {
            match to {
                To::Wait => {
                    let _bomb = Bomb;
                    ctx.pipe(async { silent_panic("a pipe") }, |_, (), _| ());
                    let sibling = ctx.spawn(Quiet);
                    ctx.link(&sibling);
                    sibling.send(()).unwrap();
                    std::future::pending::<()>().await;
                }
                To::Note => self.1.send(self.0).unwrap(),
            }
        }
    }
    struct Quiet;
    impl Actor for Quiet {
        type Msg = ();
        fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
            silent_panic("linked");
        }
    }
    for seed in 0..20 {
        let run = Deterministic::new(seed);
        let (tell, told) = channel();
        let mut made = 0;
        let fragile = run.theater().actor().supervised(at_once()).spawn(move || {
            made += 1;
            Fragile(made, tell.clone())
        });
        fragile.send(To::Wait).unwrap();
        fragile.send(To::Note).unwrap();
        run.run_until_idle();
        assert_eq!(told.try_iter().collect::<Vec<_>>(), [2]);
    }
}

/// As in a plain actor: the handler that asked for the end has not returned.
#[test]
fn s15_a_handler_that_stops_its_actor_and_fails_is_resumed_from() {
    struct Hasty(std::sync::mpsc::Sender<u32>);
    enum To {
        StopAndFail,
        Note(u32),
    }
    impl Message for To {}
    impl AsyncActor for Hasty {
        type Msg = To;
        async fn handle(&mut self, to: To, ctx: &mut AsyncContext<'_, Self>) {
            match to {
                To::StopAndFail => {
                    ctx.stop();
                    silent_panic("before the end");
                }
                To::Note(number) => self.0.send(number).unwrap(),
            }
        }
    }
    let run = Deterministic::new(1);
    let (tell, told) = channel();
    let policy = at_once().always(Directive::Resume);
    let hasty = run.theater().actor().supervised(policy).spawn(move || Hasty(tell.clone()));
    hasty.send(To::StopAndFail).unwrap();
    hasty.send(To::Note(1)).unwrap();
    hasty.send(To::Note(2)).unwrap();
    run.run_until_idle();
    assert_eq!(told.try_iter().collect::<Vec<_>>(), [1, 2]);
    assert!(!hasty.is_stopped());
}
