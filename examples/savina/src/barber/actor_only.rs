//! The version with actors of one mailbox: who finds no free seat stands in a second queue of the
//! room.

use super::visits::{BarberPlan, Delays, Visits};
use odeon::prelude::*;
use odeon_example_run::Post;
use std::collections::VecDeque;

pub(super) fn begin(theater: &Theater, plan: BarberPlan, seats: usize, visits: Visits) {
    let barber = theater.spawn(Barber { cuts: plan.cuts(), served: 0 });
    let waiting = VecDeque::with_capacity(seats.min(plan.haircuts));
    let standing = VecDeque::new();
    let room = WaitingRoom { seats, waiting, standing, most: 0, asleep: true, barber };
    let street = Street { plan, visits, room: theater.spawn(room) };
    theater.spawn(street).post(ToStreet::Begin);
}

#[derive(Message)]
enum ToRoom {
    Enter(ActorRef<ToCustomer>),
    Next,
    Close(ActorRef<ToStreet>),
}

#[derive(Message)]
enum ToBarber {
    Serve(ActorRef<ToCustomer>, ActorRef<ToRoom>),
    Sleep,
    Close { most: usize, seats: usize, street: ActorRef<ToStreet> },
}

#[derive(Message)]
enum ToCustomer {
    Wait,
    Begin,
    Done,
}

#[derive(Message)]
enum ToStreet {
    Begin,
    Served { customer: usize },
    Closed { most: usize, seats: usize, cuts: usize },
}

struct WaitingRoom {
    seats: usize,
    waiting: VecDeque<ActorRef<ToCustomer>>,
    standing: VecDeque<ActorRef<ToCustomer>>,
    most: usize,
    asleep: bool,
    barber: ActorRef<ToBarber>,
}

impl WaitingRoom {
    fn seat(&mut self, customer: ActorRef<ToCustomer>, ctx: &Context<'_, Self>) {
        if self.asleep {
            self.asleep = false;
            ctx.send_self(ToRoom::Next);
        } else {
            customer.post(ToCustomer::Wait);
        }
        self.waiting.push_back(customer);
        self.most = self.most.max(self.waiting.len());
    }
}

impl Actor for WaitingRoom {
    type Msg = ToRoom;

    fn handle(&mut self, message: ToRoom, ctx: &mut Context<'_, Self>) {
        match message {
            ToRoom::Enter(customer) => {
                if self.waiting.len() < self.seats {
                    self.seat(customer, ctx);
                } else {
                    self.standing.push_back(customer);
                }
            }
            ToRoom::Next => match self.waiting.pop_front() {
                Some(customer) => {
                    self.barber.post(ToBarber::Serve(customer, ctx.actor_ref()));
                    if let Some(standing) = self.standing.pop_front() {
                        self.seat(standing, ctx);
                    }
                }
                None => {
                    self.asleep = true;
                    self.barber.post(ToBarber::Sleep);
                }
            },
            ToRoom::Close(street) => {
                self.barber.post(ToBarber::Close { most: self.most, seats: self.seats, street });
                ctx.stop();
            }
        }
    }
}

struct Barber {
    cuts: Delays,
    served: usize,
}

impl Actor for Barber {
    type Msg = ToBarber;

    fn handle(&mut self, message: ToBarber, ctx: &mut Context<'_, Self>) {
        match message {
            ToBarber::Serve(customer, room) => {
                customer.post(ToCustomer::Begin);
                self.cuts.pass();
                self.served += 1;
                customer.post(ToCustomer::Done);
                room.post(ToRoom::Next);
            }
            ToBarber::Sleep => {}
            ToBarber::Close { most, seats, street } => {
                street.post(ToStreet::Closed { most, seats, cuts: self.served });
                ctx.stop();
            }
        }
    }
}

struct Customer {
    number: usize,
    street: ActorRef<ToStreet>,
}

impl Actor for Customer {
    type Msg = ToCustomer;

    fn handle(&mut self, message: ToCustomer, ctx: &mut Context<'_, Self>) {
        match message {
            ToCustomer::Wait | ToCustomer::Begin => {}
            ToCustomer::Done => {
                self.street.post(ToStreet::Served { customer: self.number });
                ctx.stop();
            }
        }
    }
}

struct Street {
    plan: BarberPlan,
    visits: Visits,
    room: ActorRef<ToRoom>,
}

impl Actor for Street {
    type Msg = ToStreet;

    fn handle(&mut self, message: ToStreet, ctx: &mut Context<'_, Self>) {
        match message {
            ToStreet::Begin => {
                let mut pauses = self.plan.pauses();
                for number in 0..self.plan.haircuts {
                    let customer = ctx.spawn(Customer { number, street: ctx.actor_ref() });
                    self.room.post(ToRoom::Enter(customer));
                    pauses.pass();
                }
            }
            ToStreet::Served { customer } => {
                if self.visits.served(customer) {
                    self.room.post(ToRoom::Close(ctx.actor_ref()));
                }
            }
            ToStreet::Closed { most, seats, cuts } => {
                self.visits.closed(most, seats, cuts);
                ctx.stop();
            }
        }
    }
}
