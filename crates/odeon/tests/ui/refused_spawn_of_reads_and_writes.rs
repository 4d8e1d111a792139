//! What is spawned of an actor with reads and writes is what `ReadWriting::new` makes of it.

use odeon::prelude::*;

struct Index(u32);

impl ReadWriteActor for Index {
    type Read = Box<Reply<u32>>;
    type Write = u32;

    fn read(&self, reply: Self::Read, _ctx: &mut ReadContext<'_, Self>) {
        reply.send(self.0);
    }

    fn write(&mut self, number: u32, _ctx: &mut WriteContext<'_, Self>) {
        self.0 = number;
    }
}

fn main() {
    let theater = Theater::new().unwrap();
    theater.spawn(Index(0));
}
