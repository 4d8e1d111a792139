//! The state of a later program: fields came, went, and have other names, places and types.

use super::inventory::{Half, Label, Shelf, by_day};
use odeon_core::{Message, Reply};
use odeon_macros::Durable;
use odeon_speculative::{SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{Rollback, TCounter, TMap, TOrdMap, TVar, TWord, Tx};

/// 1 is called otherwise, 2 and 16 have another type, 20 came, more shelves are there, 5 to 12 went
/// but for 7 and 8.
#[derive(Durable)]
#[durable(crate = odeon_durable, removed(5, 6, 9, 10, 11, 12, 14, 15, 17))]
pub(super) struct Evolved {
    #[durable(20)]
    came: TVar<u32>,
    #[durable(8)]
    by_day: TOrdMap<u32, String>,
    #[durable(1)]
    headline: TVar<String>,
    #[durable(21, was(2, TVar<Label> = TVar::new(Label::Plain), cents_of))]
    cents: TVar<u64>,
    #[durable(22, was(7, TMap<String, u32>, sum_of))]
    sum: TCounter,
    #[durable(13)]
    shelves: [Shelf; 5],
    #[durable(23, was(16, TVar<f64>, rounded))]
    named: TVar<i32>,
    #[durable(3)]
    half: TWord<Half>,
    #[durable(4)]
    visits: TCounter,
    #[durable(300)]
    shared: TVar<Vec<u8>>,
}

fn cents_of<'t>(old: &'t TVar<Label>, new: &'t TVar<u64>, tx: &mut Tx<'t>) -> Result<(), Rollback> {
    match *old.read(tx)? {
        Label::Plain => Ok(()),
        Label::Priced { cents, .. } => new.set(tx, cents),
    }
}

fn sum_of<'t>(
    old: &'t TMap<String, u32>,
    new: &'t TCounter,
    tx: &mut Tx<'t>,
) -> Result<(), Rollback> {
    let sum = old.fold(tx, 0, |sum, _, number| sum + i64::from(*number))?;
    new.add(tx, sum)
}

fn rounded<'t>(old: &'t TVar<f64>, new: &'t TVar<i32>, tx: &mut Tx<'t>) -> Result<(), Rollback> {
    let rounded = old.get(tx)?.round() as i32;
    new.set(tx, rounded)
}

pub(super) enum LookAtEvolved {
    Look(Reply<EvolvedContents>),
    /// Changes what came and what has another type.
    Change(Reply<()>),
}

impl Message for LookAtEvolved {}

#[derive(Debug, PartialEq)]
pub(super) struct EvolvedContents {
    came: u32,
    by_day: Vec<(u32, String)>,
    headline: String,
    cents: u64,
    sum: i64,
    shelves: [(i64, i64); 5],
    named: i32,
    half: u32,
    visits: i64,
    shared: Vec<u8>,
}

impl EvolvedContents {
    /// After so many changes.
    pub(super) fn expected(changes: u32) -> Self {
        let days = [(1, "one again"), (3, "three"), (200, "last")];
        Self {
            came: 4 + changes,
            by_day: days.map(|(day, text)| (day, text.to_owned())).to_vec(),
            headline: "second title: Bücher".into(),
            cents: 1_250 + u64::from(changes),
            sum: 14 + i64::from(changes),
            shelves: [(10, 1), (-1, 0), (-3, 5), (-1, 0), (-1, i64::from(changes))],
            named: 3,
            half: 70_000,
            visits: 37,
            shared: vec![5; 20],
        }
    }
}

impl Evolved {
    pub(super) fn new() -> Self {
        Self {
            came: TVar::new(4),
            by_day: TOrdMap::new(),
            headline: TVar::new("none".into()),
            cents: TVar::new(1),
            sum: TCounter::new(0),
            shelves: std::array::from_fn(|_| Shelf::new()),
            named: TVar::new(0),
            half: TWord::new(Half(0)),
            visits: TCounter::new(0),
            shared: TVar::default(),
        }
    }

    fn contents<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<EvolvedContents> {
        let mut shelves = [(0, 0); 5];
        for (shelf, to) in self.shelves.iter().zip(&mut shelves) {
            *to = (shelf.pieces.get(tx)?, shelf.sold.get(tx)?);
        }
        Ok(EvolvedContents {
            came: self.came.get(tx)?,
            by_day: by_day(&self.by_day, tx)?,
            headline: self.headline.read(tx)?.clone(),
            cents: self.cents.get(tx)?,
            sum: self.sum.get(tx)?,
            shelves,
            named: self.named.get(tx)?,
            half: self.half.get(tx)?.0,
            visits: self.visits.get(tx)?,
            shared: self.shared.read(tx)?.clone(),
        })
    }
}

impl SpeculativeActor for Evolved {
    type Msg = LookAtEvolved;

    fn handle<'t>(
        &'t self,
        message: &'t LookAtEvolved,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            LookAtEvolved::Look(reply) => ctx.reply(reply, self.contents(tx)?),
            LookAtEvolved::Change(reply) => {
                self.came.update(tx, |came| came + 1)?;
                self.cents.update(tx, |cents| cents + 1)?;
                self.sum.add(tx, 1)?;
                self.shelves[4].sold.add(tx, 1)?;
                ctx.reply(reply, ());
            }
        }
        Ok(())
    }
}
