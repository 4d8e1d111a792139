//! `chameneos`: creatures meet in pairs at a mall and change colour: [`chameneos`] has it.

use crate::workload::prelude::*;
use odeon_example_savina::chameneos::{self, ChameneosSetup};

/// See the module.
pub(super) static CHAMENEOS: Workload = Workload {
    summary: "creatures meet in pairs at one mall and change colour",
    operation: "meeting",
    floor_is: "the same mall and creatures, boxed, driven by one VecDeque on one thread",
    parameters: &[
        Parameter::number("creatures", "creatures", 2, 1_000_000, 100),
        Parameter::number("meetings", "meetings before the mall closes", 1, 1_000_000_000, 200_000),
        Parameter::number(
            "mailboxes",
            "mailboxes of the mall, one for each creature in turn",
            1,
            64,
            1,
        )
        .outside_floor()
        .odeon_only(),
        WORKERS,
    ],
    peers: &ACTOR_RUNTIMES,
    ..Workload::new("chameneos", run, floor)
};

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let (workers, mailboxes) = (params.count("workers"), params.count("mailboxes"));
    Ok(chameneos::run(workers, mailboxes, &setup(params))?.into())
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    Ok(chameneos::floor(&setup(params))?.into())
}

fn setup(params: &Params) -> ChameneosSetup {
    ChameneosSetup { creatures: params.count("creatures"), meetings: params.number("meetings") }
}
