//! What is asked of theaters that run: `odeon theater move`, `drain`, `reopen`, `spawn`, `count`.

use clap::Args;
use odeon_core::{ActorRef, Ask};
use odeon_theater::{ControlRequest, Drained, RemoteError};
use std::time::{Duration, Instant};

use super::counters::{COUNTER, COUNTERS, Count, ToCounters};
use super::error::TheaterError;
use super::listing::print;
use super::looking::{FoundTheater, look};
use super::meant;
use super::reach::{GuestTheater, Reach};

#[derive(Args)]
pub(super) struct LookArguments {
    #[command(flatten)]
    reach: Reach,
    /// How long to look for theaters at most.
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = clap::value_parser!(u64).range(1..=3_600))]
    within: u64,
}

#[derive(Args)]
pub(crate) struct MoveArguments {
    /// The actor, as `ps` lists it.
    actor: String,
    /// To where: the name of a theater, or the beginning of its identity.
    #[arg(long, value_name = "THEATER")]
    to: String,
    #[command(flatten)]
    look: LookArguments,
}

#[derive(Args)]
pub(crate) struct DrainArguments {
    /// The theater: its name, or the beginning of its identity.
    theater: String,
    /// For how long actors move at most.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    drain_within: u64,
    #[command(flatten)]
    look: LookArguments,
}

#[derive(Args)]
pub(crate) struct ReopenArguments {
    /// The theater: its name, or the beginning of its identity.
    theater: String,
    #[command(flatten)]
    look: LookArguments,
}

#[derive(Args)]
pub(crate) struct SpawnArguments {
    /// In which theater: its name, or the beginning of its identity.
    #[arg(long, value_name = "THEATER")]
    at: String,
    #[command(flatten)]
    look: LookArguments,
}

#[derive(Args)]
pub(crate) struct CountArguments {
    /// The counter, as `ps` lists it.
    actor: String,
    /// How much to add.
    #[arg(long, value_name = "NUMBER", default_value = "0")]
    add: u64,
    #[command(flatten)]
    look: LookArguments,
}

impl LookArguments {
    fn until_answered(&self) -> Duration {
        self.reach.until_answered()
    }
}

/// Takes part, looks who is there, asks something, and leaves.
fn visit(
    look_for: &LookArguments,
    ask: impl FnOnce(&GuestTheater, &[FoundTheater]) -> Result<(), TheaterError>,
) -> Result<(), TheaterError> {
    let member = GuestTheater::visiting(&look_for.reach)?;
    let within = Duration::from_secs(look_for.within);
    let done = look(&member, &look_for.reach, within).and_then(|found| ask(&member, &found));
    member.leave();
    done
}

/// What a theater answers that was asked to do something.
fn answer<T: Send + 'static>(
    ask: Ask<T>,
    theater: &FoundTheater,
    to_do: &str,
    within: Duration,
) -> Result<T, TheaterError> {
    let asked = Instant::now();
    ask.wait_timeout(within).map_err(|error| {
        let (name, waited) = (theater.called(), asked.elapsed().as_secs_f32());
        TheaterError::failed(format!(
            "{name} does not answer, asked to {to_do} ({error}, after {waited:.1} s): \
             it has ended, stands still, or is cut off"
        ))
    })
}

fn control(theater: &FoundTheater) -> Result<&ActorRef<ControlRequest>, TheaterError> {
    let served = theater.served.as_ref().map(|(control, _)| control);
    served.ok_or_else(|| {
        TheaterError::failed(format!("the theater {} does not let itself be served", theater.id))
    })
}

fn counters(
    member: &GuestTheater,
    theater: &FoundTheater,
    within: Duration,
) -> Result<ActorRef<ToCounters>, TheaterError> {
    let asked = member.network.at(theater.id).lookup(COUNTERS);
    answer(asked, theater, "name its counters", within)?.map_err(|_| {
        TheaterError::failed(format!("the theater {} has no counters", theater.name()))
    })
}

pub(super) fn move_actor(arguments: &MoveArguments) -> Result<(), TheaterError> {
    visit(&arguments.look, |_, found| {
        let (actor, from) = meant::actor(found, &arguments.actor)?;
        let to = meant::theater(found, "--to", &arguments.to)?;
        let asked = control(from)?.ask(|reply| ControlRequest::Move { actor, to: to.id, reply });
        let to_do = format!("move {} to {}", arguments.actor, to.called());
        let moved =
            answer(asked, from, &to_do, arguments.look.until_answered())?.map_err(|why| {
                TheaterError::failed(format!("{} stays at {}: {why}", arguments.actor, from.name()))
            })?;
        let id = meant::short_actor(actor, meant::digits_of(found));
        let (bytes, pause) = (moved.bytes, moved.pause.as_micros());
        print(&format!(
            "{id} moved from {} to {}: {bytes} bytes, stood still for {pause} us",
            from.name(),
            to.name()
        ))
    })
}

