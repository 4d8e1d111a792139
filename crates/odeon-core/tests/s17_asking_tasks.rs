//! S17, S18: what tasks await waits for relief, or for a place, as a future: it blocks no thread,
//! is sent once or not at all, and leaves nothing behind when it is given up. What tasks send does
//! not wait.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Instant;

use odeon_core::*;

use crate::full::{BRIEF, Clerk, Full, Gate, Job, Kind, PATIENCE, Task, in_time};

#[test]
fn s17_a_question_waits_for_room_without_blocking_the_thread() {
    in_time(|| {
        for full in Full::all() {
            let asks = (1..=100).map(|number| full.actor.ask(|reply| Job::Ask(number, reply)));
            let mut asks: Vec<_> = asks.map(Task::new).collect();
            assert!(asks.iter_mut().all(|ask| ask.poll().is_pending()));
            full.gate.open();
            let answers = asks.into_iter().map(|ask| ask.finish().unwrap());
            assert!(answers.eq(1..=100));
            assert!(full.open_and_take(100).into_iter().eq(1..=100), "in the order of the polls");
            full.check_nothing_more();
        }
    });
}

#[test]
fn s17_a_question_that_waits_for_room_and_is_given_up_leaves_nothing() {
    in_time(|| {
        for full in Full::all() {
            let kept = Arc::new(());
            for polls in 0..3 {
                let mine = kept.clone();
                let ask = full.actor.ask(move |reply| {
                    drop(mine);
                    Job::Ask(1, reply)
                });
                let mut ask = Task::new(ask);
                (0..polls).for_each(|_| assert!(ask.poll().is_pending()));
                let woken = ask.1.clone();
                drop(ask);
                assert_eq!(Arc::strong_count(&woken), 1, "its waker is kept by somebody");
                let mut within =
                    Task::new(full.actor.ask_within(PATIENCE, |reply| Job::Ask(2, reply)));
                (0..polls).for_each(|_| assert!(within.poll().is_pending()));
                let woken = within.1.clone();
                drop(within);
                assert_eq!(Arc::strong_count(&woken), 1, "its waker is kept by somebody");
                let mut send = Task::new(full.actor.send_async(Job::Note(3)));
                (0..polls).for_each(|_| assert!(send.poll().is_pending()));
                let woken = send.1.clone();
                drop(send);
                assert_eq!(Arc::strong_count(&woken), 1, "its waker is kept by somebody");
            }
            assert_eq!(full.open_and_take(0), []);
            full.check_nothing_more();
        }
    });
}

/// Given up in the middle of the relief, by turns of chance: sent or not, never twice, and the
/// others are not left behind.
#[test]
fn s17_a_question_given_up_during_the_relief_is_sent_once_or_not_at_all() {
    in_time(|| {
        for round in 0..30 {
            for full in [Kind::Plain, Kind::Bounded].map(Full::of) {
                let ask = |number| Task::new(full.actor.ask(|reply| Job::Ask(number, reply)));
                let mut asks: Vec<_> = (1..=20).map(ask).collect();
                assert!(asks.iter_mut().all(|ask| ask.poll().is_pending()));
                let gate = full.gate.clone();
                let opener = thread::spawn(move || gate.open());
                (0..round * 50).for_each(|_| std::hint::spin_loop());
                let mut given_up = Vec::new();
                for (number, mut ask) in (1..).zip(asks) {
                    if number % 2 == 0 {
                        assert_eq!(ask.finish(), Ok(number));
                    } else {
                        given_up.push((number, ask.poll()));
                    }
                }
                opener.join().unwrap();
                assert_eq!(full.actor.ask(|reply| Job::Ask(99, reply)).wait(), Ok(99));
                let mut times = [0; 21];
                let handled = full.handled.iter().take_while(|number| *number != 99);
                handled.for_each(|number| times[number as usize] += 1);
                for (number, times) in times.iter().enumerate().skip(1) {
                    let least = usize::from(number % 2 == 0);
                    assert!((least..=1).contains(times), "{number}: {times}");
                }
                let answered = given_up.iter().filter(|(_, answer)| answer.is_ready());
                assert!(answered.into_iter().all(|(number, _)| times[*number as usize] == 1));
            }
        }
    });
}

