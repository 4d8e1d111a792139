//! The adder keeps the sums that are not complete.

use super::feed::{Feed, Sums};
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;
use std::collections::VecDeque;

pub(super) fn set_up(theater: &Theater, feed: Feed, finish: Finish) -> impl FnOnce() {
    let sink = theater.spawn(SumSink { sums: Sums::new(&feed, finish) });
    let adder = theater.spawn(Adder { partial: Partial::new(feed.sources()), sink });
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
            self.adder.post(Addend { source, number });
        }
        if !self.feed.is_empty() {
            ctx.send_self(Continue);
        }
    }
}

#[derive(Message)]
struct Addend {
    source: u32,
    number: u32,
}

struct Adder {
    partial: Partial,
    sink: ActorRef<CompleteSum>,
}

impl Actor for Adder {
    type Msg = Addend;

    fn handle(&mut self, Addend { source, number }: Addend, _ctx: &mut Context<'_, Self>) {
        if let Some(sum) = self.partial.add(source, number) {
            self.sink.post(CompleteSum(sum));
        }
    }
}

/// Sums that are not complete, oldest first, when numbers are added as they come: the dictionary of
/// who has no mailbox for each source.
pub(super) struct Partial {
    /// Of each source: how many of its numbers have come.
    come: Vec<usize>,
    complete: usize,
    sums: VecDeque<(u64, usize)>,
}

impl Partial {
    pub(super) fn new(sources: usize) -> Self {
        Self { come: vec![0; sources], complete: 0, sums: VecDeque::new() }
    }

    /// The oldest sum, if this number completes it.
    #[inline]
    pub(super) fn add(&mut self, source: u32, number: u32) -> Option<u64> {
        let come = &mut self.come[source as usize];
        let row = *come - self.complete;
        *come += 1;
        if row == self.sums.len() {
            self.sums.push_back((0, 0));
        }
        let (sum, added) = &mut self.sums[row];
        *sum += u64::from(number);
        *added += 1;
        // Only the oldest can be complete: each later one lacks the source of this number, too.
        if row > 0 || *added < self.come.len() {
            return None;
        }
        self.complete += 1;
        self.sums.pop_front().map(|(sum, _)| sum)
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
