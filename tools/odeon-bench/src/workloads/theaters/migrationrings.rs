//! `migrationrings`: actors that move from theater to theater, in a circle.

use super::MEMBERS;
use super::members::{gather, theaters};
use super::place::{LIMIT, id};
use super::ring_member::Umpire;
use super::seat::Role;
use super::tcp;
use super::wanderer::{Walk, Wanderer};
use crate::latency::{Latency, nanoseconds};
use crate::workload::prelude::*;

/// See the module.
pub(in crate::workloads) static MIGRATION_RINGS: Workload = Workload {
    summary: "actors move round several theaters, which are processes; the pause of each migration is the latency if they are asked one by one",
    operation: "migration",
    floor_is: "TCP alone between two processes: as many tokens there and back; each way is a migration",
    parameters: &[
        Parameter::number("actors", "actors that move", 1, 10_000, 160),
        Parameter::number("migrations", "migrations of each", 1, 1_000_000_000, 1000),
        Parameter::number("bytes", "bytes that each takes along", 0, 1 << 20, 0).outside_floor(),
        Parameter::number("theaters", "theaters", 2, 16, 4).outside_floor(),
        Parameter::word(
            "pace",
            "own: each moves on when it has arrived; asked: one after the other is asked to move on, and its pause is noted",
            &["own", ASKED],
        )
        .outside_floor(),
        MEMBERS,
        WORKERS,
    ],
    ..Workload::new("migrationrings", run, floor)
};

const ASKED: &str = "asked";

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let (actors, migrations) = (params.count("actors"), params.number("migrations"));
    let count = params.number("theaters");
    let is_asked = params.word("pace") == ASKED;
    let (mut members, place) = theaters(params, count as usize - 1)?;
    let (finish, waiting) = finish_line(actors);
    let umpire = place.theater.spawn(Umpire::new(actors, finish));
    let theaters: Vec<_> = (0..count).map(|number| id(number).bits()).collect();
    let all: Vec<_> = (0..actors as u64)
        .map(|number| {
            place.network.spawn_mobile(Wanderer {
                number,
                left: if is_asked { 0 } else { migrations },
                arrived: 0,
                theaters: theaters.clone(),
                umpire: umpire.clone(),
                luggage: vec![7; params.count("bytes")],
            })
        })
        .collect();
    let mut pauses = Vec::new();
    let (measured, outcome) = Measured::time(actors as u64 * migrations, || {
        if !is_asked {
            all.iter().for_each(|actor| actor.post(Walk::On));
            return waiting.wait_while(|| members.check());
        }
        for migration in 1..=migrations {
            for actor in &all {
                let moved = place.network.migrate(actor, id(migration % count));
                let moved = moved.wait_timeout(LIMIT).map_err(runtime)?.map_err(runtime)?;
                pauses.push(nanoseconds(moved.pause));
            }
        }
        Ok(())
    });
    outcome?;
    for actor in &all {
        let (arrived, bytes) = members.answer(actor.ask(Walk::Arrived))?;
        if (arrived, bytes) != (migrations, params.count("bytes")) {
            let wrong = format!("arrived {arrived} times with {bytes} bytes");
            return Err(BenchError::WrongResult(wrong));
        }
    }
    let latency = if is_asked { Latency::of(pauses) } else { None };
    Ok(Measured { latency, ..measured })
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let (actors, migrations) = (params.count("actors"), params.number("migrations"));
    let (mut members, mut caller) =
        gather(params, Role::TcpEcho, 1, |_, addresses| tcp::Caller::connect(&addresses[0]))?;
    caller.round_trip(0).map_err(|error| members.cause(error))?;
    let trips = migrations.div_ceil(2);
    let (measured, outcome) =
        Measured::time(actors as u64 * trips * 2, || caller.round_trips(actors, trips));
    outcome.map_err(|error| members.cause(error))?;
    Ok(measured)
}
