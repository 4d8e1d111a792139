//! What one worker was measured at, and the costs that follow from that.

use super::{MESSAGES_EACH, handler_ns, not_measured};
use crate::measurements::Measurements;
use crate::simulation::{Costs, Simulation};
use crate::way::{CONCURRENT, WIDTH};
use crate::{ScaleLoad, ScaleWay};

/// TUNE: the part of what a message takes beside its transaction and the lock that is its sender's,
/// the rest being its shard's. Guessed 2026-11: one worker does both, and two do not tell either
/// which of them did what.
const SENDERS_PART: f64 = 0.5;

/// What steps take beside the handler of one load, on one worker. `told`: what others tell.
pub(super) fn costs_beside(
    measured: &Measurements,
    load: ScaleLoad,
    told: Costs,
    seed: u64,
) -> Result<Costs, String> {
    let bare = handler_ns(measured, load, 1).ok_or_else(|| not_measured("one worker"))?;
    let beside = |way: ScaleWay| {
        let point =
            measured.of(way, 1, load).ok_or_else(|| not_measured(&format!("{way}, one worker")))?;
        Ok::<f64, String>((point.fastest_ns() - bare).max(0.0))
    };
    let direct = beside(CONCURRENT)?;
    let in_shard = beside(ScaleWay::Width(WIDTH))?;
    let transaction = beside(ScaleWay::Transactions)?;
    let mut costs = told;
    // How many messages a place is for, and so how often the lock is passed, depends on the costs:
    // a little.
    for _ in 0..2 {
        let one = Simulation {
            costs,
            handler_ns: bare,
            cores: 1,
            width: WIDTH,
            senders: load.senders,
            messages: MESSAGES_EACH * load.senders as u64,
            seed,
        };
        let beside_lock = (in_shard - told.pass * one.run().passes).max(0.0);
        let send = SENDERS_PART * (beside_lock - transaction).max(0.0);
        let send = send.min(direct);
        costs = Costs { send, attempt: beside_lock - send, direct: direct - send, ..told };
    }
    Ok(costs)
}
