//! What senders do: bursts, until their turns are over or too much waits in the inbox they send to.

use super::budget::TurnBudget;
use super::cores::Unit;
use super::rules::BURST;
use super::world::{Picoseconds, Step, World, picoseconds};

/// One sender.
#[derive(Debug)]
pub(super) struct SimulatedSender {
    /// Messages that it has still to send.
    pub(super) left: u64,
    /// To whom they come.
    pub(super) shard: usize,
    pub(super) budget: TurnBudget,
}

impl World<'_> {
    pub(super) fn begin_sender(&mut self, number: usize, core: usize, now: Picoseconds) {
        self.senders[number].budget = TurnBudget::default();
        self.send(number, core, now);
    }

    fn send(&mut self, number: usize, core: usize, now: Picoseconds) {
        let sends = self.senders[number].left.min(BURST);
        self.after(now, sends as f64 * self.plan.costs.send, core, Step::Sent(number));
    }

    pub(super) fn sent(&mut self, number: usize, core: usize, now: Picoseconds) {
        let sender = &mut self.senders[number];
        let sends = sender.left.min(BURST);
        sender.left -= sends;
        let (is_over, shard) = (sender.left == 0, sender.shard);
        self.shards[shard].push(sends as usize, core);
        let now = now + picoseconds(self.rouse_shard(shard, core, now));
        if is_over {
            return self.at(now, core, Step::Begin);
        }
        if self.shards[shard].is_pressed {
            self.shards[shard].held.push(number);
            return self.at(now, core, Step::Begin);
        }
        if self.senders[number].budget.spend(1, now) {
            return self.requeue(Unit::Sender(number), core, now);
        }
        self.send(number, core, now)
    }
}
