//! S34: an actor moves while others send to it, and something goes wrong after the first packet, or
//! the second, and so on to the last: a theater is killed, leaves the network, or the way between
//! two is cut for a while or for longer. It sits in one theater at most after every packet, and
//! what is promised of it in the end holds.

use super::log::{Heard, Log, Say};
use super::stepwise::Trouble::{
    self, CutForAWhile, CutForLong, Isolated, Killed, Leaves, Unplugged,
};
use super::stepwise::{self, Stepwise, id};
use odeon_core::{ActorRef, AskError, Random};
use odeon_theater::{MigrateError, Migrated};
use std::time::Duration;

/// It moves from X to Y; W refers to it, and Z has it move.
const X: usize = 0;
const Y: usize = 1;
const W: usize = 2;
const Z: usize = 3;
const PLACES: [usize; 4] = [X, Y, W, Z];

/// Longer than it takes to move, and to tell everybody.
const MOVES_WITHIN: Duration = Duration::from_millis(250);

struct World {
    what: String,
    run: Stepwise,
    /// What each knows the actor by. Y need not know it.
    known: [Option<ActorRef<Say>>; 4],
    /// How much each has said.
    sent: [u64; 4],
}

/// Where it sits, if it is not between two.
#[track_caller]
fn sits(run: &Stepwise) -> Option<usize> {
    let mobile = |(number, place): (usize, &stepwise::Place)| {
        let mobile = place.network.overview().mobile;
        assert!(mobile.len() < 2, "{mobile:?}");
        (!mobile.is_empty()).then_some(number)
    };
    let sits: Vec<_> = run.living().filter_map(mobile).collect();
    assert!(sits.len() < 2, "it sits in {sits:?}");
    sits.first().copied()
}

impl World {
    /// `is_known`: there is a reference at Y.
    fn new(seed: u64, is_known: bool, what: String) -> Self {
        let mut run = Stepwise::new(seed, PLACES.len(), |run| {
            sits(run);
        });
        run.places.iter().for_each(|place| place.network.register_mobile::<Log>());
        let log = run.places[X].network.spawn_mobile(Log::default());
        run.places[X].network.publish("log", &log);
        let known = PLACES.map(|place| {
            if place == X || place == Y && !is_known {
                return (place == X).then(|| log.clone());
            }
            let found = run.places[place].network.at(id(X)).lookup::<Say>("log");
            run.pass(Duration::from_millis(200));
            Some(found.wait_timeout(Duration::ZERO).unwrap().unwrap())
        });
        // It is kept by who refers to it.
        run.places[X].network.unpublish("log");
        Self { what, run, known, sent: [0; 4] }
    }

    /// Whoever can says something.
    fn say(&mut self) {
        for (from, _) in self.run.living() {
            let Some(actor) = &self.known[from] else { continue };
            if actor.send(Say::Number { from, number: self.sent[from] }).is_ok() {
                self.sent[from] += 1;
            }
        }
    }
}

type Moved = Result<Result<Migrated, MigrateError>, AskError>;

/// Something happens after so many packets. Says how many packets there were, and what has come of
/// the move.
fn run(seed: u64, is_known: bool, trouble: Option<Trouble>, after: usize) -> (usize, Moved) {
    let what = format!("seed {seed}, known {is_known}, {trouble:?} after {after}");
    let mut world = World::new(seed, is_known, what);
    let mut random = Random::from_seed(seed);
    world.say();
    let asker = &world.run.places[Z];
    let asked = asker.network.migrate(world.known[Z].as_ref().unwrap(), id(Y));
    world.run.packets = 0;
    let until = world.run.now + MOVES_WITHIN;
    while world.run.now < until && world.run.packets < after {
        world.run.step();
        if random.below(3) == 0 {
            world.say();
        }
    }
    let packets = world.run.packets;
    if let Some(trouble) = trouble {
        world.run.trouble(trouble);
    }
    world.say();
    world.run.pass(Duration::from_secs(3));
    let moved = asked.wait_timeout(Duration::ZERO);
    world.check(trouble, &moved);
    world.end();
    (packets, moved)
}

