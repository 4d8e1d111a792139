//! Pools with many more workers than a machine has cores: nobody starves, nothing is lost, all
//! workers come to work where there is work for them, and nothing of the theater stays behind. What
//! depends on time is not tested here. That idle workers use no CPU: `s7_idle_cpu.rs`.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use odeon_core::*;

/// For thousands of wake-ups, each of which may take its time on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
const MANY: [usize; 2] = [16, 64];

fn theater(workers: usize) -> Theater {
    Theater::builder().workers(workers).build().unwrap()
}

fn all_tell(told: &Receiver<()>, who: usize, what: &str) {
    for number in 0..who {
        assert!(told.recv_timeout(PATIENCE).is_ok(), "{what}: {number} of {who} are through");
    }
}

/// Passes a message to and fro with a partner until it is told that this is enough: what one worker
/// does better alone.
struct Chatty {
    partner: Option<ActorRef<Chat>>,
    enough: Arc<AtomicBool>,
    done: Sender<()>,
}

enum Chat {
    Partner(ActorRef<Chat>),
    On,
}
impl Message for Chat {}

impl Actor for Chatty {
    type Msg = Chat;
    fn handle(&mut self, msg: Chat, _: &mut Context<'_, Self>) {
        match msg {
            Chat::Partner(partner) => self.partner = Some(partner),
            // ORDERING: Relaxed: somebody will see it.
            Chat::On if self.enough.load(Ordering::Relaxed) => {
                self.partner = None;
                let _ = self.done.send(());
            }
            Chat::On => {
                let partner = self.partner.as_ref().expect("partners are told first");
                partner.send(Chat::On).unwrap();
            }
        }
    }
}

/// A pair that goes on talking until it is dropped.
struct Talk {
    enough: Arc<AtomicBool>,
    over: Receiver<()>,
}

impl Talk {
    fn begin(theater: &Theater) -> Self {
        let enough = Arc::new(AtomicBool::new(false));
        let (done, over) = channel();
        let pair = [(); 2].map(|()| {
            theater.spawn(Chatty { partner: None, enough: enough.clone(), done: done.clone() })
        });
        pair[0].send(Chat::Partner(pair[1].clone())).unwrap();
        pair[1].send(Chat::Partner(pair[0].clone())).unwrap();
        pair[0].send(Chat::On).unwrap();
        Self { enough, over }
    }

    fn end(self) {
        self.enough.store(true, Ordering::Relaxed);
        all_tell(&self.over, 1, "the talk");
    }
}

/// Counts down, a message to itself after the other, and tells when it is through.
struct CountsDown(Sender<()>);

impl Actor for CountsDown {
    type Msg = u32;
    fn handle(&mut self, left: u32, ctx: &mut Context<'_, Self>) {
        match left {
            0 => self.0.send(()).unwrap(),
            left => ctx.send_self(left - 1),
        }
    }
}

/// The pair never lets the LIFO slot of its worker be empty, and what comes of a trial may be that
/// one worker is to be alone.
#[test]
fn nobody_starves_beside_a_pair_that_goes_on_talking() {
    for workers in MANY {
        let theater = theater(workers);
        let talk = Talk::begin(&theater);
        for round in 0..20 {
            let (done, told) = channel();
            let others: Vec<_> =
                (0..2 * workers).map(|_| theater.spawn(CountsDown(done.clone()))).collect();
            others.iter().for_each(|other| other.send(500).unwrap());
            all_tell(&told, others.len(), &format!("{workers} workers, round {round}"));
        }
        talk.end();
    }
}

/// All who are to come, and who is there already.
struct Meeting {
    there: Mutex<usize>,
    all: usize,
    changed: Condvar,
}

impl Meeting {
    /// Waits within a handler until all are there; `false`: some never came.
    fn join(&self) -> bool {
        let mut there = self.there.lock().unwrap();
        *there += 1;
        self.changed.notify_all();
        let waits = |there: &mut usize| *there < self.all;
        !self.changed.wait_timeout_while(there, PATIENCE, waits).unwrap().1.timed_out()
    }
}

/// Blocks its worker until as many others do.
struct Joins(Arc<Meeting>, Sender<bool>);

impl Actor for Joins {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        self.1.send(self.0.join()).unwrap();
    }
}

/// Has all of them meet, from within the pool or not.
struct Invites(Vec<ActorRef<()>>);

impl Actor for Invites {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        self.0.iter().for_each(|guest| guest.send(()).unwrap());
    }
}

