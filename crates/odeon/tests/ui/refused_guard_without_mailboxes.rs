//! An actor with one mailbox has no guards.

use odeon::prelude::*;

struct Single;

impl Actor for Single {
    type Msg = u32;
    fn handle(&mut self, _msg: u32, ctx: &mut Context<'_, Self>) {
        ctx.close(0);
    }
}

fn main() {
    let theater = Theater::new().unwrap();
    theater.spawn(Single);
}
