//! A list actor that handles several requests at once. Its partial sum is a counter, so that updates of different
//! places do not meet there.

use super::actors::{ToList, ToRequester};
use super::segment::Segment;
use super::{Answer, Request};
use crate::theater::Post;
use odeon::prelude::*;

pub(super) struct SpeculativeList {
    values: TList<u32>,
    partial_sum: TCounter,
    next: Option<ActorRef<ToList>>,
}

impl SpeculativeList {
    pub(super) fn new(segment: &Segment, next: Option<ActorRef<ToList>>) -> Self {
        let values = TList::new();
        for value in segment.filled() {
            odeon_stm::atomically(|tx| values.insert(tx, *value));
        }
        Self { values, partial_sum: TCounter::new(segment.partial_sum()), next }
    }

    fn sum<'t>(
        &'t self,
        before: i64,
        asker: &ActorRef<ToRequester>,
        tx: &mut Tx<'t, '_>,
    ) -> TxResult {
        let sum = before + self.partial_sum.get(tx)?;
        match &self.next {
            Some(next) => next.post(ToList::Sum(sum, asker.clone())),
            None => asker.post(ToRequester::Answer(Answer::Sum(sum))),
        }
        Ok(())
    }

    fn answer<'t>(&'t self, request: Request, tx: &mut Tx<'t, '_>) -> TxResult<bool> {
        Ok(match request {
            Request::Lookup(value) => self.values.contains(tx, &value)?,
            Request::Insert(value) => {
                let inserted = self.values.insert(tx, value)?;
                if inserted {
                    self.partial_sum.add(tx, i64::from(value))?;
                }
                inserted
            }
            Request::Remove(value) => {
                let removed = self.values.remove(tx, &value)?.is_some();
                if removed {
                    self.partial_sum.add(tx, -i64::from(value))?;
                }
                removed
            }
            Request::Sum => unreachable!("a sum goes along the chain"),
        })
    }
}

impl SpeculativeActor for SpeculativeList {
    type Msg = ToList;

    fn access(message: &ToList) -> Access {
        match message {
            ToList::Ask(Request::Insert(_) | Request::Remove(_), _) => Access::Update,
            ToList::Ask(Request::Lookup(_) | Request::Sum, _) | ToList::Sum(..) => Access::Snapshot,
            // Its answer leaves the theater.
            ToList::Audit(_) => Access::Exclusive,
        }
    }

    fn handle<'t>(
        &'t self,
        message: &'t ToList,
        tx: &mut Tx<'t, '_>,
        _: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToList::Ask(Request::Sum, asker) => self.sum(0, asker, tx)?,
            ToList::Sum(before, asker) => self.sum(*before, asker, tx)?,
            ToList::Ask(request, asker) => {
                let answer = self.answer(*request, tx)?;
                asker.post(ToRequester::Answer(Answer::Whether(answer)));
            }
            ToList::Audit(auditor) => {
                let values = self.values.fold(tx, 0, |sum, value| sum + i64::from(*value))?;
                let _ = auditor.send((self.partial_sum.get(tx)?, values));
            }
        }
        Ok(())
    }
}
