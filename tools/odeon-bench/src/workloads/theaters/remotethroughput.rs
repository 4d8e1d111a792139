//! `remotethroughput`: messages one way to actors of another process.

use super::bare_zenoh::Caller;
use super::members::{gather, theaters};
use super::payload::{NUMBER, StreamCount, append};
use super::place::LARGEST_PACKET;
use super::seat::Role;
use super::tally::{self, ToTally};
use super::{MEMBERS, place::JoinedTheater};
use crate::workload::prelude::*;
use odeon::prelude::*;
use odeon_zenoh::bare::Batching;

/// See the module.
pub(in crate::workloads) static REMOTE_THROUGHPUT: Workload = Workload {
    summary: "messages one way to actors of another process, which count and check them",
    operation: "message",
    floor_is: "Zenoh alone between two processes: a put for each message, batching on, or for each 60 kB of them (--floor frames)",
    parameters: &[
        Parameter::number("bytes", "size of a message", NUMBER as u64, 1_000_000, NUMBER as u64),
        Parameter::number("actors", "actors that receive, in turn", 1, 10_000, 1).outside_floor(),
        Parameter::number("messages", "messages to all of them", 1, 1_000_000_000, 1_000_000),
        Parameter::word("floor", "what the floor puts", &["messages", FRAMES]),
        MEMBERS,
        WORKERS,
    ],
    ..Workload::new("remotethroughput", run, floor)
};

const FRAMES: &str = "frames";

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let (mut members, place) = theaters(params, 1)?;
    let (bytes, messages) = (params.count("bytes"), params.number("messages"));
    let actors = params.count("actors");
    let tallies: Vec<_> = (0..actors).map(|_| tally_of(&place)).collect::<Result<_, _>>()?;
    let (measured, counts) = Measured::time(messages, || {
        for (number, to) in (0..messages).zip(tallies.iter().cycle()) {
            let sent = to.send(ToTally::of(number, bytes));
            sent.map_err(|error| members.cause(error))?;
        }
        let asks: Vec<_> = tallies.iter().map(|tally| tally.ask(ToTally::Total)).collect();
        asks.into_iter().map(|ask| members.answer(ask)).collect::<Result<Vec<_>, _>>()
    });
    for (index, count) in counts?.into_iter().enumerate() {
        let sent = StreamCount::of((index as u64..messages).step_by(actors), bytes);
        check(Some(count), sent)?;
    }
    Ok(measured)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let (bytes, messages) = (params.count("bytes"), params.number("messages"));
    let role = Role::ZenohTally { stride: bytes };
    let (mut members, caller) =
        gather(params, role, 1, |seat, _| Caller::open(seat, Batching::On))?;
    caller.greet(&mut members)?;
    let together = match params.word("floor") {
        FRAMES => (LARGEST_PACKET / bytes).max(1) as u64,
        _ => 1,
    };
    let (measured, count) = Measured::time(messages, || {
        let mut number = 0;
        while number < messages {
            let end = messages.min(number + together);
            let mut payload = Vec::with_capacity((end - number) as usize * bytes);
            (number..end).for_each(|number| append(number, bytes, &mut payload));
            caller.put(payload)?;
            number = end;
        }
        caller.total(&mut members)
    });
    check(count?, StreamCount::of(0..messages, bytes))?;
    Ok(measured)
}

fn tally_of(place: &JoinedTheater) -> Result<ActorRef<ToTally>, BenchError> {
    place.spawn_at(1, tally::KIND, &())
}

fn check(come: Option<StreamCount>, sent: StreamCount) -> Result<(), BenchError> {
    if come == Some(sent) {
        return Ok(());
    }
    let come = come.map_or_else(|| "something else".to_owned(), |count| format!("{count:?}"));
    Err(BenchError::WrongResult(format!("{come} came where {sent:?} were sent")))
}
