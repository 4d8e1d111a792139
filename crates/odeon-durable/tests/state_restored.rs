//! States that are made again, by the program that has written the log.

use crate::leaves::{Pairs, Sum, Wide, told};
use odeon_core::Random;
use odeon_durable::state::{Durable, NameProblem, RestoreError, Restorer, UnknownName};
use odeon_macros::Durable;
use odeon_stm::{TVar, atomically};
use odeon_testkit::for_seeds;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[derive(Durable, Default)]
#[durable(crate = odeon_durable)]
struct Shop {
    #[durable(1)]
    prices: Vec<Wide>,
    #[durable(2)]
    sold: Sum,
    #[durable(3)]
    stock: Pairs,
}

impl Shop {
    fn with_prices(prices: usize) -> Self {
        Self { prices: (0..prices).map(|_| Wide::new(5)).collect(), ..Self::default() }
    }
}

#[test]
fn what_was_told_makes_the_same_state_again() {
    for_seeds(50, |seed| {
        let mut random = Random::from_seed(seed);
        let before = Shop::with_prices(random.below(20));
        for price in &before.prices {
            atomically(|tx| price.0.set(tx, seed));
        }
        for _ in 0..random.below(50) {
            let (key, value) = (random.below(20) as u32, random.below(9) as u32);
            atomically(|tx| {
                before.sold.0.add(tx, 1)?;
                before.stock.0.insert(tx, key, value).map(drop)
            });
        }
        let told_before = told(&before);

        // It may have had other values: of a snapshot each is told.
        let after = Shop::with_prices(before.prices.len());
        atomically(|tx| after.sold.0.add(tx, 77));
        atomically(|tx| after.stock.0.insert(tx, 1_000, 1).map(drop));
        let mut restorer = Restorer::new(&after);
        for (name, change) in &told_before {
            restorer.apply(name, change).expect("it is a change of it");
        }
        restorer.finish();
        assert!(after.prices.iter().all(|price| price.0.peek() == seed));
        assert_eq!(after.sold.0.peek(), before.sold.0.peek());
        assert_eq!(after.stock.sorted(), before.stock.sorted());
    });
}

#[test]
fn what_the_log_does_not_have_is_as_the_program_makes_it() {
    let shop = Shop::with_prices(2);
    let mut restorer = Restorer::new(&shop);
    restorer.apply(&[1, 1], &7_u64.to_le_bytes()).unwrap();
    restorer.apply(&[2], &Sum::added(3)).unwrap();
    restorer.apply(&[2], &Sum::added(4)).unwrap();
    restorer.finish();
    assert_eq!((shop.prices[0].0.peek(), shop.prices[1].0.peek()), (5, 7));
    assert_eq!(shop.sold.0.peek(), 7);
}

#[test]
fn an_error_names_the_variable_and_the_state_has_all_before() {
    let shop = Shop::with_prices(2);
    let mut restorer = Restorer::new(&shop);
    restorer.apply(&[1, 0], &9_u64.to_le_bytes()).unwrap();
    let error = restorer.apply(&[1, 1], &[1, 2, 3]).unwrap_err();
    let RestoreError::NoChange(path) = &error else { panic!("{error}") };
    assert_eq!((&*path.text, &*path.name), ("prices[1]", &[1, 1][..]));
    assert!(error.to_string().starts_with("`prices[1]` (1.1): the bytes in the log"), "{error}");

    let error = restorer.apply(&[1, 2], &[]).unwrap_err();
    let RestoreError::UnknownName(UnknownName { problem, .. }) = &error else { panic!("{error}") };
    assert_eq!(*problem, NameProblem::NoPlace { place: 2, places: 2 });
    assert!(std::error::Error::source(&error).is_some());

    restorer.finish();
    assert_eq!((shop.prices[0].0.peek(), shop.prices[1].0.peek()), (9, 5));
}

