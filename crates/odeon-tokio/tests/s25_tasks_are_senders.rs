//! S25 in a tokio program: each task is a sender of its own to a speculative actor, whatever
//! threads it runs on.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use async_executor::LocalExecutor;
use futures_executor::block_on;
use odeon_core::*;
use odeon_speculative::{
    Ordering, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, SpeculativeRef,
    TxResult,
};
use odeon_stm::Tx;
use odeon_tokio::TheaterBuilderExt;

/// Which message of which task, and the answer, if one is wanted.
struct Step(usize, usize, Option<Reply<()>>);
impl Message for Step {}

/// Notes how many handlers run at once, and the messages of each task in the order in which they
/// were begun.
#[derive(Default)]
struct Desk {
    inside: AtomicUsize,
    most: AtomicUsize,
    begun: Mutex<Vec<Vec<usize>>>,
}

struct Server(Arc<Desk>);

impl SpeculativeActor for Server {
    type Msg = Step;
    fn handle<'t>(
        &'t self,
        Step(task, number, reply): &'t Step,
        _: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let desk = &self.0;
        desk.most.fetch_max(desk.inside.fetch_add(1, SeqCst) + 1, SeqCst);
        {
            let mut begun = desk.begun.lock().unwrap();
            if begun.len() <= *task {
                begun.resize(*task + 1, Vec::new());
            }
            begun[*task].push(*number);
        }
        thread::sleep(Duration::from_millis(2));
        desk.inside.fetch_sub(1, SeqCst);
        if let Some(reply) = reply {
            ctx.reply(reply, ());
        }
        Ok(())
    }
}

fn server(theater: &Theater, processing: Processing) -> (SpeculativeRef<Step>, Arc<Desk>) {
    let desk = Arc::new(Desk::default());
    (theater.spawn_speculative(Server(desk.clone()), processing), desk)
}

