//! What each variable of a state is called, and what finds it.

use crate::leaves::{Narrow, Pairs, Sum, Wide};
use odeon_core::Random;
use odeon_durable::state::{Durable, NameProblem, Node};
use odeon_macros::Durable;
use odeon_testkit::for_seeds;
use std::ptr;
use std::sync::Arc;

#[derive(Durable, Default)]
#[durable(crate = odeon_durable)]
struct Account {
    #[durable(7)]
    balance: Wide,
    #[durable(2)]
    r#type: Narrow,
    #[durable(skip)]
    _note: String,
}

#[derive(Durable)]
#[durable(crate = odeon_durable, removed(3, 4))]
#[durable(removed(9))]
struct Bank<A> {
    #[durable(1)]
    accounts: Vec<A>,
    #[durable(5)]
    rest: Boxes,
    #[durable(4294967295)]
    limit: Option<Narrow>,
    #[durable(6)]
    nothing: Option<Sum>,
    #[durable(8)]
    shared: Arc<Pairs>,
}

#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Boxes(
    #[durable(1)] Box<[Narrow]>,
    #[durable(2)] [(Narrow, Wide); 2],
    #[durable(skip)] (),
    #[durable(3)] Box<Sum>,
);

#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Empty;

fn bank(accounts: usize) -> Bank<Account> {
    Bank {
        accounts: (0..accounts).map(|_| Account::default()).collect(),
        rest: Boxes(Box::new([Narrow::new(0)]), Default::default(), (), Box::default()),
        limit: Some(Narrow::new(1)),
        nothing: None,
        shared: Arc::default(),
    }
}

fn names(state: &impl Durable) -> Vec<Vec<u32>> {
    let mut walk = state.node().walk();
    let mut names = Vec::new();
    while let Some((name, variable)) = walk.next_variable() {
        let found = state.node().variable(name).expect("it is there");
        assert!(ptr::addr_eq(found, variable), "{name:?}");
        names.push(name.to_vec());
    }
    names
}

#[test]
fn variables_are_called_by_the_numbers_of_fields_and_places() {
    let expected: [&[u32]; 12] = [
        &[1, 0, 7],
        &[1, 0, 2],
        &[1, 1, 7],
        &[1, 1, 2],
        &[5, 1, 0],
        &[5, 2, 0, 0],
        &[5, 2, 0, 1],
        &[5, 2, 1, 0],
        &[5, 2, 1, 1],
        &[5, 3],
        &[u32::MAX],
        &[8],
    ];
    assert_eq!(names(&bank(2)), expected);
    assert_eq!(names(&Empty), Vec::<Vec<u32>>::new());
}

#[test]
fn a_variable_can_be_the_whole_state() {
    let whole = Narrow::new(1);
    assert_eq!(names(&whole), [vec![]]);
    let unknown = whole.node().variable(&[1]).err().expect("it has no fields");
    assert_eq!(unknown.problem, NameProblem::BehindVariable);
    assert!(unknown.to_string().starts_with("the state (1): "), "{unknown}");
}

#[test]
fn the_variable_of_a_name_is_that_field() {
    let bank = bank(3);
    let found = bank.node().variable(&[1, 2, 7]).expect("it is there");
    assert!(ptr::addr_eq(found, &bank.accounts[2].balance));
    let found = bank.node().variable(&[1, 0, 2]).expect("it is there");
    assert!(ptr::addr_eq(found, &bank.accounts[0].r#type));
    let found = bank.node().variable(&[5, 2, 1, 1]).expect("it is there");
    assert!(ptr::addr_eq(found, &bank.rest.1[1].1));
    let found = bank.node().variable(&[5, 3]).expect("it is there");
    assert!(ptr::addr_eq(found, &*bank.rest.3));
    let found = bank.node().variable(&[8]).expect("it is there");
    assert!(ptr::addr_eq(found, &*bank.shared));
}

#[test]
fn a_name_that_leads_nowhere_is_an_error_that_names_the_place() {
    let bank = bank(3);
    let text = |name: &[u32]| {
        let unknown = bank.node().variable(name).err().expect("it leads nowhere");
        unknown.to_string()
    };
    for (name, path, says) in [
        (
            &[1, 3, 7][..],
            "`accounts` (1.3.7): ",
            "place 3, and the array has 3; make the state with at least 4",
        ),
        (
            &[1, 2, 3],
            "`accounts[2]` (1.2.3): ",
            "Account` has no field 3; if it was removed, write `#[durable(removed(3))]`",
        ),
        (&[1, 2, 2, 0], "`accounts[2].type` (1.2.2.0): ", "goes on behind a variable"),
        (&[1, 2], "`accounts[2]` (1.2): ", "ends here, where no variable is"),
        (&[5, 2, 1, 5], "`rest.1[1]` (5.2.1.5): ", "place 5, and the array has 2"),
        (&[6], "`nothing` (6): ", "a `None`"),
        (&[6, 0], "`nothing` (6.0): ", "a `None`"),
        (&[9], "the state (9): ", "Bank<all::"),
        (&[], "the state: ", "ends here"),
        (&[1, u32::MAX, 7], "`accounts` (1.4294967295.7): ", "at least 4294967296 places"),
    ] {
        let text = text(name);
        assert!(text.starts_with(path) && text.contains(says), "{text}");
    }
}

#[test]
fn random_names_lead_to_what_the_walk_has_or_to_an_error() {
    let bank = bank(4);
    let known = names(&bank);
    for_seeds(20_000, |seed| {
        let mut random = Random::from_seed(seed);
        let mut name = match random.below(2) {
            0 => known[random.below(known.len())].clone(),
            _ => Vec::new(),
        };
        for _ in 0..random.below(4) {
            let number = [random.below(10) as u32, random.next_u64() as u32][random.below(2)];
            match random.below(3) {
                0 if !name.is_empty() => {
                    let place = random.below(name.len());
                    name[place] = number;
                }
                1 => drop(name.pop()),
                _ => name.push(number),
            }
        }
        match bank.node().variable(&name) {
            Ok(_) => assert!(known.contains(&name), "{name:?}"),
            Err(unknown) => {
                assert!(!known.contains(&name), "{name:?}");
                assert_eq!(unknown.path.name, name);
                assert!(!unknown.to_string().is_empty());
            }
        }
    });
}

#[test]
fn many_variables_are_walked_in_linear_time() {
    let bank = bank(200_000);
    let mut walk = bank.node().walk();
    let mut variables = 0;
    while walk.next_variable().is_some() {
        variables += 1;
    }
    assert_eq!(variables, 2 * 200_000 + 8);
    assert!(walk.next_variable().is_none(), "it has ended");
}

#[test]
fn nodes_say_what_they_are() {
    assert_eq!(format!("{:?}", Narrow::new(1).node()), "Variable");
    let Node::Branch(branch) = Empty.node() else { panic!("it has fields, if none") };
    assert!(branch.type_name().ends_with("Empty"));
}
