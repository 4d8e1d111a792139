//! Guards are functions marked as such.

use odeon::prelude::*;

struct Idle;

#[guards]
impl Actor for Idle {
    type Msg = u32;

    fn handle(&mut self, _msg: u32, _ctx: &mut Context<'_, Self>) {}
}

fn main() {}
