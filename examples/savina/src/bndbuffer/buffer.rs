//! What producers and consumers compute, the buffer between them, and what must have been consumed
//! in the end.

use super::BufferSetup;
use odeon_example_run::{Finish, SplitMix64};
use std::collections::VecDeque;

/// Of one run.
#[derive(Clone, Copy)]
pub(super) struct Trade {
    pub(super) producers: u32,
    pub(super) consumers: u32,
    pub(super) items_each: u32,
    pub(super) producer_cost: u64,
    pub(super) consumer_cost: u64,
    /// Items under way at most.
    pub(super) capacity: usize,
}

impl Trade {
    pub(super) fn new(setup: &BufferSetup) -> Self {
        Self {
            producers: setup.producers as u32,
            consumers: setup.consumers as u32,
            items_each: setup.items as u32,
            producer_cost: setup.producer_cost,
            consumer_cost: setup.consumer_cost,
            capacity: setup.buffer,
        }
    }

    pub(super) fn items(&self) -> u64 {
        u64::from(self.producers) * u64::from(self.items_each)
    }

    /// What all consumers together must have got. Every producer makes the same items.
    fn expected(&self) -> Consumed {
        let mut one = Consumed::default();
        let mut item = 0.0;
        for _ in 0..self.items_each {
            item = process(item, self.producer_cost);
            one.count(item);
        }
        let checksum = one.checksum.wrapping_mul(u64::from(self.producers));
        Consumed { items: one.items * self.producers, checksum }
    }
}

/// What making or using an item takes: one logarithm, or so many hundreds of them.
#[inline]
pub(super) fn process(item: f64, hundreds: u64) -> f64 {
    let mut random = SplitMix64::new(hundreds);
    let logarithms = if hundreds == 0 { 1 } else { hundreds * 100 };
    (0..logarithms).fold(item, |item, _| {
        let between_0_and_1 = (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        item + (between_0_and_1 + 0.01).ln()
    })
}

/// The items that wait. One that a producer is making has its place already.
pub(super) struct Buffer {
    waiting: VecDeque<f64>,
    room: usize,
    capacity: usize,
    most: usize,
}

impl Buffer {
    pub(super) fn new(trade: &Trade) -> Self {
        let room = trade.capacity - trade.producers as usize;
        let waiting = VecDeque::with_capacity(trade.capacity);
        Self { waiting, room, capacity: trade.capacity, most: 0 }
    }

    #[inline]
    pub(super) fn put(&mut self, item: f64) {
        self.waiting.push_back(item);
        self.most = self.most.max(self.waiting.len());
    }

    #[inline]
    pub(super) fn take(&mut self) -> Option<f64> {
        self.waiting.pop_front()
    }

    /// Whether no producer may be asked for more.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= self.room
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

/// How many items a consumer has got, and which: the sum of their bits, since that does not depend
/// on the order.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct Consumed {
    pub(super) items: u32,
    pub(super) checksum: u64,
}

impl Consumed {
    #[inline]
    pub(super) fn count(&mut self, item: f64) {
        self.items += 1;
        self.checksum = self.checksum.wrapping_add(item.to_bits());
    }
}

/// Adds up what the consumers report in the end.
pub(super) struct Reports {
    expected: Consumed,
    consumed: Consumed,
    missing: u32,
    finish: Finish,
}

impl Reports {
    pub(super) fn new(trade: &Trade, finish: Finish) -> Self {
        let (expected, consumed) = (trade.expected(), Consumed::default());
        Self { expected, consumed, missing: trade.consumers, finish }
    }

    pub(super) fn receive(&mut self, of_one: Consumed, buffer: &Buffer) {
        self.consumed.items += of_one.items;
        self.consumed.checksum = self.consumed.checksum.wrapping_add(of_one.checksum);
        self.missing -= 1;
        if self.missing == 0 {
            let (consumed, expected) = (self.consumed, self.expected);
            let within = buffer.most <= buffer.capacity && buffer.is_empty();
            self.finish.arrive_if(consumed == expected && within, || {
                let (most, capacity) = (buffer.most, buffer.capacity);
                format!(
                    "{consumed:?}, up to {most} waiting; expected {expected:?}, up to {capacity}"
                )
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_example_run::finish_line;

    fn trade() -> Trade {
        Trade::new(&BufferSetup {
            buffer: 600,
            producers: 500,
            consumers: 1,
            items: 1000,
            producer_cost: 2,
            consumer_cost: 0,
        })
    }

    fn outcome(consumed: Consumed, put: usize) -> String {
        let (finish, waiting) = finish_line(1);
        let mut buffer = Buffer::new(&trade());
        (0..put).for_each(|_| buffer.put(1.0));
        while buffer.take().is_some() {}
        Reports::new(&trade(), finish).receive(consumed, &buffer);
        waiting.wait().map_or_else(|error| error.to_string(), |()| "right".to_owned())
    }

    #[test]
    fn what_is_lost_exchanged_or_too_much_is_noticed() {
        let expected = trade().expected();
        assert_eq!((expected.items, trade().items()), (500_000, 500_000));
        assert_eq!(outcome(expected, 600), "right");
        assert!(outcome(expected, 601).contains("up to 601 waiting"));
        let lost = Consumed { items: 499_999, ..expected };
        assert!(outcome(lost, 0).contains("expected Consumed { items: 500000"));
        let exchanged = Consumed { checksum: expected.checksum ^ 1, ..expected };
        assert!(outcome(exchanged, 0).contains("wrong result"));
    }

    #[test]
    fn the_buffer_is_full_when_each_producer_could_still_bring_one() {
        let mut buffer = Buffer::new(&trade());
        (0..99).for_each(|_| buffer.put(1.0));
        assert!(!buffer.is_full());
        buffer.put(1.0);
        assert!(buffer.is_full() && !buffer.is_empty());
    }
}
