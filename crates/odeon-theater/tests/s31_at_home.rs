//! S31: what is asked of another theater can be asked of one's own too; and the names of the
//! runtime are nobody else's.

use super::support::{Count, Counter, LONG, World, numbers};
use odeon_core::{ActorRef, AskError, Message, Reply, Theater, extend};
use odeon_theater::{NameSettings, Names, RemoteError};
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};

#[derive(Serialize, Deserialize)]
struct Other;

impl Message for Other {}

#[test]
fn s31_an_actor_of_the_own_theater_is_found_as_one_elsewhere() {
    let world = World::new(1);
    let here = world.theater(1);
    let me = here.network.at(here.network.id());
    let counter = here.theater.spawn(Counter::default());
    here.network.publish("counter", &counter);
    let found = me.lookup::<Count>("counter").wait_timeout(LONG).unwrap();
    assert_eq!(found, Ok(counter.clone()));
    let other = me.lookup::<Other>("counter").wait_timeout(LONG).unwrap();
    assert!(matches!(other, Err(RemoteError::OtherMessages(_))), "{other:?}");
    let none = me.lookup::<Count>("nobody").wait_timeout(LONG).unwrap();
    assert_eq!(none, Err(RemoteError::NotFound));
}

/// What a counter begins with, somebody else, and the right to answer.
type Arguments = (u64, ActorRef<Count>, Reply<u64>);

#[test]
fn s31_an_actor_is_created_in_the_own_theater_as_elsewhere() {
    let world = World::new(2);
    let here = world.theater(1);
    let me = here.network.at(here.network.id());
    let (tell, told) = mpsc::channel();
    let theater = Arc::new(Theater::new().unwrap());
    let spawner = theater.clone();
    here.network.register("counter", move |(first, who, reply): Arguments| match first {
        0 => Err("nothing to begin with"),
        1 => panic!("one is too few"),
        _ => {
            tell.send(who).unwrap();
            reply.send(first);
            Ok(spawner.spawn(Counter { numbers: vec![first] }))
        }
    });
    let somebody = here.theater.spawn(Counter::default());
    let spawn = |first: u64| {
        let (reply, answer) = extend::question();
        let made = me.spawn::<Arguments, Count>("counter", &(first, somebody.clone(), reply));
        (made.unwrap().wait_timeout(LONG).unwrap(), answer.wait_timeout(LONG))
    };
    let (made, answer) = spawn(7);
    assert_eq!((told.try_recv(), answer), (Ok(somebody.clone()), Ok(7)));
    assert_eq!(numbers(&made.unwrap()), [7]);
    let refused = RemoteError::Refused("nothing to begin with".into());
    assert_eq!(spawn(0), (Err(refused), Err(AskError::NoReply)));
    assert_eq!(spawn(1), (Err(RemoteError::Panicked), Err(AskError::NoReply)));
    let unknown = me.spawn::<u64, Count>("nothing", &7).unwrap();
    assert_eq!(unknown.wait_timeout(LONG).unwrap(), Err(RemoteError::UnknownKind));
}

#[test]
fn s33_names_of_the_runtime_are_nobody_elses() {
    let world = World::new(3);
    let here = world.theater(1);
    let names = Names::join(&here.network, NameSettings::default());
    let counter = here.theater.spawn(Counter::default());
    let refused = |work: &dyn Fn()| {
        let panic = catch_unwind(AssertUnwindSafe(work)).unwrap_err();
        panic.downcast_ref::<String>().cloned().unwrap()
    };
    let says = "names that begin with `odeon/` are for actors of the runtime: \"odeon/names\"";
    assert_eq!(refused(&|| here.network.publish("odeon/names", &counter)), says);
    assert_eq!(refused(&|| assert!(!here.network.unpublish("odeon/names"))), says);
    assert!(names.register("counter", &counter).wait_timeout(LONG).unwrap().is_ok());
}
