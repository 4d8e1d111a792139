//! A series closes the mailbox of requests until its term has come.

use super::map::{FinalTerms, first_term, next_term, rate};
use crate::book::AddressBook;
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;

pub(super) fn set_up(theater: &Theater, expected: FinalTerms, finish: Finish) -> impl FnOnce() {
    let (count, book) = (expected.series(), AddressBook::new());
    let master = theater.spawn(MapMaster { expected, book: book.clone(), finish });
    let series = |number| {
        let computer = theater.spawn(RateComputer { rate: rate(number), series: book.clone() });
        let term = first_term(number);
        theater.spawn(Series { number, term, computer, master: master.clone() })
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
                    self.book.all().iter().for_each(|series| series.post(ToSeries::Next));
                }
                self.book.all().iter().for_each(|series| series.post(ToSeries::Get));
            }
            ToMapMaster::Final { series, term } => self.expected.check(series, term, &self.finish),
        }
    }
}

#[derive(Mailboxes, Clone, Copy)]
enum SeriesPort {
    Terms,
    Requests,
}

#[derive(Message)]
enum ToSeries {
    #[mailbox(SeriesPort::Terms)]
    Term(f64),
    #[mailbox(SeriesPort::Requests)]
    Next,
    #[mailbox(SeriesPort::Requests)]
    Get,
}

struct Series {
    number: usize,
    term: f64,
    computer: ActorRef<Compute>,
    master: ActorRef<ToMapMaster>,
}

impl Actor for Series {
    type Msg = ToSeries;

    fn handle(&mut self, message: ToSeries, ctx: &mut Context<'_, Self>) {
        match message {
            ToSeries::Next => {
                self.computer.post(Compute { series: self.number, term: self.term });
                ctx.close(SeriesPort::Requests);
            }
            ToSeries::Term(term) => {
                self.term = term;
                ctx.open(SeriesPort::Requests);
            }
            ToSeries::Get => {
                self.master.post(ToMapMaster::Final { series: self.number, term: self.term });
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
