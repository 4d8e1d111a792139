//! Pressure under random schedules: senders that are held back by one that waits, in the middle of
//! a handler, for their answer or their relief. Who is held back for ever shows as a deadlock. Run
//! by `ci/shuttle.sh`.
//!
//! Under shuttle an inbox of four messages is under pressure.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::*;
use odeon_sync::schedules::check;
use odeon_sync::{Condvar, Mutex};

const LONG: Duration = Duration::from_secs(3600);

/// Counts what has been handled; a model thread waits for all of it.
#[derive(Clone, Default)]
struct Handled(Arc<(Mutex<usize>, Condvar)>);

impl Handled {
    fn one(&self) {
        *self.0.0.lock().unwrap() += 1;
        self.0.1.notify_all();
    }

    fn wait_for(&self, all: usize) {
        let mut count = self.0.0.lock().unwrap();
        while *count < all {
            count = self.0.1.wait(count).unwrap();
        }
    }
}

/// Sends six messages, twice; answers questions.
struct Flooder {
    to: ActorRef<Job>,
    left: usize,
}

enum Flood {
    On,
    Question(Reply<()>),
}
impl Message for Flood {}

impl Actor for Flooder {
    type Msg = Flood;
    fn handle(&mut self, message: Flood, ctx: &mut Context<'_, Self>) {
        match message {
            Flood::Question(reply) => reply.send(()),
            Flood::On => {
                (0..6).for_each(|_| self.to.send(Job::Count).unwrap());
                self.left -= 1;
                if self.left > 0 {
                    ctx.send_self(Flood::On);
                }
            }
        }
    }
}

struct Receiver(Handled);

enum Job {
    Count,
    Ask(ActorRef<Flood>),
    Pass(ActorRef<Job>),
    Answer(Reply<()>),
    Inquire(ActorRef<Job>),
}
impl Message for Job {}

impl AsyncActor for Receiver {
    type Msg = Job;
    async fn handle(&mut self, job: Job, _: &mut AsyncContext<'_, Self>) {
        match job {
            Job::Count => {}
            Job::Ask(whom) => whom.ask(Flood::Question).await.unwrap(),
            Job::Inquire(whom) => whom.ask(Job::Answer).await.unwrap(),
            Job::Pass(to) => {
                for _ in 0..3 {
                    to.send_async(Job::Count).await.unwrap();
                }
            }
            Job::Answer(reply) => reply.send(()),
        }
        self.0.one();
    }
}

fn theater(workers: usize) -> Theater {
    Theater::builder().workers(workers).build().unwrap()
}

#[test]
fn a_receiver_asks_a_sender_that_it_may_be_holding_back() {
    for workers in [1, 2] {
        check(2_000, move || {
            let (theater, handled) = (theater(workers), Handled::default());
            let receiver = theater.spawn(Receiver(handled.clone()));
            let sender = theater.spawn(Flooder { to: receiver.clone(), left: 2 });
            sender.send(Flood::On).unwrap();
            receiver.send(Job::Ask(sender.clone())).unwrap();
            handled.wait_for(13);
            drop((sender, receiver));
            assert_eq!(theater.shutdown(LONG).stuck, 0);
        });
    }
}

#[test]
fn two_wait_for_each_others_relief() {
    check(2_000, || {
        let (theater, handled) = (theater(2), Handled::default());
        let [a, b] = [(); 2].map(|()| theater.spawn(Receiver(handled.clone())));
        for _ in 0..2 {
            a.send(Job::Pass(b.clone())).unwrap();
            b.send(Job::Pass(a.clone())).unwrap();
        }
        handled.wait_for(4 + 12);
        drop((a, b));
        assert_eq!(theater.shutdown(LONG).stuck, 0);
    });
}

#[test]
fn one_waits_for_relief_and_the_other_for_its_answer() {
    check(2_000, || {
        let (theater, handled) = (theater(2), Handled::default());
        let [a, b] = [(); 2].map(|()| theater.spawn(Receiver(handled.clone())));
        a.send(Job::Pass(b.clone())).unwrap();
        b.send(Job::Pass(a.clone())).unwrap();
        b.send(Job::Inquire(a.clone())).unwrap();
        a.send(Job::Pass(b.clone())).unwrap();
        handled.wait_for(4 + 9 + 1);
        drop((a, b));
        assert_eq!(theater.shutdown(LONG).stuck, 0);
    });
}