/// Whoever is in a handler holds its worker, so every worker has to come: each sleeper is found,
/// although the workers that are awake get on.
#[test]
fn every_worker_comes_when_all_are_needed_at_once() {
    for workers in MANY {
        for (inside, talks) in [(false, false), (true, false), (false, true), (true, true)] {
            let theater = theater(workers);
            let talk = talks.then(|| Talk::begin(&theater));
            let all = workers - usize::from(talks);
            for round in 0..5 {
                let there = Mutex::new(0);
                let meeting = Arc::new(Meeting { there, all, changed: Condvar::new() });
                let (done, told) = channel();
                let guest = || theater.spawn(Joins(meeting.clone(), done.clone()));
                let guests: Vec<_> = (0..all).map(|_| guest()).collect();
                if inside {
                    theater.spawn(Invites(guests)).send(()).unwrap();
                } else {
                    guests.iter().for_each(|guest| guest.send(()).unwrap());
                }
                for _ in 0..all {
                    let came = told.recv_timeout(2 * PATIENCE).unwrap();
                    assert!(came, "{workers} workers, inside {inside}, talk {talks}, {round}");
                }
            }
            if let Some(talk) = talk {
                talk.end();
            }
        }
    }
}

/// Makes as many below itself as it is told to, in a tree, and counts each that ends.
struct Node {
    depth: u32,
    handled: Arc<AtomicU64>,
    ended: Arc<AtomicU64>,
    done: Sender<()>,
}

/// Children of each node of a tree, and their levels.
const CHILDREN: u32 = 4;
const DEPTH: u32 = 5;

impl Actor for Node {
    type Msg = u32;
    fn handle(&mut self, left: u32, ctx: &mut Context<'_, Self>) {
        self.handled.fetch_add(1, Ordering::Relaxed);
        if left > 0 {
            return ctx.send_self(left - 1);
        }
        if self.depth > 0 {
            for _ in 0..CHILDREN {
                let (handled, ended) = (self.handled.clone(), self.ended.clone());
                let done = self.done.clone();
                let child = ctx.spawn(Node { depth: self.depth - 1, handled, ended, done });
                child.send(3).unwrap();
            }
        }
        ctx.stop();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
        let _ = self.done.send(());
    }
}

/// Bursts of actors that are made on one worker and end on another, silence in between: every
/// message is handled and every actor ends.
#[test]
fn nothing_is_lost_in_bursts_of_actors_among_many_workers() {
    let in_tree = (0..=DEPTH).map(|level| u64::from(CHILDREN.pow(level))).sum::<u64>();
    for workers in MANY {
        let theater = theater(workers);
        let (handled, ended) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let mut trees = 0;
        for burst in 0..30_u64 {
            let (done, told) = channel();
            let roots = 1 + burst % 3;
            trees += roots;
            for _ in 0..roots {
                let (handled, ended) = (handled.clone(), ended.clone());
                let root = Node { depth: DEPTH, handled, ended, done: done.clone() };
                theater.spawn(root).send(3).unwrap();
            }
            all_tell(&told, (roots * in_tree) as usize, &format!("burst {burst}"));
            std::thread::sleep(Duration::from_micros(30 * burst));
        }
        assert_eq!(ended.load(Ordering::Relaxed), trees * in_tree);
        assert_eq!(handled.load(Ordering::Relaxed), 4 * trees * in_tree);
        assert!(theater.shutdown(PATIENCE).drained);
    }
}

/// Whose end says that the theater's own memory has been freed.
struct Watches(Sender<()>);

impl Drop for Watches {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

/// The workers hand each other's actors on, and some references outlive the theater: its memory is
/// freed with the last of them, and not before.
#[test]
fn a_theater_is_freed_with_the_last_reference_to_one_of_its_actors() {
    for workers in [1, 16, 64] {
        let (freed, is_freed) = channel();
        let watches = Watches(freed);
        let hook = move |_| _ = &watches;
        let theater = Theater::builder().workers(workers).on_dead_letter(hook).build().unwrap();
        let (handled, ended) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (done, told) = channel();
        for _ in 0..4 {
            let (handled, ended) = (handled.clone(), ended.clone());
            theater
                .spawn(Node { depth: DEPTH, handled, ended, done: done.clone() })
                .send(0)
                .unwrap();
        }
        let kept: Vec<_> = (0..100).map(|_| theater.spawn(CountsDown(done.clone()))).collect();
        kept.iter().for_each(|actor| actor.send(1).unwrap());
        let in_trees = 4 * (0..=DEPTH).map(|level| CHILDREN.pow(level)).sum::<u32>();
        all_tell(&told, in_trees as usize + kept.len(), "the actors");
        drop(theater);
        assert!(is_freed.try_recv().is_err(), "actors are still referenced");
        assert!(kept.iter().all(|actor| actor.send(1).is_err()));
        drop(kept);
        assert!(is_freed.recv_timeout(PATIENCE).is_ok(), "{workers} workers: something is left");
    }
}
