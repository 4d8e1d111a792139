//! The turns of shards: the rules of `executor/shard.rs` in `odeon-speculative` and of
//! `turn/sequential.rs` in `odeon-core`. The own turn of an actor of width 1 is one of a single
//! shard that needs no place.

use super::budget::TurnBudget;
use super::cores::Unit;
use super::costs::{LINES_OF_MESSAGE, LINES_OF_SHARD};
use super::rules::{PRESSED_FROM, RELIEVED_AT};
use super::world::{Picoseconds, Step, World, picoseconds};
use std::collections::VecDeque;
use std::time::Duration;

/// One shard.
#[derive(Debug, Default)]
pub(super) struct SimulatedShard {
    /// Messages, and the core that has written them.
    inbox: VecDeque<(usize, usize)>,
    pub(super) waiting: usize,
    pub(super) is_pressed: bool,
    /// Senders that wait until less waits here.
    pub(super) held: Vec<usize>,
    /// Whether it has a turn, or waits for one or for a place.
    is_roused: bool,
    pause: SimulatedPause,
    place: Option<SimulatedPlace>,
    budget: TurnBudget,
    /// Where it had its last turn.
    core: Option<usize>,
    /// How long its turns were, without waits for the lock.
    pub(super) busy: Picoseconds,
}

/// A place that it has.
#[derive(Debug)]
struct SimulatedPlace {
    begun: Picoseconds,
    handled: usize,
    left: usize,
}

/// As `messaging/pressure/pause.rs` in `odeon-core` has it.
#[derive(Debug, Default, PartialEq, Eq)]
enum SimulatedPause {
    #[default]
    Goes,
    Pauses,
    /// It has ended before it began.
    Over,
}

/// Why a shard passes the lock of the board. It gives back the place that it has in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// It takes a place.
    Begin,
    /// There are no more messages.
    RunsDry,
    /// Has others messages?
    Looks,
    /// Its turn is over.
    TurnEnds,
}

impl SimulatedShard {
    pub(super) fn push(&mut self, messages: usize, core: usize) {
        self.waiting += messages;
        self.is_pressed |= self.waiting >= PRESSED_FROM;
        match self.inbox.back_mut() {
            Some((more, written_by)) if *written_by == core => *more += messages,
            _ => self.inbox.push_back((messages, core)),
        }
    }

    fn take(&mut self, messages: usize) {
        self.waiting -= messages;
        let (first, _) = self.inbox.front_mut().expect("no more than are there");
        *first -= messages;
        if *first == 0 {
            self.inbox.pop_front();
        }
    }
}

