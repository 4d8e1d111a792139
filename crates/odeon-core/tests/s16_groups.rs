//! S16 groups: what is published goes to all members, cloned only as often as needed.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{Deterministic, DropTracker, Tracked, for_seeds};

const SOON: Duration = Duration::from_secs(20);

/// What its members were told: who said it, and the how manieth it is.
type Heard = Arc<Mutex<Vec<(usize, u64)>>>;

struct Listener(Heard);

#[derive(Clone)]
enum Say {
    Number(usize, u64),
    Wait(Arc<AtomicBool>),
    Leave(Group<Say>),
}

impl Message for Say {}

impl Actor for Listener {
    type Msg = Say;
    fn handle(&mut self, say: Say, ctx: &mut Context<'_, Self>) {
        match say {
            Say::Number(speaker, number) => self.0.lock().unwrap().push((speaker, number)),
            Say::Wait(go) => {
                while !go.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
            }
            Say::Leave(group) => assert!(group.leave(&ctx.actor_ref())),
        }
    }
}

fn listener() -> (Heard, Listener) {
    let heard = Heard::default();
    (heard.clone(), Listener(heard))
}

fn quiet() -> Listener {
    listener().1
}

fn numbers_of(heard: &Heard, speaker: usize) -> Vec<u64> {
    let heard = heard.lock().unwrap();
    heard.iter().filter(|(who, _)| *who == speaker).map(|(_, number)| *number).collect()
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let since = Instant::now();
    while !condition() {
        assert!(since.elapsed() < SOON, "{what} does not come");
        std::thread::yield_now();
    }
}

#[test]
fn s16_members_get_what_is_published_until_they_leave() {
    let run = Deterministic::new(1);
    let group = Group::new();
    let (heard, listeners): (Vec<_>, Vec<_>) = (0..3).map(|_| listener()).unzip();
    let actors: Vec<_> = listeners.into_iter().map(|actor| run.theater().spawn(actor)).collect();
    assert!(group.is_empty());
    assert!(actors.iter().all(|actor| group.join(actor)));
    assert!(!group.join(&actors[0]), "it is a member");
    assert_eq!(group.clone().publish(Say::Number(0, 1)), 3);
    assert!(group.leave(&actors[0]) && !group.leave(&actors[0]));
    assert_eq!(group.publish(Say::Number(0, 2)), 2);
    run.run_until_idle();
    actors[1].stop();
    run.run_until_idle();
    assert_eq!(group.members(), [actors[2].clone()]);
    assert!(group.contains(&actors[2]) && !group.contains(&actors[1]));
    assert!(!group.join(&actors[1]), "it has ended");
    assert_eq!((group.publish(Say::Number(0, 3)), group.len()), (1, 1));
    run.run_until_idle();
    let numbers: Vec<_> = heard.iter().map(|heard| numbers_of(heard, 0)).collect();
    assert_eq!(numbers, [vec![1], vec![1, 2], vec![1, 2, 3]]);
}

#[test]
fn s16_a_group_keeps_its_members() {
    let run = Deterministic::new(2);
    let group = Group::new();
    group.join(&run.theater().spawn(quiet()));
    run.run_until_idle();
    assert_eq!((group.len(), run.theater().live_actors()), (1, 1));
    drop(group);
    run.run_until_idle();
    assert_eq!(run.theater().live_actors(), 0);
}

/// Counts how often it was cloned, and whether each copy was dropped.
struct Costly {
    clones: Arc<AtomicUsize>,
    tracker: Arc<DropTracker>,
    _tracked: Tracked<()>,
}

impl Costly {
    fn new() -> (Self, Arc<AtomicUsize>, Arc<DropTracker>) {
        let (clones, tracker) = (Arc::<AtomicUsize>::default(), Arc::new(DropTracker::new()));
        let tracked = tracker.track(());
        (
            Self { clones: clones.clone(), tracker: tracker.clone(), _tracked: tracked },
            clones,
            tracker,
        )
    }
}

impl Clone for Costly {
    fn clone(&self) -> Self {
        self.clones.fetch_add(1, Ordering::SeqCst);
        let (clones, tracker) = (self.clones.clone(), self.tracker.clone());
        Self { clones, _tracked: tracker.track(()), tracker }
    }
}

impl Message for Costly {}

struct Customer;