#[test]
fn s17_threads_wait_for_room_and_answer_together() {
    in_time(|| {
        for full in Full::all() {
            let late = full.actor.ask(|reply| Job::Ask(1, reply)).wait_timeout(BRIEF);
            assert_eq!(late, Err(AskError::Timeout));
            let ask = full.actor.ask(|reply| Job::Ask(2, reply));
            let waits = thread::spawn(move || ask.wait());
            thread::sleep(BRIEF);
            assert!(!waits.is_finished());
            let ask = full.actor.ask(|reply| Job::Ask(3, reply));
            let waits_long = thread::spawn(move || ask.wait_timeout(PATIENCE));
            full.gate.open();
            assert_eq!((waits.join().unwrap(), waits_long.join().unwrap()), (Ok(2), Ok(3)));
            let mut handled = full.open_and_take(2);
            handled.sort_unstable();
            assert_eq!(handled, [2, 3], "what was not sent in time is not sent");
            full.check_nothing_more();
        }
    });
}

#[test]
fn s17_a_deadline_is_up_while_the_question_waits_for_room() {
    in_time(|| {
        for full in Full::all() {
            let begun = Instant::now();
            let ask = full.actor.ask_within(BRIEF, |reply| Job::Ask(1, reply));
            // The time begins with the call.
            thread::sleep(BRIEF);
            assert_eq!(Task::new(ask).finish(), Err(AskError::Timeout));
            assert!(begun.elapsed() < PATIENCE / 2);
            let kept = Task::new(full.actor.ask_within(PATIENCE, |reply| Job::Ask(2, reply)));
            full.gate.open();
            assert_eq!(kept.finish(), Ok(2));
            assert_eq!(full.open_and_take(1), [2]);
            full.check_nothing_more();
        }
    });
}

#[test]
fn s17_the_end_of_an_actor_answers_questions_that_wait_for_room() {
    in_time(|| {
        for full in Full::all() {
            let mut asks = [1, 2].map(|n| Task::new(full.actor.ask(|reply| Job::Ask(n, reply))));
            assert!(asks.iter_mut().all(|ask| ask.poll().is_pending()));
            let [one, other] = asks;
            let within = full.actor.ask_within(PATIENCE, |reply| Job::Ask(3, reply));
            let waits = full.actor.ask(|reply| Job::Ask(4, reply));
            let waits = thread::spawn(move || waits.wait());
            full.actor.stop();
            full.gate.open();
            let answers = [one.finish(), other.finish(), Task::new(within).finish()];
            assert_eq!(answers, [const { Err(AskError::Stopped) }; 3]);
            assert_eq!(waits.join().unwrap(), Err(AskError::Stopped));
        }
    });
}

