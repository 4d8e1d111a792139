//! `theaterrings`: tokens go round rings of actors, of which each is on another theater.

use super::MEMBERS;
use super::members::{Members, gather, theaters};
use super::ring_member::{self, Membership, RingMember, RingStep, Umpire};
use super::seat::Role;
use super::tcp;
use crate::workload::prelude::*;
use odeon::prelude::*;

/// See the module.
pub(in crate::workloads) static THEATER_RINGS: Workload = Workload {
    summary: "a token goes round each of many rings; a ring has one actor on each of several theaters, which are processes",
    operation: "hop",
    floor_is: "TCP alone between two processes: as many tokens there and back; each way is a hop",
    parameters: &[
        Parameter::number("rings", "rings", 1, 10_000, 160),
        Parameter::number("hops", "hops of each token", 1, 1_000_000_000, 1000),
        Parameter::number("theaters", "theaters", 2, 16, 4).outside_floor(),
        Parameter::word("kind", "whether the actors may move", &["remote", MOBILE]).outside_floor(),
        MEMBERS,
        WORKERS,
    ],
    ..Workload::new("theaterrings", run, floor)
};

const MOBILE: &str = "mobile";

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let (rings, hops) = (params.count("rings"), params.number("hops"));
    let others = params.number("theaters") - 1;
    let (mut members, place) = theaters(params, others as usize)?;
    let (finish, waiting) = finish_line(rings);
    let umpire = place.theater.spawn(Umpire::new(rings, finish));
    let mut all: Vec<Vec<ActorRef<RingStep>>> = Vec::new();
    for ring in 0..rings as u64 {
        let membership = Membership { ring, umpire: umpire.clone() };
        let first = RingMember::new(membership.clone());
        let (first, kind) = if params.word("kind") == MOBILE {
            (place.network.spawn_mobile(first), ring_member::MOBILE_KIND)
        } else {
            (place.theater.spawn(first), ring_member::KIND)
        };
        let mut actors = vec![first];
        for member in 1..=others {
            let actor = place.spawn_at(member, kind, &membership);
            // That a member has ended says more than that nobody answers.
            actors.push(actor.map_err(|error| members.check().err().unwrap_or(error))?);
        }
        for (index, actor) in actors.iter().enumerate() {
            actor.post(RingStep::Link(actors[(index + 1) % actors.len()].clone()));
        }
        all.push(actors);
    }
    // WHY: who has answered knows who comes next.
    seen(&all, &mut members)?;
    let (measured, outcome) = Measured::time(rings as u64 * hops, || {
        all.iter().for_each(|actors| actors[0].post(RingStep::Token(hops)));
        waiting.wait_while(|| members.check())
    });
    outcome?;
    let seen = seen(&all, &mut members)?;
    let is_right = |ring: &[u64]| ring.iter().sum::<u64>() == hops + 1;
    let wrong = || BenchError::WrongResult("a token was lost or doubled".to_owned());
    seen.chunks(others as usize + 1).all(is_right).then_some(measured).ok_or_else(wrong)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let (rings, hops) = (params.count("rings"), params.number("hops"));
    let (mut members, mut caller) =
        gather(params, Role::TcpEcho, 1, |_, addresses| tcp::Caller::connect(&addresses[0]))?;
    caller.round_trip(0).map_err(|error| members.cause(error))?;
    // An odd hop more is done and counted.
    let trips = hops.div_ceil(2);
    let (measured, outcome) =
        Measured::time(rings as u64 * trips * 2, || caller.round_trips(rings, trips));
    outcome.map_err(|error| members.cause(error))?;
    Ok(measured)
}

/// How often a token has been at each actor.
fn seen(rings: &[Vec<ActorRef<RingStep>>], members: &mut Members) -> Result<Vec<u64>, BenchError> {
    let asks: Vec<_> = rings.iter().flatten().map(|actor| actor.ask(RingStep::Seen)).collect();
    asks.into_iter().map(|ask| members.answer(ask)).collect()
}
