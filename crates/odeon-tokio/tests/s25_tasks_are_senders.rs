//! S25 in a tokio program: each task is a sender of its own to a speculative actor, whatever threads it runs on.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

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

/// Notes how many handlers run at once, and the messages of each task in the order in which they were begun.
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
    let theater = Theater::builder().workers(4).tokio_current().build().unwrap();
    for processing in [Processing::concurrent().width(4), Processing::combined().width(4)] {
        let (server, desk) = server(&theater, processing);
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
#[tokio::test(flavor = "current_thread")]
async fn s25_a_future_is_a_sender_of_its_own_if_it_says_so() {
    let theater = Theater::builder().workers(4).build().unwrap();
    let (server, desk) = server(&theater, Processing::concurrent().width(4));
    let futures: Vec<_> = (0..8)
        .map(|task| {
            let server = server.actor_ref();
            tokio::spawn(as_task(async move {
                for number in 0..8 {
                    server.ask(|reply| Step(task, number, Some(reply))).await.unwrap();
                }
            }))
        })
        .collect();
    for future in futures {
        future.await.unwrap();
    }
    assert!(desk.most.load(SeqCst) >= 2, "one handler at a time");
    assert!(desk.begun.lock().unwrap().iter().all(|begun| begun.iter().copied().eq(0..8)));
}

/// The report tells it where one sender is all that there is.
#[tokio::test(flavor = "current_thread")]
async fn s21_a_report_says_that_lanes_keep_an_actor_narrow() {
    let theater = Theater::builder().workers(4).build().unwrap();
    for (ordering, is_told) in [(Ordering::PerSender, true), (Ordering::Unordered, false)] {
        let (server, _) = server(&theater, Processing::concurrent().width(4).ordering(ordering));
        tasks(&server, 2).await;
        let stats = server.speculation();
        let report = stats.to_string();
        assert_eq!(report.contains("lanes keep it narrow"), is_told, "{report}");
        assert_eq!(stats.is_narrowed_by_lanes(), is_told);
    }
}
