//! S29: reads of one actor run at once, writes alone; who goes first. Failures and ends are in
//! `s29_failures_and_ends.rs`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{Deterministic, for_seeds};

const POLICIES: [ReadWritePolicy; 3] =
    [ReadWritePolicy::ArrivalOrder, ReadWritePolicy::ReadersFirst, ReadWritePolicy::WritersFirst];

/// How long a test waits for what has to happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long those inside wait for others. The test waits longer, and says then what has not
/// happened.
const STAY: Duration = Duration::from_secs(10);

/// Who is inside at this moment.
#[derive(Default)]
struct Inside {
    readers: AtomicUsize,
    writers: AtomicUsize,
    most_readers: AtomicUsize,
    /// A write stays inside until it is not.
    holds_writes: AtomicBool,
}

/// Keeps a worker busy.
fn stay_until(happens: impl Fn() -> bool) {
    let begun = Instant::now();
    while !happens() && begun.elapsed() < STAY {
        std::thread::yield_now();
    }
}

/// Reads wait for each other, so that they are seen to run at once.
struct Meeting {
    inside: Arc<Inside>,
    expected: usize,
}

struct Come(Reply<()>);
impl Message for Come {}
struct Alone(Reply<bool>);
impl Message for Alone {}

impl ReadWriteActor for Meeting {
    type Read = Come;
    type Write = Alone;

    fn read(&self, Come(reply): Come, _: &mut ReadContext<'_, Self>) {
        let inside = &self.inside;
        let readers = inside.readers.fetch_add(1, Ordering::SeqCst) + 1;
        inside.most_readers.fetch_max(readers, Ordering::SeqCst);
        assert_eq!(inside.writers.load(Ordering::SeqCst), 0);
        stay_until(|| inside.most_readers.load(Ordering::SeqCst) >= self.expected);
        inside.readers.fetch_sub(1, Ordering::SeqCst);
        reply.send(());
    }

    fn write(&mut self, Alone(reply): Alone, _: &mut WriteContext<'_, Self>) {
        let inside = &self.inside;
        inside.writers.fetch_add(1, Ordering::SeqCst);
        reply.send(inside.readers.load(Ordering::SeqCst) == 0);
        stay_until(|| !inside.holds_writes.load(Ordering::SeqCst));
        inside.writers.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn s29_reads_run_at_once_and_a_write_alone() {
    for policy in POLICIES {
        let theater = Theater::builder().workers(3).build().unwrap();
        let inside = Arc::new(Inside::default());
        let meeting = Meeting { inside: inside.clone(), expected: 3 };
        let meeting = theater.spawn(ReadWriting::new(meeting, policy).sharing(ReadSharing::Always));
        // WHY: all reads wait when the first one begins. One that finds itself alone is not shared,
        // and those that come while it is under way wait for its end.
        inside.holds_writes.store(true, Ordering::SeqCst);
        assert_eq!(meeting.ask_write(Alone).wait_timeout(PATIENCE), Ok(true));
        let answers = [(); 4].map(|()| meeting.ask_read(Come));
        let alone = meeting.ask_write(Alone);
        inside.holds_writes.store(false, Ordering::SeqCst);
        for answer in answers {
            answer.wait_timeout(PATIENCE).unwrap();
        }
        assert_eq!(inside.most_readers.load(Ordering::SeqCst), 3, "{policy:?}");
        assert_eq!(alone.wait_timeout(PATIENCE), Ok(true), "{policy:?}");
        assert!(theater.shutdown(PATIENCE).drained);
    }
}

/// Counts what each sender has written.
struct Book {
    written: [u64; SENDERS],
    log: Sender<Event>,
}

const SENDERS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Event {
    Read { by: usize, number: u64, seen: u64 },
    Written { by: usize },
}

/// `number`: of the reads of this sender; `expects`: so many writes of it came before.
struct Look {
    by: usize,
    number: u64,
    expects: u64,
}
impl Message for Look {}
struct Note(usize);
impl Message for Note {}

impl ReadWriteActor for Book {
    type Read = Look;
    type Write = Note;

    fn read(&self, Look { by, number, expects }: Look, _: &mut ReadContext<'_, Self>) {
        let seen = self.written[by];
        self.log.send(Event::Read { by, number, seen: seen.wrapping_sub(expects) }).unwrap();
    }

    fn write(&mut self, Note(by): Note, _: &mut WriteContext<'_, Self>) {
        self.written[by] += 1;
        self.log.send(Event::Written { by }).unwrap();
    }
}

/// Sends what its number says, in several goes.
struct Author {
    book: ActorRef<ReadWrite<Look, Note>>,
    by: usize,
    left: u64,
    reads: u64,
    writes: u64,
}
struct Go;
impl Message for Go {}

impl Actor for Author {
    type Msg = Go;
    fn handle(&mut self, Go: Go, ctx: &mut Context<'_, Self>) {
        for n in 0..5 {
            if (self.left + n + self.by as u64) % 3 == 0 {
                self.writes += 1;
                self.book.write(Note(self.by)).unwrap();
            } else {
                self.reads += 1;
                let look = Look { by: self.by, number: self.reads, expects: self.writes };
                self.book.read(look).unwrap();
            }
        }
        self.left -= 1;
        if self.left > 0 {
            ctx.send_self(Go);
        }
    }
}

fn write_a_book(theater: &Theater, book: ActorRef<ReadWrite<Look, Note>>, goes: u64) {
    for by in 0..SENDERS {
        let author = Author { book: book.clone(), by, left: goes, reads: 0, writes: 0 };
        theater.spawn(author).send(Go).unwrap();
    }
}

fn book(policy: ReadWritePolicy, log: Sender<Event>) -> ReadWriting<Book> {
    ReadWriting::new(Book { written: [0; SENDERS], log }, policy).sharing(ReadSharing::Always)
}

/// All that was sent was handled, once; in order of arrival each read saw what its sender had
/// written before.
fn check_book(events: &[Event], policy: ReadWritePolicy, goes: u64) {
    assert_eq!(events.len() as u64, SENDERS as u64 * 5 * goes);
    for sender in 0..SENDERS {
        let mut numbers: Vec<u64> = Vec::new();
        for event in events {
            if let Event::Read { by, number, seen } = *event {
                if by == sender {
                    numbers.push(number);
                    assert!(policy != ReadWritePolicy::ArrivalOrder || seen == 0, "{event:?}");
                }
            }
        }
        let reads = numbers.len() as u64;
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=reads).collect::<Vec<_>>());
    }
}

