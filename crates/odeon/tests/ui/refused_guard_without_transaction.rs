//! A guard of a speculative actor looks at the state through a transaction.

use odeon::prelude::*;

struct Buffer(TVar<u32>);

#[derive(Message)]
enum Use {
    Put(u32),
    #[mailbox(1)]
    Get,
}

#[guards]
impl SpeculativeActor for Buffer {
    type Msg = Use;

    #[guard(1)]
    fn has_items(&self) -> bool {
        self.0.peek() > 0
    }

    fn handle<'t>(
        &'t self,
        _msg: &'t Use,
        _tx: &mut Tx<'t>,
        _ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        Ok(())
    }
}

fn main() {}
