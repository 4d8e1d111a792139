//! S18, S19: an actor with bounded mailboxes goes on with its pipes.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use odeon_core::*;

struct Piping(Sender<u32>);

impl Actor for Piping {
    type Msg = u32;
    fn handle(&mut self, n: u32, ctx: &mut Context<'_, Self>) {
        ctx.pipe(async move { n + 1 }, |this, n, _| this.0.send(n).unwrap());
    }
}

struct AsyncPiping(Sender<u32>);

impl AsyncActor for AsyncPiping {
    type Msg = u32;
    async fn handle(&mut self, n: u32, ctx: &mut AsyncContext<'_, Self>) {
        ctx.pipe(async move { n + 2 }, |this, n, ctx| {
            this.0.send(n).unwrap();
            ctx.stop();
        });
    }
}

#[test]
fn s18_what_a_bounded_actor_pipes_comes_back_to_it() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let (out, outputs) = channel();
    let plain = Bounded::new(Piping(out.clone())).mailbox(0, Bound::wait(1));
    let asynchronous = Bounded::new_async(AsyncPiping(out)).mailbox(0, Bound::reject(1));
    theater.spawn(plain).send(10).unwrap();
    assert_eq!(outputs.recv_timeout(Duration::from_secs(20)), Ok(11));
    let asynchronous = theater.spawn(asynchronous);
    asynchronous.send(20).unwrap();
    assert_eq!(outputs.recv_timeout(Duration::from_secs(20)), Ok(22));
    // The end that the continuation has asked for: nobody has the channel any more.
    let end = outputs.recv_timeout(Duration::from_secs(20));
    assert_eq!(end, Err(RecvTimeoutError::Disconnected));
}
