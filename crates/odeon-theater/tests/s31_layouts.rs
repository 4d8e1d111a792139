//! S31, S33, S34: two programs whose types of one name are not the same are told so, before
//! anything is read as what it is not.
//!
//! Types of two blocks of one function have one name: so two programs of two versions are one here.
#![allow(
    dead_code,
    irrefutable_let_patterns,
    reason = "most fields and variants are there to be written"
)]

use super::support::{LONG, Place, World, until};
use odeon_core::{Actor, ActorRef, Context, Message, Reply};
use odeon_theater::{MigrateError, Mobile, NameError, NameSettings, Names, RemoteError};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// Takes messages of a type.
struct Ear<M>(PhantomData<fn(M)>);

impl<M: Message> Actor for Ear<M> {
    type Msg = M;

    fn handle(&mut self, _: M, _: &mut Context<'_, Self>) {}
}

/// In a program with these types: an actor that takes messages of the type `Note`.
macro_rules! ear {
    ($place:expr $(, $other:ident)*; $($item:item)*) => {{
        $(#[derive(Serialize, Deserialize)] $item)*
        impl Message for Note {}
        $(impl Message for $other {})*
        $place.theater.spawn(Ear::<Note>(PhantomData))
    }};
}

/// In a program with these types: whether there is one that is published.
macro_rules! found {
    ($here:expr, $there:expr $(, $other:ident)*; $($item:item)*) => {{
        $(#[derive(Serialize, Deserialize)] $item)*
        impl Message for Note {}
        $(impl Message for $other {})*
        let asked = $here.network.at($there.network.id()).lookup::<Note>("ear");
        asked.wait_timeout(LONG).unwrap().map(|_: ActorRef<Note>| ())
    }};
}

fn two(seed: u64) -> (World, Place, Place) {
    let world = World::new(seed);
    let (here, there) = (world.theater(1), world.theater(2));
    (world, here, there)
}

#[track_caller]
fn is_refused(found: Result<(), RemoteError>, name: &str) {
    let Err(RemoteError::OtherMessages(messages)) = &found else { panic!("{found:?}") };
    assert_eq!(*messages, format!("{}::{name}::Note, of another layout", module_path!()));
}

#[test]
fn s31_other_fields_and_variants_are_refused_and_equal_ones_are_not() {
    let (_world, here, there) = two(1);
    let ear = ear! { there; enum Note { Put { account: u32, amount: u64 }, Look } };
    there.network.publish("ear", &ear);
    let same = found! { here, there; enum Note { Put { account: u32, amount: u64 }, Look } };
    assert_eq!(same, Ok(()));
    let name = "s31_other_fields_and_variants_are_refused_and_equal_ones_are_not";
    for other in [
        found! { here, there; enum Note { Put { amount: u64, account: u32 }, Look } },
        found! { here, there; enum Note { Put { account: u32, sum: u64 }, Look } },
        found! { here, there; enum Note { Put { account: u64, amount: u64 }, Look } },
        found! { here, there; enum Note { Put { account: u32 }, Look } },
        found! { here, there; enum Note { Put { account: u32, amount: u64, why: String }, Look } },
        found! { here, there; enum Note { Look, Put { account: u32, amount: u64 } } },
        found! { here, there; enum Note { Put { account: u32, amount: u64 }, Look, Take(u64) } },
        found! { here, there; enum Note { Put { account: u32, amount: u64 } } },
        found! { here, there; struct Note { account: u32, amount: u64 } },
    ] {
        is_refused(other, name);
    }
    // In one's own theater, too.
    is_refused(found! { there, there; enum Note { Look } }, name);
}

#[test]
fn s31_what_is_inside_of_a_message_counts() {
    let (_world, here, there) = two(2);
    let ear = ear! { there;
        struct Note(Vec<Of<In>>, Option<Box<Note>>);
        struct Of<T> { of: T }
        enum In { A, B(u8) }
    };
    there.network.publish("ear", &ear);
    let same = found! { here, there;
        enum In { A, B(u8) }
        struct Of<T> { of: T }
        struct Note(Vec<Of<In>>, Option<Box<Note>>);
    };
    assert_eq!(same, Ok(()));
    let name = "s31_what_is_inside_of_a_message_counts";
    for other in [
        found! { here, there;
            struct Note(Vec<Of<In>>, Option<Box<Note>>);
            struct Of<T> { of: T }
            enum In { A, B(u16) }
        },
        found! { here, there;
            struct Note(Vec<Of<u8>>, Option<Box<Note>>);
            struct Of<T> { of: T }
        },
        found! { here, there;
            struct Note(Vec<Of<In>>, Vec<Note>);
            struct Of<T> { of: T }
            enum In { A, B(u8) }
        },
    ] {
        is_refused(other, name);
    }
}

#[test]
fn s31_whom_references_and_replies_in_a_message_are_for_counts() {
    let (_world, here, there) = two(3);
    let ear = ear! { there, Other;
        enum Note { Meet(ActorRef<Other>), Ask(Reply<u64>), Go }
        enum Other { Put(u64), Ends(ActorRef<Other>) }
    };
    there.network.publish("ear", &ear);
    let same = found! { here, there, Other;
        enum Note { Meet(ActorRef<Other>), Ask(Reply<u64>), Go }
        enum Other { Put(u64), Ends(ActorRef<Other>) }
    };
    assert_eq!(same, Ok(()));
    let name = "s31_whom_references_and_replies_in_a_message_are_for_counts";
    let other = found! { here, there, Other;
        enum Note { Meet(ActorRef<Other>), Ask(Reply<u64>), Go }
        enum Other { Put(u32), Ends(ActorRef<Other>) }
    };
    is_refused(other, name);
    let other = found! { here, there, Other;
        enum Note { Meet(ActorRef<Other>), Ask(Reply<u32>), Go }
        enum Other { Put(u64), Ends(ActorRef<Other>) }
    };
    is_refused(other, name);
}

#[test]
fn s31_nobody_is_created_for_messages_of_another_layout() {
    let (_world, here, there) = two(4);
    #[derive(Serialize, Deserialize)]
    struct Arguments(u8);
    let ear = ear! { there; struct Note(u8, u16); };
    there.network.register("ear", move |_: Arguments| ear.clone());
    macro_rules! created {
        ($($item:item)*) => {{
            $(#[derive(Serialize, Deserialize)] $item)*
            impl Message for Note {}
            let asked = here.network.at(there.network.id()).spawn::<_, Note>("ear", &Arguments(1));
            asked.unwrap().wait_timeout(LONG).unwrap().map(|_: ActorRef<Note>| ())
        }};
    }
    let name = "s31_nobody_is_created_for_messages_of_another_layout";
    is_refused(created! { struct Note(u16, u8); }, name);
    assert_eq!(created! { struct Note(u8, u16); }, Ok(()));
}

#[test]
fn s33_a_name_of_an_actor_with_messages_of_another_layout_is_not_theirs() {
    let (_world, here, there) = two(5);
    let names = [&here, &there].map(|place| Names::join(&place.network, NameSettings::default()));
    until("they see each other", || names.iter().all(|names| names.servers().len() == 2));
    let ear = ear! { there; struct Note { a: u8 } };
    names[1].register("ear", &ear).wait_timeout(LONG).unwrap().unwrap();
    macro_rules! found {
        ($($item:item)*) => {{
            $(#[derive(Serialize, Deserialize)] $item)*
            impl Message for Note {}
            let asked = names[0].lookup::<Note>("ear").wait_timeout(LONG).unwrap();
            asked.map(|_: ActorRef<Note>| ())
        }};
    }
    assert_eq!(found! { struct Note { a: u8 } }, Ok(()));
    let other = found! { struct Note { b: u8 } };
    let name = "s33_a_name_of_an_actor_with_messages_of_another_layout_is_not_theirs";
    let name = format!("{}::{name}::Note, of another layout", module_path!());
    assert_eq!(other, Err(NameError::OtherMessages(name)));
}

/// In a program with these types: `run` is given a theater, and what lets actors of the type
/// `Nomad` come there.
macro_rules! nomads {
    ($place:expr; $($item:item)*) => {{
        $(#[derive(Serialize, Deserialize)] $item)*
        impl Message for Note {}
        impl Actor for Nomad {
            type Msg = Note;
            fn handle(&mut self, note: Note, _: &mut Context<'_, Self>) {
                if let Note::Count(reply) = note {
                    self.count += 1;
                    reply.send(self.count.into());
                }
            }
        }
        impl Mobile for Nomad {
            const KIND: &'static str = "nomad of layouts";
        }
        $place.network.register_mobile::<Nomad>();
        |nomad: &ActorRef<Note>| -> u64 { nomad.ask(Note::Count).wait_timeout(LONG).unwrap() }
    }};
}

#[test]
fn s34_an_actor_whose_state_or_messages_have_another_layout_stays() {
    let world = World::new(6);
    let [a, b, c, d] = [1, 2, 3, 4].map(|number| world.theater(number));
    #[derive(Serialize, Deserialize)]
    struct Nomad {
        friend: ActorRef<Note>,
        count: u32,
    }
    #[derive(Serialize, Deserialize)]
    enum Note {
        Count(Reply<u64>),
    }
    impl Message for Note {}
    impl Actor for Nomad {
        type Msg = Note;
        fn handle(&mut self, Note::Count(reply): Note, _: &mut Context<'_, Self>) {
            self.count += 1;
            reply.send(self.count.into());
        }
    }
    impl Mobile for Nomad {
        const KIND: &'static str = "nomad of layouts";
    }
    let _ = nomads! { b;
        struct Nomad { count: u32, friend: ActorRef<Note> }
        enum Note { Count(Reply<u64>) }
    };
    let _ = nomads! { c;
        struct Nomad { friend: ActorRef<Note>, count: u32 }
        enum Note { Count(Reply<u64>), More }
    };
    let _ = nomads! { d;
        struct Nomad { friend: ActorRef<Note>, count: u32 }
        enum Note { Count(Reply<u64>) }
    };
    let friend = a.theater.spawn(Ear::<Note>(PhantomData));
    let nomad = a.network.spawn_mobile(Nomad { friend: friend.clone(), count: 0 });
    let count = || nomad.ask(Note::Count).wait_timeout(LONG).unwrap();
    let migrate =
        |to: &Place| a.network.migrate(&nomad, to.network.id()).wait_timeout(LONG).unwrap();
    assert_eq!(count(), 1);
    let name = "s34_an_actor_whose_state_or_messages_have_another_layout_stays";
    let name = format!("{}::{name}", module_path!());
    // Messages of `b` are the same, but the state is not; and those of `c` are others.
    assert_eq!(migrate(&b), Err(MigrateError::OtherLayout(format!("{name}::Nomad"))));
    assert_eq!(count(), 2);
    assert_eq!(migrate(&c), Err(MigrateError::OtherLayout(format!("{name}::Note"))));
    assert_eq!(count(), 3);
    // What has been written with it, and not read, is not referred to from elsewhere.
    until("nobody elsewhere refers to its friend", || a.network.references().0 <= 1);
    // A drain finds the one where it can be, and it goes on as it was.
    let drained = a.network.drain(LONG).wait_timeout(LONG).unwrap();
    assert_eq!(drained.moved.iter().map(|(_, to)| *to).collect::<Vec<_>>(), [d.network.id()]);
}
