//! `?` passes rollbacks on; what else ends a handler is given to `fail`.

use odeon::prelude::*;

struct Hot(TVar<u64>);

impl SpeculativeActor for Hot {
    type Msg = String;
    fn handle<'t>(
        &'t self,
        text: &'t String,
        tx: &mut Tx<'t>,
        _ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        self.0.set(tx, text.parse::<u64>()?)?;
        Ok(())
    }
}

fn main() {}