pub(super) fn drain(arguments: &DrainArguments) -> Result<(), TheaterError> {
    visit(&arguments.look, |_, found| {
        let theater = meant::theater(found, "<THEATER>", &arguments.theater)?;
        let within = Duration::from_secs(arguments.drain_within);
        let asked = control(theater)?.ask(|reply| ControlRequest::Drain { within, reply });
        let drained =
            answer(asked, theater, "drain itself", within + arguments.look.until_answered())?;
        print(&told(&drained, found))?;
        if drained.is_empty() {
            return Ok(());
        }
        Err(TheaterError::failed(format!("{} is not empty", theater.name())))
    })
}

fn told(drained: &Drained, found: &[FoundTheater]) -> String {
    let digits = meant::digits_of(found);
    let name = |id| {
        let theater = found.iter().find(|theater| theater.id == id);
        theater.map_or_else(|| meant::short(id, digits), |theater| theater.name().to_owned())
    };
    let mut lines = Vec::new();
    for (actor, to) in &drained.moved {
        lines.push(format!("{} moved to {}", meant::short_actor(*actor, digits), name(*to)));
    }
    for (actor, to) in &drained.lost {
        let actor = meant::short_actor(*actor, digits);
        lines.push(format!("{actor} is lost with {}", name(*to)));
    }
    for (actor, why) in &drained.kept {
        lines.push(format!("{} stays: {why}", meant::short_actor(*actor, digits)));
    }
    if drained.led_by > 0 {
        lines.push(format!("{} ways of other theaters still lead there", drained.led_by));
    }
    if drained.expecting > 0 {
        lines.push(format!(
            "{} of them still expect answers or messages from there",
            drained.expecting
        ));
    }
    if drained.passing > 0 {
        lines.push(format!("{} answers to others still come by it", drained.passing));
    }
    lines.push(format!(
        "{} moved, {} stay, {} that do not move are referred to",
        drained.moved.len(),
        drained.kept.len(),
        drained.immobile
    ));
    lines.join("\n")
}

pub(super) fn reopen(arguments: &ReopenArguments) -> Result<(), TheaterError> {
    visit(&arguments.look, |_, found| {
        let theater = meant::theater(found, "<THEATER>", &arguments.theater)?;
        let asked = control(theater)?.ask(ControlRequest::Reopen);
        answer(asked, theater, "be open again", arguments.look.until_answered())?;
        print(&format!("{} is open", theater.name()))
    })
}

pub(super) fn spawn(arguments: &SpawnArguments) -> Result<(), TheaterError> {
    visit(&arguments.look, |member, found| {
        let theater = meant::theater(found, "--at", &arguments.at)?;
        let within = arguments.look.until_answered();
        let created = member.network.at(theater.id).spawn(COUNTER, &());
        let created = created.map_err(TheaterError::failed)?;
        let created = answer(created, theater, "create a counter", within)?;
        let counter: ActorRef<Count> = created.map_err(|why| {
            TheaterError::failed(match why {
                RemoteError::Drained => format!("{} is drained", theater.name()),
                why => format!("{} creates no counter: {why}", theater.name()),
            })
        })?;
        let kept = counter.ask(|reply| Count::Keep(counter.clone(), reply));
        answer(kept, theater, "keep a counter", within)?;
        match member.network.mobile_id(&counter) {
            Some(id) => print(&id.to_string()),
            None => Err(TheaterError::failed(format!("{} has ended already", theater.name()))),
        }
    })
}

pub(super) fn count(arguments: &CountArguments) -> Result<(), TheaterError> {
    visit(&arguments.look, |member, found| {
        let (actor, theater) = meant::actor(found, &arguments.actor)?;
        let within = arguments.look.until_answered();
        let counters = counters(member, theater, within)?;
        let found = counters.ask(|reply| ToCounters::Find(actor, reply));
        let counter = answer(found, theater, "find the counter", within)?;
        let no_counter =
            || TheaterError::argument("<ACTOR>", "it is no counter, or has just moved");
        let counter: ActorRef<Count> = counter.ok_or_else(no_counter)?;
        let asked = counter.ask(|reply| Count::Add(arguments.add, reply));
        print(&answer(asked, theater, "have it count", within)?.to_string())
    })
}