impl Actor for Customer {
    type Msg = Costly;
    fn handle(&mut self, _: Costly, _: &mut Context<'_, Self>) {}
}

#[test]
fn s16_a_message_is_cloned_once_less_than_it_has_takers() {
    let run = Deterministic::new(3);
    for members in 0..6 {
        for ended in 0..4 {
            let customers: Vec<_> =
                (0..members + ended).map(|_| run.theater().spawn(Customer)).collect();
            // Ended ones first, in the middle and last.
            let ended: Vec<_> =
                customers.iter().cycle().skip(ended).step_by(2).take(ended).collect();
            ended.iter().for_each(|customer| customer.stop());
            run.run_until_idle();
            let live = customers.iter().filter(|customer| !customer.is_stopped()).count();
            let (message, clones, tracker) = Costly::new();
            assert_eq!(broadcast(&customers, message), live);
            run.run_until_idle();
            assert_eq!(clones.load(Ordering::SeqCst), live.saturating_sub(1));
            tracker.check();

            let group = Group::new();
            assert_eq!(customers.iter().filter(|customer| group.join(customer)).count(), live);
            let (message, clones, tracker) = Costly::new();
            assert_eq!(group.publish(message), live);
            run.run_until_idle();
            assert_eq!(clones.load(Ordering::SeqCst), live.saturating_sub(1));
            tracker.check();
        }
    }
}

/// Several speakers publish and send directly; each member hears each speaker in order.
#[test]
fn s16_a_member_hears_each_speaker_in_order() {
    const SPEAKERS: usize = 3;
    const NUMBERS: u64 = 4_000;
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let (heard, listeners): (Vec<_>, Vec<_>) = (0..4).map(|_| listener()).unzip();
    let group = Group::new();
    for (n, listener) in listeners.into_iter().enumerate() {
        let pinned = n % 2 == 0;
        let actor = if pinned {
            theater.actor().on(&stage).spawn(listener)
        } else {
            theater.spawn(listener)
        };
        group.join(&actor);
    }
    std::thread::scope(|scope| {
        for speaker in 0..SPEAKERS {
            let group = group.clone();
            scope.spawn(move || {
                let members = group.members();
                for number in 0..NUMBERS {
                    if number % 3 == 0 {
                        let send = |to: &ActorRef<_>| to.send(Say::Number(speaker, number));
                        members.iter().for_each(|member| send(member).unwrap());
                    } else {
                        assert_eq!(group.publish(Say::Number(speaker, number)), 4);
                    }
                }
            });
        }
    });
    let all = SPEAKERS * NUMBERS as usize;
    wait_until("all messages", || heard.iter().all(|heard| heard.lock().unwrap().len() == all));
    for heard in &heard {
        for speaker in 0..SPEAKERS {
            assert_eq!(numbers_of(heard, speaker), (0..NUMBERS).collect::<Vec<_>>());
        }
    }
}

#[test]
fn s16_a_slow_member_misses_nothing() {
    const NUMBERS: u64 = 50_000;
    let theater = Theater::builder().workers(1).build().unwrap();
    let (heard, slow) = listener();
    let slow = theater.actor().dedicated("slow").spawn(slow).unwrap();
    let go = Arc::new(AtomicBool::new(false));
    let group = Group::new();
    group.join(&slow);
    group.publish(Say::Wait(go.clone()));
    std::thread::scope(|scope| {
        // The publisher holds back while the member has too much waiting (S17).
        scope.spawn(|| {
            (0..NUMBERS).for_each(|number| assert_eq!(group.publish(Say::Number(0, number)), 1));
        });
        std::thread::sleep(Duration::from_millis(10));
        go.store(true, Ordering::SeqCst);
    });
    wait_until("all messages", || heard.lock().unwrap().len() == NUMBERS as usize);
    assert_eq!(numbers_of(&heard, 0), (0..NUMBERS).collect::<Vec<_>>());
}

/// Publishing while others join, leave and end: those who stay get all, once and in order; whatever
/// was delivered was handled or is a dead letter; nobody stays behind.
#[test]
fn s16_publishing_against_coming_and_going() {
    const NUMBERS: u64 = 20_000;
    let theater = Theater::builder().workers(2).build().unwrap();
    let group = Group::new();
    let (steady, listeners): (Vec<_>, Vec<_>) = (0..3).map(|_| listener()).unzip();
    for listener in listeners {
        group.join(&theater.spawn(listener));
    }
    let (delivered, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let passing = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for coming in 0..2 {
            let (group, theater, done, passing) = (&group, &theater, &done, &passing);
            scope.spawn(move || {
                let mut round = coming;
                while !done.load(Ordering::SeqCst) {
                    // The workers must keep up with those who leave by themselves.
                    wait_until("room for more", || theater.live_actors() < 50);
                    let (heard, listener) = listener();
                    let actor = theater.spawn(listener);
                    assert!(group.join(&actor));
                    round += 1;
                    match round % 3 {
                        0 => actor.stop(),
                        1 => assert!(group.leave(&actor)),
                        _ => drop(actor.send(Say::Leave(group.clone()))),
                    }
                    passing.lock().unwrap().push(heard);
                }
            });
        }
        for number in 0..NUMBERS {
            let here = group.publish(Say::Number(7, number)) as u64;
            assert!(here >= 3);
            delivered.fetch_add(here, Ordering::SeqCst);
        }
        done.store(true, Ordering::SeqCst);
    });
    wait_until("the end of those who passed", || theater.live_actors() == 3);
    wait_until("all messages", || {
        steady.iter().all(|heard| heard.lock().unwrap().len() == NUMBERS as usize)
    });
    for heard in &steady {
        assert_eq!(numbers_of(heard, 7), (0..NUMBERS).collect::<Vec<_>>());
    }
    let passing = passing.into_inner().unwrap();
    let mut handled = 3 * NUMBERS;
    for heard in &passing {
        let numbers = numbers_of(heard, 7);
        handled += numbers.len() as u64;
        assert!(numbers.windows(2).all(|two| two[0] + 1 == two[1]), "a gap while a member");
    }
    // The farewells of those that were stopped first are dead letters as well, or came back.
    let dead = theater.dead_letters();
    let delivered = delivered.into_inner();
    assert!(handled <= delivered && delivered <= handled + dead, "{handled} {delivered} {dead}");
    assert_eq!(group.len(), 3);
}

