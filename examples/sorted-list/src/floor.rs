//! The list without a runtime.

use super::client::Client;
use super::segment::Segment;
use super::{ListOperation, ListPlan, OperationAnswer, Sum, check_sums};
use odeon_example_run::RunError;
use odeon_example_run::Timed;
use odeon_example_run::{FloorActor, FloorQueue};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The same list parts and requesters, boxed, driven by one queue on one thread.
///
/// # Errors
/// If the list does not hold what it should.
pub fn run(plan: &ListPlan) -> Result<Timed, RunError> {
    let segments = Segment::prefilled(plan);
    let prefilled: i64 = segments.iter().map(Segment::partial_sum).sum();
    let audits = Rc::new(RefCell::new(Vec::new()));
    let net_change = Rc::new(Cell::new(0));

    let mut actors: Vec<Box<dyn FloorActor<Mail>>> = Vec::new();
    for (index, segment) in segments.into_iter().enumerate() {
        let next = (index + 1 < plan.list_actors).then_some(index + 1);
        actors.push(Box::new(ListPart { segment, next, audits: audits.clone() }));
    }
    for number in 0..plan.requesters {
        let own = plan.list_actors + number;
        let client = Client::new(plan, number, None);
        actors.push(Box::new(FloorRequester {
            client,
            plan: *plan,
            own,
            net_change: net_change.clone(),
        }));
    }

    let mut queue = FloorQueue::new();
    let (timed, ()) = Timed::of(plan.operations(), || {
        for own in plan.list_actors..actors.len() {
            queue.post(own, Mail::Begin);
        }
        queue.drive(&mut actors);
    });
    for part in 0..plan.list_actors {
        queue.post(part, Mail::Audit);
    }
    queue.drive(&mut actors);
    check_sums(&audits.borrow(), prefilled + net_change.get())?;
    Ok(timed)
}

enum Mail {
    Begin,
    Ask(ListOperation, usize),
    Sum(Sum, i64, usize),
    Answer(OperationAnswer),
    Audit,
}

struct ListPart {
    segment: Segment,
    next: Option<usize>,
    audits: Rc<RefCell<Vec<(i64, i64)>>>,
}

impl FloorActor<Mail> for ListPart {
    fn receive(&mut self, mail: Mail, queue: &mut FloorQueue<Mail>) {
        match mail {
            Mail::Ask(ListOperation::Sum(way), asker) => self.sum(way, 0, asker, queue),
            Mail::Ask(request, asker) => {
                queue.post(asker, Mail::Answer(self.segment.answer(request)));
            }
            Mail::Sum(way, before, asker) => self.sum(way, before, asker, queue),
            Mail::Audit => self.audits.borrow_mut().push(self.segment.audit()),
            Mail::Begin | Mail::Answer(_) => {}
        }
    }
}

impl ListPart {
    fn sum(&self, way: Sum, before: i64, asker: usize, queue: &mut FloorQueue<Mail>) {
        let sum = before + self.segment.sum(way);
        match self.next {
            Some(next) => queue.post(next, Mail::Sum(way, sum, asker)),
            None => queue.post(asker, Mail::Answer(OperationAnswer::Sum(sum))),
        }
    }
}

struct FloorRequester {
    client: Client,
    plan: ListPlan,
    own: usize,
    net_change: Rc<Cell<i64>>,
}

impl FloorActor<Mail> for FloorRequester {
    fn receive(&mut self, mail: Mail, queue: &mut FloorQueue<Mail>) {
        if let Mail::Answer(answer) = mail {
            self.client.receive(answer);
        }
        match self.client.next_request() {
            Some(request) => {
                queue.post(request.receiver(&self.plan), Mail::Ask(request, self.own));
            }
            None => self.net_change.set(self.net_change.get() + self.client.net_change()),
        }
    }
}
