//! Types of one name that are read in the same way have one fingerprint, and no others do.
#![allow(dead_code, reason = "they are there to be read")]

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU8;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};

use super::*;
use crate::lifecycle::timer::Timer;
use crate::messaging::reply::Reply;
use crate::vocabulary::message::Message;
use crate::{ActorRef, Watching};

/// The fingerprint of a type of its own, which is called as the others are.
macro_rules! layout {
    (as $of:ty; $($item:item)*) => {{
        $(#[derive(Deserialize)] $item)*
        layout_of::<$of>()
    }};
    ($($item:item)*) => { layout! { as Note; $($item)* } };
}

#[track_caller]
fn all_differ(layouts: &[u64]) {
    for (at, layout) in layouts.iter().enumerate() {
        assert_eq!(layouts.iter().position(|other| other == layout), Some(at), "{layouts:x?}");
    }
}

#[test]
fn fields_count_by_name_order_and_type() {
    let same = [
        layout! { struct Note { a: u8, b: String } },
        layout! { struct Note { a: u8, b: Box<str> } },
        layout! { struct Note { a: u8, #[serde(default)] b: String, #[serde(skip)] c: u64 } },
        layout! { as Other; #[serde(rename = "Note")] struct Other { a: u8, b: String } },
    ];
    assert_eq!(same, [same[0]; 4]);
    all_differ(&[
        same[0],
        layout! { struct Note { b: String, a: u8 } },
        layout! { struct Note { a: u8, c: String } },
        layout! { struct Note { a: u16, b: String } },
        layout! { struct Note { a: i8, b: String } },
        layout! { struct Note { a: u8, b: Vec<u8> } },
        layout! { struct Note { a: u8, b: Option<String> } },
        layout! { struct Note { a: u8, b: String, c: () } },
        layout! { struct Note { a: u8 } },
        layout! { struct Note(u8, String); },
        layout! { struct Note(u8); },
        layout! { struct Note; },
        layout! { as Letter; struct Letter { a: u8, b: String } },
        layout! { as (u8, String); },
        layout! { as [u8; 2]; },
        layout! { as Vec<u8>; },
    ]);
}

#[test]
fn variants_count_by_name_order_and_what_is_in_them() {
    let note = layout! { enum Note { Put(u8), Take { n: u8 }, Look } };
    assert_eq!(note, layout! { enum Note { Put(u8), Take { n: u8 }, Look } });
    all_differ(&[
        note,
        layout! { enum Note { Take { n: u8 }, Put(u8), Look } },
        layout! { enum Note { Put(u8), Take { n: u8 }, Look, Leave } },
        layout! { enum Note { Put(u8), Take { n: u8 } } },
        layout! { enum Note { Put(u8), Take { n: u8 }, Seek } },
        layout! { enum Note { Put(u16), Take { n: u8 }, Look } },
        layout! { enum Note { Put(u8), Take { m: u8 }, Look } },
        layout! { enum Note { Put(u8), Take { n: i8 }, Look } },
        layout! { enum Note { Put(u8), Take(u8), Look } },
        layout! { enum Note { Put(u8, u8), Take { n: u8 }, Look } },
        layout! { enum Note { Put(u8), Take { n: u8 }, Look() } },
    ]);
}

#[test]
fn what_is_inside_counts_as_deep_as_it_is() {
    all_differ(&[
        layout! { struct In(u8); struct Note { all: Vec<Option<BTreeMap<u8, (In, In)>>> } },
        layout! { struct In(u16); struct Note { all: Vec<Option<BTreeMap<u8, (In, In)>>> } },
        layout! { enum In { A, B } struct Note { all: Vec<Option<BTreeMap<u8, (In, In)>>> } },
        layout! { enum In { A, B, C } struct Note { all: Vec<Option<BTreeMap<u8, (In, In)>>> } },
        layout! { enum In { A, B(Far) } enum Far { X, Y } struct Note { all: [Result<In, ()>; 3] } },
        layout! { enum In { A, B(Far) } enum Far { X, Z } struct Note { all: [Result<In, ()>; 3] } },
        layout! { enum In { A, B(Far) } enum Far { X, Y(u8) } struct Note { all: [Result<In, ()>; 3] } },
    ]);
    // A type beside itself is the type.
    let beside =
        layout! { enum In { A, B(u8) } struct Note { a: In, b: Option<In>, c: Vec<In>, d: In } };
    all_differ(&[
        beside,
        layout! { enum In { A, B(u16) } struct Note { a: In, b: Option<In>, c: Vec<In>, d: In } },
    ]);
}

#[test]
fn generic_types_count_as_what_they_are_of() {
    all_differ(&[
        layout! { struct Of<T>(T); enum Or<T> { This(T), That } struct Note(Of<u8>, Or<Of<u16>>, Or<u8>); },
        layout! { struct Of<T>(T); enum Or<T> { This(T), That } struct Note(Of<u8>, Or<Of<u32>>, Or<u8>); },
        layout! { struct Of<T>(T); enum Or<T> { This(T), That } struct Note(Of<u8>, Or<Of<u16>>, Or<i8>); },
        layout! { struct Of<T>(T); enum Or<T> { This(T), That } struct Note(Of<i8>, Or<Of<u16>>, Or<u8>); },
    ]);
}

#[test]
fn types_that_contain_themselves_have_an_end() {
    all_differ(&[
        layout! { enum Note { Node(Box<Note>, Box<Note>), Leaf(u8) } },
        layout! { enum Note { Node(Box<Note>, Box<Note>), Leaf(u16) } },
        layout! { enum Note { Node(Box<Note>, Vec<Note>), Leaf(u8) } },
        layout! { struct Note { next: Option<Box<Note>>, value: u8 } },
        layout! { struct Note { next: Option<Box<Note>>, value: i8 } },
        layout! { struct Note { next: Vec<Note>, value: u8 } },
        layout! { struct Note { next: HashMap<u8, Note>, value: u8 } },
        layout! { enum Note { A(Box<Other>), B } enum Other { C(Box<Note>), D(Option<Box<Note>>), E(u8) } },
        layout! { enum Note { A(Box<Other>), B } enum Other { C(Box<Note>), D(Option<Box<Note>>), E(i8) } },
        layout! { enum Note { A(Box<Note>), B(Box<Note>), C(Box<Other>), D } enum Other { X(Box<Note>), Y(Box<Other>), Z } },
        layout! { enum Note { A(Box<Note>), B(Box<Note>), C(Box<Other>), D } enum Other { X(Box<Note>), Y(Box<Other>), W } },
    ]);
}

/// An enum with so many variants that all contain it but the last one, as a grammar.
mod grammar {
    use serde::{Deserialize, Serialize};

    macro_rules! grammar {
        ($name:ident: $($variant:ident)*) => {
            #[derive(Serialize, Deserialize)]
            pub(super) enum $name { $($variant(Box<$name>, Vec<$name>, Option<Box<$name>>),)* Word(String) }
        };
    }

    grammar! { Many: A B C D E F G H I J K L M N O P Q R S T U V W X Y Z
    Aa Ba Ca Da Ea Fa Ga Ha Ia Ja Ka La Ma Na Oa Pa Qa Ra Sa Ta Ua Va Wa Xa Ya Za
    Ab Bb Cb Db Eb Fb Gb Hb Ib Jb Kb Lb Mb Nb Ob Pb Qb Rb Sb Tb Ub Vb Wb Xb Yb Zb
    Ac Bc Cc Dc Ec Fc Gc Hc Ic Jc Kc Lc Mc Nc Oc Pc Qc Rc Sc Tc Uc Vc Wc Xc Yc Zc
    Ad Bd Cd Dd Ed Fd Gd Hd Id Jd Kd Ld Md Nd Od Pd Qd Rd Sd Td Ud Vd Wd Xd Yd Zd }
}

#[test]
fn a_grammar_of_many_variants_is_looked_at_in_a_moment() {
    let begun = std::time::Instant::now();
    let layout = layout_of::<(grammar::Many, grammar::Many)>();
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(layout_of::<(grammar::Many, grammar::Many)>(), layout);
}

#[derive(Serialize, Deserialize)]
enum Say {
    Note(String),
    Meet(ActorRef<Say>),
}

impl Message for Say {}

#[derive(Serialize, Deserialize)]
enum Tell {
    Note(u64),
    Meet(ActorRef<Tell>),
}

impl Message for Tell {}

#[test]
fn references_and_replies_count_by_what_they_are_for() {
    all_differ(&[
        layout! { struct Note { to: ActorRef<Say>, n: u8 } },
        layout! { struct Note { to: ActorRef<Say>, n: u16 } },
        layout! { struct Note { to: ActorRef<Tell>, n: u8 } },
        layout! { struct Note { to: Reply<ActorRef<Tell>>, n: u8 } },
        layout! { struct Note { to: Reply<u8>, n: u8 } },
        layout! { struct Note { to: Reply<u16>, n: u8 } },
        layout! { struct Note { to: u64, n: u8 } },
        layout! { struct Note { to: Timer, n: u8 } },
        layout! { struct Note { to: Watching<Say>, n: u8 } },
        layout! { struct Note { to: Watching<Tell>, n: u8 } },
    ]);
    assert_ne!(layout_of::<Say>(), layout_of::<Tell>());
}

#[test]
fn a_type_may_refuse_some_of_what_is_made_up() {
    /// As types do that read texts or numbers of a kind.
    macro_rules! choosy {
        ($name:ident: $of:ty, $is:expr) => {
            struct $name;
            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let value = <$of>::deserialize(deserializer)?;
                    let is: fn(&$of) -> bool = $is;
                    if is(&value) { Ok(Self) } else { Err(serde::de::Error::custom("no")) }
                }
            }
        };
    }
    choosy! { Date: String, |text| text.contains('T') }
    choosy! { Number: String, |text| text.parse::<u8>().is_ok() }
    choosy! { Even: u8, |number| number % 2 == 0 }
    choosy! { Nothing: u8, |_| false }
    all_differ(&[
        layout! { struct Note(Date, NonZeroU8, Duration, Number, Even, u8); },
        layout! { struct Note(Date, NonZeroU8, Duration, Number, Even, u16); },
    ]);
    // Behind one that refuses all there is nothing to be seen, but there is before it, and
    // elsewhere.
    let [hidden, other] = [
        layout! { enum Note { A(u8, Nothing, u8), B(u8) } },
        layout! { enum Note { A(u8, Nothing, u16), B(u8) } },
    ];
    assert_eq!(hidden, other);
    all_differ(&[
        hidden,
        layout! { enum Note { A(u16, Nothing, u8), B(u8) } },
        layout! { enum Note { A(u8, Nothing, u8), B(u16) } },
    ]);
}

#[test]
fn users_code_runs_once_for_each_type_and_may_do_what_it_likes() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    struct Panics;
    impl<'de> Deserialize<'de> for Panics {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            RUNS.fetch_add(1, SeqCst);
            // Another look inside of this one.
            layout_of::<Say>();
            u8::deserialize(deserializer)?;
            std::panic::resume_unwind(Box::new(0));
        }
    }
    let layout = layout_of::<(u8, Panics)>();
    let runs = RUNS.load(SeqCst);
    assert_eq!((layout_of::<(u8, Panics)>(), RUNS.load(SeqCst)), (layout, runs));
    assert_ne!(layout_of::<(u16, Panics)>(), layout);
}

/// Found out in another program: fingerprints are compared between programs, by other compilers and
/// for other machines.
#[test]
fn fingerprints_are_the_same_everywhere() {
    assert_eq!(
        layout! { enum Note { Put { n: usize }, All(Vec<Option<Note>>) } },
        0x99383D460228ECF4
    );
}
