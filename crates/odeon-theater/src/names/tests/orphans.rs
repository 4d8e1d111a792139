//! Of registrations whose actors are looked for.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::wire::Address;

use super::{Cast, Tell};
use crate::names::orphans::Orphan;

#[test]
fn an_answer_about_one_that_has_been_found_since_is_none_about_a_later_one() {
    let mut cast = Cast::new(3, 3);
    let actor = cast.register(1, "traveller").unwrap();
    let (home, entry) = cast.holders("traveller").remove(0);
    let (id, other) = (entry.id, cast.places[1].id);
    let orphan = move |number| Orphan {
        entry: entry.clone(),
        who: Address { theater: other.bits(), actor: 0 },
        by: home,
        number,
        tries: 0,
        until: Duration::MAX,
    };
    let is_lost_twice = Tell::then(move |it, ctx| {
        it.orphans.insert(id, orphan(1));
        it.bring(id, other, ctx);
        it.orphans.insert(id, orphan(2));
    });
    cast.tell(0, is_lost_twice);
    cast.steps(20);
    let left = Arc::new(Mutex::new(None));
    let seen = left.clone();
    let look = Tell::then(move |it, _| {
        let orphan = it.orphans.get(&id).map(|orphan| orphan.number);
        *seen.lock().unwrap() = Some((orphan, it.moved.contains_key(&id)));
    });
    cast.tell(0, look);
    assert_eq!(*left.lock().unwrap(), Some((Some(2), false)));
    drop(actor);
}