impl World {
    /// What is to be so in the end.
    fn check(&mut self, trouble: Option<Trouble>, moved: &Moved) {
        let sits = sits(&self.run);
        let what = format!("{}, {moved:?}, it sits in {sits:?}", self.what);
        match (trouble, moved, sits) {
            (Some(Killed(Z) | Unplugged(Z)), _, sits) => {
                assert!(matches!(sits, Some(X | Y)), "{what}")
            }
            (
                Some(Killed(X) | Unplugged(X)),
                Ok(Ok(_)) | Err(AskError::NoReply),
                Some(Y) | None,
            ) => {}
            (Some(Killed(Y) | Unplugged(Y)), Ok(Ok(_) | Err(MigrateError::Lost)), sits) => {
                assert_eq!(sits, None, "{what}");
            }
            (Some(Killed(Y) | Unplugged(Y)), Ok(Err(_)), sits) => {
                assert_eq!(sits, Some(X), "{what}")
            }
            // If all references led by X it has been let go.
            (Some(CutForLong(X, Y)), Ok(Ok(_) | Err(MigrateError::Lost)), sits) => {
                assert_ne!(sits, Some(X), "{what}");
            }
            (Some(CutForLong(X, Y)), Ok(Err(_)), sits) => assert_eq!(sits, Some(X), "{what}"),
            // Wherever it is, whoever was cut off from it has lost it, and if that is all others it
            // is let go.
            (Some(Isolated(_)), _, _) => {}
            // Until it has been told to go it stays, and after that it comes; if nobody refers to
            // it there it is let go.
            (Some(Leaves(X)), _, Some(X | Y)) => {}
            (Some(Leaves(X)), Ok(Ok(_)) | Err(AskError::NoReply), None) => {
                assert!(self.known[Y].is_none(), "{what}");
            }
            // Whatever has come to Y is lost for the others, and lives on there if somebody there
            // refers to it.
            (Some(Leaves(Y)), Ok(Ok(_) | Err(MigrateError::Lost)), sits) => {
                assert_ne!(sits, Some(X), "{what}");
            }
            (Some(Leaves(Y)), Ok(Err(_)), Some(X)) => {}
            (Some(CutForLong(X, Z)), Err(AskError::NoReply), sits) => {
                assert!(matches!(sits, Some(X | Y)), "{what}");
            }
            (_, Ok(Ok(_)), Some(Y)) => {}
            _ => panic!("{what}"),
        }
        let everybody_hears = self.everybody_hears(&what);
        assert_eq!(everybody_hears.is_some(), sits.is_some(), "{what}");
        let Some(heard) = everybody_hears else { return };
        for (from, numbers) in &heard {
            let mut once = numbers.clone();
            once.sort_unstable();
            let is_in_order = once == *numbers;
            once.dedup();
            assert_eq!(once.len(), numbers.len(), "{what}: doubled, of {from}: {numbers:?}");
            let may_be_mixed = matches!(trouble, Some(CutForLong(..) | Isolated(_) | Leaves(_)));
            assert!(is_in_order || may_be_mixed, "{what}: of {from}: {numbers:?}");
        }
        // Messages of those who have not lost anybody on the way.
        let complete: &[usize] = match trouble {
            None | Some(CutForAWhile(..)) => &PLACES,
            Some(Killed(W) | Unplugged(W)) => &[X, Y, Z],
            Some(Killed(Z) | Unplugged(Z)) => &[X, Y, W],
            Some(Killed(Y) | Unplugged(Y)) => &[X, W, Z],
            Some(CutForLong(Y, W)) => &[X, Z],
            Some(CutForLong(X, W)) => &[X, Y, Z],
            Some(CutForLong(X, Z)) => &[X, Y, W],
            _ => &[],
        };
        for &from in complete {
            let all: Vec<u64> = (0..self.sent[from]).collect();
            let heard = heard.get(&from).cloned().unwrap_or_default();
            assert_eq!(heard, all, "{what}: of {from}");
        }
    }

    /// Who refers to it and has not lost it hears the same of it. `None`: nobody hears anything.
    fn everybody_hears(&mut self, what: &str) -> Option<Heard> {
        let known = self.run.living().filter_map(|(place, _)| self.known[place].clone());
        let asks: Vec<_> = known.map(|actor| (actor.ask(Say::Heard), actor)).collect();
        self.run.pass(Duration::from_millis(300));
        let mut all = Vec::new();
        for (ask, actor) in asks {
            match ask.wait_timeout(Duration::ZERO) {
                Ok(heard) => all.push(heard),
                Err(_) => assert!(actor.is_stopped(), "{what}: a reference leads nowhere"),
            }
        }
        assert!(all.windows(2).all(|two| two[0] == two[1]), "{what}: {all:?}");
        all.pop()
    }

    /// Nobody refers to it any more, and nothing is left of it.
    fn end(mut self) {
        self.known = [const { None }; 4];
        self.run.pass(Duration::from_millis(1_500));
        assert_eq!(sits(&self.run), None, "{}: it is kept by nobody", self.what);
        for (number, place) in self.run.living() {
            assert_eq!(place.network.references(), (0, 0), "{}: in {number}", self.what);
        }
    }
}

/// So many packets come until it has moved and all ways are short.
fn packets(seed: u64, is_known: bool) -> usize {
    let (packets, moved) = run(seed, is_known, None, usize::MAX);
    assert!(moved.unwrap().unwrap().bytes > 0);
    packets
}

#[track_caller]
fn after_every_packet(troubles: &[Trouble]) {
    after_every(1, troubles);
}

#[track_caller]
fn after_every(step: usize, troubles: &[Trouble]) {
    for (seed, is_known) in [(1, false), (2, true)] {
        let packets = packets(seed, is_known);
        assert!(packets > 20, "{packets}");
        for &trouble in troubles {
            for after in (seed as usize % step..packets).step_by(step) {
                run(seed, is_known, Some(trouble), after).1.ok();
            }
        }
    }
}

#[test]
fn s34_whoever_is_killed_at_any_step_it_sits_once_or_dies_with_a_theater() {
    after_every_packet(&PLACES.map(Killed));
}

#[test]
fn s34_whoever_is_unplugged_at_any_step_it_sits_once_or_dies_with_a_theater() {
    after_every_packet(&PLACES.map(Unplugged));
}

#[test]
fn s34_whoever_leaves_at_any_step_it_sits_once_or_dies_with_a_theater() {
    after_every_packet(&[X, Y].map(Leaves));
}

#[test]
fn s34_whichever_way_is_cut_for_a_while_at_any_step_nothing_is_lost() {
    after_every(2, &[(X, Y), (X, W), (Y, W), (X, Z), (Y, Z)].map(|(a, b)| CutForAWhile(a, b)));
}

#[test]
fn s34_whichever_way_is_cut_for_long_at_any_step_it_sits_once_or_is_said_to_be_lost() {
    after_every(2, &[(X, Y), (X, W), (Y, W), (X, Z)].map(|(a, b)| CutForLong(a, b)));
}

#[test]
fn s34_whoever_is_cut_off_from_all_at_any_step_it_sits_once_or_is_said_to_be_lost() {
    after_every(2, &PLACES.map(Isolated));
}
