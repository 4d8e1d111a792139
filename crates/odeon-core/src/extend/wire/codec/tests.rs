use std::any::Any;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::depth::DEEPEST;
use super::super::passage::{AnswerRoute, Answerable, Arriving, Leaving, Reference};
use super::*;
use crate::process::submit::Submit;

const NOTHING: WireError = WireError::Refused("nothing of this travels here");

struct Nothing;

impl Passage for Nothing {
    fn actor_leaves(&self, _: &Leaving<'_>) -> Result<Reference, WireError> {
        Err(NOTHING)
    }

    fn actor_arrives(
        &self,
        _: Reference,
        _: &dyn Arriving,
    ) -> Result<Box<dyn Any + Send + Sync>, WireError> {
        Err(NOTHING)
    }

    fn reply_leaves(&self, _: Box<dyn Answerable>, _: Option<u128>) -> Result<u64, WireError> {
        Err(NOTHING)
    }

    fn reply_arrives(&self, _: u64) -> Result<Box<dyn AnswerRoute>, WireError> {
        Err(NOTHING)
    }

    fn stage(&self) -> Result<Arc<dyn Submit>, WireError> {
        Err(NOTHING)
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Tree {
    Leaf,
    Node(Box<Tree>),
    Both { left: Box<Tree>, right: Vec<Tree> },
}

/// So many levels.
fn tree(levels: usize) -> Tree {
    (1..levels).fold(Tree::Leaf, |tree, _| Tree::Node(Box::new(tree)))
}

fn written<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(&Nothing, value, &mut bytes).unwrap();
    bytes
}

#[test]
fn bytes_that_go_in_and_in_end_with_an_error_and_not_with_the_process() {
    for bytes in [vec![1; 10 << 20], [2, 0, 1].repeat(1 << 20)] {
        assert_eq!(decode::<Tree>(&Nothing, &bytes), Err(WireError::TooDeep));
        assert_eq!(decode_whole::<Tree>(&Nothing, &bytes), Err(WireError::TooDeep));
    }
    // Options and structs count as enums do.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Chain(Option<Box<Chain>>);
    assert_eq!(decode::<Chain>(&Nothing, &[1; 1 << 20]), Err(WireError::TooDeep));
    assert_eq!(WireError::TooDeep.to_string(), "it has more than 128 levels inside of each other");
}

#[test]
fn a_value_may_have_as_many_levels_as_there_may_be() {
    let deepest = tree(DEEPEST.into());
    assert_eq!(decode::<Tree>(&Nothing, &written(&deepest)), Ok(deepest));
    let deeper = written(&tree(usize::from(DEEPEST) + 1));
    assert_eq!(decode::<Tree>(&Nothing, &deeper), Err(WireError::TooDeep));
}

#[test]
fn what_stands_beside_each_other_is_no_deeper() {
    let right = (0..10_000).map(|_| Tree::Node(Box::new(Tree::Leaf))).collect();
    let wide = Tree::Both { left: Box::new(Tree::Leaf), right };
    assert_eq!(decode_whole::<Tree>(&Nothing, &written(&wide)), Ok(wide));
}

#[test]
fn all_kinds_of_values_are_read_as_they_were_written() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Unit;
    type All = (
        (bool, char, i8, i16, i32, i64, i128, f32, f64),
        (u8, u16, u32, u64, u128, String, Vec<u8>, (), Unit),
        std::collections::BTreeMap<String, Option<[u16; 3]>>,
        Result<Tree, String>,
    );
    let map = [("one".to_owned(), Some([1, 2, 3])), ("none".to_owned(), None)];
    let all: All = (
        (true, 'ä', -1, -2, -3, -4, -5, 0.5, -0.25),
        (1, 2, 3, 4, 5, "text".into(), vec![1, 2, 3], (), Unit),
        map.into(),
        Ok(tree(3)),
    );
    assert_eq!(decode_whole::<All>(&Nothing, &written(&all)), Ok(all));
}

/// A destructor that panics; as what a panic brings, too.
#[derive(Debug, PartialEq, Default)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            std::panic::resume_unwind(Box::new("a destructor"));
        }
    }
}

/// Panics with a bomb when it is written or read.
struct Panics;

fn throw_a_bomb() -> ! {
    std::panic::resume_unwind(Box::new(Bomb))
}

impl Serialize for Panics {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        throw_a_bomb()
    }
}

impl<'de> Deserialize<'de> for Panics {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        throw_a_bomb()
    }
}

#[test]
fn a_panic_that_brings_a_bomb_is_an_error_and_nothing_more() {
    let mut bytes = vec![1, 2];
    assert_eq!(encode(&Nothing, &(7_u8, Panics), &mut bytes), Err(WireError::Panicked));
    assert_eq!(bytes, [1, 2], "nothing of it is left");
    assert_eq!(decode::<(u8, Panics)>(&Nothing, &[7]).err(), Some(WireError::Panicked));
    assert_eq!(decode_whole::<(u8, Panics)>(&Nothing, &[7]).err(), Some(WireError::Panicked));
}

#[test]
fn what_is_read_in_vain_is_dropped_with_care() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Armed(u8, #[serde(skip)] Bomb);
    assert!(matches!(decode_whole::<Armed>(&Nothing, &[7, 8]), Err(WireError::Format(_))));
}

/// A length of so many, and no bytes behind it.
fn of_length(length: u64) -> Vec<u8> {
    written(&length)
}

#[test]
fn elements_that_take_no_bytes_do_not_come_without_end() {
    type Set = std::collections::BTreeSet<()>;
    type Map = std::collections::HashMap<(), ()>;
    for length in [1 << 40, u64::MAX] {
        let bytes = of_length(length);
        assert_eq!(decode::<Vec<()>>(&Nothing, &bytes), Err(WireError::TooMany));
        assert_eq!(decode::<Vec<[(); 4]>>(&Nothing, &bytes), Err(WireError::TooMany));
        assert_eq!(decode::<Set>(&Nothing, &bytes), Err(WireError::TooMany));
        assert_eq!(decode::<Map>(&Nothing, &bytes), Err(WireError::TooMany));
    }
    let many = vec![(); 60_000];
    assert_eq!(decode::<Vec<()>>(&Nothing, &written(&many)), Ok(many));
    let fields = vec![(1_u8, (), [(); 8], std::marker::PhantomData::<u8>); 100_000];
    assert_eq!(decode(&Nothing, &written(&fields)), Ok(fields));
    let nested = vec![Vec::<Vec<u8>>::new(); 200_000];
    assert_eq!(decode(&Nothing, &written(&nested)), Ok(nested));
}
