//! Only the mailbox of the source whose turn it is is open.

use super::MAX_SOURCES;
use super::feed::{Feed, Sums};
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;

pub(super) fn set_up(theater: &Theater, feed: Feed, finish: Finish) -> impl FnOnce() {
    let sink = theater.spawn(SumSink { sums: Sums::new(&feed, finish) });
    let adder = theater.spawn(Adder { sources: feed.sources(), sum: 0, next: 0, sink });
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
    /// The source whose turn it is.
    next: usize,
    sink: ActorRef<CompleteSum>,
}

impl Actor for Adder {
    type Msg = Addend;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.close_all_except([0]);
    }

    fn handle(&mut self, Addend(number): Addend, ctx: &mut Context<'_, Self>) {
        self.sum += u64::from(number);
        self.next += 1;
        if self.next == self.sources {
            self.sink.post(CompleteSum(self.sum));
            (self.sum, self.next) = (0, 0);
        }
        ctx.close_all_except([self.next]);
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
