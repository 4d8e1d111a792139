//! Another thread is given the actor's reference, not the context of a read.

use odeon::read_write::{ReadContext, ReadWriteActor, WriteContext};

struct Heights;

impl ReadWriteActor for Heights {
    type Read = ();
    type Write = ();
    fn read(&self, (): (), ctx: &mut ReadContext<'_, Self>) {
        std::thread::scope(|scope| {
            scope.spawn(|| ctx.stop());
        });
    }
    fn write(&mut self, (): (), _: &mut WriteContext<'_, Self>) {}
}

fn main() {}
