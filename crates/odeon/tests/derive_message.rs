//! What `#[derive(Message)]` makes of enums, structs, generics and `#[mailbox(n)]`, and what it
//! calls them.
#![cfg(not(any(odeon_loom, odeon_shuttle)))]
#![allow(dead_code)]

use odeon::{Access, Message};

#[derive(Message)]
enum Plain {
    Unit,
    Tuple(u32, String),
    Named { field: u32 },
}

#[test]
fn without_attributes_everything_goes_to_the_only_mailbox() {
    assert_eq!(Plain::MAILBOXES, 1);
    assert_eq!(Plain::Unit.mailbox(), 0);
    assert_eq!(Plain::Tuple(1, String::new()).mailbox(), 0);
    assert_eq!(Plain::Named { field: 1 }.mailbox(), 0);
}

#[test]
fn a_message_is_called_as_its_variant_or_its_struct() {
    #[derive(Message)]
    struct Whole<T>(T);

    assert_eq!(Plain::Unit.message_name(), "Unit");
    assert_eq!(Plain::Tuple(1, String::new()).message_name(), "Tuple");
    assert_eq!(Plain::Named { field: 1 }.message_name(), "Named");
    assert_eq!(Whole(1).message_name(), "Whole");
    assert_eq!(7_u32.message_name(), "u32");
}

#[derive(Message)]
enum Several {
    First,
    #[mailbox(2)]
    Tuple(u32),
    #[mailbox(5)]
    Named {
        field: u32,
    },
    #[mailbox(0)]
    Explicit,
}

#[test]
fn the_highest_number_says_how_many_there_are() {
    assert_eq!(Several::MAILBOXES, 6);
    assert_eq!(Several::First.mailbox(), 0);
    assert_eq!(Several::Tuple(1).mailbox(), 2);
    assert_eq!(Several::Named { field: 1 }.mailbox(), 5);
    assert_eq!(Several::Explicit.mailbox(), 0);
}

#[derive(Message)]
#[mailbox(3)]
enum Whole {
    Inherits,
    #[mailbox(1)]
    Differs,
}

#[test]
fn the_types_mailbox_holds_for_variants_without_their_own() {
    assert_eq!(Whole::MAILBOXES, 4);
    assert_eq!((Whole::Inherits.mailbox(), Whole::Differs.mailbox()), (3, 1));
}

#[derive(Message)]
#[mailbox(63)]
struct Last(u32);

#[derive(Message)]
struct Unit;

#[test]
fn structs_have_one_mailbox_for_all() {
    assert_eq!((Last::MAILBOXES, Last(1).mailbox()), (64, 63));
    assert_eq!((Unit::MAILBOXES, Unit.mailbox()), (1, 0));
}

#[derive(Message)]
enum Generic<T, const N: usize>
where
    T: Clone,
{
    Value(T),
    #[mailbox(1)]
    Values([T; N]),
}

#[test]
fn generic_parameters_may_be_anything_sendable() {
    assert_eq!(Generic::<String, 2>::MAILBOXES, 2);
    assert_eq!(Generic::Values([1, 2, 3]).mailbox(), 1);
    assert_eq!(Generic::<_, 0>::Value("a").mailbox(), 0);
}

#[derive(Message)]
enum Never {}

#[test]
fn an_enum_without_variants_is_a_message_nobody_can_send() {
    assert_eq!(Never::MAILBOXES, 1);
}

#[derive(Message)]
enum Kinds {
    Plain,
    #[access(update)]
    Update,
    #[access(snapshot)]
    Snapshot(u32),
    #[mailbox(1)]
    #[access(relaxed)]
    Relaxed {
        field: u32,
    },
    #[access(exclusive)]
    Exclusive,
}

#[test]
fn each_variant_says_how_its_handler_uses_the_state() {
    let all = [
        Kinds::Plain,
        Kinds::Update,
        Kinds::Snapshot(1),
        Kinds::Relaxed { field: 1 },
        Kinds::Exclusive,
    ];
    let accesses = all.each_ref().map(Message::access);
    let named = [Access::Update, Access::Snapshot, Access::Relaxed, Access::Exclusive];
    assert_eq!(accesses[0], Access::Update);
    assert_eq!(accesses[1..], named);
    assert_eq!(all.each_ref().map(Message::mailbox), [0, 0, 0, 1, 0]);
}

#[derive(Message)]
#[access(snapshot)]
enum Reads<T> {
    Inherits(T),
    #[access(update)]
    Differs,
}

#[derive(Message)]
#[access(relaxed)]
struct Look;

#[test]
fn the_types_access_holds_for_variants_without_their_own() {
    assert_eq!(Reads::Inherits(3).access(), Access::Snapshot);
    assert_eq!(Reads::<u32>::Differs.access(), Access::Update);
    assert_eq!(Look.access(), Access::Relaxed);
    assert_eq!(Plain::Unit.access(), Access::Update);
}
