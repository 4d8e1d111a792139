//! The same requests in a loop.

use super::requests;
use super::script::{DictionaryScript, Request, check_writes, entries};
use crate::error::BenchError;
use crate::parameter::Params;
use crate::samples::Measured;
use crate::workloads::clients::Script;

pub(super) fn run(params: &Params) -> Result<Measured, BenchError> {
    let (mut entries, mut scripts) = (entries(), DictionaryScript::all(params));
    let (measured, outcome) = Measured::time(requests(params), || {
        let mut writes = 0;
        for _ in 0..params.number("requests") {
            for script in &mut scripts {
                let answer = match script.next() {
                    Some(Request::Get(key)) => entries[&key],
                    Some(Request::Put(key, value)) => {
                        entries.insert(key, value);
                        writes += 1;
                        value
                    }
                    None => continue,
                };
                script.check(answer).map_err(BenchError::WrongResult)?;
            }
        }
        Ok::<u64, BenchError>(writes)
    });
    check_writes(params, Some(outcome?))?;
    Ok(measured)
}
