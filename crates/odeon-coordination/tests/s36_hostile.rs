//! S34 and S36 with users' code that panics wherever it runs, also in destructors, and with
//! settings of extreme sizes.

use crate::till::{LONG, Place, World};
use odeon_coordination::MobileSpeculative;
use odeon_core::{Actor, ActorRef, AskError, Context, Message, Reply};
use odeon_speculative::*;
use odeon_stm::{TVar, Tx};
use odeon_theater::Migrate;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::Cell;
use std::fmt;
use std::panic::resume_unwind;
use std::time::Duration;

/// Panics when it is dropped.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        explode();
    }
}

fn explode() -> ! {
    resume_unwind(Box::new(Bomb))
}

/// An error whose text, and whose end, explode.
#[derive(Debug)]
struct Wrong(#[allow(dead_code, reason = "for its end")] Bomb);

impl fmt::Display for Wrong {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        explode()
    }
}

impl std::error::Error for Wrong {}

/// Where something explodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum At {
    Nowhere,
    Writing,
    Reading,
    Handler,
    Error,
    Rollback,
    Commit,
    End,
    State,
    Making,
    Policy,
}

thread_local! {
    static POLICY: Cell<bool> = const { Cell::new(false) };
}

/// Explodes there.
struct Armed(At);

impl Drop for Armed {
    fn drop(&mut self) {
        if self.0 == At::End {
            explode();
        }
    }
}

impl Serialize for Armed {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.0 == At::Writing {
            explode();
        }
        self.0.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Armed {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let at = At::deserialize(from)?;
        match at {
            At::Reading => explode(),
            At::Nowhere => return Err(D::Error::custom("nothing is armed")),
            At::Policy => POLICY.set(true),
            _ => {}
        }
        Ok(Self(at))
    }
}

#[derive(Serialize, Deserialize)]
enum Do {
    Add(i64),
    Armed(i64, Armed),
    /// What comes of moving it.
    Arm(At),
    Balance(Reply<i64>),
}

impl Message for Do {}

struct Purse {
    balance: TVar<i64>,
    at: TVar<At>,
}

impl Default for Purse {
    fn default() -> Self {
        Self { balance: TVar::new(0), at: TVar::new(At::Nowhere) }
    }
}

impl SpeculativeActor for Purse {
    type Msg = Do;

    fn handle<'t>(
        &'t self,
        msg: &'t Do,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            Do::Add(amount) => self.balance.update(tx, |balance| balance + amount)?,
            Do::Arm(at) => self.at.set(tx, *at)?,
            Do::Balance(reply) => ctx.reply(reply, self.balance.get(tx)?),
            Do::Armed(amount, armed) => {
                self.balance.update(tx, |balance| balance + amount)?;
                match armed.0 {
                    At::Handler => explode(),
                    At::Error => return fail(Wrong(Bomb)),
                    At::Rollback => {
                        tx.on_rollback(|| explode());
                        return fail("rolled back");
                    }
                    At::Commit => tx.on_commit(|| explode()),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

struct Written(i64, Armed);

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (self.0, &self.1).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (balance, at) = <(i64, At)>::deserialize(from)?;
        match at {
            At::Reading => explode(),
            At::Policy => POLICY.set(true),
            _ => {}
        }
        Ok(Self(balance, Armed(at)))
    }
}

impl MobileSpeculative for Purse {
    const KIND: &'static str = "purse";
    type State = Written;

    fn state<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<Written> {
        let at = self.at.get(tx)?;
        match at {
            At::State => explode(),
            At::Error => return fail(Wrong(Bomb)),
            At::Rollback => {
                tx.on_rollback(|| explode());
                return fail("rolled back");
            }
            At::Commit => tx.on_commit(|| explode()),
            _ => {}
        }
        Ok(Written(self.balance.get(tx)?, Armed(at)))
    }

