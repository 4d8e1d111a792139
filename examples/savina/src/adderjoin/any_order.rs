//! The adder closes the mailbox of each source that has brought its number for this sum, and opens
//! all for the next.

use super::MAX_SOURCES;
use super::feed::{Feed, Sums};
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;

pub(super) fn set_up(theater: &Theater, feed: Feed, finish: Finish) -> impl FnOnce() {
    let sink = theater.spawn(SumSink { sums: Sums::new(&feed, finish) });
    let adder = theater.spawn(Adder { sources: feed.sources(), sum: 0, added: 0, sink });
    let feeder = theater.spawn(Feeder { feed, adder });
    move || feeder.post(Continue)
}

#[derive(Message)]
struct Continue;

struct Feeder {
    feed: Feed,
    adder: ActorRef<Addend>,
}

impl Actor for Feeder {
    type Msg = Continue;

    fn handle(&mut self, Continue: Continue, ctx: &mut Context<'_, Self>) {
        for (source, number) in self.feed.portion() {
            self.adder.mailbox(source as usize).post(Addend(number));
        }
        if !self.feed.is_empty() {
            ctx.send_self(Continue);
        }
    }
}

struct Addend(u32);

/// A mailbox for each source; the sender decides.
impl Message for Addend {
    const MAILBOXES: usize = MAX_SOURCES;
}

struct Adder {
    sources: usize,
    sum: u64,
    added: usize,
    sink: ActorRef<CompleteSum>,
}

impl Actor for Adder {
    type Msg = Addend;

    fn selection(&self) -> Selection {
        Selection::as_they_come()
    }

    fn handle(&mut self, Addend(number): Addend, ctx: &mut Context<'_, Self>) {
        self.sum += u64::from(number);
        self.added += 1;
        if self.added < self.sources {
            ctx.close(ctx.mailbox());
            return;
        }
        self.sink.post(CompleteSum(self.sum));
        (self.sum, self.added) = (0, 0);
        ctx.open_all();
    }
}

#[derive(Message)]
struct CompleteSum(u64);

struct SumSink {
    sums: Sums,
}

impl Actor for SumSink {
    type Msg = CompleteSum;

    fn handle(&mut self, CompleteSum(sum): CompleteSum, _ctx: &mut Context<'_, Self>) {
        self.sums.receive(sum);
    }
}
