//! The same requests in a loop.

use super::DictionarySetup;
use super::script::{DictionaryRequest, DictionaryScript, check_writes, entries};
use crate::clients::Script;
use odeon_example_run::RunError;
use odeon_example_run::Timed;

pub(super) fn run(setup: &DictionarySetup) -> Result<Timed, RunError> {
    let (mut entries, mut scripts) = (entries(), DictionaryScript::all(setup));
    let (timed, outcome) = Timed::of(setup.all_requests(), || {
        let mut writes = 0;
        for _ in 0..setup.requests {
            for script in &mut scripts {
                let answer = match script.next() {
                    Some(DictionaryRequest::Get(key)) => entries[&key],
                    Some(DictionaryRequest::Put(key, value)) => {
                        entries.insert(key, value);
                        writes += 1;
                        value
                    }
                    None => continue,
                };
                script.check(answer).map_err(RunError::WrongResult)?;
            }
        }
        Ok::<u64, RunError>(writes)
    });
    check_writes(setup, Some(outcome?))?;
    Ok(timed)
}
