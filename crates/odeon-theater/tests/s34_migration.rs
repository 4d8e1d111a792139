//! S34: an actor moves with all it has, and nobody who refers to it can tell but by the time it
//! takes.

use super::support::{LONG, Place, World, until};
use odeon_core::{Actor, ActorRef, Context, DeclaredGuards, EndReason, Message, Reply, Selection};
use odeon_theater::{Conditions, LinkConfig, MigrateError, Migrated, Mobile, Network};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Keeps what it is sent, and more that is to move with it.
#[derive(Default, Serialize, Deserialize)]
struct Nomad {
    numbers: Vec<u64>,
    friend: Option<ActorRef<Say>>,
    unanswered: Vec<Reply<u64>>,
    arrivals: u32,
}

#[derive(Serialize, Deserialize)]
enum Say {
    Add(u64),
    All(Reply<Vec<u64>>),
    Arrivals(Reply<u32>),
    Meet(ActorRef<Say>),
    /// Sends the friend a number.
    Greet(u64),
    /// Is answered by `Answer`.
    Question(Reply<u64>),
    Answer(u64),
    /// Asks the friend, and keeps the answer.
    AskFriend,
    Answered(u64),
    In(u64, u64),
    Myself(Reply<ActorRef<Say>>),
    Sleep(u64),
    Stop,
    Fail,
}

impl Message for Say {}

impl Actor for Nomad {
    type Msg = Say;

    fn handle(&mut self, msg: Say, ctx: &mut Context<'_, Self>) {
        match msg {
            Say::Add(n) => self.numbers.push(n),
            Say::All(reply) => reply.send(self.numbers.clone()),
            Say::Arrivals(reply) => reply.send(self.arrivals),
            Say::Meet(friend) => self.friend = Some(friend),
            Say::Greet(n) => self.friend.as_ref().unwrap().send(Say::Add(n)).unwrap(),
            Say::Question(reply) => self.unanswered.push(reply),
            Say::Answer(n) => self.unanswered.drain(..).for_each(|reply| reply.send(n)),
            Say::AskFriend => {
                let reply = ctx.reply_to(|answer| Say::Answered(answer.unwrap_or(0)));
                self.friend.as_ref().unwrap().send(Say::Question(reply)).unwrap();
            }
            Say::Answered(n) => self.numbers.push(n),
            Say::In(millis, n) => {
                ctx.send_after(Duration::from_millis(millis), Say::Add(n));
            }
            Say::Myself(reply) => reply.send(ctx.actor_ref()),
            Say::Sleep(millis) => std::thread::sleep(Duration::from_millis(millis)),
            Say::Stop => ctx.stop(),
            Say::Fail => panic!("told to"),
        }
    }
}

impl Mobile for Nomad {
    const KIND: &'static str = "nomad";

    fn arrived(&mut self, _: &mut Context<'_, Self>) {
        self.arrivals += 1;
    }
}

fn places<const N: usize>(world: &World) -> [Place; N] {
    let mut number = 0;
    [(); N].map(|()| {
        number += 1;
        let place = world.theater(number);
        place.network.register_mobile::<Nomad>();
        place
    })
}

fn migrate<M: Message>(
    network: &Network,
    actor: &ActorRef<M>,
    to: &Place,
) -> Result<Migrated, MigrateError> {
    network.migrate(actor, to.network.id()).wait_timeout(LONG).unwrap()
}

fn all(nomad: &ActorRef<Say>) -> Vec<u64> {
    nomad.ask(Say::All).wait_timeout(LONG).unwrap()
}

fn find(here: &Place, there: &Place) -> ActorRef<Say> {
    here.network.at(there.network.id()).lookup("nomad").wait_timeout(LONG).unwrap().unwrap()
}

#[test]
fn s34_an_actor_moves_and_its_references_lead_to_it() {
    let world = World::new(1);
    let [a, b, c] = places(&world);
    let nomad = a.network.spawn_mobile(Nomad::default());
    a.network.publish("nomad", &nomad);
    let from_c = find(&c, &a);
    nomad.send(Say::Add(1)).unwrap();
    let moved = migrate(&a.network, &nomad, &b).unwrap();
    assert!(moved.bytes > 0);
    nomad.send(Say::Add(2)).unwrap();
    assert_eq!(all(&nomad), [1, 2]);
    from_c.send(Say::Add(3)).unwrap();
    assert_eq!(all(&from_c), [1, 2, 3]);
    assert_eq!(nomad.ask(Say::Arrivals).wait_timeout(LONG), Ok(1));
    // It does not go through the first theater any more.
    let itself = from_c.ask(Say::Myself).wait_timeout(LONG).unwrap();
    assert_eq!(itself, from_c, "one actor, one reference");
    assert_eq!(migrate(&c.network, &from_c, &b).unwrap().pause, Duration::ZERO, "it is there");
}

