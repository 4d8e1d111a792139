//! A state with a variable of each kind, and a program that changes them all.

use odeon_core::{Access, Message, Reply};
use odeon_macros::Durable;
use odeon_speculative::{SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{
    Labelled, TCounter, TList, TMap, TMax, TMin, TOrdMap, TQueue, TSet, TVar, TVec, TWord, Tx,
    View, Word,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Half(pub(super) u32);

impl Word for Half {
    fn to_bits(self) -> u64 {
        self.0.into()
    }

    fn from_bits(bits: u64) -> Self {
        Self(bits as u32)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Label {
    Plain,
    Priced { cents: u64, note: Option<String> },
}

#[derive(Durable)]
#[durable(crate = odeon_durable)]
pub(super) struct Shelf {
    #[durable(1)]
    pub(super) pieces: TVar<i64>,
    #[durable(2)]
    pub(super) sold: TCounter,
}

impl Shelf {
    pub(super) fn new() -> Self {
        Self { pieces: TVar::new(-1), sold: TCounter::new(0) }
    }
}

/// Each hash collection has one element when there is a snapshot, for their order is random.
#[derive(Durable)]
#[durable(crate = odeon_durable)]
pub(super) struct Inventory {
    #[durable(1)]
    title: TVar<String>,
    #[durable(2)]
    label: TVar<Label>,
    #[durable(3)]
    half: TWord<Half>,
    #[durable(4)]
    visits: TCounter,
    #[durable(5)]
    most: TMax,
    #[durable(6)]
    least: TMin,
    #[durable(7)]
    by_name: TMap<String, u32>,
    #[durable(8)]
    by_day: TOrdMap<u32, String>,
    #[durable(9)]
    tags: TSet<u32>,
    #[durable(10)]
    ranks: TList<i32>,
    #[durable(11)]
    lines: TVec<String>,
    #[durable(12)]
    orders: TQueue<u64>,
    #[durable(13)]
    shelves: Vec<Shelf>,
    #[durable(14)]
    pair: (TVar<u8>, TVar<bool>),
    #[durable(15)]
    mark: Option<Box<TVar<char>>>,
    #[durable(16)]
    named: Labelled<TVar<f64>>,
    /// A field whose number has two bytes.
    #[durable(300)]
    shared: Arc<TVar<Vec<u8>>>,
    #[durable(17)]
    never_written: TVar<u32>,
    #[durable(skip)]
    not_logged: TVar<u32>,
}

pub(super) enum ToInventory {
    /// One of the program, from 1 to [`STEPS`].
    Step(usize, Reply<()>),
    Look(Reply<Contents>),
}

impl Message for ToInventory {
    fn access(&self) -> Access {
        match self {
            Self::Step(..) => Access::Update,
            Self::Look(_) => Access::Snapshot,
        }
    }
}

pub(super) const STEPS: usize = 18;

/// The log has enough bytes after it.
pub(super) const STEP_WITH_SNAPSHOT: usize = 9;

/// All that is logged.
#[derive(Debug, PartialEq)]
pub(super) struct Contents {
    pub(super) title: String,
    pub(super) label: Label,
    pub(super) half: u32,
    pub(super) visits: i64,
    pub(super) extremes: (i64, i64),
    pub(super) by_name: Vec<(String, u32)>,
    pub(super) by_day: Vec<(u32, String)>,
    pub(super) tags: Vec<u32>,
    pub(super) ranks: Vec<i32>,
    pub(super) lines: Vec<String>,
    pub(super) orders: Vec<u64>,
    pub(super) shelves: Vec<(i64, i64)>,
    pub(super) pair: (u8, bool),
    pub(super) mark: char,
    pub(super) named: f64,
    pub(super) shared: Vec<u8>,
    pub(super) never_written: u32,
}

impl Contents {
    /// After all steps.
    pub(super) fn expected() -> Self {
        let text = |text: &str| text.to_owned();
        Self {
            title: text("second title: Bücher"),
            label: Label::Priced { cents: 1_250, note: Some(text("dear")) },
            half: 70_000,
            visits: 37,
            extremes: (900, -12),
            by_name: vec![(text("ada"), 2), (text("bob"), 7), (text("eve"), 5)],
            by_day: vec![(1, text("one again")), (3, text("three")), (200, text("last"))],
            tags: vec![11, 13, 300],
            ranks: vec![-4, 0, 9],
            lines: vec![text("third"), text("second anew"), text("first")],
            orders: vec![3, 4, 1 << 40],
            shelves: vec![(10, 1), (-1, 0), (-3, 5)],
            pair: (200, true),
            mark: 'ß',
            named: 2.5,
            shared: vec![5; 20],
            never_written: 77,
        }
    }
}

impl Inventory {
    pub(super) fn new() -> Self {
        Self {
            title: TVar::default(),
            label: TVar::new(Label::Plain),
            half: TWord::new(Half(0)),
            visits: TCounter::new(0),
            most: TMax::new(i64::MIN),
            least: TMin::new(i64::MAX),
            by_name: TMap::new(),
            by_day: TOrdMap::new(),
            tags: TSet::new(),
            ranks: TList::new(),
            lines: TVec::new(),
            orders: TQueue::new(),
            shelves: (0..3).map(|_| Shelf::new()).collect(),
            pair: Default::default(),
            mark: Some(Box::new(TVar::new('a'))),
            named: Labelled::new("named", TVar::new(0.0)),
            shared: Arc::default(),
            never_written: TVar::new(77),
            not_logged: TVar::new(0),
        }
    }

    fn step<'t>(&'t self, step: usize, tx: &mut Tx<'t>) -> TxResult {
        self.not_logged.update(tx, |steps| steps + 1)?;
        match step {
            1 => self.title.set(tx, "first title".into())?,
            2 => {
                self.label.set(tx, Label::Priced { cents: 5, note: None })?;
                self.half.set(tx, Half(3))?;
                self.visits.add(tx, 30)?;
            }
            3 => {
                self.most.raise(tx, 5)?;
                self.least.lower(tx, 5)?;
                self.by_name.put(tx, "zoe".into(), 1)?;
            }
            4 => {
                for (day, text) in [(1, "one"), (2, "two"), (3, "three")] {
                    self.by_day.put(tx, day, text.into())?;
                }
                self.by_day.remove(tx, &2)?;
            }
            5 => {
                self.tags.add(tx, 10)?;
                self.tags.remove(tx, &10)?;
                self.tags.add(tx, 11)?;
                self.ranks.extend(tx, [9, 5])?;
            }
            6 => self.lines.extend(tx, ["first", "second", "third"].map(String::from))?,
            7 => self.orders.extend(tx, [1, 2, 3])?,
            8 => {
                self.shelves[0].pieces.set(tx, 10)?;
                self.shelves[0].sold.add(tx, 1)?;
                self.shelves[2].sold.add(tx, 2)?;
            }
            STEP_WITH_SNAPSHOT => self.shared.set(tx, vec![9; 1_000])?,
            10 => {
                self.title.set(tx, "second title: Bücher".into())?;
                self.label.set(tx, Label::Priced { cents: 1_250, note: Some("dear".into()) })?;
                self.half.set(tx, Half(70_000))?;
            }
            11 => {
                self.visits.add(tx, 10)?;
                self.visits.add(tx, -3)?;
                self.most.raise(tx, 900)?;
                self.most.raise(tx, 3)?;
                self.least.lower(tx, -12)?;
            }
            12 => {
                self.by_name.clear(tx)?;
                self.by_name.put(tx, "ada".into(), 1)?;
                self.by_name.put(tx, "ada".into(), 2)?;
                self.by_name.put(tx, "bob".into(), 7)?;
                self.by_name.put(tx, "eve".into(), 5)?;
            }
            13 => {
                self.by_day.put(tx, 1, "one again".into())?;
                self.by_day.put(tx, 200, "last".into())?;
            }
            14 => {
                self.tags.extend(tx, [300, 12, 13])?;
                self.tags.remove(tx, &12)?;
                self.ranks.remove(tx, &5)?;
                self.ranks.extend(tx, [0, -4])?;
            }
            15 => {
                self.lines.swap(tx, 0, 2)?;
                self.lines.set(tx, 1, "second anew".into())?;
                self.lines.push(tx, "fourth".into())?;
                self.lines.pop(tx)?;
            }
            16 => {
                self.orders.pop(tx)?;
                self.orders.pop(tx)?;
                self.orders.extend(tx, [4, 1 << 40])?;
            }
            17 => {
                self.shelves[2].pieces.set(tx, -3)?;
                self.shelves[2].sold.add(tx, 3)?;
                self.pair.0.set(tx, 200)?;
                self.pair.1.set(tx, true)?;
            }
            _ => {
                self.mark.as_ref().expect("it has one").set(tx, 'ß')?;
                self.named.set(tx, 2.5)?;
                self.shared.set(tx, vec![5; 20])?;
            }
        }
        Ok(())
    }

    fn contents<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<Contents> {
        let by_name = self.by_name.fold(tx, Vec::new(), |mut all, name, number| {
            all.push((name.clone(), *number));
            all
        })?;
        let mut shelves = Vec::new();
        for shelf in &self.shelves {
            shelves.push((shelf.pieces.get(tx)?, shelf.sold.get(tx)?));
        }
        Ok(Contents {
            title: self.title.read(tx)?.clone(),
            label: self.label.read(tx)?.clone(),
            half: self.half.get(tx)?.0,
            visits: self.visits.get(tx)?,
            extremes: (self.most.get(tx)?, self.least.get(tx)?),
            by_name: sorted(by_name),
            by_day: by_day(&self.by_day, tx)?,
            tags: sorted(self.tags.fold(tx, Vec::new(), pushed)?),
            ranks: self.ranks.fold(tx, Vec::new(), pushed)?,
            lines: self.lines.fold(tx, Vec::new(), pushed)?,
            orders: self.orders.fold(tx, Vec::new(), pushed)?,
            shelves,
            pair: (self.pair.0.get(tx)?, self.pair.1.get(tx)?),
            mark: self.mark.as_ref().expect("it has one").get(tx)?,
            named: self.named.get(tx)?,
            shared: self.shared.read(tx)?.clone(),
            never_written: self.never_written.get(tx)?,
        })
    }
}

pub(super) fn by_day<'t, V: View<'t>>(
    map: &'t TOrdMap<u32, String>,
    view: &mut V,
) -> TxResult<Vec<(u32, String)>> {
    Ok(map.fold(view, Vec::new(), |mut all, day, text| {
        all.push((*day, text.clone()));
        all
    })?)
}

fn pushed<T: Clone>(mut all: Vec<T>, one: &T) -> Vec<T> {
    all.push(one.clone());
    all
}

fn sorted<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort_unstable();
    all
}

impl SpeculativeActor for Inventory {
    type Msg = ToInventory;

    fn handle<'t>(
        &'t self,
        message: &'t ToInventory,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToInventory::Step(step, done) => {
                self.step(*step, tx)?;
                ctx.reply(done, ());
            }
            ToInventory::Look(reply) => ctx.reply(reply, self.contents(tx)?),
        }
        Ok(())
    }
}
