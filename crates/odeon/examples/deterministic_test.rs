//! Testing actors: every order that a seed can think of, an hour in no time, message by message,
//! and failures where they hurt. In a real project these are `#[test]`s, and `odeon-testkit` is a
//! dev-dependency.
//!
//! cargo run -p odeon --example deterministic_test

use std::collections::BTreeSet;
use std::time::Duration;

use odeon::prelude::*;
use odeon_testkit::{Deterministic, Faults, for_seeds};

/// Sells what it has, and gives back what was not paid for within ten minutes.
struct BoxOffice {
    seats: u32,
    sold: u32,
    bank: ActorRef<Payment>,
}

#[derive(Debug, Message)]
enum Sale {
    Reserve(Reply<bool>),
    Paid,
    Expired,
    Sold(Reply<u32>),
}

#[derive(Debug, Message)]
struct Payment(Reply<()>);

impl Actor for BoxOffice {
    type Msg = Sale;

    fn handle(&mut self, msg: Sale, ctx: &mut Context<'_, Self>) {
        match msg {
            Sale::Reserve(reply) if self.seats == 0 => reply.send(false),
            Sale::Reserve(reply) => {
                self.seats -= 1;
                let paid = |paid: Result<(), AskError>| match paid {
                    Ok(()) => Sale::Paid,
                    Err(_) => Sale::Expired,
                };
                // A bank that has gone drops the question, which answers it.
                let _ = self.bank.send(Payment(ctx.reply_within(Duration::from_secs(600), paid)));
                reply.send(true);
            }
            Sale::Paid => self.sold += 1,
            Sale::Expired => self.seats += 1,
            Sale::Sold(reply) => reply.send(self.sold),
        }
    }
}

/// Two customers and one seat: whoever comes first, one gets it, and each seed says who.
fn one_seat_is_sold_once() {
    let winners = std::cell::RefCell::new(BTreeSet::new());
    for_seeds(100, |seed| {
        let run = Deterministic::new(seed);
        let bank = run.probe();
        let office = run.theater().spawn(BoxOffice { seats: 1, sold: 0, bank: bank.actor_ref() });
        let answers = run.probe::<Answer>();
        for customer in [1, 2] {
            let (office, answers) = (office.clone(), answers.actor_ref());
            run.theater().spawn(Customer { customer, office, answers });
        }
        let results = [(); 2].map(|()| answers.next(Duration::ZERO));
        let won: Vec<_> = results.iter().filter(|answer| answer.got_it).collect();
        assert_eq!(won.len(), 1);
        winners.borrow_mut().insert(won[0].customer);
    });
    println!("each of {:?} got the seat with some seed", winners.borrow());
}

#[derive(Message)]
struct Answer {
    customer: u8,
    got_it: bool,
}

struct Customer {
    customer: u8,
    office: ActorRef<Sale>,
    answers: ActorRef<Answer>,
}

impl AsyncActor for Customer {
    type Msg = ();

    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        let got_it = self.office.ask(Sale::Reserve).await == Ok(true);
        let _ = self.answers.send(Answer { customer: self.customer, got_it });
        ctx.stop();
    }

    async fn handle(&mut self, (): (), _ctx: &mut AsyncContext<'_, Self>) {}
}

/// What is not paid for is sold again, ten minutes later, which take no time.
fn a_reservation_expires() {
    let run = Deterministic::new(1);
    let bank = run.probe();
    let office = run.theater().spawn(BoxOffice { seats: 1, sold: 0, bank: bank.actor_ref() });
    let reserve = || {
        let got = office.ask(Sale::Reserve);
        run.run_until_idle();
        got.wait() == Ok(true)
    };
    assert!(reserve() && !reserve());
    run.advance(Duration::from_secs(600));
    assert!(reserve());
    println!("expired after {:?} of virtual time", Duration::from_secs(600));
}

/// Exactly this order, message by message.
fn a_payment_that_comes_too_late_is_refused() {
    let run = Deterministic::new(1);
    let bank = run.probe::<Payment>();
    let office = run.spawn_stepped(BoxOffice { seats: 1, sold: 0, bank: bank.actor_ref() });
    let _reserved = office.ask(Sale::Reserve);
    office.expect(|msg| matches!(msg, Sale::Reserve(_)));
    let Payment(payment) = bank.next(Duration::ZERO);
    run.advance(Duration::from_secs(600));
    payment.send(());
    office.disallow(|msg| matches!(msg, Sale::Paid));
    office.expect(|msg| matches!(msg, Sale::Expired));
    office.expect_nothing();
    let sold = office.ask(Sale::Sold);
    office.expect(|msg| matches!(msg, Sale::Sold(_)));
    println!("sold: {}", sold.wait().expect("it was answered"));
}

/// A failure in the middle loses no request that waits.
fn requests_outlive_a_failure() {
    let run = Deterministic::new(1);
    let (bank, faults) = (run.probe::<Payment>(), Faults::at([2]));
    let (to_bank, plan) = (bank.actor_ref(), faults.clone());
    let office = run
        .theater()
        .actor()
        .supervised(Supervision::new())
        .spawn(move || plan.plain(BoxOffice { seats: 5, sold: 0, bank: to_bank.clone() }));
    let answers = [(); 4].map(|()| office.ask(Sale::Reserve));
    run.run_until_idle();
    println!("{:?}", answers.map(|answer| answer.wait()));
}

fn main() {
    one_seat_is_sold_once();
    a_reservation_expires();
    a_payment_that_comes_too_late_is_refused();
    requests_outlive_a_failure();
}
