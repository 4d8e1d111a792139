//! `threadring`: a ring on one theater, of actors that only it refers to, or others too.

use super::MEMBERS;
use super::keeper::{self, Keep};
use super::members::theaters;
use super::place::JoinedTheater;
use super::ring_member::{Membership, RingMember, RingStep, Umpire};
use crate::workload::prelude::*;
use crate::workloads::ring;
use odeon::prelude::*;

/// See the module.
pub(in crate::workloads) static THREAD_RING: Workload = Workload {
    summary: "one token goes round a ring on one theater, of actors that another theater refers to or does not",
    operation: "hop",
    floor_is: "boxed actors in a ring, driven by one VecDeque on one thread",
    parameters: &[
        Parameter::word(
            "kind",
            "local: only this theater refers to them; remote: another process does too; mobile: they may move (pool)",
            &["local", REMOTE, MOBILE],
        )
        .outside_floor(),
        Parameter::number("actors", "actors in the ring", 1, 10_000, 31),
        Parameter::number("hops", "hops of the token", 1, 1_000_000_000, 1_000_000),
        MEMBERS.outside_floor(),
        WORKERS,
    ],
    variants: &[Variant::Pool, Variant::Pinned],
    ..Workload::new("threadring", run, ring::floor)
};

const REMOTE: &str = "remote";
const MOBILE: &str = "mobile";

fn run(variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    if params.word("kind") == MOBILE && variant == Variant::Pinned {
        let reason = "a mobile actor lives on a pool".to_owned();
        return Err(BenchError::bad_argument("kind", reason));
    }
    // WHY for all kinds: they are to differ in nothing else.
    let (mut members, place) = theaters(params, 1)?;
    let keeper: ActorRef<Keep> = place.spawn_at(1, keeper::KIND, &())?;
    let stage = match variant {
        Variant::Pinned => Some(pinned_stage(&place.theater, "ring")?),
        Variant::Pool | Variant::Async | Variant::Stm => None,
    };
    let (finish, waiting) = finish_line(1);
    let umpire = place.theater.spawn(Umpire::new(1, finish));
    let new = |_| {
        let member = RingMember::new(Membership { ring: 0, umpire: umpire.clone() });
        match &stage {
            _ if params.word("kind") == MOBILE => place.network.spawn_mobile(member),
            Some(stage) => place.theater.actor().on(stage).spawn(member),
            None => place.theater.spawn(member),
        }
    };
    let mut ring: Vec<ActorRef<RingStep>> = (0..params.count("actors")).map(new).collect();
    if params.word("kind") == REMOTE {
        let ids: Vec<_> = ring.iter().map(ActorRef::id).collect();
        ring = members.answer(keeper.ask(|reply| Keep(ring, reply)))?;
        let is_home = ring.iter().map(ActorRef::id).eq(ids);
        check(is_home, "references came back as others")?;
    }
    for (index, member) in ring.iter().enumerate() {
        member.post(RingStep::Link(ring[(index + 1) % ring.len()].clone()));
    }
    let hops = params.number("hops");
    let measured = waiting
        .time(hops, || {
            ring[0].post(RingStep::Token(hops));
        })?
        .into();
    check_kind(&place, params)?;
    let mut seen = 0;
    for member in &ring {
        seen += members.answer(member.ask(RingStep::Seen))?;
    }
    check(seen == hops + 1, "the token was lost or doubled")?;
    Ok(measured)
}

/// Who is referred to from elsewhere is so to the end.
fn check_kind(place: &JoinedTheater, params: &Params) -> Result<(), BenchError> {
    let expected = if params.word("kind") == REMOTE { params.count("actors") } else { 0 };
    let (referred_to, _) = place.network.references();
    check(referred_to == expected, "other actors than meant are referred to from elsewhere")
}

fn check(is_right: bool, wrong: &str) -> Result<(), BenchError> {
    is_right.then_some(()).ok_or_else(|| BenchError::WrongResult(wrong.to_owned()))
}
