//! The feature `stream` of the facade.
#![cfg(feature = "stream")]

use std::sync::mpsc::{Sender, channel};

use odeon::prelude::*;
use odeon::stream::{Attach, OpenOutlet, Reader};

struct Sum {
    numbers: Option<Reader<u32>>,
    sum: u32,
    out: Sender<u32>,
}

#[derive(Message)]
enum Number {
    Next(u32),
    NoMore,
}

impl Actor for Sum {
    type Msg = Number;
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        let numbers = self.numbers.take().unwrap();
        ctx.attach_to_end(numbers, Number::Next, || Number::NoMore);
    }
    fn handle(&mut self, number: Number, _ctx: &mut Context<'_, Self>) {
        match number {
            Number::Next(n) => self.sum += n,
            Number::NoMore => self.out.send(self.sum).unwrap(),
        }
    }
}

#[test]
fn s20_the_facade_brings_streams_along() {
    let theater = Theater::new().unwrap();
    let (outlet, numbers) = theater.outlet(4);
    let (out, sum) = channel();
    drop(theater.spawn(Sum { numbers: Some(numbers), sum: 0, out }));
    (1..=100).for_each(|n| outlet.send(n).unwrap());
    drop(outlet);
    assert_eq!(sum.recv().unwrap(), 5_050);
}
