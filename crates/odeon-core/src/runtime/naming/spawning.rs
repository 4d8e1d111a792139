//! How an actor that nobody has found by its name comes to be: it is made in its own first turn.

use std::convert::identity;
use std::sync::Arc;

use super::OtherType;
use crate::lifecycle::lazy::Lazy;
use crate::lifecycle::spawn;
use crate::messaging::actor_ref::ActorRef;
use crate::process::supervision::Supervision;
use crate::process::theater_shared::TheaterShared;
use crate::runtime::naming::Naming;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::asynchronous;
use crate::turn::behavior::Behavior;

pub(crate) fn lookup_or_spawn<A: Behavior>(
    theater: &TheaterShared,
    name: &str,
    make: impl FnOnce() -> A + Send + 'static,
) -> Result<ActorRef<A::Msg>, OtherType> {
    Naming::of(theater)
        .names
        .lookup_or(name, || spawn::on(&theater.pool(), None, Lazy::new(once(make))))
}

pub(crate) fn lookup_or_spawn_supervised<A: Behavior>(
    theater: &TheaterShared,
    name: &str,
    supervision: Supervision,
    make: impl Fn() -> A + Send + Sync + 'static,
) -> Result<ActorRef<A::Msg>, OtherType> {
    Naming::of(theater).names.lookup_or(name, || {
        let make = Arc::new(make);
        let lazy = move || {
            let make = make.clone();
            Lazy::new(move || make())
        };
        spawn::supervised_on(&theater.pool(), None, supervision, Box::new(lazy), identity)
    })
}

pub(crate) fn lookup_or_spawn_async<A: AsyncBehavior>(
    theater: &TheaterShared,
    name: &str,
    make: impl FnOnce() -> A + Send + 'static,
) -> Result<ActorRef<A::Msg>, OtherType> {
    Naming::of(theater).names.lookup_or(name, || {
        spawn::on(&theater.pool(), None, asynchronous::new_actor(Lazy::new(once(make))))
    })
}

pub(crate) fn lookup_or_spawn_async_supervised<A: AsyncBehavior>(
    theater: &TheaterShared,
    name: &str,
    supervision: Supervision,
    make: impl Fn() -> A + Send + Sync + 'static,
) -> Result<ActorRef<A::Msg>, OtherType> {
    Naming::of(theater).names.lookup_or(name, || {
        let make = Arc::new(make);
        let lazy = move || {
            let make = make.clone();
            Lazy::new(move || make())
        };
        let new = asynchronous::new_actor;
        spawn::supervised_on(&theater.pool(), None, supervision, Box::new(lazy), new)
    })
}

/// What makes an actor that is not supervised.
fn once<A>(make: impl FnOnce() -> A) -> impl FnMut() -> A {
    let mut make = Some(make);
    move || make.take().expect("an actor without supervision is made once")()
}
