//! S34: a speculative actor stays where it is if the other program knows its state, or its
//! messages, by another layout.
//!
//! Types of two blocks of one function have one name: so programs of several versions are one here.
#![allow(
    dead_code,
    irrefutable_let_patterns,
    reason = "most fields and variants are there to be written"
)]

use crate::till::{LONG, Place, World};
use odeon_coordination::MobileSpeculative;
use odeon_core::{Message, Reply};
use odeon_speculative::*;
use odeon_stm::{TVar, Tx};
use odeon_theater::{Migrate, MigrateError};
use serde::{Deserialize, Serialize};

const KIND: &str = "pot of layouts";

/// In a program with these types: pots may come to a theater.
macro_rules! pots {
    ($place:expr; $state:item $messages:item) => {{
        #[derive(Serialize, Deserialize)]
        $state
        #[derive(Serialize, Deserialize)]
        $messages

        impl Message for Note {}

        struct Pot(TVar<u64>);

        impl SpeculativeActor for Pot {
            type Msg = Note;

            fn handle<'t>(
                &'t self,
                note: &'t Note,
                tx: &mut Tx<'t>,
                ctx: &mut SpeculativeContext<'_, Self>,
            ) -> TxResult {
                if let Note::Count(reply) = note {
                    let count = self.0.get(tx)? + 1;
                    self.0.set(tx, count)?;
                    ctx.reply(reply, count);
                }
                Ok(())
            }
        }

        impl MobileSpeculative for Pot {
            const KIND: &'static str = KIND;
            type State = Kept;

            fn state<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<Kept> {
                Ok(Kept { count: self.0.get(tx)?, ..Default::default() })
            }

            fn of(kept: Kept) -> Self {
                Self(TVar::new(kept.count))
            }
        }

        $place.coordination.register_mobile::<Pot>();
        |count: u64| $place.coordination.spawn_mobile(Pot(TVar::new(count)), Processing::concurrent().non_blocking())
    }};
}

#[test]
fn s34_a_speculative_actor_whose_state_or_messages_have_another_layout_stays() {
    let world = World::new(20);
    let [a, b, c, d] = [1, 2, 3, 4].map(|number| world.stranger(number));
    let _ = pots! { b;
        #[derive(Default)] struct Kept { last: u32, count: u64 }
        enum Note { Count(Reply<u64>) }
    };
    let _ = pots! { c;
        #[derive(Default)] struct Kept { count: u64, last: u32 }
        enum Note { Count(Reply<u64>), More(u8) }
    };
    let _ = pots! { d;
        #[derive(Default)] struct Kept { count: u64, last: u32 }
        enum Note { Count(Reply<u64>) }
    };
    #[derive(Serialize, Deserialize)]
    enum Note {
        Count(Reply<u64>),
    }
    #[derive(Serialize, Deserialize)]
    struct Kept {
        count: u64,
        last: u32,
    }
    impl Message for Note {}
    struct Pot(TVar<u64>);
    impl SpeculativeActor for Pot {
        type Msg = Note;
        fn handle<'t>(
            &'t self,
            Note::Count(reply): &'t Note,
            tx: &mut Tx<'t>,
            ctx: &mut SpeculativeContext<'_, Self>,
        ) -> TxResult {
            let count = self.0.get(tx)? + 1;
            self.0.set(tx, count)?;
            ctx.reply(reply, count);
            Ok(())
        }
    }
    impl MobileSpeculative for Pot {
        const KIND: &'static str = KIND;
        type State = Kept;
        fn state<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<Kept> {
            Ok(Kept { count: self.0.get(tx)?, last: 0 })
        }
        fn of(kept: Kept) -> Self {
            Self(TVar::new(kept.count))
        }
    }
    let pot =
        a.coordination.spawn_mobile(Pot(TVar::new(0)), Processing::concurrent().non_blocking());
    let count = || pot.ask(Note::Count).wait_timeout(LONG).unwrap();
    let migrate = |to: &Place| pot.migrate(to.network.id()).wait_timeout(LONG).unwrap();
    let name = "s34_a_speculative_actor_whose_state_or_messages_have_another_layout_stays";
    let other =
        |it: &str| Err(MigrateError::OtherLayout(format!("{}::{name}::{it}", module_path!())));
    let sits_at = |place: &Place| place.network.overview().mobile.len() == 1;
    assert_eq!(count(), 1);
    // Messages of `b` are the same, but the state is not; and those of `c` are others.
    for (there, named, counted) in [(&b, "Kept", 2), (&c, "Note", 3)] {
        assert_eq!(migrate(there), other(named));
        assert!(sits_at(&a) && !sits_at(there));
        assert_eq!(count(), counted, "it goes on where it is");
    }
    migrate(&d).unwrap();
    assert_eq!(count(), 4);
    assert!(sits_at(&d));
}
