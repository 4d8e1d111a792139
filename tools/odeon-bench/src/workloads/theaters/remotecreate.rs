//! `remotecreate`: actors created at another theater.

use super::MEMBERS;
use super::created::{self, Birth, Master};
use super::members::theaters;
use super::place::id;
use crate::error::BenchError;
use crate::finish::finish_line;
use crate::parameter::{Parameter, Params};
use crate::samples::Measured;
use crate::theater::{runtime, theater};
use crate::workload::{About, Variant, WORKERS, Workload};
use odeon::prelude::*;
use std::sync::Arc;

/// See the module.
pub(in crate::workloads) struct RemoteCreate;

static ABOUT: About = About {
    name: "remotecreate",
    summary: "actors created at another theater, which is a process; each acknowledges its start",
    operation: "actor created, acknowledged",
    floor: "the same actors created by the same function on one theater",
    parameters: &[
        Parameter::number("actors", "actors to create", 1, 10_000_000, 5000),
        MEMBERS.outside_floor(),
        Parameter { in_floor: true, ..WORKERS },
    ],
    variants: &[Variant::Pool],
};

impl Workload for RemoteCreate {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let actors = params.number("actors");
        let (mut members, place) = theaters(params, 1)?;
        let (finish, waiting) = finish_line(params.count("actors"));
        let master = place.theater.spawn(Master::new(params.count("actors"), finish));
        let there = place.network.at(id(1));
        let (measured, created) = Measured::time(actors, || {
            let births = (0..actors).map(|number| {
                let birth: Birth = (number, master.clone());
                there.spawn::<_, ()>(created::KIND, &birth).map_err(runtime)
            });
            let asks = births.collect::<Result<Vec<_>, _>>()?;
            waiting.wait_while(|| members.check())?;
            let created = asks.into_iter().map(|ask| members.answer(ask)?.map_err(runtime));
            created.collect::<Result<Vec<_>, _>>()
        });
        check(&created?, actors)?;
        Ok(measured)
    }

    fn floor(&self, params: &Params) -> Result<Measured, BenchError> {
        let actors = params.number("actors");
        let theater = Arc::new(theater(params)?);
        let (finish, waiting) = finish_line(params.count("actors"));
        let master = theater.spawn(Master::new(params.count("actors"), finish));
        let make = created::make(&theater);
        let (measured, created) = Measured::time(actors, || {
            let created: Vec<_> =
                (0..actors).map(|number| make((number, master.clone()))).collect();
            waiting.wait().map(|()| created)
        });
        check(&created?, actors)?;
        Ok(measured)
    }

    fn peers(&self) -> &'static [&'static str] {
        &[]
    }
}

fn check(created: &[ActorRef<()>], actors: u64) -> Result<(), BenchError> {
    let there = created.iter().filter(|actor| !actor.is_stopped()).count();
    let wrong = || BenchError::WrongResult(format!("{there} of {actors} actors are there"));
    (there as u64 == actors).then_some(()).ok_or_else(wrong)
}