#[test]
fn s29_a_read_sees_what_its_sender_wrote_before_in_any_interleaving() {
    for_seeds(100, |seed| {
        for policy in POLICIES {
            let run = Deterministic::new(seed);
            let (log, events) = channel();
            let book = run.theater().spawn(book(policy, log));
            write_a_book(run.theater(), book, 6);
            run.run_until_idle();
            check_book(&events.try_iter().collect::<Vec<_>>(), policy, 6);
        }
    });
}

#[test]
fn s29_a_read_sees_what_its_sender_wrote_before_on_threads() {
    for policy in POLICIES {
        for workers in [1, 2, 4] {
            let theater = Theater::builder().workers(workers).build().unwrap();
            let (log, events) = channel();
            let book = theater.spawn(book(policy, log));
            write_a_book(&theater, book, 400);
            assert!(theater.shutdown(PATIENCE).drained);
            check_book(&events.try_iter().collect::<Vec<_>>(), policy, 400);
        }
    }
}

#[test]
fn s29_pinned_and_dedicated_actors_go_by_arrival() {
    for policy in POLICIES {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (log, events) = channel();
        let stage = theater.pinned("stage").unwrap();
        write_a_book(&theater, theater.actor().on(&stage).spawn(book(policy, log.clone())), 50);
        theater.actor().dedicated("own").spawn(book(policy, log)).map(drop).unwrap();
        assert!(theater.shutdown(PATIENCE).drained);
        check_book(&events.try_iter().collect::<Vec<_>>(), ReadWritePolicy::ArrivalOrder, 50);
    }
}

#[test]
fn s29_one_seed_is_one_run() {
    for policy in POLICIES {
        let events = |seed| {
            let run = Deterministic::new(seed);
            let (log, events) = channel();
            let book = run.theater().spawn(book(policy, log));
            write_a_book(run.theater(), book, 4);
            run.run_until_idle();
            (events.try_iter().collect::<Vec<_>>(), run.trace())
        };
        for seed in 0..20 {
            let (first, again) = (events(seed), events(seed));
            assert_eq!(first.0, again.0);
            assert!(first.1 == again.1);
        }
        assert_ne!(events(1).0, events(2).0);
    }
}

/// Its reads ask for another read; `left` counts in the messages.
struct Chain(u32);
impl Message for Chain {}

struct Chained(Sender<&'static str>);

impl ReadWriteActor for Chained {
    type Read = Chain;
    type Write = Chain;

    fn read(&self, Chain(left): Chain, ctx: &mut ReadContext<'_, Self>) {
        match left {
            0 => self.0.send("read").unwrap(),
            1 => self.0.send("last read").unwrap(),
            _ => ctx.send_self(ReadWrite::Read(Chain(left - 1))),
        }
    }

    fn write(&mut self, Chain(left): Chain, ctx: &mut WriteContext<'_, Self>) {
        match left {
            0 => self.0.send("write").unwrap(),
            1 => self.0.send("last write").unwrap(),
            _ => ctx.send_self(ReadWrite::Write(Chain(left - 1))),
        }
    }
}

/// What comes first: one message, or the end of a chain of the other kind that is under way before
/// it.
fn first_of(policy: ReadWritePolicy, chain_reads: bool, sharing: ReadSharing) -> &'static str {
    let run = Deterministic::new(7);
    let (out, order) = channel();
    let actor = run.theater().spawn(ReadWriting::new(Chained(out), policy).sharing(sharing));
    let (chain, once) = if chain_reads {
        (ReadWrite::Read(Chain(5_000)), ReadWrite::Write(Chain(0)))
    } else {
        (ReadWrite::Write(Chain(5_000)), ReadWrite::Read(Chain(0)))
    };
    actor.send(chain).unwrap();
    actor.send(once).unwrap();
    run.run_until_idle();
    let order: Vec<_> = order.try_iter().collect();
    assert_eq!(order.len(), 2);
    order[0]
}

#[test]
fn s29_who_starves_is_what_the_policy_says() {
    use ReadWritePolicy::{ArrivalOrder, ReadersFirst, WritersFirst};
    for sharing in [ReadSharing::WhenItPays, ReadSharing::Always, ReadSharing::Never] {
        assert_eq!(first_of(ArrivalOrder, true, sharing), "write");
        assert_eq!(first_of(ArrivalOrder, false, sharing), "read");
        assert_eq!(first_of(ReadersFirst, true, sharing), "last read");
        assert_eq!(first_of(ReadersFirst, false, sharing), "read");
        assert_eq!(first_of(WritersFirst, true, sharing), "write");
        assert_eq!(first_of(WritersFirst, false, sharing), "last write");
    }
}