#[test]
fn s34_it_comes_to_where_it_is_referred_to_and_back() {
    let world = World::new(2);
    let [a, b] = places(&world);
    let nomad = a.network.spawn_mobile(Nomad::default());
    a.network.publish("nomad", &nomad);
    let from_b = find(&b, &a);
    for round in 0..10 {
        from_b.send(Say::Add(10 * round)).unwrap();
        migrate(&b.network, &from_b, if round % 2 == 0 { &b } else { &a }).unwrap();
        from_b.send(Say::Add(10 * round + 1)).unwrap();
        assert_eq!(all(&from_b).len() as u64, 2 * round + 2);
        assert_eq!(all(&nomad), all(&from_b));
    }
    assert_eq!(nomad.ask(Say::Arrivals).wait_timeout(LONG), Ok(10));
}

#[test]
fn s34_nothing_is_lost_doubled_or_overtaken_while_it_moves() {
    let world = World::new(3);
    let [a, b, c] = places(&world);
    let conditions = Conditions {
        delay: (Duration::ZERO, Duration::from_millis(2)),
        loss: 0.05,
        duplication: 0.1,
        ..Conditions::GOOD
    };
    world.net.set_everywhere(conditions);
    let nomad = a.network.spawn_mobile(Nomad::default());
    a.network.publish("nomad", &nomad);
    let senders = [nomad.clone(), find(&b, &a), find(&c, &a)];
    const EACH: u64 = 20_000;
    std::thread::scope(|scope| {
        for (number, sender) in senders.iter().enumerate() {
            scope.spawn(move || {
                for n in 0..EACH {
                    sender.send(Say::Add(number as u64 * EACH + n)).unwrap();
                    if n % 500 == 0 {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                }
            });
        }
        for to in [&b, &c, &a, &c, &b, &a, &b, &c] {
            migrate(&a.network, &nomad, to).unwrap();
        }
    });
    // Behind all that each of them has sent.
    let seen: Vec<Vec<u64>> = senders.iter().map(all).collect();
    for (number, seen) in seen.iter().enumerate() {
        let first = number as u64 * EACH;
        let its: Vec<u64> =
            seen.iter().copied().filter(|n| (first..first + EACH).contains(n)).collect();
        assert_eq!(its, (first..first + EACH).collect::<Vec<_>>(), "of sender {number}");
    }
    for place in [&a, &b, &c] {
        assert!(place.lost.lock().unwrap().is_empty());
    }
}

#[test]
fn s34_references_questions_and_timers_go_with_it() {
    let world = World::new(4);
    let [a, b] = places(&world);
    let nomad = a.network.spawn_mobile(Nomad::default());
    let friend = a.theater.spawn(Nomad::default());
    nomad.send(Say::Meet(friend.clone())).unwrap();
    // A question to it, and one of its own.
    let asked = nomad.ask(Say::Question);
    nomad.send(Say::AskFriend).unwrap();
    nomad.send(Say::In(300, 9)).unwrap();
    migrate(&a.network, &nomad, &b).unwrap();
    nomad.send(Say::Greet(5)).unwrap();
    until("its friend is greeted", || all(&friend) == [5]);
    nomad.send(Say::Answer(7)).unwrap();
    assert_eq!(asked.wait_timeout(LONG), Ok(7));
    friend.send(Say::Answer(8)).unwrap();
    // The timer may be first, if all that took longer.
    let in_order = |mut numbers: Vec<u64>| {
        numbers.sort_unstable();
        numbers
    };
    until("answer and timer come after it", || in_order(all(&nomad)) == [8, 9]);
}

#[test]
fn s34_who_cannot_move_stays_and_says_why() {
    let world = World::new(5);
    let [a, b] = places(&world);
    let stranger = world.theater(7);
    let nomad = a.network.spawn_mobile(Nomad::default());
    let asked = nomad.ask(Say::Question);
    nomad.send(Say::Add(1)).unwrap();
    let refused = migrate(&a.network, &nomad, &stranger);
    assert_eq!(refused, Err(MigrateError::UnknownKind));
    nomad.send(Say::Answer(3)).unwrap();
    assert_eq!(asked.wait_timeout(LONG), Ok(3), "the right to answer stays with it");
    assert_eq!(all(&nomad), [1]);
    let plain = a.theater.spawn(Nomad::default());
    assert_eq!(migrate(&a.network, &plain, &b), Err(MigrateError::NotMobile));
    let nobody = odeon_theater::TheaterId::from_bits(99);
    let lost = a.network.migrate(&nomad, nobody).wait_timeout(LONG).unwrap();
    assert_eq!(lost, Err(MigrateError::Unreachable));
    assert_eq!(all(&nomad), [1]);
    migrate(&a.network, &nomad, &b).unwrap();
    assert_eq!(all(&nomad), [1]);
}

/// As a newer program knows a `Nomad`.
#[derive(Default, Serialize, Deserialize)]
struct NewerNomad {
    known: Nomad,
    note: String,
}

impl Actor for NewerNomad {
    type Msg = Say;

    fn handle(&mut self, msg: Say, _: &mut Context<'_, Self>) {
        match msg {
            Say::Add(n) => self.known.numbers.push(n),
            Say::All(reply) => reply.send(self.known.numbers.clone()),
            _ => unreachable!("nobody says that"),
        }
    }
}

impl Mobile for NewerNomad {
    const KIND: &'static str = Nomad::KIND;
}

#[test]
fn s34_an_older_program_does_not_take_in_half_of_it() {
    let world = World::new(12);
    let [a, b] = places(&world);
    let nomad = a.network.spawn_mobile(NewerNomad { note: "new".into(), ..Default::default() });
    nomad.send(Say::Add(1)).unwrap();
    let refused = migrate(&a.network, &nomad, &b).unwrap_err();
    let has_other_layout = |name: &str| name.ends_with("::Nomad");
    assert!(
        matches!(&refused, MigrateError::OtherLayout(name) if has_other_layout(name)),
        "{refused:?}"
    );
    nomad.send(Say::Add(2)).unwrap();
    assert_eq!(all(&nomad), [1, 2]);
    assert_eq!(a.network.overview().mobile.len(), 1);
}

#[test]
fn s34_its_end_is_told_everywhere_and_nothing_is_left() {
    let world = World::new(6);
    let [a, b, c] = places(&world);
    for (message, reason) in
        [((|| Say::Stop) as fn() -> Say, EndReason::Stopped), (|| Say::Fail, EndReason::Failed)]
    {
        let nomad = a.network.spawn_mobile(Nomad::default());
        a.network.publish("nomad", &nomad);
        let from_c = find(&c, &a);
        a.network.unpublish("nomad");
        migrate(&a.network, &nomad, &b).unwrap();
        let (mut here, mut there) = (nomad.ended(), from_c.ended());
        from_c.send(message()).unwrap();
        assert_eq!(here.wait_timeout(LONG).unwrap().reason(), reason);
        assert_eq!(there.wait_timeout(LONG).unwrap().reason(), reason);
        drop((nomad, from_c));
        for place in [&a, &b, &c] {
            until("no reference is left", || place.network.references() == (0, 0));
        }
    }
}

#[test]
fn s34_a_seat_that_nobody_needs_any_more_ends() {
    let world = World::new(7);
    let [a, b, c] = places(&world);
    let nomad = a.network.spawn_mobile(Nomad::default());
    a.network.publish("nomad", &nomad);
    let from_c = find(&c, &a);
    a.network.unpublish("nomad");
    migrate(&a.network, &nomad, &b).unwrap();
    drop(nomad);
    until("the first theater has nothing to do with it", || a.network.references() == (0, 0));
    assert_eq!((b.network.references(), c.network.references()), ((1, 0), (0, 1)));
    from_c.send(Say::Add(1)).unwrap();
    assert_eq!(all(&from_c), [1]);
    drop(from_c);
    until("nobody refers to it, and it stops", || b.network.references() == (0, 0));
}

/// Takes from `Get` only if something is there.
#[derive(Serialize, Deserialize)]
struct Shelf {
    items: Vec<u64>,
    is_shut: bool,
}

#[derive(Serialize, Deserialize)]
enum Use {
    Get(Reply<u64>),
    Put(u64),
    /// Closes the mailbox of `Put` by hand, until `Open`.
    Shut,
    Open,
}

impl Message for Use {
    const MAILBOXES: usize = 3;

    fn mailbox(&self) -> usize {
        match self {
            Self::Get(_) => 0,
            Self::Put(_) => 1,
            Self::Shut | Self::Open => 2,
        }
    }
}

impl Actor for Shelf {
    type Msg = Use;

    fn selection(&self) -> Selection {
        Selection::round_robin()
    }

    fn guards(&self, guards: &mut DeclaredGuards<'_, Use>) {
        guards.set(0, !self.items.is_empty());
    }

    fn handle(&mut self, msg: Use, ctx: &mut Context<'_, Self>) {
        match msg {
            Use::Get(reply) => reply.send(self.items.remove(0)),
            Use::Put(item) => self.items.push(item),
            Use::Shut => ctx.close(1),
            Use::Open => ctx.open(1),
        }
    }
}

impl Mobile for Shelf {
    const KIND: &'static str = "shelf";
}

#[test]
fn s34_what_waits_in_closed_mailboxes_moves_and_so_do_the_guards() {
    let world = World::new(8);
    let [a, b] = places(&world);
    b.network.register_mobile::<Shelf>();
    let shelf = a.network.spawn_mobile(Shelf { items: Vec::new(), is_shut: false });
    let waiting: Vec<_> = (0..3).map(|_| shelf.ask(Use::Get)).collect();
    shelf.send(Use::Shut).unwrap();
    (0..5).for_each(|n| shelf.send(Use::Put(n)).unwrap());
    migrate(&a.network, &shelf, &b).unwrap();
    (5..9).for_each(|n| shelf.send(Use::Put(n)).unwrap());
    let last = shelf.ask(Use::Get);
    assert!(last.wait_timeout(Duration::from_millis(50)).is_err(), "it is shut");
    let more = shelf.ask(Use::Get);
    shelf.send(Use::Open).unwrap();
    let answers: Vec<_> = waiting.into_iter().map(|ask| ask.wait_timeout(LONG).unwrap()).collect();
    assert_eq!(answers, [0, 1, 2]);
    assert!(more.wait_timeout(LONG).is_ok());
}

#[test]
fn s34_if_the_other_theater_dies_it_stays_or_dies_with_it() {
    for seed in 0..30 {
        let mut config = LinkConfig::new("test", 65_000);
        config.dead_after = Duration::from_millis(300);
        config.suspect_after = Duration::from_millis(150);
        config.heartbeat = Duration::from_millis(50);
        let world = World::with(100 + seed, config);
        let [a, b] = places(&world);
        let delay = Duration::from_millis(2);
        world.net.set_everywhere(Conditions { delay: (delay, delay), ..Conditions::GOOD });
        let nomad = a.network.spawn_mobile(Nomad::default());
        (0..100).for_each(|n| nomad.send(Say::Add(n)).unwrap());
        assert_eq!(migrate(&a.network, &nomad, &a).unwrap().pause, Duration::ZERO);
        let asked = a.network.migrate(&nomad, b.network.id());
        std::thread::sleep(Duration::from_micros(700 * seed));
        world.net.crash(b.network.id());
        match asked.wait_timeout(LONG).unwrap() {
            Err(MigrateError::Unreachable) => {
                assert_eq!(all(&nomad), (0..100).collect::<Vec<_>>(), "seed {seed}");
            }
            Ok(_) | Err(MigrateError::Lost) => {
                until("its references are told", || nomad.is_stopped());
            }
            Err(other) => panic!("seed {seed}: {other}"),
        }
    }
}

#[test]
fn s34_it_moves_to_where_it_is_flooded_from() {
    let world = World::new(9);
    let [a, b] = places(&world);
    let nomad = a.network.spawn_mobile(Nomad::default());
    a.network.publish("nomad", &nomad);
    let from_b = find(&b, &a);
    const FLOOD: u64 = 200_000;
    std::thread::scope(|scope| {
        scope.spawn(|| (0..FLOOD).for_each(|n| from_b.send(Say::Add(n)).unwrap()));
        for to in [&b, &a, &b] {
            migrate(&a.network, &nomad, to).unwrap();
        }
    });
    assert_eq!(all(&from_b), (0..FLOOD).collect::<Vec<_>>());
}

#[test]
fn s34_one_that_is_too_large_stays_with_all_it_had() {
    let mut config = LinkConfig::new("test", 65_000);
    config.largest_message = 100_000;
    let world = World::with(10, config);
    let [a, b] = places(&world);
    let nomad = a.network.spawn_mobile(Nomad::default());
    let friend = a.theater.spawn(Nomad::default());
    nomad.send(Say::Meet(friend.clone())).unwrap();
    let asked = nomad.ask(Say::Question);
    (0..50_000).for_each(|n| nomad.send(Say::Add(1 << 40 | n)).unwrap());
    let refused = migrate(&a.network, &nomad, &b);
    assert!(matches!(refused, Err(MigrateError::State(_))), "{refused:?}");
    nomad.send(Say::Answer(3)).unwrap();
    assert_eq!(asked.wait_timeout(LONG), Ok(3));
    nomad.send(Say::Greet(5)).unwrap();
    until("its friend is greeted", || all(&friend) == [5]);
    assert_eq!(all(&nomad).len(), 50_000);
    until("nothing counts as having left", || a.network.references() == (0, 0));
}

#[test]
fn s34_whoever_asked_learns_that_the_actor_has_ended_first() {
    let world = World::new(11);
    let [a, b] = places(&world);
    let nomad = a.network.spawn_mobile(Nomad::default());
    // Long enough for the question to come before its end.
    nomad.send(Say::Sleep(500)).unwrap();
    nomad.send(Say::Stop).unwrap();
    let asked = a.network.migrate(&nomad, b.network.id());
    assert_eq!(asked.wait_timeout(LONG), Err(odeon_core::AskError::NoReply));
}
