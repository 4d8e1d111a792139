//! Plain and asynchronous actors are spawned by `spawn`, speculative ones by `spawn_speculative`.

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

struct Hot;

impl SpeculativeActor for Hot {
    type Msg = ();
    fn handle<'t>(
        &'t self,
        (): &'t (),
        _tx: &mut Tx<'t>,
        _ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        Ok(())
    }
}

fn main() {
    let theater = Theater::new().unwrap();
    theater.spawn(Hot);
    theater.actor().supervised(Supervision::new()).spawn(|| Hot);
    theater.spawn_speculative(Plain, Processing::default());
    theater.spawn_speculative(Waiting, Processing::default());
}
