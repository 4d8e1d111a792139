//! A guard of a speculative actor guards its own mailboxes.

use odeon::prelude::*;

struct Buffer(TVar<u32>);

#[derive(Mailboxes, Clone, Copy)]
enum Port {
    Put,
    Get,
}

#[derive(Mailboxes, Clone, Copy)]
enum Other {
    Put,
}

#[derive(Message)]
#[mailboxes(Port)]
enum Use {
    #[mailbox(Put)]
    Put(u32),
    #[mailbox(Get)]
    Get,
}

#[guards]
impl SpeculativeActor for Buffer {
    type Msg = Use;

    #[guard(Other::Put)]
    fn has_room<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<bool> {
        Ok(self.0.get(tx)? < 10)
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
