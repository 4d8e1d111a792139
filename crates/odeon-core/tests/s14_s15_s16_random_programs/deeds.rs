//! What a handler does next.

use std::sync::Arc;

use odeon_core::*;
use odeon_testkit::silent_panic;

use crate::actors::Errand;
use crate::world::{World, returned};

/// How many names there are.
const NAMES: usize = 4;

/// A periodic timer's messages; what makes them fails soon.
pub(crate) fn periodic(random: &mut Random) -> impl FnMut() -> Errand + Send + use<> {
    let mut random = Random::from_seed(random.next_u64());
    let mut left = 6;
    move || {
        if left == 0 {
            silent_panic("in a periodic timer");
        }
        left -= 1;
        World::without_ticket(&mut random, 0)
    }
}

/// The message that a watch, an answer or a timer becomes, of a seed drawn in time.
pub(crate) fn becomes(seed: u64) -> Errand {
    World::without_ticket(&mut Random::from_seed(seed), 0)
}

pub(crate) fn name(random: &mut Random) -> String {
    format!("name {}", random.below(NAMES))
}

/// Uses the pool: sends, resizes, and rarely stops it.
pub(crate) fn employ(world: &World, random: &mut Random, depth: u32) {
    let Some(pool) = world.pool.lock().unwrap().clone() else { return };
    if random.below(4) == 0 {
        pool.resize(random.below(5));
    }
    if random.below(30) == 0 {
        pool.stop();
    }
    (0..random.below(6)).for_each(|_| returned(pool.send(world.errand(random, depth))));
}

/// Does one of the things that need no context.
pub(crate) fn do_outside(world: &Arc<World>, random: &mut Random, depth: u32) {
    let deeper = depth.saturating_sub(1);
    match random.below(14) {
        0..5 if depth > 0 => {
            for _ in 0..1 + random.below(2) {
                if let Some(peer) = world.peer(random) {
                    world.send(&peer, random, deeper);
                }
            }
        }
        5 => {
            let link = world.links.lock().unwrap().pop();
            link.into_iter().for_each(Link::cancel);
        }
        6 => {
            if let Some(peer) = world.peer(random) {
                world.on_end(&peer);
            }
        }
        7 => world.cancel_watch(),
        8 | 9 => {
            let timer = world.timers.lock().unwrap().pop();
            timer.map(Timer::cancel);
        }
        10 => {
            if let Some(peer) = world.peer(random) {
                if random.below(2) == 0 {
                    world.group.join(&peer);
                } else {
                    world.group.leave(&peer);
                }
            }
        }
        11 if depth > 0 => {
            world.group.publish(World::without_ticket(random, 0));
        }
        12 if depth > 0 => employ(world, random, deeper),
        13 if random.below(3) == 0 => {
            if let Some(peer) = world.peer(random) {
                peer.stop();
            }
        }
        _ => {}
    }
}

