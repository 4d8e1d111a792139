//! A tuple is no message; a struct of one's own is.

use odeon::prelude::*;

struct Shop;

impl Actor for Shop {
    type Msg = (u64, Reply<u64>);
    fn handle(&mut self, _: (u64, Reply<u64>), _ctx: &mut Context<'_, Self>) {}
}

fn main() {}
