//! What becomes of pipes that do not come to their end in peace.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Bell, Deterministic, DropTracker, for_seeds, silent_panic, yields};

use crate::actors::*;

#[test]
fn s19_a_panic_of_the_future_is_a_failure_of_its_actor() {
    on_all_stages(|_, spawn| {
        let actor = spawn(Plain::new(&log()));
        let (tell, told) = channel();
        actor.on_end(move |ended| tell.send(ended.clone()).unwrap());
        let job = run(|_, ctx| {
            let future = async {
                yields(2).await;
                silent_panic("in the future")
            };
            ctx.pipe(future, |_, (), _| unreachable!("there is no output"));
        });
        actor.send(job).unwrap();
        let ended = told.recv_timeout(SOON).unwrap();
        assert_eq!((ended.reason(), ended.failure()), (EndReason::Failed, Some("in the future")));
    });
}

#[test]
fn s19_a_panic_of_the_continuation_too() {
    let run = Deterministic::new(3);
    let (tell, told) = channel();
    let tell_of = |tell: std::sync::mpsc::Sender<Ended>| {
        move |ended: &Ended| tell.send(ended.clone()).unwrap()
    };
    let plain = run.theater().spawn(Plain::new(&log()));
    plain.on_end(tell_of(tell.clone()));
    let job = self::run(|_, ctx| {
        ctx.pipe(async {}, |_, (), _| silent_panic("afterwards"));
    });
    plain.send(job).unwrap();
    let waiting = run.theater().spawn(Waiting::new(&log()));
    waiting.on_end(tell_of(tell));
    let job = run_async(|_, ctx| {
        Box::pin(async move {
            ctx.pipe(async {}, |_, (), _| silent_panic("afterwards"));
            yields(5).await;
        })
    });
    waiting.send(job).unwrap();
    run.run_until_idle();
    for _ in 0..2 {
        assert_eq!(told.try_recv().unwrap().failure(), Some("afterwards"));
    }
    assert_eq!(run.theater().live_actors(), 0);
}

/// Futures and outputs are dropped when the actor ends, wherever they are.
#[test]
fn s19_the_end_of_the_actor_cancels_its_pipes() {
    on_all_stages(|theater, spawn| {
        let (tracker, bell) = (DropTracker::new(), Bell::new());
        let actor = spawn(Plain::new(&log()));
        let (tracked, all) = (tracker.clone(), bell.clone());
        let job = run(move |_, ctx| {
            for _ in 0..100 {
                let (rings, value, captured) = (all.rings(), tracked.track(()), tracked.track(()));
                let future = async move {
                    rings.await;
                    value
                };
                ctx.pipe(future, move |_, _, _| drop(captured));
            }
        });
        actor.send(job).unwrap();
        wait_for(|| bell.waiting() == 100);
        actor.stop();
        wait_for(|| theater.live_actors() == 0);
        tracker.check();
    });
}

#[test]
fn s19_stops_in_any_order_leak_nothing() {
    for_seeds(200, |seed| {
        let run = Deterministic::new(seed);
        let (tracker, mut random) = (DropTracker::new(), Random::from_seed(seed));
        let plain = run.theater().spawn(Plain::new(&log()));
        let waiting = run.theater().spawn(Waiting::new(&log()));
        for _ in 0..10 {
            let (waits, value, captured) =
                (random.below(10) as u32, tracker.track(()), tracker.track(()));
            let job = self::run(move |_, ctx| {
                let future = async move {
                    yields(waits).await;
                    value
                };
                ctx.pipe(future, move |_, _, _| drop(captured));
            });
            plain.send(job).unwrap();
            let (value, captured) = (tracker.track(()), tracker.track(()));
            let job = run_async(move |_, ctx| {
                Box::pin(async move {
                    let future = async move {
                        yields(waits).await;
                        value
                    };
                    ctx.pipe(future, move |_, _, _| drop(captured));
                    yields(waits / 3).await;
                })
            });
            waiting.send(job).unwrap();
        }
        run.run_steps(random.below(60));
        plain.stop();
        waiting.stop();
        run.run_until_idle();
        assert_eq!(run.theater().live_actors(), 0);
        tracker.check();
    });
}

