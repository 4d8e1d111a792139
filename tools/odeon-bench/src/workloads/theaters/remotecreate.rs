//! `remotecreate`: actors of each kind, created at another theater, in one's own, or there and
//! moved.
//!
//! What is timed, from the first actor's creation to the last one's acknowledgement:
//!
//! | `--created` | | `--kind` |
//! |---|---|---|
//! | `there` | the other theater is asked for each actor, all at once; until each has told that it is there, and a reference to each has come | `remote`, `mobile` |
//! | `moved` | an actor creates all in its own theater; each is asked to move to the other one; until each has told from there, and each move is answered | `mobile` |
//! | `here` | an actor creates all in its own theater; until each has told | `local`, `remote`, `mobile` |
//! | `referred` | the same, and a reference to each is sent to the other theater; until each has told, and all references have been written | `remote` |
//!
//! An actor is not created as `remote`: each of a theater that has joined a network becomes that
//! when a reference to it first leaves. So `here` is the same work for `local` and `remote`, and
//! `referred` is what the difference costs.

use super::MEMBERS;
use super::created::{self, Birth, Create, Hold, LocalMaking, Maker, Master, Started};
use super::members::{Members, theaters};
use super::place::{JoinedTheater, LIMIT, id};
use crate::workload::prelude::*;
use odeon::prelude::*;
use odeon_example_run::FinishWaiter;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// See the module.
pub(in crate::workloads) static REMOTE_CREATE: Workload = Workload {
    summary: "actors created at another theater, which is a process, or in one's own; each acknowledges that it is there",
    operation: "actor created, acknowledged",
    floor_is: "local actors created by one thread on one theater",
    parameters: &[
        Parameter::number("actors", "actors to create", 1, 10_000_000, 5000),
        Parameter::word(
            "created",
            "there: by the other theater; here: in one's own; referred: .. and a reference sent to the other; moved: .. and moved to the other",
            &[THERE, HERE, REFERRED, MOVED],
        )
        .outside_floor(),
        Parameter::word(
            "kind",
            "remote: the other theater may refer to them; mobile: they may move; local: neither (only here)",
            &[REMOTE, MOBILE, LOCAL],
        )
        .outside_floor(),
        MEMBERS.outside_floor(),
        Parameter { in_floor: true, ..WORKERS },
    ],
    check,
    ..Workload::new("remotecreate", run, floor)
};

const LOCAL: &str = "local";
const REMOTE: &str = "remote";
const MOBILE: &str = "mobile";
const THERE: &str = "there";
const HERE: &str = "here";
const REFERRED: &str = "referred";
const MOVED: &str = "moved";

/// TUNE: guessed 2026-11: what a message costs is small beside what a reference in it does.
const REFERENCES_IN_A_MESSAGE: usize = 100;
/// TUNE: us, guessed 2026-11: a run of the figures takes some ten thousand.
const BETWEEN_LOOKS: Duration = Duration::from_micros(20);

fn check(params: &Params) -> Result<(), BenchError> {
    let refused = |problem: &str| Err(BenchError::bad_argument("--kind", problem));
    match (params.word("created"), params.word("kind")) {
        (THERE, LOCAL) => refused("who has an actor created elsewhere refers to it: not local"),
        (MOVED, LOCAL | REMOTE) => refused("only mobile actors are moved"),
        (REFERRED, LOCAL | MOBILE) => refused("what is created and referred to is remote"),
        _ => Ok(()),
    }
}

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    check(params)?;
    // WHY for all kinds: they are to differ in nothing else.
    let (mut members, place) = theaters(params, 1)?;
    let actors = params.number("actors");
    let (finish, waiting) = finish_line(params.count("actors"));
    let master = place.theater.spawn(Master::new(params.count("actors"), finish));
    let run = CreationRun { place, actors, master, waiting };
    let (created, kind) = (params.word("created"), params.word("kind"));
    let (measured, all) = match (created, kind) {
        (REFERRED, _) => run.here_and_referred_to(&mut members),
        (HERE, LOCAL | REMOTE) => run.here(LocalMaking::Plain, &mut members),
        (HERE, _) => run.here(LocalMaking::Mobile(run.place.network.clone()), &mut members),
        (MOVED, _) => run.here_and_moved(&mut members),
        (_, MOBILE) => run.there(created::MOBILE_KIND, &mut members),
        _ => run.there(created::KIND, &mut members),
    };
    check_created(&all?, actors)?;
    // A master that others tell is referred to from elsewhere, too.
    let (referred_to, _) = run.place.network.references();
    let expected = match created {
        REFERRED => actors,
        HERE => 0,
        _ => 1,
    };
    let wrong = || BenchError::WrongResult(format!("{referred_to} are referred to"));
    (referred_to as u64 == expected).then_some(measured).ok_or_else(wrong)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let actors = params.number("actors");
    let theater = Arc::new(theater(params)?);
    let (finish, waiting) = finish_line(params.count("actors"));
    let master = theater.spawn(Master::new(params.count("actors"), finish));
    let make = created::make(&theater);
    let (measured, created) = Measured::time(actors, || {
        let created: Vec<_> = (0..actors).map(|number| make((number, master.clone()))).collect();
        waiting.wait().map(|()| created)
    });
    check_created(&created?, actors)?;
    Ok(measured)
}

