//! What cannot be copied out of a variable is read in its place.

use odeon::prelude::*;

struct Named {
    name: TVar<String>,
}

impl Named {
    fn name<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<usize> {
        let name = self.name.get(tx)?;
        Ok(name.len())
    }
}

fn main() {}
