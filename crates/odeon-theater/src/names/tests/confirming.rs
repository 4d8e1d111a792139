//! Of which theater servers take for the home of a registration that has moved.

use super::{Cast, Entry, Nothing, Tell};

/// Longer than there is between two times that one is confirmed, in steps.
const CONFIRMED: usize = 36 * 200;

#[test]
fn servers_that_took_another_theater_for_the_home_know_a_registration_again() {
    // As many as those of its home, and more.
    for moves in [0, 7] {
        let mut cast = Cast::new(5, 3);
        let (home, other) = (cast.places[0].id, cast.places[1].id);
        let actor = cast.register(0, "traveller").unwrap();
        let id = cast.holders("traveller")[0].1.id;
        // As if it had come here.
        let has_come = Tell::then(move |it, ctx| {
            it.own.get_mut(&id).unwrap().entry.moves = 2;
            it.assert(id, ctx);
            it.is_to_be_confirmed(id, ctx);
        });
        cast.tell(0, has_come);
        cast.steps(5);
        for seconds in [0, 100, 400] {
            cast.steps(seconds * 200);
            // That one says at once that it is not the home.
            for place in 0..5 {
                let known = cast.holders("traveller").pop().map(|(_, known)| known);
                if let Some(known) = known {
                    let wrong = Entry { home: other, moves: known.moves.max(moves), ..known };
                    cast.tell(place, Tell::Have(vec![wrong]));
                }
            }
            cast.steps(CONFIRMED);
            let holders = cast.holders("traveller");
            assert_eq!(holders.len(), 3, "{moves}, after {seconds} s");
            assert!(holders.iter().all(|(_, held)| held.id == id && held.home == home));
            let asked = cast.places[0].names.lookup::<Nothing>("traveller");
            assert_eq!(cast.answer(asked), Ok(actor.clone()));
        }
    }
}

#[test]
fn a_registration_that_is_over_is_not_confirmed() {
    let mut cast = Cast::new(3, 3);
    let actor = cast.register(0, "traveller").unwrap();
    let id = cast.holders("traveller")[0].1.id;
    let has_come = Tell::then(move |it, ctx| {
        it.own.get_mut(&id).unwrap().entry.moves = 2;
        it.assert(id, ctx);
        it.is_to_be_confirmed(id, ctx);
    });
    cast.tell(0, has_come);
    // It ends while it is being confirmed, too.
    cast.steps(199);
    actor.stop();
    cast.steps(CONFIRMED);
    assert_eq!(cast.holders("traveller"), []);
}
