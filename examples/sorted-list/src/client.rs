//! What one requester does: draw a request, wait for its answer, draw the next.

use super::history::{ListEvent, Operation, OperationOutcome};
use super::{ListOperation, ListPlan, OperationAnswer, Sum};
use odeon_example_run::SplitMix64;
use std::time::Instant;

/// Shares of lookups and updates in per cent; the rest are sums.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mix {
    lookup_percent: u64,
    update_percent: u64,
}

impl Mix {
    /// `read`, `write` or `mixed`.
    pub fn named(workload: &str) -> Self {
        match workload {
            "write" => Self::of(1, 98),
            "mixed" => Self::of(49, 50),
            _ => Self::of(97, 2),
        }
    }

    /// These, and sums.
    pub fn of(lookup_percent: u64, update_percent: u64) -> Self {
        Self { lookup_percent, update_percent }
    }
}

pub(super) struct Client {
    number: usize,
    random: SplitMix64,
    mix: Mix,
    sum: Sum,
    range: u64,
    left: u64,
    asked: ListOperation,
    /// By how much the answers say that the sum of the list has changed.
    net_change: i64,
    recording: Option<Recording>,
}

struct Recording {
    start: Instant,
    call_ns: u64,
    events: Vec<ListEvent>,
}

impl Client {
    /// With a `start`, every operation is recorded on a clock that begins there.
    pub(super) fn new(plan: &ListPlan, number: usize, start: Option<Instant>) -> Self {
        let seed = plan.seed.wrapping_mul(1_000_003).wrapping_add(number as u64 + 1);
        Self {
            number,
            random: SplitMix64::new(seed),
            mix: plan.mix,
            sum: plan.sum,
            range: plan.range,
            left: plan.requests,
            asked: ListOperation::Sum(plan.sum),
            net_change: 0,
            recording: start.map(|start| Recording { start, call_ns: 0, events: Vec::new() }),
        }
    }

    /// The next request; `None` after the last one.
    #[inline]
    pub(super) fn next_request(&mut self) -> Option<ListOperation> {
        self.left = self.left.checked_sub(1)?;
        self.asked = self.draw();
        if let Some(recording) = &mut self.recording {
            recording.call_ns = nanoseconds_since(recording.start);
        }
        Some(self.asked)
    }

    #[inline]
    pub(super) fn receive(&mut self, answer: OperationAnswer) {
        match (self.asked, answer) {
            (ListOperation::Insert(value), OperationAnswer::Whether(true)) => {
                self.net_change += i64::from(value)
            }
            (ListOperation::Remove(value), OperationAnswer::Whether(true)) => {
                self.net_change -= i64::from(value)
            }
            _ => {}
        }
        if let Some(recording) = &mut self.recording {
            let return_ns = nanoseconds_since(recording.start);
            let event = event(self.number, self.asked, answer, recording.call_ns, return_ns);
            recording.events.push(event);
        }
    }

    pub(super) fn net_change(&self) -> i64 {
        self.net_change
    }

    pub(super) fn take_events(&mut self) -> Vec<ListEvent> {
        self.recording.take().map_or_else(Vec::new, |recording| recording.events)
    }

    fn draw(&mut self) -> ListOperation {
        let percent = self.random.next() % 100;
        let value = (self.random.next() % self.range) as u32;
        if percent < self.mix.lookup_percent {
            ListOperation::Lookup(value)
        } else if percent < self.mix.lookup_percent + self.mix.update_percent {
            if self.random.next() % 2 == 0 {
                ListOperation::Insert(value)
            } else {
                ListOperation::Remove(value)
            }
        } else {
            ListOperation::Sum(self.sum)
        }
    }
}

fn nanoseconds_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

fn event(
    client: usize,
    asked: ListOperation,
    answer: OperationAnswer,
    call_ns: u64,
    return_ns: u64,
) -> ListEvent {
    let (op, arg) = match asked {
        ListOperation::Lookup(value) => (Operation::Lookup, value),
        ListOperation::Insert(value) => (Operation::Insert, value),
        ListOperation::Remove(value) => (Operation::Remove, value),
        ListOperation::Sum(_) => (Operation::Sum, 0),
    };
    let result = match answer {
        OperationAnswer::Whether(yes) => OperationOutcome::Whether(yes),
        OperationAnswer::Sum(sum) => OperationOutcome::Sum(sum),
    };
    ListEvent { client, op, arg, result, call_ns, return_ns }
}
