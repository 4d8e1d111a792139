//! S35: what is asked of a theater from outside.

use super::support::{LONG, Place, World, until};
use odeon_core::{Actor, ActorRef, Context, Message, Reply};
use odeon_theater::{
    ControlActor, ControlRequest, MigrateError, Mobile, MobileId, RemoteError, TheaterId,
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Sum(u64);

#[derive(Serialize, Deserialize)]
enum Add {
    This(u64),
    Total(Reply<u64>),
}

impl Message for Add {}

impl Actor for Sum {
    type Msg = Add;

    fn handle(&mut self, add: Add, _: &mut Context<'_, Self>) {
        match add {
            Add::This(n) => self.0 += n,
            Add::Total(reply) => reply.send(self.0),
        }
    }
}

impl Mobile for Sum {
    const KIND: &'static str = "sum";
}

fn control(from: &Place, of: &Place) -> Result<ActorRef<ControlRequest>, RemoteError> {
    from.network.control_of(of.network.id()).wait_timeout(LONG).unwrap()
}

#[test]
fn s35_a_theater_is_seen_and_served_from_another_one() {
    let world = World::new(1);
    let [a, b, c] = [1, 2, 3].map(|number| world.theater(number));
    for place in [&a, &b] {
        place.network.register_mobile::<Sum>();
    }
    for place in [&a, &b, &c] {
        until("they meet", || place.network.members().len() == 2);
    }
    assert_eq!(control(&c, &a).err(), Some(RemoteError::NotFound), "nobody is served unasked");
    let serving = [&a, &b].map(|place| ControlActor::serve(&place.network));
    let (of_a, of_b) = (control(&c, &a).unwrap(), control(&c, &b).unwrap());

    let sum = a.network.spawn_mobile(Sum(0));
    sum.send(Add::This(4)).unwrap();
    assert_eq!(sum.ask(Add::Total).wait_timeout(LONG), Ok(4));
    let look = || of_a.ask(ControlRequest::Overview).wait_timeout(LONG).unwrap();
    let seen = look();
    assert_eq!((seen.theater, seen.mobile.len()), (a.network.id(), 1));
    until("it is known what it has handled before it was asked for", || {
        look().mobile[0].handled == 2
    });
    let actor = seen.mobile[0].id;
    assert_eq!(a.network.resident::<Add>(actor), Some(sum.clone()));
    assert!(a.network.resident::<ControlRequest>(actor).is_none(), "it takes other messages");
    assert!(b.network.resident::<Add>(actor).is_none(), "it is elsewhere");

    let moves = |control: &ActorRef<ControlRequest>, actor: MobileId, to: TheaterId| {
        let moved = control.ask(|reply| ControlRequest::Move { actor, to, reply });
        moved.wait_timeout(LONG).unwrap().map(|moved| moved.bytes > 0)
    };
    let (to_a, to_b, to_c) = (a.network.id(), b.network.id(), c.network.id());
    assert_eq!(moves(&of_a, actor, to_c), Err(MigrateError::UnknownKind));
    assert_eq!(moves(&of_a, actor, to_b), Ok(true));
    assert_eq!(moves(&of_a, actor, to_b), Err(MigrateError::NotHere), "it has gone");
    let nobody = MobileId { number: 999, ..actor };
    assert_eq!(moves(&of_b, nobody, to_a), Err(MigrateError::NotHere));
    assert_eq!(sum.ask(Add::Total).wait_timeout(LONG), Ok(4));

    let drained = of_b.ask(|reply| ControlRequest::Drain { within: LONG, reply });
    let drained = drained.wait_timeout(LONG).unwrap();
    assert_eq!(drained.moved, [(actor, to_a)], "the third theater does not know it");
    assert!(b.network.overview().is_drained);
    of_b.ask(ControlRequest::Reopen).wait_timeout(LONG).unwrap();
    assert!(!b.network.overview().is_drained);

    drop(serving);
    assert_eq!(control(&c, &a).err(), Some(RemoteError::NotFound));
}
