//! When continuations run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Bell, Deterministic, DropTracker, for_seeds, yields};

use crate::actors::*;

#[test]
fn s19_an_output_comes_back_as_a_turn_on_every_stage() {
    on_all_stages(|theater, spawn| {
        let (log, bell) = (log(), Bell::new());
        let actor = spawn(Plain::new(&log));
        let rings = bell.rings();
        let job = run(move |_, ctx| {
            let future = async move {
                rings.await;
                7
            };
            ctx.pipe(future, |this, n, _| {
                assert!(!this.busy.load(Ordering::SeqCst), "a continuation runs alone");
                this.note(n)
            });
        });
        actor.send(job).unwrap();
        actor.send(Do::Note(1)).unwrap();
        wait_for(|| bell.waiting() == 1 && notes(&log) == [1]);
        bell.ring();
        wait_for(|| notes(&log) == [1, 7]);
        actor.stop();
        drop(actor);
        wait_for(|| theater.live_actors() == 0);
    });
}

#[test]
fn s19_an_asynchronous_actor_goes_on_between_two_messages() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    for pinned in [false, true] {
        let log = log();
        let waiting = Waiting::new(&log);
        let actor = match pinned {
            false => theater.spawn(waiting),
            true => theater.actor().on(&stage).spawn(waiting),
        };
        let (bell, piped) = (Bell::new(), Arc::new(AtomicUsize::new(0)));
        let (rings, done) = (bell.rings(), piped.clone());
        let job = run_async(move |this, ctx| {
            Box::pin(async move {
                for n in 10..15 {
                    let done = done.clone();
                    let future = async move { done.fetch_add(1, Ordering::SeqCst) };
                    ctx.pipe(future, move |this, _, _| {
                        assert!(!this.busy);
                        this.note(n);
                    });
                }
                rings.await;
                this.note(1);
            })
        });
        actor.send(job).unwrap();
        actor.send(DoAsync::Note(2)).unwrap();
        wait_for(|| piped.load(Ordering::SeqCst) == 5 && bell.waiting() == 1);
        assert!(notes(&log).is_empty(), "nothing runs while the handler waits");
        // What runs a pipe ends when it has left its output.
        wait_for(|| theater.live_actors() == 1);
        bell.ring();
        wait_for(|| notes(&log).len() == 7);
        let mut order = notes(&log);
        assert_eq!((order[0], order[6]), (1, 2), "before the messages that wait");
        order.sort_unstable();
        assert_eq!(order, [1, 2, 10, 11, 12, 13, 14]);
    }
}

/// Pipes that go on with further pipes, in any order of everything: each output arrives once.
#[test]
fn s19_every_output_arrives_once_in_any_order() {
    fn chain(ctx: &Context<'_, Plain>, n: u32, left: u32) {
        let waits = async move { yields(n % 5).await };
        ctx.pipe(waits, move |this, (), ctx| {
            this.note(n);
            if left > 0 {
                chain(ctx, n, left - 1);
            }
        });
    }
    fn chain_async(ctx: &AsyncContext<'_, Waiting>, n: u32, left: u32) {
        ctx.pipe(async move { yields(n % 5).await }, move |this, (), ctx| {
            this.note(n);
            if left > 0 {
                chain_async(ctx, n, left - 1);
            }
        });
    }
    for_seeds(100, |seed| {
        let run = Deterministic::new(seed);
        let logs = [log(), log()];
        let plain = run.theater().spawn(Plain::new(&logs[0]));
        let waiting = run.theater().spawn(Waiting::new(&logs[1]));
        for n in 0..20 {
            plain.send(self::run(move |_, ctx| chain(ctx, n, 9))).unwrap();
            let job = run_async(move |_, ctx| {
                Box::pin(async move {
                    chain_async(ctx, n, 9);
                    yields(n % 3).await;
                })
            });
            waiting.send(job).unwrap();
        }
        drop((plain, waiting));
        run.run_until_idle();
        for log in logs {
            let mut all = notes(&log);
            all.sort_unstable();
            assert!(all.iter().copied().eq((0..200).map(|n| n / 10)));
        }
        assert_eq!(run.theater().live_actors(), 0, "both have ended when the last pipe had");
    });
}

