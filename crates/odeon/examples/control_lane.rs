//! Two levels: control messages go before everything that waits, however much that is, and work can
//! be paused and gone on with.
//!
//! cargo run -p odeon --example control_lane

use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy)]
enum Lane {
    Control,
    Work,
}

#[derive(Message)]
enum Job {
    #[mailbox(Lane::Control)]
    Pause(Reply<u64>),
    #[mailbox(Lane::Control)]
    GoOn,
    #[mailbox(Lane::Control)]
    Progress(Reply<u64>),
    #[mailbox(Lane::Work)]
    Step(u64),
    #[mailbox(Lane::Work)]
    Sum(Reply<u64>),
}

#[derive(Default)]
struct Worker {
    steps: u64,
    sum: u64,
}

impl Actor for Worker {
    type Msg = Job;

    fn handle(&mut self, job: Job, ctx: &mut Context<'_, Self>) {
        match job {
            Job::Pause(reply) => {
                ctx.close(Lane::Work);
                reply.send(self.steps);
            }
            Job::GoOn => ctx.open(Lane::Work),
            Job::Progress(reply) => reply.send(self.steps),
            Job::Step(n) => {
                self.steps += 1;
                self.sum += n;
            }
            Job::Sum(reply) => reply.send(self.sum),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let worker = theater.spawn(Worker::default());
    let steps = 100_000;
    (1..=steps).try_for_each(|n| worker.send(Job::Step(n)))?;
    let sum = worker.ask(Job::Sum);

    let done = worker.ask(Job::Pause).wait()?;
    println!("paused before the end: {}", done <= steps);
    println!("nothing is done meanwhile: {}", worker.ask(Job::Progress).wait()? == done);
    worker.send(Job::GoOn)?;
    println!("sum {}, nothing was lost", sum.wait()?);
    Ok(())
}
