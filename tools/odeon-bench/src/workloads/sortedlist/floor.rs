//! The same requests in a loop.

use super::script::{Answer, ListScript, Request, check_numbers};
use super::{Cells, requests};
use crate::error::BenchError;
use crate::parameter::Params;
use crate::samples::Measured;
use crate::workloads::clients::Script;

pub(super) fn run(params: &Params) -> Result<Measured, BenchError> {
    let (mut cells, mut scripts) = (Cells::default(), ListScript::all(params));
    let (measured, outcome) = Measured::time(requests(params), || {
        for _ in 0..params.number("requests") {
            for script in &mut scripts {
                let answer = match script.next() {
                    Some(Request::Add(number)) => {
                        cells.add(number);
                        Answer::Added(number)
                    }
                    Some(Request::Contains(number)) => Answer::Contains(cells.contains(number)),
                    Some(Request::Size) => Answer::Size(cells.size()),
                    None => continue,
                };
                script.check(answer).map_err(BenchError::WrongResult)?;
            }
        }
        Ok::<(), BenchError>(())
    });
    outcome?;
    check_numbers(params, Some(cells.numbers().collect()))?;
    Ok(measured)
}
