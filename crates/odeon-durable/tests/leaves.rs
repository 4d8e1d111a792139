//! Variables and collections that are told by hand: what a state has at its ends is nothing that
//! names, recovery and evolution know.

use odeon_durable::state::{Durable, Node};
use odeon_stm::journal::{ApplyError, Journal, Journaled};
use odeon_stm::{Rollback, Snapshot, TCounter, TMap, TVar, Tx, snapshot};

macro_rules! number {
    ($name:ident of $bits:ty) => {
        #[derive(Default)]
        pub(crate) struct $name(pub(crate) TVar<$bits>);

        impl $name {
            pub(crate) fn new(value: $bits) -> Self {
                Self(TVar::new(value))
            }
        }

        impl Journaled for $name {
            fn enroll(&self, _name: &[u32], _journal: &mut Journal) {}

            fn apply<'t>(&'t self, tx: &mut Tx<'t>, change: &[u8]) -> Result<(), ApplyError> {
                let bytes = change.try_into().map_err(|_| ApplyError::NoChange)?;
                Ok(self.0.set(tx, <$bits>::from_le_bytes(bytes))?)
            }

            fn tell<'t>(
                &'t self,
                view: &mut Snapshot<'t>,
                change: &mut dyn FnMut(&[u8]),
            ) -> Result<(), Rollback> {
                change(&self.0.get(view)?.to_le_bytes());
                Ok(())
            }
        }

        impl Durable for $name {
            fn node(&self) -> Node<'_> {
                Node::Variable(self)
            }
        }
    };
}

number!(Narrow of u32);
number!(Wide of u64);

/// A sum whose changes are differences.
#[derive(Default)]
pub(crate) struct Sum(pub(crate) TCounter);

const BE: u8 = 0;
const ADD: u8 = 1;

impl Sum {
    pub(crate) fn added(difference: i64) -> Vec<u8> {
        [&[ADD][..], &difference.to_le_bytes()].concat()
    }
}

impl Journaled for Sum {
    fn enroll(&self, _name: &[u32], _journal: &mut Journal) {}

    fn apply<'t>(&'t self, tx: &mut Tx<'t>, change: &[u8]) -> Result<(), ApplyError> {
        let (kind, bytes) = change.split_first().ok_or(ApplyError::NoChange)?;
        let amount = i64::from_le_bytes(bytes.try_into().map_err(|_| ApplyError::NoChange)?);
        let difference = match *kind {
            BE => amount.wrapping_sub(self.0.get(tx)?),
            ADD => amount,
            _ => return Err(ApplyError::NoChange),
        };
        Ok(self.0.add(tx, difference)?)
    }

    fn tell<'t>(
        &'t self,
        view: &mut Snapshot<'t>,
        change: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Rollback> {
        change(&[&[BE][..], &self.0.get(view)?.to_le_bytes()].concat());
        Ok(())
    }
}

impl Durable for Sum {
    fn node(&self) -> Node<'_> {
        Node::Variable(self)
    }
}

/// A collection. Its changes: nothing (all of it goes), a key (that goes), a key and a value.
#[derive(Default)]
pub(crate) struct Pairs(pub(crate) TMap<u32, u32>);

impl Pairs {
    pub(crate) fn inserted(key: u32, value: u32) -> Vec<u8> {
        [key.to_le_bytes(), value.to_le_bytes()].concat()
    }

    pub(crate) fn sorted(&self) -> Vec<(u32, u32)> {
        let pairs = snapshot(|view| self.0.entries(view).map(copied));
        let mut pairs = pairs.expect("it is short");
        pairs.sort_unstable();
        pairs
    }
}

fn copied(pairs: Vec<(&u32, &u32)>) -> Vec<(u32, u32)> {
    pairs.into_iter().map(|(key, value)| (*key, *value)).collect()
}

impl Journaled for Pairs {
    fn enroll(&self, _name: &[u32], _journal: &mut Journal) {}

    fn apply<'t>(&'t self, tx: &mut Tx<'t>, change: &[u8]) -> Result<(), ApplyError> {
        let word = |at: usize| Some(u32::from_le_bytes(change.get(at..at + 4)?.try_into().ok()?));
        match (change.len(), word(0), word(4)) {
            (0, ..) => self.0.clear(tx)?,
            (4, Some(key), _) => drop(self.0.remove(tx, &key)?),
            (8, Some(key), Some(value)) => drop(self.0.insert(tx, key, value)?),
            _ => return Err(ApplyError::NoChange),
        }
        Ok(())
    }

    fn tell<'t>(
        &'t self,
        view: &mut Snapshot<'t>,
        change: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Rollback> {
        change(&[]);
        self.0.for_each(view, |key, value| change(&Self::inserted(*key, *value)))
    }
}

impl Durable for Pairs {
    fn node(&self) -> Node<'_> {
        Node::Variable(self)
    }
}

/// All that is in a state, as changes.
pub(crate) fn told(state: &impl Durable) -> Vec<(Vec<u32>, Vec<u8>)> {
    let mut told = Vec::new();
    snapshot(|view| {
        state.node().tell(view, &mut |name, change| told.push((name.to_vec(), change.to_vec())))
    })
    .expect("it is short");
    told
}
