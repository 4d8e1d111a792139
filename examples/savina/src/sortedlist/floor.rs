//! The same requests in a loop.

use super::Cells;
use super::SortedListSetup;
use super::script::{ListAnswer, ListRequest, ListScript, check_numbers};
use crate::clients::Script;
use odeon_example_run::RunError;
use odeon_example_run::Timed;

pub(super) fn run(setup: &SortedListSetup) -> Result<Timed, RunError> {
    let (mut cells, mut scripts) = (Cells::default(), ListScript::all(setup));
    let (timed, outcome) = Timed::of(setup.all_requests(), || {
        for _ in 0..setup.requests {
            for script in &mut scripts {
                let answer = match script.next() {
                    Some(ListRequest::Add(number)) => {
                        cells.add(number);
                        ListAnswer::Added(number)
                    }
                    Some(ListRequest::Contains(number)) => {
                        ListAnswer::Contains(cells.contains(number))
                    }
                    Some(ListRequest::Size) => ListAnswer::Size(cells.size()),
                    None => continue,
                };
                script.check(answer).map_err(RunError::WrongResult)?;
            }
        }
        Ok::<(), RunError>(())
    });
    outcome?;
    check_numbers(setup, Some(cells.numbers().collect()))?;
    Ok(timed)
}
