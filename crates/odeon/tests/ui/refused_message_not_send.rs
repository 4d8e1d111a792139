//! A message moves between threads.

use std::rc::Rc;

use odeon::Message;

#[derive(Message)]
struct Local(Rc<u32>);

fn main() {
    let _ = |local: Local| local.0;
}
