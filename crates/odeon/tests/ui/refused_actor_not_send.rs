//! An actor moves between threads.

use std::rc::Rc;

use odeon::prelude::*;

struct Local(Rc<u32>);

impl Actor for Local {
    type Msg = u32;
    fn handle(&mut self, _msg: u32, _ctx: &mut Context<'_, Self>) {
        let _ = &self.0;
    }
}

fn main() {}
