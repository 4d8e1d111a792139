//! A guard of a speculative actor is a function of its transactional state: no handler opens it.

use odeon::prelude::*;

struct Buffer(TVar<u32>);

#[derive(Message)]
enum Use {
    Put(u32),
    #[mailbox(1)]
    Get,
}

impl SpeculativeActor for Buffer {
    type Msg = Use;

    fn handle<'t>(
        &'t self,
        _msg: &'t Use,
        _tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        ctx.open(ctx.mailbox());
        Ok(())
    }
}

fn main() {}
