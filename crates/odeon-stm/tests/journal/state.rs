//! A state with a variable of each kind, and what may happen to it.

use crate::support::Random;
use odeon_stm::collections::{TList, TMap, TOrdMap, TQueue, TSet, TVec};
use odeon_stm::journal::{ApplyError, Changes, Journal, Journaled, add_change};
use odeon_stm::{
    Abort, Labelled, Rollback, Snapshot, TCounter, TMax, TMin, TVar, TWord, Tx, Word, atomically,
    snapshot,
};
use std::fmt::Debug;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Half(pub(crate) u32);

impl Word for Half {
    fn to_bits(self) -> u64 {
        self.0.into()
    }

    fn from_bits(bits: u64) -> Self {
        Self(bits as u32)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Account {
    pub(crate) balance: TVar<i64>,
    pub(crate) owner: TVar<String>,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) accounts: Vec<Account>,
    pub(crate) is_open: TVar<bool>,
    pub(crate) mark: TVar<char>,
    pub(crate) half: TWord<Half>,
    pub(crate) sum: TCounter,
    pub(crate) most: TMax,
    pub(crate) least: TMin,
    pub(crate) named: Labelled<TVar<Vec<u8>>>,
    pub(crate) map: TMap<u8, String>,
    pub(crate) ordered: TOrdMap<String, u64>,
    pub(crate) set: TSet<u8>,
    pub(crate) list: TList<u8>,
    pub(crate) queue: TQueue<String>,
    pub(crate) vec: TVec<u16>,
    pub(crate) named_map: Labelled<TMap<u8, u64>>,
    /// What is not enrolled.
    pub(crate) other: TMap<u8, u8>,
}

impl State {
    pub(crate) fn new(accounts: usize) -> Self {
        Self {
            accounts: (0..accounts).map(|_| Account::default()).collect(),
            is_open: TVar::new(false),
            mark: TVar::new('a'),
            half: TWord::new(Half(0)),
            sum: TCounter::new(0),
            most: TMax::new(i64::MIN),
            least: TMin::new(i64::MAX),
            named: Labelled::new("named", TVar::default()),
            map: TMap::new(),
            ordered: TOrdMap::new(),
            set: TSet::new(),
            list: TList::new(),
            queue: TQueue::new(),
            vec: TVec::new(),
            named_map: Labelled::new("map", TMap::new()),
            other: TMap::new(),
        }
    }

    /// All that is enrolled, by name.
    fn all(&self) -> Vec<(Vec<u32>, &dyn Journaled)> {
        let alone: [&dyn Journaled; 14] = [
            &self.is_open,
            &self.mark,
            &self.half,
            &self.sum,
            &self.most,
            &self.least,
            &self.named,
            &self.map,
            &self.ordered,
            &self.set,
            &self.list,
            &self.queue,
            &self.vec,
            &self.named_map,
        ];
        let alone = alone.into_iter().enumerate().map(|(field, one)| (vec![field as u32], one));
        let accounts = self.accounts.iter().enumerate().flat_map(|(place, account)| {
            let balance: (_, &dyn Journaled) = (vec![99, place as u32, 0], &account.balance);
            let owner: (_, &dyn Journaled) = (vec![99, place as u32, 1], &account.owner);
            [balance, owner]
        });
        alone.chain(accounts).collect()
    }

