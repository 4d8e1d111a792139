//! S3: priority is never inverted by more than the message being handled, however many threads
//! send; and each pattern is repeated by its seed.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use odeon_core::*;
use odeon_testkit::{Deterministic, for_seeds};

enum Mail {
    /// The sender's number and its own.
    High(usize, u64),
    Low(usize, u64),
}

impl Message for Mail {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        usize::from(matches!(self, Self::Low(..)))
    }
}

const SENDERS: usize = 3;
const EACH: u64 = 20_000;

/// What the senders are at.
#[derive(Default)]
struct Sends {
    begun: AtomicU64,
    /// Of them, those of the highest mailbox that have returned.
    high: AtomicU64,
    returned: AtomicU64,
}

struct Reader {
    sends: Arc<Sends>,
    /// Highest messages that had reached the actor for certain when a handler ended.
    sent_before: u64,
    handled_high: u64,
    next: [[u64; SENDERS]; 2],
    left: u64,
    done: std::sync::mpsc::Sender<()>,
}

impl Actor for Reader {
    type Msg = Mail;
    fn handle(&mut self, mail: Mail, _: &mut Context<'_, Self>) {
        let (mailbox, sender, number) = match mail {
            Mail::High(sender, number) => (0, sender, number),
            Mail::Low(sender, number) => (1, sender, number),
        };
        assert_eq!(
            self.next[mailbox][sender], number,
            "no message overtakes one of its sender and mailbox"
        );
        self.next[mailbox][sender] += 1;
        if mailbox == 0 {
            self.handled_high += 1;
        } else {
            // What had been sent before this message was selected has been handled before it.
            assert!(
                self.handled_high >= self.sent_before,
                "{} of {}",
                self.handled_high,
                self.sent_before
            );
        }
        self.left -= 1;
        if self.left == 0 {
            self.done.send(()).unwrap();
        }
        // A message has not reached the actor as long as one before it is still being put by a
        // sender that has been interrupted. So only a moment at which nobody sends says something:
        // that of the second look, if nobody has begun since.
        // ORDERING: SeqCst, here and at the senders: the three looks in this order.
        let high = self.sends.high.load(Ordering::SeqCst);
        let returned = self.sends.returned.load(Ordering::SeqCst);
        if self.sends.begun.load(Ordering::SeqCst) == returned {
            self.sent_before = high;
        }
    }
}

#[test]
fn s3_s2_priority_is_never_inverted_beyond_one_message() {
    let theater = Theater::new().unwrap();
    let sends = Arc::new(Sends::default());
    let (done, finished) = std::sync::mpsc::channel();
    let reader = Reader {
        sends: sends.clone(),
        sent_before: 0,
        handled_high: 0,
        next: [[0; SENDERS]; 2],
        left: 2 * EACH * SENDERS as u64,
        done,
    };
    let reader = theater.spawn(reader);
    std::thread::scope(|scope| {
        for sender in 0..SENDERS {
            let (reader, sends) = (reader.clone(), &sends);
            scope.spawn(move || {
                let mut random = Random::from_seed(sender as u64);
                let mut next = [0; 2];
                while next != [EACH; 2] {
                    let mailbox = random.below(2);
                    if next[mailbox] == EACH {
                        continue;
                    }
                    let number = next[mailbox];
                    next[mailbox] += 1;
                    sends.begun.fetch_add(1, Ordering::SeqCst);
                    if mailbox == 0 {
                        reader.send(Mail::High(sender, number)).unwrap();
                        sends.high.fetch_add(1, Ordering::SeqCst);
                    } else {
                        reader.send(Mail::Low(sender, number)).unwrap();
                    }
                    sends.returned.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    finished.recv().expect("no assertion of the reader has failed");
}

/// A buffer with declared guards, whose consumers wait for their answers.
struct Buffer {
    items: VecDeque<u32>,
}

enum Use {
    Put(u32),
    Get(Reply<u32>),
}

impl Message for Use {
    const MAILBOXES: usize = 3;
    fn mailbox(&self) -> usize {
        if let Self::Put(_) = self { 1 } else { 2 }
    }
}

impl Actor for Buffer {
    type Msg = Use;
    fn selection(&self) -> Selection {
        Selection::random()
    }
    fn guards(&self, guards: &mut DeclaredGuards<'_, Use>) {
        guards.set(1, self.items.len() < 2);
        guards.set(2, !self.items.is_empty());
    }
    fn handle(&mut self, msg: Use, _: &mut Context<'_, Self>) {
        match msg {
            Use::Put(item) => self.items.push_back(item),
            Use::Get(reply) => reply.send(self.items.pop_front().expect("guarded")),
        }
    }
}

struct Producer(u32, ActorRef<Use>);

impl Actor for Producer {
    type Msg = u32;
    fn handle(&mut self, n: u32, _: &mut Context<'_, Self>) {
        self.1.send(Use::Put(100 * self.0 + n)).unwrap();
    }
}

struct Consumer(usize, ActorRef<Use>, Arc<Mutex<Vec<(usize, u32)>>>);

enum Consume {
    Next,
    Got(Result<u32, AskError>),
}

impl Message for Consume {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        if let Self::Got(_) = self { 0 } else { 1 }
    }
}

impl Actor for Consumer {
    type Msg = Consume;
    fn handle(&mut self, msg: Consume, ctx: &mut Context<'_, Self>) {
        match msg {
            Consume::Next => self.1.send(Use::Get(ctx.reply_blocked(0, Consume::Got))).unwrap(),
            Consume::Got(item) => self.2.lock().unwrap().push((self.0, item.unwrap())),
        }
    }
}

#[test]
fn s3_s23_guards_answers_and_chance_are_repeated_by_their_seed() {
    let run_of = |seed| {
        let run = Deterministic::new(seed);
        let theater = run.theater();
        let buffer = theater.spawn(Buffer { items: VecDeque::new() });
        let got = Arc::new(Mutex::new(Vec::new()));
        for number in 0..3 {
            let producer = theater.spawn(Producer(number, buffer.clone()));
            let consumer = theater.spawn(Consumer(number as usize, buffer.clone(), got.clone()));
            for n in 0..8 {
                producer.send(n).unwrap();
                consumer.send(Consume::Next).unwrap();
            }
        }
        run.run_until_idle();
        let got = std::mem::take(&mut *got.lock().unwrap());
        (run.trace(), got)
    };
    for_seeds(30, |seed| {
        let (first, second) = (run_of(seed), run_of(seed));
        assert_eq!(first.1, second.1);
        assert!(first.0 == second.0, "one seed is one run");
        // All items, those of a producer in order at each consumer.
        for consumer in 0..3 {
            let of = first.1.iter().filter(|(by, _)| *by == consumer).map(|(_, item)| *item);
            let of: Vec<u32> = of.collect();
            for producer in 0..3 {
                assert!(of.iter().filter(|item| **item / 100 == producer).is_sorted());
            }
        }
        let mut items: Vec<u32> = first.1.iter().map(|(_, item)| *item).collect();
        items.sort_unstable();
        assert_eq!(
            items,
            (0..3).flat_map(|p| (0..8).map(move |n| 100 * p + n)).collect::<Vec<_>>()
        );
    });
    assert!((0..20).any(|seed| run_of(seed).1 != run_of(seed + 100).1), "seeds differ");
}