impl World<'_> {
    /// There is something in its inbox.
    pub(super) fn rouse_shard(&mut self, number: usize, core: usize, now: Picoseconds) -> f64 {
        if std::mem::replace(&mut self.shards[number].is_roused, true) {
            return 0.0;
        }
        self.wake(Unit::Shard(number), core, now)
    }

    pub(super) fn begin_shard(&mut self, number: usize, core: usize, now: Picoseconds) {
        let shard = &mut self.shards[number];
        shard.budget = TurnBudget::default();
        let moves = shard.core.replace(core).is_some_and(|last| last != core);
        let lines = if moves { LINES_OF_SHARD * self.plan.costs.line } else { 0.0 };
        shard.busy += picoseconds(lines);
        self.go_on(number, core, now + picoseconds(lines))
    }

    fn go_on(&mut self, number: usize, core: usize, now: Picoseconds) {
        let shard = &self.shards[number];
        if shard.waiting == 0 {
            return self.run_dry(number, core, now);
        }
        if self.is_wide() && shard.place.as_ref().is_none_or(|place| place.left == 0) {
            return self.pass(number, Pass::Begin, core, now);
        }
        let costs = self.plan.costs;
        let beside = if self.is_wide() { costs.attempt } else { costs.direct };
        let (first, written_by) = *shard.inbox.front().expect("messages wait");
        let left = shard.place.as_ref().map_or(usize::MAX, |place| place.left);
        let messages = first.min(left).min(shard.budget.until_look());
        let each = beside + self.plan.handler_ns + self.lines(written_by, core, LINES_OF_MESSAGE);
        let takes = picoseconds(self.differing(messages as f64 * each));
        self.shards[number].busy += takes;
        self.at(now + takes, core, Step::Handled(number, messages));
    }

    pub(super) fn messages_handled(
        &mut self,
        number: usize,
        messages: usize,
        core: usize,
        now: Picoseconds,
    ) {
        let shard = &mut self.shards[number];
        shard.take(messages);
        if let Some(place) = &mut shard.place {
            place.left -= messages;
            place.handled += messages;
        }
        self.handled += messages as u64;
        self.count_and_go_on(number, messages, core, now)
    }

    fn count_and_go_on(&mut self, number: usize, counts: usize, core: usize, now: Picoseconds) {
        let shard = &mut self.shards[number];
        let is_over = shard.budget.spend(counts, now);
        // A place is used up before others get their turn, while there is time.
        let has_left = shard.place.as_ref().is_some_and(|place| place.left > 0);
        if is_over && !(has_left && shard.budget.extend(now)) {
            return match shard.place {
                Some(_) => self.pass(number, Pass::TurnEnds, core, now),
                None => self.end_turn(number, core, now),
            };
        }
        self.go_on(number, core, now)
    }

    fn run_dry(&mut self, number: usize, core: usize, now: Picoseconds) {
        match self.shards[number].place {
            Some(_) => self.pass(number, Pass::RunsDry, core, now),
            None if self.is_wide() => self.pass(number, Pass::Looks, core, now),
            None => self.go_idle(number, core, now),
        }
    }

    /// Through the lock of the board.
    fn pass(&mut self, number: usize, pass: Pass, core: usize, now: Picoseconds) {
        if let Some(place) = self.shards[number].place.take() {
            self.places.finish();
            if place.handled > 0 {
                let took = Duration::from_nanos((now - place.begun) / 1000);
                self.pace.note(took, place.handled);
            }
        }
        if pass == Pass::Begin && self.places.begin(number) {
            let left = self.pace.of_shard(self.plan.width);
            self.shards[number].place = Some(SimulatedPlace { begun: now, handled: 0, left });
            self.places_taken += 1;
            self.taken_if_long += u64::from(self.pace.is_long());
        }
        let given = self.places.give();
        let hold = self.differing(self.plan.costs.pass);
        let waited = self.board_lock.waited;
        let goes_on = self.board_lock.pass(now, core, hold, &self.plan.costs);
        self.shards[number].busy += goes_on - now - (self.board_lock.waited - waited);
        self.at(goes_on, core, Step::Passed(number, pass, given));
    }

    pub(super) fn passed(
        &mut self,
        number: usize,
        pass: Pass,
        given: Option<usize>,
        core: usize,
        now: Picoseconds,
    ) {
        let hands_over = given.map_or(0.0, |next| self.end_pause(next, core, now));
        let now = now + picoseconds(hands_over);
        match pass {
            Pass::Begin if self.shards[number].place.is_some() => {
                if let Some(place) = &mut self.shards[number].place {
                    place.begun = now;
                }
                self.go_on(number, core, now)
            }
            Pass::Begin => self.pause(number, core, now),
            Pass::RunsDry => self.run_dry(number, core, now),
            Pass::Looks => self.go_idle(number, core, now),
            Pass::TurnEnds => self.end_turn(number, core, now),
        }
    }

    /// It waits for a place.
    fn pause(&mut self, number: usize, core: usize, now: Picoseconds) {
        let mut now = now + picoseconds(self.relieve(number, core, now));
        let shard = &mut self.shards[number];
        if shard.pause == SimulatedPause::Over {
            shard.pause = SimulatedPause::Goes;
            now += picoseconds(self.wake(Unit::Shard(number), core, now));
        } else {
            shard.pause = SimulatedPause::Pauses;
        }
        self.at(now, core, Step::Begin)
    }

    /// It has been given a place.
    fn end_pause(&mut self, number: usize, core: usize, now: Picoseconds) -> f64 {
        let shard = &mut self.shards[number];
        if shard.pause != SimulatedPause::Pauses {
            shard.pause = SimulatedPause::Over;
            return 0.0;
        }
        shard.pause = SimulatedPause::Goes;
        self.wake(Unit::Shard(number), core, now)
    }

    fn go_idle(&mut self, number: usize, core: usize, now: Picoseconds) {
        let shard = &mut self.shards[number];
        if shard.waiting == 0 && !shard.is_pressed {
            shard.is_roused = false;
            return self.at(now, core, Step::Begin);
        }
        let relieves = self.relieve(number, core, now);
        self.count_and_go_on(number, 1, core, now + picoseconds(relieves))
    }

    fn end_turn(&mut self, number: usize, core: usize, now: Picoseconds) {
        let relieves = self.relieve(number, core, now);
        self.requeue(Unit::Shard(number), core, now + picoseconds(relieves))
    }

    /// Senders go on, if less waits.
    fn relieve(&mut self, number: usize, core: usize, now: Picoseconds) -> f64 {
        let shard = &mut self.shards[number];
        if shard.waiting > RELIEVED_AT {
            return 0.0;
        }
        shard.is_pressed = false;
        let held = std::mem::take(&mut shard.held);
        held.into_iter().map(|sender| self.wake(Unit::Sender(sender), core, now)).sum()
    }
}

#[cfg(test)]
mod tests;
