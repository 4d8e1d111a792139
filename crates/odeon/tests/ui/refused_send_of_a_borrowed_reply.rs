//! A speculative actor's message is only borrowed: its replies are answered by the context.

use odeon::prelude::*;

#[derive(Message)]
struct Balance(Reply<u64>);

struct Hot(TVar<u64>);

impl SpeculativeActor for Hot {
    type Msg = Balance;
    fn handle<'t>(
        &'t self,
        Balance(reply): &'t Balance,
        tx: &mut Tx<'t>,
        _ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        reply.send(self.0.get(tx)?);
        Ok(())
    }
}

fn main() {}
