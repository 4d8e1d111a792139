//! Plain actors are spawned by `spawn`, asynchronous ones by `spawn_async`.

use odeon::prelude::*;

struct Plain;

impl Actor for Plain {
    type Msg = ();
    fn handle(&mut self, (): (), _ctx: &mut Context<'_, Self>) {}
}

struct Waiting;

impl AsyncActor for Waiting {
    type Msg = ();
    async fn handle(&mut self, (): (), _ctx: &mut AsyncContext<'_, Self>) {}
}

fn main() {
    let theater = Theater::new().unwrap();
    theater.spawn(Waiting);
    theater.spawn_async(Plain);
}