#[test]
fn s17_worker_pools_wait_for_room_without_blocking_the_thread() {
    in_time(|| {
        let theater = Full::theater();
        let (out, handled) = channel();
        for routing in [Routing::RoundRobin, Routing::LeastLoaded, Routing::ByKey(|_| 7)] {
            let gate = Arc::new(Gate::default());
            let clerks = theater.actor().supervised(Supervision::new()).pool(2, routing, {
                let out = out.clone();
                move |_| Clerk(out.clone())
            });
            let (inside, entered) = channel();
            for member in clerks.members() {
                member.send(Job::Pass(gate.clone(), inside.clone())).unwrap();
                entered.recv_timeout(PATIENCE).unwrap();
            }
            let mut waiting = 0;
            while clerks.try_send(Job::Note(0)).is_ok() {
                waiting += 1;
            }
            assert!(waiting >= 900, "{routing:?}: {waiting}");
            let mut ask = Task::new(clerks.ask(|reply| Job::Ask(1, reply)));
            let mut given_up = Task::new(clerks.ask(|reply| Job::Ask(2, reply)));
            let mut send = Task::new(clerks.send_async(Job::Note(3)));
            assert!(ask.poll().is_pending() && given_up.poll().is_pending());
            assert!(send.poll().is_pending());
            drop(given_up);
            gate.open();
            assert_eq!(ask.finish(), Ok(1));
            assert!(send.finish().is_ok());
            let of_all = (0..waiting + 2).map(|_| handled.recv_timeout(PATIENCE).unwrap());
            assert_eq!(of_all.map(u64::from).sum::<u64>(), 1 + 3, "{routing:?}");
            // A pool of which nobody is left says so, also to those that wait.
            let (gate, (inside, entered)) = (Arc::new(Gate::default()), channel());
            let member = clerks.members().swap_remove(0);
            clerks.resize(1);
            member.send(Job::Pass(gate.clone(), inside)).unwrap();
            entered.recv_timeout(PATIENCE).unwrap();
            while clerks.try_send(Job::Note(0)).is_ok() {}
            let mut ask = Task::new(clerks.ask(|reply| Job::Ask(4, reply)));
            assert!(ask.poll().is_pending());
            clerks.stop();
            gate.open();
            assert_eq!(ask.finish(), Err(AskError::Stopped));
            while handled.try_recv().is_ok() {}
        }
    });
}

#[test]
fn s17_what_a_known_task_sends_is_accepted_and_counts() {
    in_time(|| {
        let in_task = Arc::new(AtomicBool::new(true));
        for kind in 0..4 {
            in_task.store(true, SeqCst);
            let here = in_task.clone();
            let theater = Theater::builder()
                .workers(2)
                .foreign_tasks(move || here.load(SeqCst).then_some(ForeignTask::Unnumbered))
                .build()
                .unwrap();
            let full = Full::new(theater, |theater, clerk| {
                let bounded = |clerk| Bounded::new(clerk).mailbox(0, Bound::wait(3));
                match kind {
                    0 => theater.spawn(clerk),
                    1 => theater.spawn(bounded(clerk)),
                    2 => theater.actor().on(&theater.pinned("stage").unwrap()).spawn(clerk),
                    _ => theater.actor().dedicated("own").spawn(bounded(clerk)).unwrap(),
                }
            });
            (1..=3_000).for_each(|n| full.actor.send(Job::Note(n)).unwrap());
            assert!(full.actor.try_send(Job::Note(0)).unwrap_err().is_full());
            // A question waits all the same.
            let mut ask = Task::new(full.actor.ask(|reply| Job::Ask(3_001, reply)));
            assert!(ask.poll().is_pending());
            // A thread waits where no task runs.
            in_task.store(false, SeqCst);
            let to = full.actor.clone();
            let sender = thread::spawn(move || to.send(Job::Note(3_002)));
            thread::sleep(BRIEF);
            assert!(!sender.is_finished());
            full.gate.open();
            assert_eq!(ask.finish(), Ok(3_001));
            sender.join().unwrap().unwrap();
            let mut handled = full.open_and_take(3_002);
            handled.sort_unstable();
            assert!(handled.into_iter().eq(1..=3_002));
        }
    });
}

#[test]
fn s17_what_a_future_sends_as_a_task_is_accepted() {
    in_time(|| {
        for full in Full::all() {
            let task = as_task(async {
                (1..=2_000).for_each(|n| full.actor.send(Job::Note(n)).unwrap());
                full.actor.ask(|reply| Job::Ask(2_001, reply)).await
            });
            let mut task = Task::new(task);
            assert!(task.poll().is_pending());
            full.gate.open();
            assert_eq!(task.finish(), Ok(2_001));
            assert!(full.open_and_take(2_001).into_iter().eq(1..=2_001));
            full.check_nothing_more();
        }
    });
}