    fn of(state: Written) -> Self {
        if state.1.0 == At::Making {
            explode();
        }
        let purse = Self { balance: TVar::new(state.0), at: TVar::new(At::Nowhere) };
        drop(state);
        purse
    }

    fn policy() -> Box<dyn WidthPolicy> {
        if POLICY.replace(false) {
            explode();
        }
        Box::new(HillClimb::new())
    }
}

fn place(world: &World, number: u128) -> Place {
    let place = world.stranger(number);
    place.coordination.register_mobile::<Purse>();
    place
}

#[track_caller]
fn balance(purse: &ActorRef<Do>) -> i64 {
    purse.ask(Do::Balance).wait_timeout(LONG).unwrap()
}

/// Both take part in a transaction, and handle what others send.
#[track_caller]
fn go_on(place: &Place, one: &ActorRef<Do>, other: &ActorRef<Do>) {
    let before = [balance(one), balance(other)];
    let transfer = place.theater.coordinate(|co| {
        co.send(one, Do::Add(-5));
        co.send(other, Do::Add(5));
    });
    assert_eq!(transfer.wait_timeout(LONG), Some(Ok(())));
    assert_eq!([balance(one), balance(other)], [before[0] - 5, before[1] + 5]);
}

#[test]
fn s34_an_actor_whose_move_explodes_stays_and_moves_later() {
    use At::*;
    for at in [State, Error, Rollback, Commit, Writing, Reading, End, Making, Policy] {
        let world = World::new(1);
        let (here, there) = (place(&world, 1), place(&world, 2));
        let processing = Processing::adaptive_with(HillClimb::new);
        let purse = here.coordination.spawn_mobile(Purse::default(), processing);
        let other = there.theater.spawn_speculative(Purse::default(), Processing::default());
        there.network.publish("other", &other.actor_ref());
        let other = here.network.at(there.network.id()).lookup("other").wait().unwrap().unwrap();
        purse.send(Do::Add(7)).unwrap();
        purse.send(Do::Arm(at)).unwrap();
        let moved = purse.migrate(there.network.id()).wait_timeout(LONG).unwrap();
        assert_eq!(balance(&purse), 7, "{at:?}: {moved:?}");
        purse.send(Do::Arm(Nowhere)).unwrap();
        let to = if moved.is_ok() { &here } else { &there };
        let moved = purse.migrate(to.network.id()).wait_timeout(LONG).unwrap();
        assert!(moved.is_ok(), "{at:?}: {moved:?}");
        go_on(&here, &purse, &other);
    }
}

#[test]
fn s36_what_explodes_in_a_transaction_of_several_theaters_is_over_when_that_is() {
    use At::*;
    for at in [Writing, Reading, Nowhere, Handler, Error, Rollback, Commit, End] {
        let world = World::new(2);
        let (here, there) = (place(&world, 1), place(&world, 2));
        let mine = here.theater.spawn_speculative(Purse::default(), Processing::default());
        let yours = there.theater.spawn_speculative(Purse::default(), Processing::default());
        there.network.publish("yours", &yours.actor_ref());
        let mine = mine.actor_ref();
        let away = here.network.at(there.network.id()).lookup("yours").wait().unwrap().unwrap();
        for round in 0..2 {
            let (to, other) = if round == 0 { (&away, &mine) } else { (&mine, &away) };
            let exploding = here.theater.coordinate(|co| {
                co.send(other, Do::Add(1));
                co.send(to, Do::Armed(2, Armed(at)));
                co.send(to, Do::Armed(2, Armed(at)));
                co.send(other, Do::Add(1));
            });
            let outcome = exploding.wait_timeout(LONG);
            assert!(outcome.is_some(), "{at:?} {round}");
            // Their actors may have failed, and ended with that.
            if at != Handler && at != Error && at != Rollback && at != Commit && at != End {
                go_on(&here, &mine, &away);
                continue;
            }
            let mine = here.theater.spawn_speculative(Purse::default(), Processing::default());
            let yours = there.theater.spawn_speculative(Purse::default(), Processing::default());
            there.network.publish("new", &yours.actor_ref());
            let away = here.network.at(there.network.id()).lookup("new").wait().unwrap().unwrap();
            go_on(&here, &mine, &away);
            if mine.is_stopped() || away.is_stopped() {
                break;
            }
        }
        assert!(here.coordination.under_way() < 2 && there.coordination.under_way() < 2);
    }
}

/// Takes what a plain actor takes.
struct Plain;

impl Actor for Plain {
    type Msg = Do;
    fn handle(&mut self, _: Do, _: &mut Context<'_, Self>) {}
}

#[test]
fn s36_messages_to_plain_actors_may_explode() {
    let world = World::new(3);
    let (here, there) = (place(&world, 1), place(&world, 2));
    let mine = here.theater.spawn_speculative(Purse::default(), Processing::default());
    let yours = there.theater.spawn_speculative(Purse::default(), Processing::default());
    there.network.publish("yours", &yours.actor_ref());
    there.network.publish("plain", &there.theater.spawn(Plain));
    let of = here.network.at(there.network.id());
    let away: ActorRef<Do> = of.lookup("yours").wait().unwrap().unwrap();
    let distant: ActorRef<Do> = of.lookup("plain").wait().unwrap().unwrap();
    let plain = here.theater.spawn(Plain);
    let cases = [(&plain, At::End), (&plain, At::Writing), (&plain, At::Reading)];
    for (plain, at) in cases.into_iter().chain([(&distant, At::Writing), (&distant, At::Reading)]) {
        let outcome = here.theater.coordinate(|co| {
            co.send(&mine, Do::Armed(1, Armed(at)));
            co.send(plain, Do::Armed(1, Armed(at)));
            co.send(&away, Do::Armed(1, Armed(at)));
            co.send(plain, Do::Armed(1, Armed(at)));
        });
        let outcome = outcome.wait_timeout(LONG).expect("it is decided");
        let participant = plain.id();
        match at {
            At::End => {
                assert_eq!(outcome, Err(CoordinationError::NotSpeculative { participant }));
            }
            _ => assert!(outcome.is_err(), "{at:?}"),
        }
        go_on(&here, &mine, &away);
    }
}

#[test]
fn s36_deadlines_of_extreme_length() {
    let world = World::new(4);
    let (here, there) = (place(&world, 1), place(&world, 2));
    let mine = here.theater.spawn_speculative(Purse::default(), Processing::default());
    let yours = there.theater.spawn_speculative(Purse::default(), Processing::default());
    there.network.publish("yours", &yours.actor_ref());
    let away: ActorRef<Do> =
        here.network.at(there.network.id()).lookup("yours").wait().unwrap().unwrap();
    for to in [&away, &mine.actor_ref()] {
        for limit in [Duration::MAX, Duration::ZERO, Duration::from_secs(u64::MAX)] {
            let outcome = here.theater.coordinate(|co| {
                co.deadline(limit);
                co.send(&mine, Do::Add(1));
                co.send(to, Do::Add(1));
            });
            let outcome = outcome.wait_timeout(LONG).expect("it is decided");
            assert!(outcome.is_ok() || limit.is_zero(), "{limit:?}: {outcome:?}");
        }
    }
    go_on(&here, &mine, &away);
}

/// Begins a transaction, and explodes when it hears of the outcome.
struct Beginner {
    to: [ActorRef<Do>; 2],
}

enum Begin {
    Now,
    #[allow(dead_code, reason = "never made")]
    Over(Result<Result<(), CoordinationError>, AskError>),
}

impl Message for Begin {}

impl Actor for Beginner {
    type Msg = Begin;

