//! S14, S12 and S16 from asynchronous actors: what a handler that waits can do as a plain one can.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Deterministic, silent_panic, yields};

/// Tells the test what it hears.
struct Listener {
    out: Sender<Heard>,
    timer: Option<Timer>,
}

#[derive(Debug, PartialEq)]
enum Heard {
    Ended(EndReason, Option<String>),
    Tick,
    Answer(Result<u32, AskError>),
    Number(u32),
}

enum To {
    Watch(ActorRef<()>),
    Link(ActorRef<()>),
    After(Duration),
    Every(Duration),
    Cancel,
    AskWithin(ActorRef<Box<Reply<u32>>>, Duration),
    Names,
    Wait,
    Hear(Heard),
    Fail,
}
impl Message for To {}

impl AsyncActor for Listener {
    type Msg = To;
    async fn handle(&mut self, to: To, ctx: &mut AsyncContext<'_, Self>) {
        yields(1).await;
        match to {
            To::Watch(other) => {
                ctx.watch(&other, |ended| {
                    To::Hear(Heard::Ended(ended.reason(), ended.failure().map(String::from)))
                });
            }
            To::Link(other) => drop(ctx.link(&other)),
            To::After(delay) => drop(ctx.send_after(delay, To::Hear(Heard::Tick))),
            To::Every(period) => {
                self.timer = Some(ctx.send_every(period, || To::Hear(Heard::Tick)));
            }
            To::Cancel => assert!(self.timer.take().unwrap().cancel()),
            To::AskWithin(other, limit) => {
                let reply = ctx.reply_within(limit, |answer| To::Hear(Heard::Answer(answer)));
                other.send(Box::new(reply)).unwrap();
            }
            To::Names => self.names(ctx),
            To::Wait => std::future::pending().await,
            To::Hear(heard) => self.out.send(heard).unwrap(),
            To::Fail => silent_panic("linked"),
        }
    }
}

/// Sends on what it gets.
struct Numbers(Sender<Heard>);

impl Actor for Numbers {
    type Msg = u32;
    fn handle(&mut self, n: u32, _: &mut Context<'_, Self>) {
        self.0.send(Heard::Number(n)).unwrap();
    }
}

impl Listener {
    fn names(&self, ctx: &AsyncContext<'_, Self>) {
        let out = self.out.clone();
        let make = move || Numbers(out.clone());
        let spawned = ctx.actor().lookup_or_spawn("numbers", make.clone()).unwrap();
        spawned.send(1).unwrap();
        assert_eq!(ctx.lookup::<u32>("numbers").unwrap(), spawned);
        assert!(ctx.lookup::<To>("numbers").is_err());
        assert!(ctx.register("numbers", &ctx.actor_ref()).is_err());
        assert!(ctx.unregister("numbers"));
        ctx.register("numbers", &ctx.actor_ref()).unwrap();
        assert!(ctx.unregister("numbers"));
        let again = Supervision::new();
        ctx.actor()
            .supervised(again.clone())
            .lookup_or_spawn("more", make.clone())
            .unwrap()
            .send(2)
            .unwrap();
        let group = ctx.group("group").unwrap();
        group.join(&spawned);
        assert_eq!(group.publish(3), 1);
        let pool = ctx.actor().supervised(again).pool(2, Routing::RoundRobin, move |_| make());
        pool.send(4).unwrap();
    }
}

/// Fails when it is told anything.
struct Fragile;

impl Actor for Fragile {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        silent_panic("asked to");
    }
}

fn listener(run: &Deterministic) -> (ActorRef<To>, Receiver<Heard>) {
    let (out, heard) = channel();
    (run.theater().spawn(Listener { out, timer: None }), heard)
}

#[test]
fn s14_an_asynchronous_actor_watches() {
    for seed in 0..20 {
        let run = Deterministic::new(seed);
        let (listener, heard) = listener(&run);
        let (fragile, stopped) = (run.theater().spawn(Fragile), run.theater().spawn(Fragile));
        stopped.stop();
        listener.send(To::Watch(fragile.clone())).unwrap();
        listener.send(To::Watch(stopped)).unwrap();
        run.run_until_idle();
        assert_eq!(heard.try_iter().collect::<Vec<_>>(), [Heard::Ended(EndReason::Stopped, None)]);
        fragile.send(()).unwrap();
        run.run_until_idle();
        let failed = Heard::Ended(EndReason::Failed, Some("asked to".into()));
        assert_eq!(heard.try_iter().collect::<Vec<_>>(), [failed]);
    }
}

#[test]
fn s14_a_link_reaches_an_asynchronous_actor_that_waits_and_the_reverse() {
    for seed in 0..20 {
        let run = Deterministic::new(seed);
        let (waits, _heard) = listener(&run);
        let fragile = run.theater().spawn(Fragile);
        waits.send(To::Link(fragile.clone())).unwrap();
        waits.send(To::Wait).unwrap();
        run.run_until_idle();
        fragile.send(()).unwrap();
        run.run_until_idle();
        assert!(waits.is_stopped(), "its handler waits for ever, and is cancelled");

        let (fails, _heard) = listener(&run);
        let fragile = run.theater().spawn(Fragile);
        fails.send(To::Link(fragile.clone())).unwrap();
        fails.send(To::Fail).unwrap();
        run.run_until_idle();
        assert!(fragile.is_stopped());
    }
}

#[test]
fn s14_s12_an_asynchronous_actor_arms_timers() {
    let run = Deterministic::new(1);
    let (listener, heard) = listener(&run);
    let second = Duration::from_secs(1);
    listener.send(To::After(second)).unwrap();
    listener.send(To::Every(10 * second)).unwrap();
    run.advance(35 * second);
    assert_eq!(heard.try_iter().count(), 1 + 3);
    listener.send(To::Cancel).unwrap();
    run.advance(60 * second);
    assert_eq!(heard.try_iter().count(), 0);
}

#[test]
fn s14_s12_an_asynchronous_actor_gets_answers_as_messages_with_a_deadline() {
    struct Sphinx(Vec<Reply<u32>>);
    impl Actor for Sphinx {
        type Msg = Box<Reply<u32>>;
        fn handle(&mut self, question: Self::Msg, _: &mut Context<'_, Self>) {
            match self.0.len() {
                0 => self.0.push(*question),
                _ => question.send(42),
            }
        }
    }
    let run = Deterministic::new(1);
    let (listener, heard) = listener(&run);
    let sphinx = run.theater().spawn(Sphinx(Vec::new()));
    for _ in 0..2 {
        listener.send(To::AskWithin(sphinx.clone(), Duration::from_secs(1))).unwrap();
    }
    run.advance(Duration::from_secs(2));
    let answers = [Heard::Answer(Ok(42)), Heard::Answer(Err(AskError::Timeout))];
    assert_eq!(heard.try_iter().collect::<Vec<_>>(), answers);
}

#[test]
fn s14_s16_an_asynchronous_actor_finds_others() {
    let run = Deterministic::new(1);
    let (listener, heard) = listener(&run);
    listener.send(To::Names).unwrap();
    run.run_until_idle();
    let mut numbers: Vec<_> = heard
        .try_iter()
        .map(|heard| match heard {
            Heard::Number(n) => n,
            other => panic!("{other:?}"),
        })
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 4]);
}