/// What is published after `leave` has returned does not arrive.
#[test]
fn s16_who_has_left_hears_no_more() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let group = Group::new();
    for round in 0..200 {
        let (heard, listener) = listener();
        let actor = theater.spawn(listener);
        group.join(&actor);
        assert_eq!(group.publish(Say::Number(0, round)), 1);
        assert!(group.leave(&actor));
        assert_eq!(group.publish(Say::Number(0, 1_000)), 0);
        drop(actor);
        wait_until("the end", || theater.live_actors() == 0);
        assert_eq!(numbers_of(&heard, 0), [round]);
    }
}

#[test]
fn s16_a_named_group_stays_while_it_has_members_or_handles() {
    let run = Deterministic::new(4);
    let theater = run.theater();
    let handle = theater.group::<Say>("room").unwrap();
    let error = theater.group::<u8>("room").unwrap_err();
    assert_eq!((error.named(), error.asked()), (std::any::type_name::<Say>(), "u8"));

    let actor = theater.spawn(quiet());
    theater.group("room").unwrap().join(&actor);
    assert_eq!(handle.publish(Say::Number(0, 1)), 1);
    drop(handle);
    assert!(theater.group::<u8>("room").is_err(), "its member keeps it");
    assert_eq!(theater.group("room").unwrap().publish(Say::Number(0, 2)), 1);
    actor.stop();
    run.run_until_idle();
    assert!(theater.group::<u8>("room").is_ok(), "it was gone");

    let group = theater.group::<Say>("room").unwrap();
    let actor = theater.spawn(quiet());
    group.join(&actor);
    group.leave(&actor);
    drop(group);
    assert!(theater.group::<u8>("room").unwrap().is_empty());
    assert!(theater.lookup::<Say>("room").is_err(), "a group's name is no actor's");
}

/// Actors come to rooms by name, and go; at rest each room has exactly those who stayed.
#[test]
fn s16_rooms_from_seeds() {
    for_seeds(200, |seed| {
        let run = Deterministic::new(seed);
        let mut random = Random::from_seed(seed);
        let mut actors = Vec::new();
        let mut inside: Vec<Vec<ActorRef<Say>>> = vec![Vec::new(); 3];
        for _ in 0..80 {
            let room = random.below(3);
            let name = format!("room {room}");
            match random.below(5) {
                0 | 1 => {
                    let actor = run.theater().spawn(quiet());
                    assert!(run.theater().group(&name).unwrap().join(&actor));
                    inside[room].push(actor.clone());
                    actors.push(actor);
                }
                2 if !actors.is_empty() => {
                    let actor = &actors[random.below(actors.len())];
                    let was_inside = inside[room].contains(actor);
                    inside[room].retain(|other| other != actor);
                    let left = run.theater().group(&name).unwrap().leave(actor);
                    assert!(left == was_inside || actor.is_stopped());
                }
                3 if !actors.is_empty() => {
                    let actor = actors.swap_remove(random.below(actors.len()));
                    actor.stop();
                    inside.iter_mut().for_each(|inside| inside.retain(|other| *other != actor));
                }
                _ => {
                    let published = run.theater().group(&name).unwrap().publish(Say::Number(0, 0));
                    assert!(published >= inside[room].len());
                }
            }
            run.run_steps(random.below(3));
        }
        run.run_until_idle();
        for (room, inside) in inside.iter_mut().enumerate() {
            let group = run.theater().group::<Say>(&format!("room {room}")).unwrap();
            let mut members = group.members();
            members.sort_unstable_by_key(ActorRef::id);
            inside.sort_unstable_by_key(ActorRef::id);
            assert_eq!(members, *inside);
        }
    });
}
