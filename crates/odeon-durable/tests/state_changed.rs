//! Logs of programs whose types have changed since.

use crate::leaves::{Narrow, Pairs, Sum, Wide, told};
use odeon_durable::state::{
    Children, Durable, DurableField, FieldTable, Node, RestoreError, Restorer,
};
use odeon_macros::Durable;
use odeon_stm::{Rollback, Tx, atomically};

/// What the older program had.
mod before {
    use super::*;

    #[derive(Durable, Default)]
    #[durable(crate = odeon_durable)]
    pub(super) struct Account {
        #[durable(1)]
        pub(super) owner: Narrow,
        #[durable(2)]
        pub(super) balance: Narrow,
        #[durable(3)]
        pub(super) flags: Narrow,
    }

    #[derive(Durable, Default)]
    #[durable(crate = odeon_durable)]
    pub(super) struct Bank {
        #[durable(1)]
        pub(super) accounts: Vec<Account>,
        #[durable(2)]
        pub(super) counts: Pairs,
        #[durable(3)]
        pub(super) limits: [Narrow; 2],
    }
}

/// The fields have another order; 3 was removed, 4 came, 2 is wider and is called 5.
#[derive(Durable)]
#[durable(crate = odeon_durable, removed(3))]
struct Account {
    #[durable(5, was(2, Narrow = Narrow::new(50), widen))]
    balance: Wide,
    #[durable(4)]
    opened: Wide,
    #[durable(1)]
    called: Narrow,
}

fn widen<'t>(old: &'t Narrow, new: &'t Wide, tx: &mut Tx<'t>) -> Result<(), Rollback> {
    let balance = u64::from(old.0.get(tx)?) * 100;
    new.0.set(tx, balance)
}

#[derive(Durable, Default)]
#[durable(crate = odeon_durable)]
struct Bank {
    #[durable(1)]
    accounts: Vec<Account>,
    #[durable(6, was(2, Pairs, |old, new, tx| {
        let total = old.0.fold(tx, 0, |sum, _, count| sum + i64::from(*count))?;
        new.0.add(tx, total)
    }))]
    total: Sum,
    #[durable(7, was(
        3,
        Vec<Narrow> = self.limits.iter().map(|_| Narrow::new(1)).collect(),
        |old, new, tx| reverse(old, new, tx)
    ))]
    limits: [Narrow; 2],
}

fn reverse<'t>(old: &'t [Narrow], new: &'t [Narrow; 2], tx: &mut Tx<'t>) -> Result<(), Rollback> {
    for (old, new) in old.iter().zip(new.iter().rev()) {
        let limit = old.0.get(tx)?;
        new.0.set(tx, limit)?;
    }
    Ok(())
}

fn bank(accounts: usize) -> Bank {
    let account =
        |_| Account { balance: Wide::new(5_000), opened: Wide::new(1_970), called: Narrow::new(0) };
    Bank { accounts: (0..accounts).map(account).collect(), ..Bank::default() }
}

fn restored<'c>(
    state: &impl Durable,
    changes: impl IntoIterator<Item = (&'c [u32], Vec<u8>)>,
) -> Result<(), RestoreError> {
    let mut restorer = Restorer::new(state);
    for (name, change) in changes {
        restorer.apply(name, &change)?;
    }
    restorer.finish();
    Ok(())
}

/// The same, by `apply_together`.
fn restored_together(
    state: &impl Durable,
    records: &[&[(&[u32], Vec<u8>)]],
) -> Result<(), RestoreError> {
    let mut restorer = Restorer::new(state);
    for &record in records {
        restorer.apply_together(|apply| {
            record.iter().try_for_each(|(name, change)| apply(name, change))
        })?;
    }
    restorer.finish();
    Ok(())
}

fn narrow(value: u32) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

fn wide(value: u64) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

#[test]
fn s46_all_of_an_older_state_is_taken_over() {
    let old = before::Bank {
        accounts: (0..3).map(|_| before::Account::default()).collect(),
        ..Default::default()
    };
    atomically(|tx| {
        old.accounts[1].owner.0.set(tx, 8)?;
        old.accounts[1].balance.0.set(tx, 70)?;
        old.accounts[1].flags.0.set(tx, 3)?;
        old.counts.0.insert(tx, 1, 10)?;
        old.counts.0.insert(tx, 2, 20)?;
        old.limits[0].0.set(tx, 11)
    });
    let changes = told(&old);
    let new = bank(3);
    let changes = changes.iter().map(|(name, change)| (&**name, change.clone()));
    restored(&new, changes).unwrap();
    let balances: Vec<_> = new.accounts.iter().map(|account| account.balance.0.peek()).collect();
    assert_eq!(balances, [0, 7_000, 0]);
    assert_eq!(new.accounts[1].called.0.peek(), 8);
    assert!(new.accounts.iter().all(|account| account.opened.0.peek() == 1_970));
    assert_eq!(new.total.0.peek(), 30);
    assert_eq!([new.limits[0].0.peek(), new.limits[1].0.peek()], [0, 11]);
}

