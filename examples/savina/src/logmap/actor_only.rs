//! A series stashes requests until its term has come.

use super::map::{FinalTerms, first_term, next_term, rate};
use crate::book::AddressBook;
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;
use std::collections::VecDeque;

pub(super) fn set_up(theater: &Theater, expected: FinalTerms, finish: Finish) -> impl FnOnce() {
    let (count, book) = (expected.series(), AddressBook::new());
    let master = theater.spawn(MapMaster { expected, book: book.clone(), finish });
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
    move || master.post(ToMapMaster::Begin)
}

#[derive(Message)]
enum ToMapMaster {
    Begin,
    Final { series: usize, term: f64 },
}

struct MapMaster {
    expected: FinalTerms,
    book: AddressBook<ToSeries>,
    finish: Finish,
}

impl Actor for MapMaster {
    type Msg = ToMapMaster;

    fn handle(&mut self, message: ToMapMaster, _ctx: &mut Context<'_, Self>) {
        match message {
            ToMapMaster::Begin => {
                for _ in 0..self.expected.terms {
                    self.book
                        .all()
                        .iter()
                        .for_each(|series| series.post(ToSeries::Ask(Query::Next)));
                }
                self.book.all().iter().for_each(|series| series.post(ToSeries::Ask(Query::Get)));
            }
            ToMapMaster::Final { series, term } => self.expected.check(series, term, &self.finish),
        }
    }
}

#[derive(Message)]
enum ToSeries {
    Term(f64),
    Ask(Query),
}

enum Query {
    Next,
    Get,
}

struct Series {
    number: usize,
    term: f64,
    /// For its next term.
    waits: bool,
    stash: VecDeque<Query>,
    computer: ActorRef<Compute>,
    master: ActorRef<ToMapMaster>,
}

impl Series {
    fn serve(&mut self, request: Query) {
        match request {
            Query::Next => {
                self.computer.post(Compute { series: self.number, term: self.term });
                self.waits = true;
            }
            Query::Get => {
                self.master.post(ToMapMaster::Final { series: self.number, term: self.term });
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
    series: AddressBook<ToSeries>,
}

impl Actor for RateComputer {
    type Msg = Compute;

    fn handle(&mut self, Compute { series, term }: Compute, _ctx: &mut Context<'_, Self>) {
        self.series.actor(series).post(ToSeries::Term(next_term(term, self.rate)));
    }
}
