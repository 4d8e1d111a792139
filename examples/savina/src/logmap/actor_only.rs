//! A series stashes requests until its term has come.

use super::map::{FinalTerms, first_term, next_term, rate};
use crate::book::Book;
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;
use std::collections::VecDeque;

pub(super) fn set_up(theater: &Theater, expected: FinalTerms, finish: Finish) -> impl FnOnce() {
    let (count, book) = (expected.series(), Book::new());
    let master = theater.spawn(Master { expected, book: book.clone(), finish });
    let series = |number| {
        let computer = theater.spawn(RateComputer { rate: rate(number), series: book.clone() });
        let term = first_term(number);
        let master = master.clone();
        theater.spawn(Series {
            number,
            term,
            waits: false,
            stash: VecDeque::new(),
            computer,
            master,
        })
    };
    book.fill((0..count).map(series).collect());
    move || master.post(ToMaster::Begin)
}

#[derive(Message)]
enum ToMaster {
    Begin,
    Final { series: usize, term: f64 },
}

struct Master {
    expected: FinalTerms,
    book: Book<ToSeries>,
    finish: Finish,
}

impl Actor for Master {
    type Msg = ToMaster;

    fn handle(&mut self, message: ToMaster, _ctx: &mut Context<'_, Self>) {
        match message {
            ToMaster::Begin => {
                for _ in 0..self.expected.terms {
                    self.book
                        .all()
                        .iter()
                        .for_each(|series| series.post(ToSeries::Ask(Request::Next)));
                }
                self.book.all().iter().for_each(|series| series.post(ToSeries::Ask(Request::Get)));
            }
            ToMaster::Final { series, term } => self.expected.check(series, term, &self.finish),
        }
    }
}

#[derive(Message)]
enum ToSeries {
    Term(f64),
    Ask(Request),
}

enum Request {
    Next,
    Get,
}

struct Series {
    number: usize,
    term: f64,
    /// For its next term.
    waits: bool,
    stash: VecDeque<Request>,
    computer: ActorRef<Compute>,
    master: ActorRef<ToMaster>,
}

impl Series {
    fn serve(&mut self, request: Request) {
        match request {
            Request::Next => {
                self.computer.post(Compute { series: self.number, term: self.term });
                self.waits = true;
            }
            Request::Get => {
                self.master.post(ToMaster::Final { series: self.number, term: self.term });
            }
        }
    }
}

impl Actor for Series {
    type Msg = ToSeries;

    fn handle(&mut self, message: ToSeries, _ctx: &mut Context<'_, Self>) {
        match message {
            ToSeries::Ask(request) if self.waits => self.stash.push_back(request),
            ToSeries::Ask(request) => self.serve(request),
            ToSeries::Term(term) => {
                self.term = term;
                self.waits = false;
                while !self.waits {
                    let Some(request) = self.stash.pop_front() else { break };
                    self.serve(request);
                }
            }
        }
    }
}

#[derive(Message)]
struct Compute {
    series: usize,
    term: f64,
}

struct RateComputer {
    rate: f64,
    series: Book<ToSeries>,
}

impl Actor for RateComputer {
    type Msg = Compute;

    fn handle(&mut self, Compute { series, term }: Compute, _ctx: &mut Context<'_, Self>) {
        self.series.actor(series).post(ToSeries::Term(next_term(term, self.rate)));
    }
}
