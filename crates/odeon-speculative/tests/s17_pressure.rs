//! S17: senders hold back, and nobody waits for ever: not in circles through actors that handle
//! several messages at once, and not behind messages that wait for other ones.

use crate::support::{Common, Do, Lab, lab, result, width};
use odeon_core::{Actor, ActorRef, Context, Message, Theater};
use odeon_speculative::{Ordering, Processing, SpawnSpeculative, SpeculativeRef};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

/// Where the messages of a circle go next.
#[derive(Clone)]
enum Stop {
    Lab(ActorRef<Do>),
    Plain(ActorRef<Onward>),
}

type Circle = Arc<OnceLock<Vec<Stop>>>;

/// A message that is to be sent on so many times.
struct Onward {
    circle: Circle,
    from: usize,
    left: u32,
}
impl Message for Onward {}

impl Onward {
    fn send(&self) {
        let stops = self.circle.get().unwrap();
        let from = (self.from + 1) % stops.len();
        let next = Self { circle: self.circle.clone(), from, left: self.left - 1 };
        match &stops[from] {
            Stop::Lab(lab) => lab.send(next.into_do()).unwrap(),
            Stop::Plain(plain) => plain.send(next).unwrap(),
        }
    }

    fn into_do(self) -> Do {
        Do::update(move |lab, tx, _| {
            let sum = lab.add(tx, 0, 1)?;
            if self.left > 0 {
                self.send();
            }
            Ok(sum)
        })
    }
}

struct Plain;
impl Actor for Plain {
    type Msg = Onward;
    fn handle(&mut self, onward: Onward, _: &mut Context<'_, Self>) {
        if onward.left > 0 {
            onward.send();
        }
    }
}

/// Threads flood the speculative actors of a circle of `labs` speculative and `plain` plain ones,
/// and each message goes round.
fn everybody_goes_on(processing: Processing, labs: usize, plain: usize) {
    const MESSAGES: usize = 1_500;
    let theater = Theater::builder().workers(2).build().unwrap();
    let spawn =
        |_| theater.spawn_speculative(Lab::new(&Arc::new(Common::default())), processing.clone());
    let labs: Vec<SpeculativeRef<Do>> = (0..labs).map(spawn).collect();
    let stops = labs.iter().map(|lab| Stop::Lab(lab.actor_ref()));
    let stops: Vec<_> =
        stops.chain((0..plain).map(|_| Stop::Plain(theater.spawn(Plain)))).collect();
    // Twice round, so that each message comes to each actor as often.
    let left = 2 * stops.len() as u32 - 1;
    let circle = Circle::default();
    let _ = circle.set(stops);
    thread::scope(|scope| {
        for sender in 0..4 {
            let (labs, circle) = (&labs, &circle);
            let lab = &labs[sender % labs.len()];
            scope.spawn(move || {
                for _ in 0..MESSAGES {
                    let onward = Onward { circle: circle.clone(), from: sender % labs.len(), left };
                    lab.send(onward.into_do()).unwrap();
                }
            });
        }
    });
    for lab in &labs {
        while result(lab, Do::look(0)).unwrap() < 2 * 4 * MESSAGES as i64 {
            thread::yield_now();
        }
    }
    let report = theater.shutdown(Duration::from_secs(60));
    assert_eq!((report.stuck, report.dead_letters.total()), (0, 0));
}

#[test]
fn s17_two_that_flood_each_other_go_on() {
    for each in [1, 2, 4] {
        everybody_goes_on(width(each), 2, 0);
        everybody_goes_on(width(each).ordering(Ordering::Unordered), 2, 0);
    }
}

#[test]
fn s17_circles_through_plain_actors_go_on() {
    for each in [1, 2, 4] {
        everybody_goes_on(width(each), 2, 2);
        everybody_goes_on(width(each), 3, 1);
    }
}

#[test]
fn s17_one_that_floods_itself_goes_on() {
    for each in [1, 2, 4] {
        everybody_goes_on(width(each), 1, 0);
    }
}

/// Takes one from variable 0, when there is one.
fn take() -> Do {
    Do::update(|lab, tx, _| {
        if lab.vars[0].get(tx)? == 0 {
            tx.retry()?;
        }
        lab.add(tx, 0, -1)?;
        lab.add(tx, 1, 1)
    })
}

/// Who waits for what others bring does not keep them from bringing it, as messages in a closed
/// mailbox do not.
#[test]
fn s17_messages_that_wait_for_others_are_no_pressure() {
    const MESSAGES: i64 = 3_000;
    for each in [1, 4] {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (lab, _) = lab(&theater, each);
        thread::scope(|scope| {
            let takers = scope.spawn(|| (0..MESSAGES).for_each(|_| lab.send(take()).unwrap()));
            takers.join().unwrap();
            scope.spawn(|| (0..MESSAGES).for_each(|_| lab.send(Do::increment(0)).unwrap()));
        });
        while result(&lab, Do::look(1)).unwrap() < MESSAGES {
            thread::yield_now();
        }
        assert_eq!(result(&lab, Do::look(0)), Ok(0));
    }
}

#[test]
fn s17_a_flood_is_held_back() {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
    for each in [1, 2, 4] {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (lab, _) = lab(&theater, each);
        let (sent, most) = (&AtomicUsize::new(0), &AtomicUsize::new(0));
        let handled = Arc::new(AtomicUsize::new(0));
        let is_over = &AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..3 {
                let (lab, handled) = (&lab, &handled);
                scope.spawn(move || {
                    for _ in 0..20_000 {
                        let handled = handled.clone();
                        let counted = Do::update(move |lab, tx, _| {
                            let handled = handled.clone();
                            tx.on_commit(move || _ = handled.fetch_add(1, SeqCst));
                            lab.add(tx, 0, 1)
                        });
                        lab.send(counted).unwrap();
                        sent.fetch_add(1, SeqCst);
                    }
                });
            }
            let watcher = scope.spawn(|| {
                while !is_over.load(SeqCst) {
                    // In this order: who is interrupted between the two sees less than there was.
                    let sent = sent.load(SeqCst);
                    let waiting = sent.saturating_sub(handled.load(SeqCst));
                    most.fetch_max(waiting, SeqCst);
                }
            });
            while result(&lab, Do::look(0)).unwrap() < 60_000 {
                thread::yield_now();
            }
            is_over.store(true, SeqCst);
            watcher.join().unwrap();
        });
        // About 1,024 wait, and more are on their way between two looks at the sender's and the
        // receiver's side.
        assert!(most.load(SeqCst) < 20_000, "{} were waiting", most.load(SeqCst));
    }
}
