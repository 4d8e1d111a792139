//! What is sent to an actor has to be a message.

use odeon::prelude::*;

struct Order;

struct Shop;

impl Actor for Shop {
    type Msg = Order;
    fn handle(&mut self, _order: Order, _ctx: &mut Context<'_, Self>) {}
}

fn main() {}