/// A thread that is no task asks without being blocked, and its messages keep their order,
/// questions included (S2).
#[test]
fn s2_questions_of_a_thread_under_pressure_are_sent_in_their_order() {
    in_time(|| {
        let theater = Theater::builder().workers(2).build().unwrap();
        let full = Full::new(theater, |theater, clerk| theater.spawn(clerk));
        let asks = (1..=2_000).map(|n| full.actor.ask(|reply| Job::Ask(n, reply)));
        let mut asks: Vec<_> = asks.collect();
        let to = full.actor.clone();
        let last = thread::spawn(move || to.send(Job::Note(2_001)));
        thread::sleep(BRIEF);
        assert!(!last.is_finished(), "a send waits");
        assert_eq!(asks.pop().unwrap().wait_timeout(BRIEF), Err(AskError::Timeout));
        assert!(full.open_and_take(2_001).into_iter().eq(1..=2_001));
        last.join().unwrap().unwrap();
        assert!((1..).zip(asks).all(|(n, ask)| ask.wait() == Ok(n)));
    });
}

/// Questions of handlers are sent at once, also under pressure, and their actors are held back (S2,
/// S17).
#[test]
fn s17_a_question_of_a_handler_on_the_pool_is_sent_in_its_order() {
    struct Asker(ActorRef<Job>, Sender<Result<u32, AskError>>);
    impl AsyncActor for Asker {
        type Msg = ();
        async fn handle(&mut self, (): (), _: &mut AsyncContext<'_, Self>) {
            let ask = self.0.ask(|reply| Job::Ask(1, reply));
            self.0.send(Job::Note(2)).unwrap();
            self.1.send(ask.await).unwrap();
        }
    }
    in_time(|| {
        for full in [Kind::Plain, Kind::Bounded].map(Full::of) {
            let (out, answers) = channel();
            full.theater.spawn(Asker(full.actor.clone(), out)).send(()).unwrap();
            thread::sleep(BRIEF);
            assert_eq!(full.open_and_take(2), [1, 2]);
            assert_eq!(answers.recv_timeout(PATIENCE), Ok(Ok(1)));
        }
    });
}

/// An asynchronous actor with a thread of its own goes on with what else it awaits.
#[test]
fn s17_a_question_of_a_handler_does_not_block_its_stage() {
    struct Asker(ActorRef<Job>, Sender<Option<u32>>, Arc<Gate>);
    impl AsyncActor for Asker {
        type Msg = ();
        async fn handle(&mut self, (): (), _: &mut AsyncContext<'_, Self>) {
            let mut ask = std::pin::pin!(self.0.ask(|reply| Job::Ask(1, reply)));
            let (out, gate) = (&self.1, &self.2);
            let mut is_first = true;
            let answer = std::future::poll_fn(|cx| {
                let answer = ask.as_mut().poll(cx);
                if std::mem::take(&mut is_first) {
                    out.send(None).unwrap();
                    gate.open();
                }
                answer
            });
            out.send(answer.await.ok()).unwrap();
        }
    }
    in_time(|| {
        for (kind, dedicated) in
            [(Kind::Plain, true), (Kind::Bounded, true), (Kind::Bounded, false)]
        {
            let full = Full::of(kind);
            let (out, answers) = channel();
            let asker = Asker(full.actor.clone(), out, full.gate.clone());
            let asker = if dedicated {
                full.theater.actor().dedicated("asks").spawn(asker).unwrap()
            } else {
                let stage = full.theater.pinned("asks").unwrap();
                full.theater.actor().on(&stage).spawn(asker)
            };
            asker.send(()).unwrap();
            assert_eq!(answers.recv_timeout(PATIENCE), Ok(None));
            assert_eq!(answers.recv_timeout(PATIENCE), Ok(Some(1)));
        }
    });
}
