//! Messages that arrive once, in order, whatever becomes of those that carry them.

use super::bank::{
    Answered, Payment, Request, ToBank, Wrong, audit, check_at_rest, connect, spawn,
};
use crate::actors::{PATIENCE, processings, store, theater};
use odeon_core::{Actor, ActorRef, Context, Message, Random, Theater};
use odeon_durable::{Delivery, DurableRef, RequestId};
use odeon_testkit::disk::SimulatedDisk;
use odeon_testkit::for_seeds;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

/// On the way to a bank: loses some deliveries, and holds others up.
struct BadMail {
    to: ActorRef<ToBank>,
    random: Random,
    loses_one_of: usize,
    held_up: Vec<Delivery<Payment>>,
    carried: Arc<AtomicUsize>,
}

struct Letter(Delivery<Payment>);

impl Message for Letter {}

impl From<Delivery<Payment>> for Letter {
    fn from(delivery: Delivery<Payment>) -> Self {
        Self(delivery)
    }
}

impl Actor for BadMail {
    type Msg = Letter;

    fn handle(&mut self, Letter(delivery): Letter, _: &mut Context<'_, Self>) {
        self.carried.fetch_add(1, SeqCst);
        match self.random.below(self.loses_one_of) {
            0 => return,
            1 => self.held_up.push(delivery),
            _ => drop(self.to.send(ToBank::Paid(delivery))),
        }
        if self.random.below(4) == 0 {
            while let Some(delivery) = self.held_up.pop() {
                let _ = self.to.send(ToBank::Paid(delivery));
            }
        }
    }
}

fn bank(theater: &Theater, disk: &SimulatedDisk, processing: usize) -> DurableRef<ToBank> {
    let processing = processings()[processing].clone();
    let bank = spawn(theater, &store(disk.clone()), "bank", processing, &Wrong::default());
    bank.expect("nobody else has the log")
}

/// Pays nothing, but that often.
fn pay(bank: &DurableRef<ToBank>, account: usize, numbers: std::ops::RangeInclusive<u64>) {
    let asks: Vec<_> = numbers
        .map(|number| {
            let id = RequestId { client: account as u128, number };
            let request = Request { account, amount: 0, hold: None };
            (number, bank.ask(move |reply| ToBank::Request(id, request, reply)))
        })
        .collect();
    for (number, ask) in asks {
        let expected: Answered = Ok(Ok(number));
        assert_eq!(ask.wait(), Ok(expected));
    }
}

fn disks() -> [SimulatedDisk; 2] {
    [SimulatedDisk::new(1), SimulatedDisk::new(2)]
}

/// More of one account than may be under way at a time.
#[test]
fn s47_messages_wait_for_their_receiver_and_are_sent_in_the_next_life() {
    for receiver in 0..processings().len() {
        let disks = disks();
        for life in 0..2 {
            let theater = theater();
            let sender = bank(&theater, &disks[0], 1);
            pay(&sender, 0, 300 * life + 1..=300 * (life + 1));
            pay(&sender, 1, 10 * life + 1..=10 * (life + 1));
            if life == 1 {
                assert_eq!(audit(&sender).unwrap().unconfirmed, 620);
                let receiver = bank(&theater, &disks[1], receiver);
                connect([&sender, &receiver]);
                check_at_rest([&sender, &receiver], &Wrong::default());
                assert_eq!(audit(&receiver).unwrap().received[..3], [600, 20, 0]);
            }
            let _ = theater.shutdown(PATIENCE);
        }
    }
}

#[test]
fn s47_messages_that_are_lost_and_held_up_arrive_once_and_in_order() {
    for_seeds(20, |seed| {
        let (disks, theater, carried) = (disks(), theater(), Arc::new(AtomicUsize::new(0)));
        let wrong = Wrong::default();
        let processing = processings()[seed as usize % 4].clone();
        let receiver = spawn(&theater, &store(disks[1].clone()), "bank", processing, &wrong);
        let [sender, receiver] = [bank(&theater, &disks[0], 1), receiver.unwrap()];
        let mail = theater.spawn(BadMail {
            to: receiver.actor_ref(),
            random: Random::from_seed(seed),
            loses_one_of: 3 + seed as usize % 20,
            held_up: Vec::new(),
            carried: carried.clone(),
        });
        sender.send(ToBank::Connect(Box::new(mail))).unwrap();
        thread::scope(|scope| {
            for account in 0..3 {
                let sender = &sender;
                scope.spawn(move || pay(sender, account, 1..=20));
            }
        });
        check_at_rest([&sender, &receiver], &wrong);
        assert!(carried.load(SeqCst) >= 60);
        // Once nothing is left nothing is sent again, which happens every 3 to 6 ms before.
        let begun = Instant::now();
        let has_stopped = || {
            let before = carried.load(SeqCst);
            thread::sleep(Duration::from_millis(20));
            carried.load(SeqCst) == before
        };
        while !has_stopped() {
            assert!(begun.elapsed() < PATIENCE, "it does not stop");
        }
    });
}

/// It has begun anew, as another actor.
#[test]
fn s47_a_receiver_that_has_ended_gets_what_it_has_missed() {
    let (disks, theater) = (disks(), theater());
    let sender = bank(&theater, &disks[0], 1);
    for life in 0..3 {
        let receiver = bank(&theater, &disks[1], 1);
        connect([&sender, &receiver]);
        pay(&sender, 0, 20 * life + 1..=20 * life + 10);
        receiver.stop();
        receiver.ended().wait();
        pay(&sender, 0, 20 * life + 11..=20 * life + 20);
        assert_ne!(audit(&sender).unwrap().unconfirmed, 0);
    }
    let receiver = bank(&theater, &disks[1], 1);
    connect([&sender, &receiver]);
    check_at_rest([&sender, &receiver], &Wrong::default());
    assert_eq!(audit(&receiver).unwrap().received[0], 60);
}
