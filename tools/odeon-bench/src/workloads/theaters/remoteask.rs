//! `remoteask`: questions to an actor of another process, one after another.

use super::MEMBERS;
use super::echo::{self, EchoCall};
use super::members::{gather, theaters};
use super::seat::Role;
use super::{bare_zenoh, tcp};
use crate::latency::{Latency, nanoseconds};
use crate::workload::prelude::*;
use odeon::prelude::*;
use odeon_zenoh::bare::Batching;
use std::time::Instant;

/// See the module.
pub(in crate::workloads) static REMOTE_ASK: Workload = Workload {
    summary: "questions to an actor of another process, one after another, with their latency",
    operation: "round trip",
    floor_is: "Zenoh alone between two processes: publish and subscribe, there and back; or TCP alone (--floor tcp)",
    parameters: &[
        Parameter::number("rounds", "questions", 1, 1_000_000_000, 10_000),
        Parameter::word("floor", "what the floor sends them by", &["zenoh", TCP]),
        MEMBERS,
        WORKERS,
    ],
    ..Workload::new("remoteask", run, floor)
};

const TCP: &str = "tcp";

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let (mut members, place) = theaters(params, 1)?;
    let echo: ActorRef<EchoCall> = place.spawn_at(1, echo::KIND, &())?;
    // WHY: before the clock starts, so that both sides know each other.
    members.answer(echo.ask(|reply| EchoCall(0, reply)))?;
    timed(params, |round| members.answer(echo.ask(|reply| EchoCall(round, reply))))
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    if params.word("floor") == TCP {
        let (mut members, mut caller) =
            gather(params, Role::TcpEcho, 1, |_, addresses| tcp::Caller::connect(&addresses[0]))?;
        caller.round_trip(0).map_err(|error| members.cause(error))?;
        return timed(params, |round| caller.round_trip(round).map(|()| round));
    }
    let (mut members, caller) = gather(params, Role::ZenohEcho, 1, |seat, _| {
        bare_zenoh::Caller::open(seat, Batching::Off)
    })?;
    caller.greet(&mut members)?;
    timed(params, |round| {
        let back = caller.ask(round.to_le_bytes().to_vec(), &mut members)?;
        Ok(back.try_into().map_or(u64::MAX, u64::from_le_bytes))
    })
}

/// Times each round by itself, and all together; each answers its number.
fn timed(
    params: &Params,
    mut ask: impl FnMut(u64) -> Result<u64, BenchError>,
) -> Result<Measured, BenchError> {
    let rounds = params.number("rounds");
    let mut latencies = Vec::new();
    let (measured, outcome) = Measured::time(rounds, || {
        (0..rounds).try_for_each(|round| {
            let asked = Instant::now();
            let answer = ask(round)?;
            latencies.push(nanoseconds(asked.elapsed()));
            let wrong = || BenchError::WrongResult(format!("{answer} answers {round}"));
            (answer == round).then_some(()).ok_or_else(wrong)
        })
    });
    outcome?;
    Ok(Measured { latency: Latency::of(latencies), ..measured })
}
