//! What an actor of `fjthrput` does at each message.

use std::hint::black_box;

const THETA: f64 = 37.2;

#[derive(Debug)]
pub struct Throughput {
    sum: f64,
    messages_left: usize,
}

impl Throughput {
    pub fn new(messages: usize) -> Self {
        Self { sum: 0.0, messages_left: messages }
    }

    /// Does one message's work and says whether it was the last.
    pub fn step(&mut self) -> bool {
        // WHY: the optimiser must neither compute the sine beforehand nor drop the sum.
        let sine = f64::sin(black_box(THETA));
        self.sum = black_box(self.sum + sine * sine);
        self.messages_left -= 1;
        self.messages_left == 0
    }
}