    fn named<'t>(&'t self, name: &[u32]) -> Option<&'t dyn Journaled> {
        self.all().into_iter().find(|(of, _)| of == name).map(|(_, one)| one)
    }

    pub(crate) fn apply_in<'t>(&'t self, tx: &mut Tx<'t>, record: &[u8]) -> Result<(), ApplyError> {
        for change in Changes::of(record) {
            let change = change.map_err(|_| ApplyError::NoChange)?;
            let one = self.named(&change.name).ok_or(ApplyError::NoChange)?;
            one.apply(tx, change.bytes)?;
        }
        Ok(())
    }

    /// Makes the changes of a record, all of them in one transaction; `false` if it is none.
    pub(crate) fn apply(&self, record: &[u8]) -> bool {
        atomically(|tx| match self.apply_in(tx, record) {
            Ok(()) => Ok(true),
            Err(ApplyError::Rollback(rollback)) => Err(rollback),
            Err(ApplyError::NoChange) => Ok(false),
        })
    }

    /// All that is in it, as a record.
    pub(crate) fn tell(&self) -> Vec<u8> {
        let told = snapshot(|view| {
            let mut record = Vec::new();
            for (name, one) in self.all() {
                one.tell(view, &mut |change| add_change(&name, change, &mut record))?;
            }
            Ok(record)
        });
        told.unwrap()
    }

    /// All that is in it, to be compared.
    pub(crate) fn contents(&self) -> String {
        snapshot(|view| self.contents_in(view)).unwrap()
    }

    fn contents_in<'t>(&'t self, view: &mut Snapshot<'t>) -> Result<String, Rollback> {
        let mut text = String::new();
        let mut add = |one: &dyn Debug| text.push_str(&format!("{one:?}\n"));
        for account in &self.accounts {
            add(&(account.balance.get(view)?, account.owner.read(view)?));
        }
        add(&(self.is_open.get(view)?, self.mark.get(view)?, self.half.get(view)?));
        add(&(self.sum.get(view)?, self.most.get(view)?, self.least.get(view)?));
        add(self.named.read(view)?);
        let mut map = self.map.entries(view)?;
        map.sort();
        add(&(map, self.map.len(view)?));
        add(&(self.ordered.entries(view)?, self.ordered.len(view)?));
        let mut set = self.set.fold(view, Vec::new(), pushed)?;
        set.sort();
        add(&(set, self.set.len(view)?));
        add(&self.list.fold(view, Vec::new(), pushed)?);
        add(&(self.queue.fold(view, Vec::new(), pushed)?, self.queue.len(view)?));
        add(&(self.vec.fold(view, Vec::new(), pushed)?, self.vec.len(view)?));
        let mut map = self.named_map.entries(view)?;
        map.sort();
        add(&map);
        Ok(text)
    }
}

fn pushed<'t, T>(mut all: Vec<&'t T>, one: &'t T) -> Vec<&'t T> {
    all.push(one);
    all
}

impl Journaled for State {
    fn enroll(&self, name: &[u32], journal: &mut Journal) {
        assert!(name.is_empty(), "it is the whole state");
        self.all().into_iter().for_each(|(name, one)| one.enroll(&name, journal));
    }

    fn apply<'t>(&'t self, _: &mut Tx<'t>, _: &[u8]) -> Result<(), ApplyError> {
        Err(ApplyError::NoChange)
    }

    fn tell<'t>(&'t self, _: &mut Snapshot<'t>, _: &mut dyn FnMut(&[u8])) -> Result<(), Rollback> {
        Ok(())
    }
}

/// Many steps, some of which are undone.
pub(crate) fn steps<'t>(
    state: &'t State,
    tx: &mut Tx<'t>,
    random: &mut Random,
    depth: u32,
) -> Result<(), Rollback> {
    for _ in 0..random.below(6) {
        match random.below(if depth < 3 { 40 } else { 36 }) {
            0..36 => step(state, tx, random)?,
            36 | 37 => {
                let fails = random.below(2) == 0;
                let outcome = tx.nested(|tx| {
                    steps(state, tx, random, depth + 1)?;
                    if fails { Err(Abort::Failed(())) } else { Ok(()) }
                })?;
                assert_eq!(outcome.is_err(), fails);
            }
            38 => {
                let seed = random.below(u64::MAX);
                tx.or_else(
                    |tx| {
                        steps(state, tx, &mut Random::new(seed), depth + 1)?;
                        tx.retry()
                    },
                    |tx| steps(state, tx, &mut Random::new(seed / 2), depth + 1),
                )?;
            }
            _ if depth == 0 => tx.undo(),
            _ => {}
        }
    }
    Ok(())
}

