//! S22: who waits for whose answer, and in which circles.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{Deterministic, for_seeds};

enum Ask {
    /// Answers when it is told to.
    Later(Reply<u32>),
    Answer,
    /// Waits for an answer of `Later`, or of `Through` if there are more to go through.
    Through(Vec<ActorRef<Ask>>, Reply<u32>),
    /// The same with a deadline.
    Within(ActorRef<Ask>, Reply<u32>),
    /// Asks, and gives up at once.
    GiveUp(ActorRef<Ask>),
}
impl Message for Ask {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        usize::from(!matches!(self, Ask::Answer))
    }
}

#[derive(Default)]
struct Node {
    kept: Vec<Reply<u32>>,
}

impl AsyncActor for Node {
    type Msg = Ask;
    async fn handle(&mut self, msg: Ask, _: &mut AsyncContext<'_, Self>) {
        match msg {
            Ask::Later(reply) => self.kept.push(reply),
            Ask::Answer => self.kept.drain(..).for_each(|reply| reply.send(7)),
            Ask::Through(mut path, reply) => {
                let next = path.pop().expect("somebody to ask");
                let question = |reply| {
                    if path.is_empty() { Ask::Later(reply) } else { Ask::Through(path, reply) }
                };
                if let Ok(answer) = next.ask(question).await {
                    reply.send(answer);
                }
            }
            Ask::Within(next, reply) => {
                if let Ok(answer) = next.ask_within(Duration::from_secs(1), Ask::Later).await {
                    reply.send(answer);
                }
            }
            Ask::GiveUp(next) => {
                let mut ask = Box::pin(next.ask(Ask::Later));
                std::future::poll_fn(|cx| {
                    assert!(ask.as_mut().poll(cx).is_pending());
                    std::task::Poll::Ready(())
                })
                .await;
            }
        }
    }
}

fn view(theater: &Theater) -> WaitsView {
    theater.waits().expect("switched on")
}

fn edges(theater: &Theater) -> Vec<(ActorId, ActorId)> {
    view(theater).waits.iter().map(|wait| (wait.asker, wait.asked)).collect()
}

fn eventually(holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "this takes too long");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn s22_waits_are_not_noted_by_default() {
    assert!(Theater::new().unwrap().waits().is_none());
    assert!(Theater::builder().stats(true).build().unwrap().waits().is_none());
}

#[test]
fn s22_a_wait_is_listed_from_its_begin_to_the_answer() {
    let run = Deterministic::with(1, Theater::builder().asks_seen(true));
    let [a, b, c] = [(); 3].map(|()| run.theater().spawn(Node::default()));
    run.clock().advance(Duration::from_secs(3));
    let mine = a.ask(|reply| Ask::Through(vec![c.clone(), b.clone()], reply));
    run.run_until_idle();
    // The question from outside is nobody's.
    let mut listed = edges(run.theater());
    listed.sort();
    let mut expected = [(a.id(), b.id()), (b.id(), c.id())];
    expected.sort();
    assert_eq!(listed, expected);
    let seen = view(run.theater());
    assert!(seen.waits.iter().all(|wait| wait.since == Duration::from_secs(3)));
    assert!(seen.circles.is_empty());

    c.send(Ask::Answer).unwrap();
    run.run_until_idle();
    assert!(edges(run.theater()).is_empty());
    assert_eq!(mine.wait(), Ok(7));
}

#[test]
fn s22_a_wait_ends_by_deadline_giving_up_and_cancelling() {
    let run = Deterministic::with(2, Theater::builder().asks_seen(true));
    let [a, b] = [(); 2].map(|()| run.theater().spawn(Node::default()));
    let answer = a.ask(|reply| Ask::Within(b.clone(), reply));
    run.run_until_idle();
    assert_eq!(edges(run.theater()), [(a.id(), b.id())]);
    run.clock().advance(Duration::from_secs(2));
    run.run_until_idle();
    assert!(edges(run.theater()).is_empty());
    assert_eq!(answer.wait(), Err(AskError::NoReply));

    a.send(Ask::GiveUp(b.clone())).unwrap();
    run.run_until_idle();
    assert!(edges(run.theater()).is_empty());

    let answer = a.ask(|reply| Ask::Through(vec![b.clone()], reply));
    run.run_until_idle();
    assert_eq!(edges(run.theater()), [(a.id(), b.id())]);
    a.stop();
    run.run_until_idle();
    assert!(edges(run.theater()).is_empty());
    assert_eq!(answer.wait(), Err(AskError::NoReply));
}

