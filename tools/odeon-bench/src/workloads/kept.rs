//! What several runs need and what takes longer than a run: inputs, and what must come out of them.

use crate::error::BenchError;
use crate::parameter::Params;
use std::sync::{Arc, Mutex, PoisonError};

/// The last ones, by the parameters that they depend on.
pub(super) struct LastByParams<T>(Mutex<Vec<(Params, Arc<T>)>>);

/// TUNE: guessed 2026-11: as many as take turns in one figure; each is some 20 MB at most.
const MOST: usize = 4;

impl<T> LastByParams<T> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The one of these parameters; made if it is not there.
    pub(super) fn get(
        &self,
        params: Params,
        make: impl FnOnce(&Params) -> Result<T, BenchError>,
    ) -> Result<Arc<T>, BenchError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, one)) = kept.iter().find(|(of, _)| *of == params) {
            return Ok(one.clone());
        }
        let one = Arc::new(make(&params)?);
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push((params, one.clone()));
        Ok(one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::{Parameter, Value};

    #[test]
    fn the_last_ones_are_kept() {
        const N: Parameter = Parameter::number("n", "", 0, 9, 0);
        let (kept, mut made) = (LastByParams::new(), Vec::new());
        for n in [1, 1, 2, 3, 4, 1, 5, 5, 1] {
            let params = Params::defaults(&[N]).with("n", Value::Number(n));
            let one = kept.get(params, |params| {
                made.push(params.number("n"));
                Ok(params.number("n"))
            });
            assert_eq!(*one.expect("it is made"), n);
        }
        assert_eq!(made, [1, 2, 3, 4, 5, 1]);
    }
}
