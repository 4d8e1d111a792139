//! S34: who hears that a theater is lost, and asks at that moment for a move of an actor of it or
//! to it, is told what a lost theater means; by virtual time, from seeds.

use super::virtual_time::{Simulation, id};
use odeon_core::{Actor, ActorRef, Ask, AskError, Context, Message, Reply};
use odeon_testkit::for_seeds;
use odeon_theater::{MembershipEvent, MigrateError, Migrated, Mobile, Network, TheaterId};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Serialize, Deserialize)]
struct Nomad;

#[derive(Serialize, Deserialize)]
struct Hear(Reply<()>);

impl Message for Hear {}

impl Actor for Nomad {
    type Msg = Hear;

    fn handle(&mut self, Hear(reply): Hear, _: &mut Context<'_, Self>) {
        reply.send(());
    }
}

impl Mobile for Nomad {
    const KIND: &'static str = "nomad of a theater that is lost";
}

type Asked = Ask<Result<Migrated, MigrateError>>;

/// Has actors move when it hears that a theater is lost.
struct Hears {
    network: Network,
    lost: TheaterId,
    refuge: TheaterId,
    theirs: Vec<ActorRef<Hear>>,
    own: ActorRef<Hear>,
    asked: Arc<Mutex<(Vec<Asked>, Vec<Asked>)>>,
}

impl Actor for Hears {
    type Msg = MembershipEvent;

    fn handle(&mut self, event: MembershipEvent, _: &mut Context<'_, Self>) {
        if !matches!(event, MembershipEvent::Gone(theater, _) if theater == self.lost) {
            return;
        }
        let mut asked = self.asked.lock().unwrap();
        let theirs = self.theirs.iter().map(|actor| self.network.migrate(actor, self.refuge));
        asked.0.extend(theirs);
        asked.1.push(self.network.migrate(&self.own, self.lost));
    }
}

const THEIRS: usize = 4;

/// Theater 0 loses theater 1, and a subscriber there asks for moves when it hears of it.
fn who_hears_of_the_loss_is_told(lose: impl Fn(&mut Simulation)) {
    for_seeds(24, |seed| {
        let mut world = Simulation::of(seed, 4, |network| network.register_mobile::<Nomad>());
        let there: Vec<_> =
            (0..THEIRS).map(|_| world.places[1].network.spawn_mobile(Nomad)).collect();
        let theirs: Vec<_> = there.iter().map(|actor| world.known_at(0, 1, actor)).collect();
        let own = world.places[0].network.spawn_mobile(Nomad);
        let asked = Arc::new(Mutex::default());
        let network = world.places[0].network.clone();
        let (lost, refuge) = (id(1), id(2));
        let hears = Hears { network, lost, refuge, theirs, own: own.clone(), asked: asked.clone() };
        let hears = world.places[0].run.theater().spawn(hears);
        world.places[0].network.subscribe(&hears);
        world.steps(50);
        lose(&mut world);
        world.steps(6_000);
        let (theirs, to_it) = std::mem::take(&mut *asked.lock().unwrap());
        assert_eq!((theirs.len(), to_it.len()), (THEIRS, 1), "seed {seed}: it has heard of it");
        let answer = |ask: Asked| ask.wait_timeout(Duration::ZERO);
        for theirs in theirs {
            assert_eq!(answer(theirs), Ok(Err(MigrateError::Stopped)), "seed {seed}");
        }
        for to_it in to_it {
            assert_eq!(answer(to_it), Ok(Err(MigrateError::Unreachable)), "seed {seed}");
        }
        // It goes on where it is.
        let heard = own.ask(Hear);
        world.steps(5);
        assert_eq!(heard.wait_timeout(Duration::ZERO), Ok::<_, AskError>(()), "seed {seed}");
    });
}

#[test]
fn s34_who_hears_that_a_theater_was_killed_is_told_that_its_actors_are_over() {
    who_hears_of_the_loss_is_told(|world| world.kill(1));
}

#[test]
fn s34_who_hears_that_a_theater_is_cut_off_is_told_that_its_actors_are_over() {
    who_hears_of_the_loss_is_told(|world| world.net.cut(id(0), id(1)));
}

#[test]
fn s34_who_hears_that_a_theater_has_left_is_told_that_its_actors_are_over() {
    who_hears_of_the_loss_is_told(|world| {
        world.places[1].network.leave(Duration::ZERO);
    });
}
