//! Another thread is given the actor's reference, not its context.

use odeon::prelude::*;

struct Clock;

impl Actor for Clock {
    type Msg = ();
    fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
        std::thread::scope(|scope| {
            scope.spawn(|| ctx.stop());
        });
    }
}

fn main() {}
