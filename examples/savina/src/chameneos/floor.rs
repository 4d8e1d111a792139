//! The mall and its creatures without a runtime.

use super::{Arrival, ChameneosSetup, Colour, Creature, Mall, wrong};
use odeon_example_run::{FloorActor, FloorQueue, RunError, Timed};
use std::cell::Cell;
use std::rc::Rc;

pub(super) fn run(setup: &ChameneosSetup) -> Result<Timed, RunError> {
    let ChameneosSetup { creatures, meetings } = *setup;
    let reported = Rc::new(Cell::new(None));
    let mall = Mall::new(creatures, meetings);
    let mut actors: Vec<Box<dyn FloorActor<FloorMessage>>> =
        vec![Box::new(FloorMall { mall, reported: reported.clone() })];
    for index in 0..creatures {
        actors.push(Box::new(FloorCreature { creature: Creature::new(index), own: index + 1 }));
    }
    let mut queue = FloorQueue::new();
    let (timed, ()) = Timed::of(meetings, || {
        for index in 1..=creatures {
            queue.post(index, FloorMessage::Begin);
        }
        queue.drive(&mut actors);
    });
    match reported.get() {
        Some(total) if total == 2 * meetings => Ok(timed),
        total => Err(RunError::WrongResult(wrong(total.unwrap_or(0), meetings))),
    }
}

const MALL: usize = 0;

enum FloorMessage {
    Begin,
    Arrive(Colour, usize),
    Report(u64),
    Meet(Colour, usize),
    Change(Colour),
    Exit,
}

struct FloorMall {
    mall: Mall<usize>,
    reported: Rc<Cell<Option<u64>>>,
}

impl FloorActor<FloorMessage> for FloorMall {
    fn receive(&mut self, message: FloorMessage, queue: &mut FloorQueue<FloorMessage>) {
        match message {
            FloorMessage::Arrive(colour, creature) => match self.mall.arrive(creature) {
                Arrival::Waits => {}
                Arrival::Meets { first, second } => {
                    queue.post(first, FloorMessage::Meet(colour, second));
                }
                Arrival::Closed(creature) => queue.post(creature, FloorMessage::Exit),
            },
            FloorMessage::Report(participations) => {
                let last = self.mall.report(participations);
                if last {
                    self.reported.set(Some(self.mall.participations));
                }
            }
            _ => {}
        }
    }
}

struct FloorCreature {
    creature: Creature,
    own: usize,
}

impl FloorActor<FloorMessage> for FloorCreature {
    fn receive(&mut self, message: FloorMessage, queue: &mut FloorQueue<FloorMessage>) {
        match message {
            FloorMessage::Meet(colour, second) => {
                queue.post(second, FloorMessage::Change(self.creature.meet(colour)));
            }
            FloorMessage::Change(colour) => self.creature.change(colour),
            FloorMessage::Exit => {
                queue.post(MALL, FloorMessage::Report(self.creature.participations));
                return;
            }
            _ => {}
        }
        queue.post(MALL, FloorMessage::Arrive(self.creature.colour, self.own));
    }
}