#[test]
fn changes_are_made_together_or_up_to_an_error() {
    let shop = Shop::with_prices(3);
    let mut restorer = Restorer::new(&shop);
    let mut runs = 0;
    let made = restorer.apply_together(|apply| {
        runs += 1;
        apply(&[1, 0], &7_u64.to_le_bytes())?;
        apply(&[2], &Sum::added(3))?;
        apply(&[1, 0], &8_u64.to_le_bytes())
    });
    assert_eq!((made, runs), (Ok(()), 1));
    assert_eq!((shop.prices[0].0.peek(), shop.sold.0.peek()), (8, 3));

    let made = restorer.apply_together(|apply| {
        apply(&[1, 1], &9_u64.to_le_bytes())?;
        apply(&[2], &Sum::added(3))?;
        apply(&[1, 3], &9_u64.to_le_bytes())?;
        apply(&[2], &Sum::added(3))
    });
    let error = made.unwrap_err().to_string();
    assert!(error.starts_with("`prices` (1.3): the log has place 3"), "{error}");
    assert_eq!((shop.prices[1].0.peek(), shop.sold.0.peek()), (9, 6), "once, up to the error");

    // One that goes on behind an error, and one with errors of its own.
    let made = restorer.apply_together(|apply| {
        assert!(apply(&[2], &[5]).is_err());
        apply(&[2], &Sum::added(4))
    });
    assert_eq!((made, shop.sold.0.peek()), (Ok(()), 10));
    let made: Result<(), Box<dyn std::error::Error>> = restorer.apply_together(|apply| {
        apply(&[2], &Sum::added(1))?;
        Err("the record is cut".into())
    });
    assert_eq!(made.unwrap_err().to_string(), "the record is cut");
    assert_eq!(shop.sold.0.peek(), 11);
    restorer.finish();
}

#[test]
fn random_changes_are_made_or_refused_and_nothing_panics() {
    for_seeds(2_000, |seed| {
        let mut random = Random::from_seed(seed);
        let shop = Shop::with_prices(3);
        let mut restorer = Restorer::new(&shop);
        for _ in 0..20 {
            let name: Vec<u32> = (0..random.below(4)).map(|_| random.below(5) as u32).collect();
            let change: Vec<u8> = (0..random.below(11)).map(|_| random.next_u64() as u8).collect();
            match restorer.apply(&name, &change) {
                Ok(()) => assert!(shop.node().variable(&name).is_ok()),
                Err(RestoreError::NoChange(path)) => assert_eq!(path.name, name),
                Err(RestoreError::UnknownName(unknown)) => assert_eq!(unknown.path.name, name),
                Err(other) => panic!("{other}"),
            }
        }
        restorer.finish();
    });
}

#[test]
fn within_a_transaction_it_panics() {
    let shop = Shop::with_prices(1);
    let other = TVar::new(1);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        atomically(|tx| {
            other.set(tx, 2)?;
            let mut restorer = Restorer::new(&shop);
            restorer.apply(&[1, 0], &7_u64.to_le_bytes()).unwrap();
            restorer.finish();
            Ok(())
        });
    }));
    assert!(outcome.is_err());
    assert_eq!((other.peek(), shop.prices[0].0.peek()), (1, 5));
}

/// While others run transactions, also ones that run alone.
#[test]
fn others_do_not_stop_it() {
    let shop = Shop::with_prices(100);
    let hot = TVar::new(0_u64);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..3_000 {
                    atomically(|tx| hot.update(tx, |n| n + 1));
                }
            });
        }
        let mut restorer = Restorer::new(&shop);
        for round in 0..100_u64 {
            for place in 0..100 {
                restorer.apply(&[1, place], &round.to_le_bytes()).unwrap();
            }
        }
        restorer.finish();
    });
    assert!(shop.prices.iter().all(|price| price.0.peek() == 99));
    assert_eq!(hot.peek(), 9_000);
}
