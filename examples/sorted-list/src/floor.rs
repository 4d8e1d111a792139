//! The list without a runtime.

use super::client::Client;
use super::segment::Segment;
use super::{Answer, Plan, Request, Sum, check_sums};
use odeon_example_run::RunError;
use odeon_example_run::Timed;
use odeon_example_run::{Queue, Receiver};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The same list parts and requesters, boxed, driven by one queue on one thread.
///
/// # Errors
/// If the list does not hold what it should.
pub fn run(plan: &Plan) -> Result<Timed, RunError> {
    let segments = Segment::prefilled(plan);
    let prefilled: i64 = segments.iter().map(Segment::partial_sum).sum();
    let audits = Rc::new(RefCell::new(Vec::new()));
    let net_change = Rc::new(Cell::new(0));

    let mut actors: Vec<Box<dyn Receiver<Mail>>> = Vec::new();
    for (index, segment) in segments.into_iter().enumerate() {
        let next = (index + 1 < plan.list_actors).then_some(index + 1);
        actors.push(Box::new(Part { segment, next, audits: audits.clone() }));
    }
    for number in 0..plan.requesters {
        let own = plan.list_actors + number;
        let client = Client::new(plan, number, None);
        actors.push(Box::new(Asker { client, plan: *plan, own, net_change: net_change.clone() }));
    }

    let mut queue = Queue::new();
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
    Ask(Request, usize),
    Sum(Sum, i64, usize),
    Answer(Answer),
    Audit,
}

struct Part {
    segment: Segment,
    next: Option<usize>,
    audits: Rc<RefCell<Vec<(i64, i64)>>>,
}

impl Receiver<Mail> for Part {
    fn receive(&mut self, mail: Mail, queue: &mut Queue<Mail>) {
        match mail {
            Mail::Ask(Request::Sum(way), asker) => self.sum(way, 0, asker, queue),
            Mail::Ask(request, asker) => {
                queue.post(asker, Mail::Answer(self.segment.answer(request)));
            }
            Mail::Sum(way, before, asker) => self.sum(way, before, asker, queue),
            Mail::Audit => self.audits.borrow_mut().push(self.segment.audit()),
            Mail::Begin | Mail::Answer(_) => {}
        }
    }
}

impl Part {
    fn sum(&self, way: Sum, before: i64, asker: usize, queue: &mut Queue<Mail>) {
        let sum = before + self.segment.sum(way);
        match self.next {
            Some(next) => queue.post(next, Mail::Sum(way, sum, asker)),
            None => queue.post(asker, Mail::Answer(Answer::Sum(sum))),
        }
    }
}

struct Asker {
    client: Client,
    plan: Plan,
    own: usize,
    net_change: Rc<Cell<i64>>,
}

impl Receiver<Mail> for Asker {
    fn receive(&mut self, mail: Mail, queue: &mut Queue<Mail>) {
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