/// Does one thing at random in a handler of `Plain` or `Waiting`: their contexts have the same
/// methods, but no trait.
macro_rules! do_something {
    ($world:expr, $ctx:expr, $random:expr, $depth:expr) => {{
        use std::time::Duration;
        use $crate::deeds::{becomes, do_outside, name, periodic};
        let (world, random, depth): (&Arc<World>, &mut Random, u32) = (&$world, $random, $depth);
        let deeper = depth.saturating_sub(1);
        match random.below(34) {
            0 if random.below(if world.wild { 1 } else { 6 }) == 0 => silent_panic("in a handler"),
            1 if random.below(3) == 0 => {
                $ctx.stop();
                if random.below(3) == 0 {
                    silent_panic("after a stop");
                }
            }
            2 | 3 if depth > 0 => {
                let (policy, mut seed) = (world.policy(random), random.next_u64());
                let parent = world.clone();
                let mut state = move || {
                    seed = seed.wrapping_add(1);
                    parent.state(seed)
                };
                let child = if random.below(2) == 0 {
                    $ctx.actor().supervised(policy).spawn(move || Plain(state()))
                } else {
                    $ctx.actor().supervised(policy).spawn(move || $crate::actors::Waiting(state()))
                };
                if random.below(2) == 0 {
                    world.on_end(&child);
                }
                if random.below(3) == 0 {
                    $ctx.link(&child);
                }
                world.add_peer(child);
            }
            4 if depth > 0 => {
                let state = world.state(random.next_u64());
                let newcomer = if random.below(2) == 0 {
                    $ctx.spawn(Plain(state))
                } else {
                    $ctx.spawn($crate::actors::Waiting(state))
                };
                world.send(&newcomer, random, deeper);
                world.add_peer(newcomer);
            }
            5 => {
                if let Some(peer) = world.peer(random) {
                    let link = $ctx.link(&peer);
                    world.links.lock().unwrap().push(link);
                }
            }
            6 => {
                if let Some(peer) = world.peer(random) {
                    world.counts.watched.add();
                    let (watcher, seed) = (world.clone(), random.next_u64());
                    let watch = $ctx.watch(&peer, move |_| {
                        watcher.counts.told.add();
                        becomes(seed)
                    });
                    world.watches.lock().unwrap().push(watch);
                }
            }
            7 | 8 => {
                let delay = Duration::from_micros(random.below(3000) as u64);
                let timer = $ctx.send_after(delay, World::without_ticket(random, deeper));
                world.timers.lock().unwrap().push(timer);
            }
            9 => {
                let period = Duration::from_micros(1 + random.below(4000) as u64);
                let timer = $ctx.send_every(period, periodic(random));
                world.timers.lock().unwrap().push(timer);
            }
            10 => $ctx.close(1),
            11 => $ctx.open(1),
            12 | 13 if depth > 0 => {
                if let Some(peer) = world.peer(random) {
                    world.counts.asked.add();
                    let (asker, seed) = (world.clone(), random.next_u64());
                    let answer = move |_: Result<u32, AskError>| {
                        asker.counts.answered.add();
                        becomes(seed)
                    };
                    let reply = if random.below(2) == 0 {
                        $ctx.reply_to(answer)
                    } else {
                        let limit = Duration::from_micros(random.below(2000) as u64);
                        $ctx.reply_within(limit, answer)
                    };
                    let question = Errand { reply: Some(reply), ..world.errand(random, deeper) };
                    $crate::world::returned(peer.send(question));
                }
            }
            14 => {
                if let Some(peer) = world.peer(random) {
                    // The name may be another one's.
                    drop($ctx.register(&name(random), &peer));
                }
            }
            15 => {
                let name = name(random);
                if let Ok(found) = $ctx.lookup::<Errand>(&name) {
                    world.send(&found, random, deeper);
                    if random.below(4) == 0 {
                        found.stop();
                    }
                    if random.below(4) == 0 {
                        $ctx.unregister(&name);
                    }
                }
            }
            16 => {
                let (name, seed, maker) = (name(random), random.next_u64(), world.clone());
                let make = move || Plain(maker.state(seed));
                let found = if random.below(2) == 0 {
                    $ctx.actor().lookup_or_spawn(&name, make)
                } else {
                    $ctx.actor().supervised(world.policy(random)).lookup_or_spawn(&name, make)
                };
                let found = found.expect("all names are of actors with errands");
                world.on_end(&found);
                world.send(&found, random, deeper);
            }
            17 => {
                let polls = random.below(3) as u32;
                let (fails, stops) = (random.below(3) == 0, random.below(6) == 0);
                let fails_then = random.below(5) == 0;
                let work = async move {
                    yields(polls).await;
                    if fails {
                        silent_panic("in a pipe");
                    }
                };
                $ctx.pipe(work, move |_, (), ctx| {
                    if stops {
                        ctx.stop();
                    }
                    if fails_then {
                        silent_panic("in a continuation");
                    }
                });
            }
            18 => $ctx.send_self(World::without_ticket(random, 0)),
            19..33 => do_outside(world, random, depth),
            _ => {}
        }
    }};
}
pub(crate) use do_something;
