//! S29: reads of one actor run at once, writes alone; who goes first.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use odeon_core::*;

const POLICIES: [ReadWritePolicy; 3] =
    [ReadWritePolicy::ArrivalOrder, ReadWritePolicy::ReadersFirst, ReadWritePolicy::WritersFirst];

/// How long a test waits for what has to happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// Who is inside at this moment.
#[derive(Default)]
struct Inside {
    readers: AtomicUsize,
    writers: AtomicUsize,
    most_readers: AtomicUsize,
}

impl Inside {
    fn wait_for_readers(&self, many: usize) {
        let begun = Instant::now();
        while self.most_readers.load(Ordering::SeqCst) < many && begun.elapsed() < PATIENCE {
            std::thread::yield_now();
        }
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
        inside.wait_for_readers(self.expected);
        inside.readers.fetch_sub(1, Ordering::SeqCst);
        reply.send(());
    }

    fn write(&mut self, Alone(reply): Alone, _: &mut WriteContext<'_, Self>) {
        self.inside.writers.fetch_add(1, Ordering::SeqCst);
        reply.send(self.inside.readers.load(Ordering::SeqCst) == 0);
        self.inside.writers.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn s29_reads_run_at_once_and_a_write_alone() {
    for policy in POLICIES {
        let theater = Theater::builder().workers(3).build().unwrap();
        let inside = Arc::new(Inside::default());
        let meeting = Meeting { inside: inside.clone(), expected: 3 };
        let meeting =
            theater.spawn(ReadWriting::new(meeting, policy).sharing(ReadSharing::Always));
        // All of them wait when the first one is begun.
        let gate = theater.spawn(Starter(meeting.clone()));
        let (answers, answer) = channel();
        gate.send(Box::new(answers)).unwrap();
        for _ in 0..4 {
            answer.recv_timeout(PATIENCE).unwrap();
        }
        assert_eq!(inside.most_readers.load(Ordering::SeqCst), 3, "{policy:?}");
        assert!(meeting.ask_write(Alone).wait().unwrap());
        assert!(theater.shutdown(PATIENCE).drained);
    }
}

/// Sends all at once.
struct Starter(ActorRef<ReadWrite<Come, Alone>>);


impl Actor for Starter {
    type Msg = Box<Sender<()>>;
    fn handle(&mut self, out: Box<Sender<()>>, _: &mut Context<'_, Self>) {
        for _ in 0..4 {
            let (out, reply) = (out.as_ref().clone(), self.0.ask_read(Come));
            std::thread::spawn(move || {
                reply.wait().unwrap();
                out.send(()).unwrap();
            });
        }
    }
}