#[test]
fn s19_ten_thousand_pipes_at_once() {
    on_all_stages(|_, spawn| {
        let (log, bell) = (log(), Bell::new());
        let actor = spawn(Plain::new(&log));
        let all = bell.clone();
        let job = run(move |_, ctx| {
            for n in 0..10_000 {
                let rings = all.rings();
                ctx.pipe(rings, move |this, (), _| this.note(n));
            }
        });
        actor.send(job).unwrap();
        bell.ring();
        wait_for(|| notes(&log).len() == 10_000);
        let mut all = notes(&log);
        all.sort_unstable();
        assert!(all.into_iter().eq(0..10_000));
    });
}

#[test]
fn s19_closed_mailboxes_do_not_hold_up_a_continuation() {
    on_all_stages(|_, spawn| {
        let log = log();
        let actor = spawn(Plain::new(&log));
        let job = run(|_, ctx| {
            ctx.close(1);
            ctx.close(0);
            ctx.pipe(async { yields(3).await }, |this, (), ctx| {
                this.note(1);
                ctx.open(0);
            });
        });
        actor.send(job).unwrap();
        actor.send(Do::Note(2)).unwrap();
        actor.send(Do::Open).unwrap();
        wait_for(|| notes(&log) == [1, 2]);
    });
}

#[test]
fn s19_an_ask_with_a_deadline_blocks_nobody() {
    /// Keeps every question and answers none.
    struct Sphinx(Vec<Reply<u32>>);
    impl Actor for Sphinx {
        type Msg = Box<Reply<u32>>;
        fn handle(&mut self, question: Self::Msg, _: &mut Context<'_, Self>) {
            self.0.push(*question);
        }
    }
    let run = Deterministic::new(4);
    let log = log();
    let sphinx = run.theater().spawn(Sphinx(Vec::new()));
    let plain = run.theater().spawn(Plain::new(&log));
    let asked = sphinx.clone();
    let job = self::run(move |_, ctx| {
        let answer = asked.ask_within(Duration::from_secs(3), Box::new);
        ctx.pipe(answer, |this, answer, _| {
            assert_eq!(answer, Err(AskError::Timeout));
            this.note(1);
        });
        let never = std::future::pending::<u32>();
        ctx.pipe_within(Duration::from_secs(2), never, |this, output, _| {
            assert_eq!(output, Err(Elapsed));
            this.note(2);
        });
        ctx.pipe_within(Duration::from_secs(9), async { 5 }, |this, output, _| {
            this.note(output.unwrap());
        });
    });
    plain.send(job).unwrap();
    run.advance(Duration::from_secs(1));
    assert_eq!((notes(&log), run.theater().pending_timers()), (vec![5], 2));
    run.advance(Duration::from_secs(3));
    assert_eq!(notes(&log), [5, 2, 1]);
}

#[test]
fn s19_actors_in_worker_pools_and_under_names_go_on_too() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let log = log();
    let made = log.clone();
    let make = move |_| Plain::new(&made);
    let pool = theater.actor().supervised(Supervision::new()).pool(2, Routing::LeastLoaded, make);
    let made = log.clone();
    let named = theater.actor().lookup_or_spawn("plain", move || Plain::new(&made)).unwrap();
    for _ in 0..10 {
        let job = || run(|_, ctx| drop(ctx.pipe(yields(2), |this, (), _| this.note(1))));
        pool.send(job()).unwrap();
        named.send(job()).unwrap();
    }
    wait_for(|| notes(&log).len() == 20);
}

/// A pipe that was begun in an attempt begins when its effects are released.
#[test]
fn s19_s8_an_attempt_holds_its_pipes_back() {
    use odeon_core::extend::Outbox;
    let run = Deterministic::new(1);
    let log = log();
    let actor = run.theater().spawn(Plain::new(&log));
    let tracker = DropTracker::new();
    for release in [true, false] {
        let value = tracker.track(());
        let job = self::run(move |_, ctx| {
            let mut outbox = Outbox::new();
            outbox.hold_during(|| {
                ctx.pipe(async move { value }, |this, _, _| this.note(1));
            });
            if release {
                outbox.release();
            }
        });
        actor.send(job).unwrap();
        run.run_until_idle();
    }
    assert_eq!(notes(&log), [1]);
    tracker.check();
    assert_eq!(run.theater().live_actors(), 1);
    let count = actor.ask(Do::Ask);
    run.run_until_idle();
    assert_eq!(count.wait(), Ok(1));
}