type Created = (Measured, Result<Vec<ActorRef<()>>, BenchError>);

/// A run that has been set up.
struct CreationRun {
    place: JoinedTheater,
    actors: u64,
    master: ActorRef<Started>,
    waiting: FinishWaiter,
}

impl CreationRun {
    fn there(&self, kind: &str, members: &mut Members) -> Created {
        let there = self.place.network.at(id(1));
        Measured::time(self.actors, || {
            let births = (0..self.actors).map(|number| {
                let birth: Birth = (number, self.master.clone());
                there.spawn::<_, ()>(kind, &birth).map_err(runtime)
            });
            let asks = births.collect::<Result<Vec<_>, _>>()?;
            self.waiting.wait_while(|| members.check())?;
            let created = asks.into_iter().map(|ask| members.answer(ask)?.map_err(runtime));
            created.collect()
        })
    }

    fn here(&self, how: LocalMaking, members: &mut Members) -> Created {
        let maker = self.place.theater.spawn(Maker);
        Measured::time(self.actors, || {
            let all = self.made(&maker, how, members)?;
            self.waiting.wait_while(|| members.check()).map(|()| all)
        })
    }

    fn here_and_referred_to(&self, members: &mut Members) -> Created {
        let maker = self.place.theater.spawn(Maker);
        let holder = match self.place.spawn_at::<_, Hold>(1, created::HOLDER, &()) {
            Ok(holder) => holder,
            Err(error) => return (Measured::new(0, Duration::ZERO), Err(error)),
        };
        Measured::time(self.actors, || {
            let all = self.made(&maker, LocalMaking::Plain, members)?;
            all.chunks(REFERENCES_IN_A_MESSAGE).for_each(|some| holder.post(Hold(some.to_vec())));
            self.waiting.wait_while(|| members.check())?;
            let begun = Instant::now();
            while (self.place.network.references().0 as u64) < self.actors {
                members.check()?;
                if begun.elapsed() > LIMIT {
                    return Err(BenchError::Unfinished { limit: LIMIT });
                }
                std::thread::sleep(BETWEEN_LOOKS);
            }
            Ok(all)
        })
    }

    fn here_and_moved(&self, members: &mut Members) -> Created {
        let maker = self.place.theater.spawn(Maker);
        Measured::time(self.actors, || {
            let how = LocalMaking::ThatMove(self.place.network.clone());
            let all = self.made(&maker, how, members)?;
            let moves: Vec<_> =
                all.iter().map(|actor| self.place.network.migrate(actor, id(1))).collect();
            self.waiting.wait_while(|| members.check())?;
            for moved in moves {
                members.answer(moved)?.map_err(runtime)?;
            }
            Ok(all)
        })
    }

    fn made(
        &self,
        maker: &ActorRef<Create>,
        how: LocalMaking,
        members: &mut Members,
    ) -> Result<Vec<ActorRef<()>>, BenchError> {
        let (actors, master) = (self.actors, self.master.clone());
        members.answer(maker.ask(|all| Create { how, actors, master, all }))
    }
}

fn check_created(created: &[ActorRef<()>], actors: u64) -> Result<(), BenchError> {
    let there = created.iter().filter(|actor| !actor.is_stopped()).count();
    let wrong = || BenchError::WrongResult(format!("{there} of {actors} actors are there"));
    (there as u64 == actors).then_some(()).ok_or_else(wrong)
}
