//! The actors of a run: of all kinds, on all stages that there are, with bounds of all kinds.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::*;

use crate::actors::{Plain, Role, Waiting};
use crate::world::{Mode, Msg, World};

/// One actor's part in the population: how it is made, also again after a failure.
#[derive(Clone)]
struct Part {
    world: Arc<World>,
    number: usize,
    bounds: [Option<Bound>; 2],
    drops_oldest: bool,
}

impl Part {
    fn random(number: usize, world: &Arc<World>, random: &mut Random) -> Self {
        let bounds =
            [if random.below(2) == 0 { bound(random) } else { (None, false) }, bound(random)];
        Self {
            world: world.clone(),
            number,
            bounds: bounds.map(|(bound, _)| bound),
            drops_oldest: bounds.iter().any(|(_, drops_oldest)| *drops_oldest),
        }
    }

    fn role(&self) -> Role {
        Role::peer(self.number, self.drops_oldest, &self.world)
    }

    fn bounded<A>(&self, actor: Bounded<A>) -> Bounded<A> {
        let bounds = self.bounds.iter().enumerate();
        bounds.fold(actor, |actor, (mailbox, bound)| match bound {
            Some(bound) => actor.mailbox(mailbox, *bound),
            None => actor,
        })
    }

    fn plain(&self) -> Bounded<Plain> {
        self.bounded(Bounded::new(Plain(self.role())))
    }

    fn plain_that_may_block(&self) -> Bounded<Plain> {
        self.bounded(Bounded::new(Plain(self.role().that_may_block())))
    }

    fn waiting(&self) -> Bounded<Waiting> {
        self.bounded(Bounded::new_async(Waiting(self.role())))
    }

    fn unbounded(&self) -> Role {
        Role::peer(self.number, false, &self.world)
    }
}

/// A bound for a mailbox, and whether it displaces messages.
fn bound(random: &mut Random) -> (Option<Bound>, bool) {
    let capacity = 1 + random.below(3);
    match random.below(6) {
        0 => (None, false),
        1 => (Some(Bound::drop_oldest(capacity)), true),
        2 => (Some(Bound::reject(capacity)), false),
        _ => (Some(Bound::wait(capacity)), false),
    }
}

/// As often as there are failures, and at once.
fn restarting() -> Supervision {
    Supervision::new().restarts(u32::MAX, Duration::MAX).pauses(Duration::ZERO, Duration::ZERO)
}

fn policy(mode: Mode, random: &mut Random) -> Supervision {
    match random.below(3) {
        0 => restarting().always(Directive::Resume),
        1 if mode == Mode::Wild => restarting().always(Directive::Stop),
        _ => restarting(),
    }
}

/// Spawns the population; with a stage, also there and on stages of their own.
pub(crate) fn populate(
    theater: &Theater,
    stage: Option<&Stage>,
    world: &Arc<World>,
    random: &mut Random,
) -> Vec<ActorRef<Msg>> {
    let count = 3 + random.below(6);
    let peers: Vec<_> = (0..count)
        .map(|number| {
            let part = Part::random(number, world, random);
            spawn(theater, stage, part, random)
        })
        .collect();
    for peer in &peers {
        if random.below(2) == 0 {
            world.group.join(peer);
        }
    }
    let routing = if random.below(2) == 0 { Routing::RoundRobin } else { Routing::LeastLoaded };
    let bound = [Bound::wait(1), Bound::wait(2), Bound::reject(2)][random.below(3)];
    // WHY weak: the pool keeps what makes its members, and the world keeps the pool.
    let member = Arc::downgrade(world);
    let pool = theater.actor().supervised(restarting()).pool(3, routing, move |_| {
        let world = member.upgrade().expect("the run holds it until the theater has ended");
        Bounded::new(Plain(Role::new(&world))).mailbox(1, bound)
    });
    assert!(world.pool.set(pool).is_ok() && world.peers.set(peers.clone()).is_ok());
    peers
}

fn spawn(
    theater: &Theater,
    stage: Option<&Stage>,
    part: Part,
    random: &mut Random,
) -> ActorRef<Msg> {
    let mode = part.world.mode;
    let policy = policy(mode, random);
    // Those that are not supervised would end at the first failure, and with them what waits.
    let may_be_alone = mode != Mode::Fragile;
    match (random.below(if stage.is_some() { 11 } else { 6 }), stage) {
        (2 | 3, _) => theater.actor().supervised(policy).spawn(move || part.waiting()),
        (4, _) => theater.actor().supervised(policy).spawn(move || Waiting(part.unbounded())),
        (5, _) => theater.actor().supervised(policy).spawn(move || Plain(part.unbounded())),
        (6, Some(stage)) => {
            theater.actor().on(stage).supervised(policy).spawn(move || part.plain())
        }
        (7, Some(stage)) => {
            theater.actor().on(stage).supervised(policy).spawn(move || part.waiting())
        }
        (8, _) if may_be_alone => {
            theater.actor().dedicated("own").spawn(part.plain_that_may_block()).unwrap()
        }
        (9, _) if may_be_alone => theater.actor().dedicated("own").spawn(part.waiting()).unwrap(),
        (10, Some(stage)) if may_be_alone => {
            theater.actor().on(stage).spawn(Waiting(part.unbounded()))
        }
        _ => theater.actor().supervised(policy).spawn(move || part.plain()),
    }
}