/// One operation, among all that change something.
fn step<'t>(state: &'t State, tx: &mut Tx<'t>, random: &mut Random) -> Result<(), Rollback> {
    let (key, number) = (random.below(12) as u8, random.below(1_000));
    let text = "t".repeat(if number == 0 { 200 } else { number as usize % 5 }) + &key.to_string();
    match random.below(40) {
        0 => state.account(random).balance.set(tx, number as i64)?,
        1 => state.account(random).balance.update(tx, |n| n - 1)?,
        2 => state.account(random).owner.set(tx, text)?,
        3 => state.account(random).owner.update(tx, |owner| format!("{}!", owner.len()))?,
        4 => state.is_open.update(tx, |open| !open)?,
        5 => state.mark.set(tx, if key < 6 { 'é' } else { '\u{1F600}' })?,
        6 => state.half.set(tx, Half(number as u32))?,
        7 => state.half.update(tx, |half| Half(half.0.wrapping_mul(3)))?,
        8 | 9 => state.sum.add(tx, number as i64 - 500)?,
        10 => state.most.raise(tx, number as i64)?,
        11 => state.least.lower(tx, -(number as i64))?,
        12 => state.named.set(tx, vec![key; key.into()])?,
        13 => _ = state.map.insert(tx, key, text)?,
        14 => _ = state.map.put(tx, key, text)?,
        15 => _ = state.map.get_or_insert_with(tx, key, || text)?,
        16 => _ = state.map.update(tx, &key, |old| format!("{}?", old.len()))?,
        17 => _ = state.map.remove(tx, &key)?,
        18 => state.map.extend(tx, [(key, text.clone()), (key + 1, text)])?,
        19 => _ = state.ordered.insert(tx, text, number)?,
        20 => _ = state.ordered.put(tx, text, number)?,
        21 => _ = state.ordered.get_or_insert_with(tx, text, || number)?,
        22 => _ = state.ordered.update(tx, &text, |n| n + 1)?,
        23 => _ = state.ordered.remove(tx, &text)?,
        24 => _ = state.ordered.pop_first(tx)?,
        25 => state.ordered.extend(tx, [(text, 1), (String::new(), 2)])?,
        26 => _ = state.set.insert(tx, key)?,
        27 => _ = state.set.remove(tx, &key)?,
        28 => state.set.extend(tx, [key, key + 1, key])?,
        29 => _ = state.list.insert(tx, key)?,
        30 => _ = state.list.remove(tx, &key)?,
        31 => state.list.extend(tx, [key, key + 3, key])?,
        32 => state.queue.push(tx, text)?,
        33 => _ = state.queue.pop(tx)?,
        34 => state.queue.extend(tx, [text.clone(), text])?,
        35 => _ = state.vec.push(tx, number as u16)?,
        36 => _ = state.vec.pop(tx)?,
        37 => change_vec(state, tx, random)?,
        38 => _ = state.named_map.put(tx, key, number)?,
        _ => rare_step(state, tx, random)?,
    }
    Ok(())
}

fn change_vec<'t>(state: &'t State, tx: &mut Tx<'t>, random: &mut Random) -> Result<(), Rollback> {
    let len = state.vec.len(tx)? as u64 + 2;
    let (left, right) = (random.below(len) as usize, random.below(len) as usize);
    match random.below(4) {
        0 => _ = state.vec.set(tx, left, right as u16)?,
        1 => _ = state.vec.update(tx, left, |n| n.wrapping_add(7))?,
        2 => _ = state.vec.swap(tx, left, right)?,
        _ => state.vec.extend(tx, (0..random.below(20)).map(|n| n as u16))?,
    }
    Ok(())
}

fn rare_step<'t>(state: &'t State, tx: &mut Tx<'t>, random: &mut Random) -> Result<(), Rollback> {
    match random.below(9) {
        0 => state.map.clear(tx),
        1 => state.ordered.clear(tx),
        2 => state.set.clear(tx),
        3 => state.list.clear(tx),
        4 => state.queue.clear(tx),
        5 => state.vec.clear(tx),
        6 => state.named_map.clear(tx),
        7 => state.other.put(tx, 1, 2).map(drop),
        _ => state.named.update(tx, |old| old.iter().rev().copied().collect()),
    }
}

impl State {
    fn account(&self, random: &mut Random) -> &Account {
        &self.accounts[random.below(self.accounts.len() as u64) as usize]
    }
}
