//! An `Option` is no message, also of a message; a struct or enum of one's own is.

use odeon::prelude::*;

#[derive(Message)]
struct Order(u64);

struct Shop;

impl Actor for Shop {
    type Msg = Option<Order>;
    fn handle(&mut self, _: Option<Order>, _ctx: &mut Context<'_, Self>) {}
}

fn main() {}