/// Tasks that send twice and then ask, over and over.
async fn tasks(server: &ActorRef<Step>, rounds: usize) {
    let tasks: Vec<_> = (0..16)
        .map(|task| {
            let server = server.clone();
            tokio::spawn(async move {
                for round in 0..rounds {
                    server.send(Step(task, 3 * round, None)).unwrap();
                    tokio::task::yield_now().await;
                    server.send(Step(task, 3 * round + 1, None)).unwrap();
                    let ask = server.ask(|reply| Step(task, 3 * round + 2, Some(reply)));
                    ask.await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

async fn tasks_are_senders_of_their_own() {
    tasks_are_senders_in(&Theater::builder().workers(4).tokio_current().build().unwrap()).await;
    tasks_are_senders_in(&Theater::builder().workers(4).build().unwrap()).await;
}

async fn tasks_are_senders_in(theater: &Theater) {
    for processing in
        [Processing::concurrent().width(4), Processing::concurrent().non_blocking().width(4)]
    {
        let (server, desk) = server(theater, processing);
        tasks(&server, 6).await;
        assert!(desk.most.load(SeqCst) >= 2, "one handler at a time");
        for begun in &*desk.begun.lock().unwrap() {
            assert!(begun.iter().copied().eq(0..18), "{begun:?}");
        }
        let stats = server.speculation();
        assert!(stats.lanes_at_most >= 4, "{stats}");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn s25_tasks_of_one_thread_are_senders_of_their_own() {
    tasks_are_senders_of_their_own().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s25_tasks_that_move_between_threads_keep_their_order() {
    tasks_are_senders_of_their_own().await;
}

/// Where the theater does not know the runtime each future can say that it is a task.
#[test]
fn s25_a_future_is_a_sender_of_its_own_if_it_says_so() {
    let theater = Theater::builder().workers(4).build().unwrap();
    let (server, desk) = server(&theater, Processing::concurrent().width(4));
    let executor = LocalExecutor::new();
    let futures: Vec<_> = (0..8)
        .map(|task| {
            let server = server.actor_ref();
            executor.spawn(as_task(async move {
                for number in 0..4 {
                    server.send(Step(task, 2 * number, None)).unwrap();
                    let ask = server.ask(|reply| Step(task, 2 * number + 1, Some(reply)));
                    ask.await.unwrap();
                }
            }))
        })
        .collect();
    block_on(executor.run(async {
        for future in futures {
            future.await;
        }
    }));
    assert!(desk.most.load(SeqCst) >= 2, "one handler at a time");
    assert!(desk.begun.lock().unwrap().iter().all(|begun| begun.iter().copied().eq(0..8)));
}

/// In an executor that nobody knows a question that is awaited holds up no other task's.
#[test]
fn s25_questions_of_unknown_tasks_are_handled_beside_each_other() {
    let theater = Theater::builder().workers(4).build().unwrap();
    let (server, desk) = server(&theater, Processing::concurrent().width(4));
    let executor = LocalExecutor::new();
    let tasks: Vec<_> = (0..16)
        .map(|task| {
            let server = server.actor_ref();
            executor.spawn(async move {
                for number in 0..8 {
                    server.ask(|reply| Step(task, number, Some(reply))).await.unwrap();
                }
            })
        })
        .collect();
    block_on(executor.run(async {
        for task in tasks {
            task.await;
        }
    }));
    assert!(desk.most.load(SeqCst) >= 3, "at most {} at once", desk.most.load(SeqCst));
    assert!(desk.begun.lock().unwrap().iter().all(|begun| begun.iter().copied().eq(0..8)));
}

/// What is sent before and after a question that is not alone keeps its order with it.
#[test]
fn s25_what_an_unknown_task_sends_around_its_questions_keeps_its_order() {
    let theater = Theater::builder().workers(4).build().unwrap();
    let (server, desk) = server(&theater, Processing::concurrent().width(4));
    let server = server.actor_ref();
    block_on(async {
        for round in 0..10 {
            server.send(Step(0, 4 * round, None)).unwrap();
            let mut first = pin!(server.ask(|reply| Step(0, 4 * round + 1, Some(reply))));
            // Polled, but not all that is under way.
            assert!(poll_once(&mut first).await.is_none());
            server.send(Step(0, 4 * round + 2, None)).unwrap();
            let last = server.ask(|reply| Step(0, 4 * round + 3, Some(reply)));
            first.await.unwrap();
            last.await.unwrap();
        }
    });
    assert!(desk.begun.lock().unwrap()[0].iter().copied().eq(0..40));
}

/// Two questions asked before either is awaited are of one task.
#[test]
fn s25_questions_asked_together_keep_their_order() {
    let theater = Theater::builder().workers(4).build().unwrap();
    let (server, desk) = server(&theater, Processing::concurrent().width(4));
    let server = server.actor_ref();
    block_on(async {
        for round in 0..20 {
            let asked = [0, 1].map(|n| server.ask(|reply| Step(0, 2 * round + n, Some(reply))));
            for ask in asked {
                ask.await.unwrap();
            }
        }
    });
    assert!(desk.begun.lock().unwrap()[0].iter().copied().eq(0..40));
}

/// The value of a future that is there already.
async fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    poll_fn(|cx| match Pin::new(&mut *future).poll(cx) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// The report tells it where one sender is all that there is.
#[tokio::test(flavor = "current_thread")]
async fn s21_a_report_says_that_lanes_keep_an_actor_narrow() {
    let theater = Theater::builder().workers(4).build().unwrap();
    for (ordering, is_told) in [(Ordering::PerSender, true), (Ordering::Unordered, false)] {
        let (server, _) = server(&theater, Processing::concurrent().width(4).ordering(ordering));
        let asked = server.actor_ref();
        let only_one = tokio::spawn(async move {
            (0..32).for_each(|number| asked.send(Step(0, number, None)).unwrap());
            asked.ask(|reply| Step(0, 32, Some(reply))).await.unwrap();
        });
        only_one.await.unwrap();
        let stats = server.speculation();
        let report = stats.to_string();
        assert_eq!(report.contains("lanes keep it narrow"), is_told, "{report}");
        assert_eq!(stats.is_narrowed_by_lanes(), is_told);
    }
}