#[derive(Default)]
struct Circles(Mutex<Vec<Vec<ActorId>>>);
impl Observer for Circles {
    fn asks_in_a_circle(&self, actors: &[ActorId]) {
        self.0.lock().unwrap().push(actors.to_vec());
    }
}

/// Turned so that the lowest comes first.
fn turned(mut circle: Vec<ActorId>) -> Vec<ActorId> {
    let lowest = circle.iter().min().copied();
    let at = circle.iter().position(|actor| Some(*actor) == lowest).expect("not empty");
    circle.rotate_left(at);
    circle
}

/// Random questions along random paths: a circle is told exactly when the waits have one, and in
/// order.
#[test]
fn s22_the_wait_that_closes_a_circle_is_told() {
    let found = std::cell::Cell::new(0);
    for_seeds(200, |seed| {
        let told = Arc::new(Circles::default());
        let builder = Theater::builder().asks_seen(true).observer(told.clone());
        let run = Deterministic::with(seed, builder);
        let mut random = Random::from_seed(seed);
        let nodes: Vec<_> = (0..5).map(|_| run.theater().spawn(Node::default())).collect();
        let pending: Vec<_> = (0..3)
            .map(|_| {
                let path: Vec<_> = (0..1 + random.below(3))
                    .map(|_| nodes[random.below(nodes.len())].clone())
                    .collect();
                nodes[random.below(nodes.len())].ask(|reply| Ask::Through(path, reply))
            })
            .collect();
        run.run_until_idle();
        let seen = view(run.theater());
        let next = |actor: ActorId| {
            let wait = seen.waits.iter().find(|wait| wait.asker == actor);
            wait.map(|wait| wait.asked)
        };
        // An actor that handles one message at a time waits for one answer here: following is
        // unique.
        let in_circle = |start: ActorId| {
            let mut at = next(start);
            for _ in 0..nodes.len() {
                if at == Some(start) {
                    return true;
                }
                at = at.and_then(next);
            }
            false
        };
        let circular: Vec<_> = nodes.iter().map(ActorRef::id).filter(|id| in_circle(*id)).collect();
        let mut named: Vec<_> = seen.circles.iter().flatten().copied().collect();
        named.sort();
        assert_eq!(named, circular, "seed {seed}");
        for circle in &seen.circles {
            for (n, actor) in circle.iter().enumerate() {
                assert_eq!(next(*actor), Some(circle[(n + 1) % circle.len()]), "seed {seed}");
            }
        }
        let sorted = |circles: &[Vec<ActorId>]| {
            let mut circles: Vec<_> = circles.iter().cloned().map(turned).collect();
            circles.sort();
            circles
        };
        // Who asks itself is told so, and does not wait.
        told.0.lock().unwrap().retain(|circle| circle.len() > 1);
        assert_eq!(sorted(&told.0.lock().unwrap()), sorted(&seen.circles), "seed {seed}");
        found.set(found.get() + seen.circles.len());
        drop(pending);
    });
    assert!(found.get() > 20, "only {} circles", found.get());
}

/// A dedicated actor may block for an answer.
struct Blocking {
    other: ActorRef<Ask>,
}
impl Actor for Blocking {
    type Msg = Box<Reply<u32>>;
    fn handle(&mut self, reply: Box<Reply<u32>>, _: &mut Context<'_, Self>) {
        if let Ok(answer) = self.other.ask(Ask::Later).wait() {
            reply.send(answer);
        }
    }
}

#[test]
fn s22_a_dedicated_actor_that_blocks_is_listed() {
    let theater = Theater::builder().workers(1).asks_seen(true).build().unwrap();
    let other = theater.spawn(Node::default());
    let stage = theater.pinned("pin").unwrap();
    let pinned = theater.actor().on(&stage).spawn(Node::default());
    let blocking =
        theater.actor().dedicated("own").spawn(Blocking { other: other.clone() }).unwrap();
    let first = blocking.ask(Box::new);
    let second = pinned.ask(|reply| Ask::Through(vec![other.clone()], reply));
    eventually(|| {
        let mut edges = edges(&theater);
        edges.sort();
        let mut expected = [(blocking.id(), other.id()), (pinned.id(), other.id())];
        expected.sort();
        edges == expected
    });
    eventually(|| {
        // Of another mailbox: it may be handled before the questions are.
        other.send(Ask::Answer).unwrap();
        edges(&theater).is_empty()
    });
    assert_eq!((first.wait(), second.wait()), (Ok(7), Ok(7)));
}
