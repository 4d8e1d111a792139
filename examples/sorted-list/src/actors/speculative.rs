//! A list actor that handles several requests at once. Its partial sum is a counter, so that
//! updates of different places do not meet there.

use super::{ToList, ToRequester};
use crate::segment::Segment;
use crate::wire::Wire;
use crate::{ListOperation, OperationAnswer, Sum};
use odeon::prelude::*;
use odeon_example_run::Post;

pub(super) struct SpeculativeList {
    values: TList<u32>,
    partial_sum: TCounter,
    next: Option<ActorRef<ToList>>,
    /// To the next, if that takes time.
    wire: Option<Wire>,
}

impl SpeculativeList {
    pub(super) fn new(
        segment: &Segment,
        next: Option<ActorRef<ToList>>,
        wire: Option<Wire>,
    ) -> Self {
        let values = TList::new();
        for value in segment.filled() {
            odeon_stm::atomically(|tx| values.insert(tx, *value));
        }
        Self { values, partial_sum: TCounter::new(segment.partial_sum()), next, wire }
    }

    /// One list actor's part, and on to the next: in the same transaction, or after this one.
    fn sum<'t>(
        &'t self,
        way: Sum,
        before: i64,
        asker: &ActorRef<ToRequester>,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let part = if way.is_kept() { self.partial_sum.get(tx)? } else { self.sum_of_values(tx)? };
        let sum = before + part;
        match &self.next {
            Some(next) if way.is_coordinated() => {
                let on = ToList::Sum(way, sum, asker.clone());
                match self.wire.clone() {
                    None => ctx.join(next, on),
                    Some(wire) => ctx.join_via(next, on, move |delivery| wire.carry(delivery)),
                }
            }
            Some(next) => next.post(ToList::Sum(way, sum, asker.clone())),
            None => asker.post(ToRequester::Answer(OperationAnswer::Sum(sum))),
        }
        Ok(())
    }

    fn sum_of_values<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<i64> {
        Ok(self.values.fold(tx, 0, |sum, value| sum + i64::from(*value))?)
    }

    fn answer<'t>(&'t self, request: ListOperation, tx: &mut Tx<'t>) -> TxResult<bool> {
        Ok(match request {
            ListOperation::Lookup(value) => self.values.contains(tx, &value)?,
            ListOperation::Insert(value) => {
                let inserted = self.values.insert(tx, value)?;
                if inserted {
                    self.partial_sum.add(tx, i64::from(value))?;
                }
                inserted
            }
            ListOperation::Remove(value) => {
                let removed = self.values.remove(tx, &value)?.is_some();
                if removed {
                    self.partial_sum.add(tx, -i64::from(value))?;
                }
                removed
            }
            ListOperation::Sum(_) => unreachable!("a sum goes along the chain"),
        })
    }
}

impl SpeculativeActor for SpeculativeList {
    type Msg = ToList;

    fn access(message: &ToList) -> Access {
        match message {
            ToList::Ask(ListOperation::Insert(_) | ListOperation::Remove(_), _) => Access::Update,
            ToList::Ask(ListOperation::Lookup(_), _) => Access::Snapshot,
            ToList::Ask(ListOperation::Sum(way), _) | ToList::Sum(way, ..) => way.access(),
            // Its answer leaves the theater.
            ToList::Audit(_) => Access::Exclusive,
        }
    }

    fn handle<'t>(
        &'t self,
        message: &'t ToList,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToList::Ask(ListOperation::Sum(way), asker) => self.sum(*way, 0, asker, tx, ctx)?,
            ToList::Sum(way, before, asker) => self.sum(*way, *before, asker, tx, ctx)?,
            ToList::Ask(request, asker) => {
                let answer = self.answer(*request, tx)?;
                asker.post(ToRequester::Answer(OperationAnswer::Whether(answer)));
            }
            ToList::Audit(auditor) => {
                let values = self.sum_of_values(tx)?;
                let _ = auditor.send((self.partial_sum.get(tx)?, values));
            }
        }
        Ok(())
    }
}
