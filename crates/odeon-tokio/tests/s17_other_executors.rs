//! S17, S18 and S25 in executors that no theater knows of: what is awaited blocks no thread there
//! either, and a future that is a task of its own sends without blocking.

use std::pin::pin;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use async_executor::LocalExecutor;
use futures_executor::block_on;
use odeon_core::*;
use tokio::sync::mpsc;

const TASKS: u32 = 3_000;
const PATIENCE: Duration = Duration::from_secs(100);

fn in_time(test: impl FnOnce() + Send + 'static) {
    let (done, over) = channel();
    let test = thread::spawn(move || {
        test();
        done.send(()).unwrap();
    });
    if over.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
        panic!("the executor is blocked");
    }
    test.join().unwrap();
}

/// A ticket that only a task of the executor can give.
struct Tickets(mpsc::Receiver<()>);

struct Take(u32, Option<Reply<u32>>);
impl Message for Take {}

impl AsyncActor for Tickets {
    type Msg = Take;
    async fn handle(&mut self, Take(number, reply): Take, _: &mut AsyncContext<'_, Self>) {
        self.0.recv().await.unwrap();
        if let Some(reply) = reply {
            reply.send(number);
        }
    }
}

/// The actor waits for a task of the very thread whose tasks ask it.
#[test]
fn s17_questions_of_many_tasks_do_not_block_what_the_actor_waits_for() {
    in_time(|| {
        let theater = Theater::builder().workers(2).build().unwrap();
        for bounded in [false, true] {
            let (tickets, given) = mpsc::channel(1);
            let actor = match bounded {
                false => theater.spawn(Tickets(given)),
                true => {
                    theater.spawn(Bounded::new_async(Tickets(given)).mailbox(0, Bound::wait(10)))
                }
            };
            let executor = LocalExecutor::new();
            let asking: Vec<_> = (0..TASKS)
                .map(|number| {
                    let actor = actor.clone();
                    executor.spawn(async move {
                        actor.ask(|reply| Take(number, Some(reply))).await.unwrap()
                    })
                })
                .collect();
            let giving = executor.spawn(async move { while tickets.send(()).await.is_ok() {} });
            let answers = async {
                let mut sum = 0;
                for answer in asking {
                    sum += answer.await;
                }
                sum
            };
            assert_eq!(block_on(executor.run(answers)), TASKS * (TASKS - 1) / 2);
            drop(giving);
        }
    });
}

/// Sends are followed by the ticket that they wait for: blocked, the thread would never give it.
#[test]
fn s17_a_future_that_is_a_task_sends_without_blocking() {
    in_time(|| {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (tickets, given) = mpsc::channel(1);
        let actor = theater.spawn(Tickets(given));
        let flood = as_task(async {
            for number in 0..TASKS {
                actor.send(Take(number, None)).unwrap();
            }
            for _ in 0..TASKS {
                tickets.send(()).await.unwrap();
            }
        });
        block_on(pin!(flood));
    });
}