#[test]
fn of_what_was_never_written_nothing_is_converted() {
    let bank = bank(2);
    restored(&bank, [(&[1, 0, 2][..], narrow(3)), (&[3, 1], narrow(9))]).unwrap();
    assert_eq!(bank.accounts[0].balance.0.peek(), 300);
    assert_eq!(bank.accounts[1].balance.0.peek(), 5_000, "as the program makes it");
    assert_eq!(bank.total.0.peek(), 0);
    // What the log does not have of the old array is what its expression says.
    assert_eq!([bank.limits[0].0.peek(), bank.limits[1].0.peek()], [9, 1]);
}

/// The newer program goes on with the log of the older one.
#[test]
fn changes_after_a_conversion_are_made_to_what_it_made() {
    let bank = bank(2);
    let changes = [
        (&[2][..], Pairs::inserted(1, 10)),
        (&[1, 0, 2], narrow(3)),
        (&[1, 1, 2], narrow(4)),
        (&[6], Sum::added(5)),
        (&[1, 0, 5], wide(301)),
        (&[6], Sum::added(5)),
    ];
    restored(&bank, changes.clone()).unwrap();
    let check = |bank: &Bank| {
        assert_eq!(bank.total.0.peek(), 20);
        assert_eq!(bank.accounts[0].balance.0.peek(), 301);
        assert_eq!(bank.accounts[1].balance.0.peek(), 400);
    };
    check(&bank);
    // In records of any size.
    for first in 0..=changes.len() {
        for second in first..=changes.len() {
            let bank = self::bank(2);
            let records = [&changes[..first], &changes[first..second], &changes[second..]];
            restored_together(&bank, &records).unwrap();
            check(&bank);
        }
    }
}

#[test]
fn an_older_program_that_goes_on_with_a_newer_log_is_noticed() {
    let bank = bank(1);
    let changes = [(&[1, 0, 2][..], narrow(3)), (&[1, 0, 5], wide(301)), (&[1, 0, 2], narrow(4))];
    let error = restored(&bank, changes).unwrap_err();
    let RestoreError::AlreadyConverted(path) = &error else { panic!("{error}") };
    assert_eq!(path.text, "accounts[0].balance");
    assert!(error.to_string().contains("an older program"), "{error}");
}

#[test]
fn removed_fields_are_passed_over_with_all_below_them() {
    let bank = bank(1);
    restored(&bank, [(&[1, 0, 3][..], narrow(3)), (&[1, 0, 3, 8, 8], vec![1, 2, 3])]).unwrap();
    restored_together(&bank, &[&[(&[1, 0, 1], narrow(7)), (&[1, 0, 3], narrow(3))]]).unwrap();
    assert_eq!(bank.accounts[0].balance.0.peek(), 5_000);
    assert_eq!(bank.accounts[0].called.0.peek(), 7);
}

#[test]
fn a_log_of_more_than_the_state_has_is_refused() {
    for (name, says) in [
        (&[1, 5, 2][..], "`accounts` (1.5.2): the log has place 5, and the array has 1"),
        (&[1, 0, 6], "`accounts[0]` (1.0.6): "),
        (&[2, 1], "`total` (2.1): the name in the log goes on behind a variable"),
        (&[3, 2], "`limits` (3.2): the log has place 2, and the array has 2"),
        (&[3], "`limits` (3): the name in the log ends here"),
        (&[4], "the state (4): "),
    ] {
        let error = restored(&bank(1), [(name, narrow(1))]).unwrap_err();
        assert!(error.to_string().starts_with(says), "{error}");
    }
    let error = restored(&bank(1), [(&[1, 0, 2][..], vec![1])]).unwrap_err();
    assert!(error.to_string().starts_with("`accounts[0].balance` (1.0.2): the bytes"), "{error}");
}

#[test]
fn the_table_has_what_the_attributes_say() {
    let account = &bank(1).accounts[0];
    let Node::Branch(branch) = account.node() else { panic!("it is a struct") };
    static EXPECTED: FieldTable = FieldTable {
        fields: &[
            DurableField { number: 5, name: "balance", was: Some(2) },
            DurableField { number: 4, name: "opened", was: None },
            DurableField { number: 1, name: "called", was: None },
        ],
        removed: &[3],
    };
    assert_eq!(branch.children(), Children::Fields(&EXPECTED));
    assert!(branch.former(2).is_some() && branch.former(5).is_none());
}