#[test]
fn s19_a_pipe_belongs_to_the_state_that_began_it() {
    let policy = || Supervision::new().restarts(1_000, SOON).pauses(Duration::ZERO, Duration::ZERO);
    for_seeds(200, |seed| {
        let run = Deterministic::new(seed);
        let (log, bell) = (log(), Bell::new());
        let (kept, mut made) = (log.clone(), 0);
        let actor = run.theater().actor().supervised(policy()).spawn(move || {
            made += 1;
            kept.lock().unwrap().push(100 + made);
            Plain::new(&kept)
        });
        let rings = bell.rings();
        let job = self::run(move |_, ctx| {
            for n in 0..5 {
                ctx.pipe(yields(n), |this, (), _| this.note(1));
            }
            ctx.pipe(rings, |this, (), _| this.note(2));
            // Two failures that lie in the relations: the second one belongs to the first state as
            // well.
            for _ in 0..2 {
                ctx.pipe(async { silent_panic("asked to") }, |_, (), _| ());
            }
        });
        actor.send(job).unwrap();
        run.run_until_idle();
        bell.ring();
        run.run_until_idle();
        let notes = notes(&log);
        let second = notes.iter().position(|n| *n == 102).expect("made anew");
        assert_eq!(second, notes.len() - 1, "{notes:?}");
        assert_eq!(run.theater().live_actors(), 1);
    });
}

#[test]
fn s19_resume_keeps_the_other_pipes() {
    let run = Deterministic::new(1);
    let log = log();
    let kept = log.clone();
    let policy = Supervision::new().always(Directive::Resume);
    let actor = run.theater().actor().supervised(policy).spawn(move || Plain::new(&kept));
    let job = self::run(|_, ctx| {
        ctx.pipe(async { silent_panic("asked to") }, |_, (), _| ());
        ctx.pipe(yields(50), |this, (), _| this.note(1));
    });
    actor.send(job).unwrap();
    run.run_until_idle();
    assert_eq!(notes(&log), [1]);
}

#[test]
fn s19_a_cancelled_pipe_does_not_go_on() {
    for_seeds(200, |seed| {
        let run = Deterministic::new(seed);
        let (log, tracker) = (log(), DropTracker::new());
        let (plain, waiting) =
            (run.theater().spawn(Plain::new(&log)), run.theater().spawn(Waiting::new(&log)));
        let pipe = Arc::new(Mutex::new(None));
        let (place, captured) = (pipe.clone(), tracker.track(()));
        let job = self::run(move |_, ctx| {
            let pipe = ctx.pipe(yields(2), move |this, (), _| {
                drop(captured);
                this.note(1);
            });
            *place.lock().unwrap() = Some(pipe);
        });
        plain.send(job).unwrap();
        plain
            .send(self::run(move |this, _| {
                let before = notes(&this.log).contains(&1);
                assert_eq!(pipe.lock().unwrap().take().unwrap().cancel(), !before);
                this.note(if before { 2 } else { 3 });
            }))
            .unwrap();
        // While the handler waits the output may come: it is not too late to cancel it.
        let captured = tracker.track(());
        let job = run_async(move |_, ctx| {
            Box::pin(async move {
                let pipe = ctx.pipe(yields(1), move |this, (), _| {
                    drop(captured);
                    this.note(10);
                });
                yields(4).await;
                assert!(pipe.cancel());
            })
        });
        waiting.send(job).unwrap();
        run.run_until_idle();
        let notes = notes(&log);
        assert!(notes == [1, 2] || notes == [3], "{notes:?}");
        tracker.check();
    });
}

#[test]
fn s19_a_pipe_keeps_its_actor_until_its_output_is_handled() {
    on_all_stages(|theater, spawn| {
        let (log, bell) = (log(), Bell::new());
        let actor = spawn(Plain::new(&log));
        let rings = bell.rings();
        let job = run(move |_, ctx| {
            ctx.pipe(rings, |this, (), ctx| {
                this.note(1);
                ctx.pipe(yields(1), |this, (), _| this.note(2));
            });
        });
        actor.send(job).unwrap();
        drop(actor);
        wait_for(|| bell.waiting() == 1);
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(theater.live_actors(), 2);
        bell.ring();
        wait_for(|| theater.live_actors() == 0);
        assert_eq!(notes(&log), [1, 2]);
    });
}

#[test]
fn s19_the_drain_waits_for_pipes_at_work_and_not_for_those_that_wait() {
    on_both(|theater, spawn| {
        let (log, tracker) = (log(), DropTracker::new());
        let actor = spawn(&theater, Plain::new(&log));
        let value = tracker.track(());
        let job = run(move |_, ctx| {
            ctx.pipe(yields(10_000), |this, (), _| this.note(1));
            let never = async move {
                std::future::pending::<()>().await;
                drop(value);
            };
            ctx.pipe(never, |this, (), _| this.note(2));
        });
        actor.send(job).unwrap();
        let report = theater.shutdown(SOON);
        assert!(report.drained && report.stuck == 0);
        assert_eq!(notes(&log), [1]);
        tracker.check();
    });
}

/// With a theater of its own each.
fn on_both(test: impl Fn(Theater, &dyn Fn(&Theater, Plain) -> ActorRef<Do>)) {
    let theater = || Theater::builder().workers(2).build().unwrap();
    test(theater(), &|theater, actor| theater.spawn(actor));
    test(theater(), &|theater, actor| {
        let stage = theater.pinned("stage").unwrap();
        theater.actor().on(&stage).spawn(actor)
    });
}
