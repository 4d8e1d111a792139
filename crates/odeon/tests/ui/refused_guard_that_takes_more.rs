//! A guard looks at the actor's state and at nothing else.

use odeon::prelude::*;

struct Buffer(Vec<u32>);

#[derive(Message)]
enum Use {
    Put(u32),
    #[mailbox(1)]
    Get,
}

#[guards]
impl Actor for Buffer {
    type Msg = Use;

    #[guard(0)]
    fn has_room(&self, more: usize) -> bool {
        self.0.len() + more < 10
    }

    fn handle(&mut self, _msg: Use, _ctx: &mut Context<'_, Self>) {}
}

fn main() {}