    fn handle(&mut self, begin: Begin, ctx: &mut Context<'_, Self>) {
        let Begin::Now = begin else { return };
        let bomb = std::mem::ManuallyDrop::new(Bomb);
        let reply = ctx.reply_to(move |_| -> Begin {
            drop(std::mem::ManuallyDrop::into_inner(bomb));
            unreachable!("it has exploded")
        });
        let [one, other] = &self.to;
        ctx.coordinate_and_reply(reply, |co| {
            co.send(one, Do::Add(1));
            co.send(other, Do::Add(1));
        });
    }
}

#[test]
fn s36_who_is_told_of_the_outcome_may_explode() {
    let world = World::new(5);
    let (here, there) = (place(&world, 1), place(&world, 2));
    let mine = here.theater.spawn_speculative(Purse::default(), Processing::default());
    let yours = there.theater.spawn_speculative(Purse::default(), Processing::default());
    there.network.publish("yours", &yours.actor_ref());
    let away: ActorRef<Do> =
        here.network.at(there.network.id()).lookup("yours").wait().unwrap().unwrap();
    for _ in 0..3 {
        let beginner = here.theater.spawn(Beginner { to: [mine.actor_ref(), away.clone()] });
        let mut ended = beginner.ended();
        beginner.send(Begin::Now).unwrap();
        assert!(ended.wait_timeout(LONG).is_ok());
        go_on(&here, &mine, &away);
    }
}

#[test]
fn s36_a_coordination_may_be_dropped_in_the_middle() {
    for seed in 0..20 {
        let world = World::new(seed);
        let (here, there) = (place(&world, 1), place(&world, 2));
        let mine = here.theater.spawn_speculative(Purse::default(), Processing::default());
        let yours = there.theater.spawn_speculative(Purse::default(), Processing::default());
        there.network.publish("yours", &yours.actor_ref());
        let away: ActorRef<Do> =
            here.network.at(there.network.id()).lookup("yours").wait().unwrap().unwrap();
        let outcomes: Vec<_> = (0..50)
            .map(|_| {
                here.theater.coordinate(|co| {
                    co.send(&mine, Do::Add(1));
                    co.send(&away, Do::Add(1));
                })
            })
            .collect();
        let dropped = if seed % 2 == 0 { here.coordination } else { there.coordination };
        drop(dropped);
        for outcome in outcomes {
            assert!(outcome.wait_timeout(LONG).is_some());
        }
        // What is not of several theaters goes on.
        assert!(balance(&mine) >= 0);
        assert!(balance(&yours) >= 0);
    }
}

#[test]
fn s36_the_network_of_another_theater_is_refused() {
    let world = World::new(7);
    let (here, there) = (place(&world, 1), place(&world, 2));
    drop(there.coordination);
    let other = odeon_core::Theater::new().unwrap();
    let joined = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        odeon_coordination::Coordination::join(&other, &there.network)
    }));
    assert!(joined.is_err());
    drop(here);
}

#[test]
fn s36_messages_that_explode_once_they_have_left_take_no_way_along() {
    let world = World::new(8);
    let (here, there) = (place(&world, 1), place(&world, 2));
    let mine = here.theater.spawn_speculative(Purse::default(), Processing::default());
    let yours = there.theater.spawn_speculative(Purse::default(), Processing::default());
    there.network.publish("yours", &yours.actor_ref());
    there.network.publish("plain", &there.theater.spawn(Plain));
    let of = here.network.at(there.network.id());
    let away: ActorRef<Do> = of.lookup("yours").wait().unwrap().unwrap();
    let distant: ActorRef<Do> = of.lookup("plain").wait().unwrap().unwrap();
    // Refused on the thread of the network, and dropped there; what was written has been dropped
    // here before.
    let outcome = here.theater.coordinate(|co| {
        co.send(&mine, Do::Add(1));
        co.send(&distant, Do::Armed(1, Armed(At::End)));
    });
    assert!(outcome.wait_timeout(LONG).expect("it is decided").is_err());
    assert!(!distant.is_stopped(), "its seat goes on");
    go_on(&here, &mine, &away);
}
