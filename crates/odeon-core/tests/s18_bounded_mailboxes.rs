//! S18 so many messages wait in a bounded mailbox and no more; the next one waits, comes back, or
//! displaces.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::task::{Context as Poller, Poll, Waker};
use std::time::Duration;

use crate::bounded::*;
use odeon_core::*;
use odeon_testkit::{Deterministic, for_seeds};

#[test]
fn s18_reject_gives_back_what_is_too_much() {
    for capacity in [1, 7] {
        on_all(|_, spawn| {
            let notes = Notes::default();
            let clerk = spawn(&notes, Bound::reject(capacity));
            for round in 1..=3 {
                let busy = Busy::keep(&clerk);
                for number in 0..capacity as u64 {
                    clerk.send(Work::Note(number)).unwrap();
                }
                let error = clerk.send(Work::Note(99)).unwrap_err();
                assert!(error.is_full() && error.to_string() == "the mailbox is full");
                assert!(matches!(error.into_message(), Work::Note(99)));
                assert!(clerk.try_send(Work::Note(99)).unwrap_err().is_full());
                assert_eq!(clerk.ask(Work::Ask).wait(), Err(AskError::Full));
                // The other mailbox has no bound.
                clerk.try_send(Work::run(|| {})).unwrap();
                drop(busy);
                until(|| notes.len() == round * capacity);
            }
            clerk.stop();
            until(|| clerk.is_stopped());
            assert!(matches!(clerk.send(Work::Note(1)), Err(SendError::Stopped(Work::Note(1)))));
        });
    }
}

#[test]
fn s18_a_large_bound_stands_in_place_of_pressure() {
    on_all(|_, spawn| {
        let notes = Notes::default();
        let clerk = spawn(&notes, Bound::reject(3_000));
        let busy = Busy::keep(&clerk);
        (0..3_000).for_each(|number| clerk.send(Work::Note(number)).unwrap());
        assert!(clerk.send(Work::Note(0)).unwrap_err().is_full());
        drop(busy);
        until(|| notes.len() == 3_000);
        assert!(notes.all().into_iter().eq(0..3_000));
    });
}

#[test]
fn s18_a_thread_waits_for_a_place_before_its_message_is_accepted() {
    for capacity in [1, 5] {
        on_all(|_, spawn| {
            let (notes, sent) = (Notes::default(), Count::default());
            let clerk = spawn(&notes, Bound::wait(capacity));
            let busy = Busy::keep(&clerk);
            let sender = send_all(&clerk, 0..100, &sent);
            until(|| sent.now() == capacity);
            std::thread::sleep(Duration::from_millis(20));
            assert_eq!(sent.now(), capacity);
            assert!(clerk.try_send(Work::Note(0)).unwrap_err().is_full());
            drop(busy);
            assert!(sender.join().unwrap().is_empty());
            until(|| notes.len() == 100);
            assert!(notes.all().into_iter().eq(0..100));
        });
    }
}

#[test]
fn s18_with_many_threads_never_too_many_wait_and_each_gets_on() {
    for capacity in [1, 5] {
        on_all(|_, spawn| {
            let (notes, sent) = (Notes::default(), Count::default());
            let clerk = spawn(&notes, Bound::wait(capacity));
            let senders: Vec<_> =
                (0..4).map(|n| send_all(&clerk, n * 250..(n + 1) * 250, &sent)).collect();
            until(|| {
                let (sent, handled) = (sent.now(), notes.len());
                // One may have been taken and not been noted yet.
                assert!(sent <= handled + capacity + 1, "{sent} sent, {handled} handled");
                handled == 1_000
            });
            for sender in senders {
                assert!(sender.join().unwrap().is_empty());
            }
            for sender in 0..4 {
                let of_one = notes.all().into_iter().filter(|number| number / 250 == sender);
                assert!(of_one.eq(sender * 250..(sender + 1) * 250));
            }
        });
    }
}

fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Poller::from_waker(Waker::noop()))
}

#[test]
fn s18_futures_get_places_in_their_order_and_pass_them_on() {
    on_all(|_, spawn| {
        let notes = Notes::default();
        let clerk = spawn(&notes, Bound::wait(2));
        let busy = Busy::keep(&clerk);
        clerk.send(Work::Note(0)).unwrap();
        let mut ready = pin!(clerk.send_async(Work::Note(1)));
        assert!(poll(ready.as_mut()).is_ready());
        let mut first = pin!(clerk.send_async(Work::Note(2)));
        assert!(poll(first.as_mut()).is_pending());
        {
            let mut gives_up = pin!(clerk.send_async(Work::Note(3)));
            assert!(poll(gives_up.as_mut()).is_pending());
        }
        let mut leaves_its_place = Box::pin(clerk.send_async(Work::Note(4)));
        assert!(poll(leaves_its_place.as_mut()).is_pending());
        let mut last = pin!(clerk.send_async(Work::Note(5)));
        assert!(poll(last.as_mut()).is_pending());
        assert!(clerk.try_send(Work::Note(6)).unwrap_err().is_full());
        drop(busy);
        until(|| notes.len() == 2);
        // Both places are given away, though nobody has polled: no other sender gets one.
        assert!(clerk.try_send(Work::Note(6)).unwrap_err().is_full());
        drop(leaves_its_place);
        assert!(until_ready(last.as_mut()).is_ok());
        assert!(matches!(poll(first.as_mut()), Poll::Ready(Ok(()))));
        until(|| notes.len() == 4);
        assert_eq!(notes.all(), [0, 1, 5, 2]);
    });
}

#[test]
fn s18_the_end_gives_waiting_messages_back() {
    for fails in [false, true] {
        on_all(|_, spawn| {
            let (notes, sent) = (Notes::default(), Count::default());
            let clerk = spawn(&notes, Bound::wait(1));
            let busy = Busy::keep(&clerk);
            let senders: Vec<_> = (0..3).map(|n| send_all(&clerk, n..n + 1, &sent)).collect();
            until(|| sent.now() == 1);
            let mut future = pin!(clerk.send_async(Work::Note(9)));
            assert!(poll(future.as_mut()).is_pending());
            if fails {
                clerk.send(Work::Fail).unwrap();
            } else {
                clerk.stop();
            }
            drop(busy);
            // First, since it may have the place that the last thread waits for.
            let result = until_ready(future.as_mut());
            let returned: Vec<_> =
                senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect();
            // Supervised, it is made anew and goes on.
            until(|| clerk.is_stopped() || notes.len() == 4);
            let accepted = sent.now() + usize::from(result.is_ok());
            assert_eq!(returned.len() + sent.now(), 3);
            if clerk.is_stopped() {
                assert!(returned.iter().all(|error| matches!(error, SendError::Stopped(_))));
                // On a pinned stage a note may have gone before the failure, and left its place.
                assert!(accepted <= 2 && (accepted == 1 || fails));
                assert!(!matches!(result, Err(SendError::Full(_))));
            } else {
                assert!(fails && accepted == 4);
            }
        });
    }
}

fn until_ready<F: Future>(mut future: std::pin::Pin<&mut F>) -> F::Output {
    let begun = std::time::Instant::now();
    loop {
        assert!(begun.elapsed() < SOON, "not in time");
        if let Poll::Ready(ready) = poll(future.as_mut()) {
            return ready;
        }
        std::thread::yield_now();
    }
}

#[test]
fn s18_drop_oldest_keeps_the_newest_and_reports_the_others() {
    for capacity in [1, 10] {
        let (tell, told) = channel();
        let tell = Mutex::new(tell);
        let builder = Theater::builder().workers(2).on_dead_letter(move |letter| {
            assert_eq!(letter.reason, DeadLetterReason::Displaced);
            if let Ok(Work::Note(number)) = letter.message.downcast::<Work>().map(|work| *work) {
                tell.lock().unwrap().send(number).unwrap();
            }
        });
        let theater = builder.build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        let bound = Bound::drop_oldest(capacity);
        let clerk = |notes: &Notes| Bounded::new(Clerk(notes.clone())).mailbox(1, bound);
        for pinned in [false, true] {
            let notes = Notes::default();
            let clerk = clerk(&notes);
            let clerk =
                if pinned { theater.actor().on(&stage).spawn(clerk) } else { theater.spawn(clerk) };
            let busy = Busy::keep(&clerk);
            for number in 0..2_000 {
                clerk.send(Work::Note(number)).unwrap();
            }
            let kept = 2_000 - capacity as u64..2_000;
            // Twice the capacity may lie in memory; all others have gone.
            let gone = told.try_iter().count();
            assert!(gone >= 2_000 - 2 * capacity, "{gone} of 2000 are gone");
            drop(busy);
            until(|| notes.len() == capacity);
            assert!(notes.all().into_iter().eq(kept));
            until(|| theater.dead_letters() as usize % (2_000 - capacity) == 0);
            assert_eq!(gone + told.try_iter().count(), 2_000 - capacity);
        }
    }
}

/// What `drop_oldest` must be equal to.
struct Model {
    capacity: usize,
    queue: VecDeque<u64>,
    displaced: usize,
}

impl Model {
    fn send(&mut self, number: u64) {
        self.queue.push_back(number);
        if self.queue.len() > self.capacity {
            self.queue.pop_front();
            self.displaced += 1;
        }
    }
}

#[test]
fn s18_drop_oldest_is_a_queue_that_drops_its_oldest() {
    for_seeds(300, |seed| {
        let run = Deterministic::new(seed);
        let mut random = Random::from_seed(!seed);
        let capacity = 1 + random.below(5);
        let mut model = Model { capacity, queue: VecDeque::new(), displaced: 0 };
        let (notes, bound) = (Notes::default(), Bound::drop_oldest(capacity));
        let clerk = if seed % 2 == 0 {
            run.theater().spawn(Bounded::new(Clerk(notes.clone())).mailbox(1, bound))
        } else {
            run.theater().spawn(Bounded::new_async(AsyncClerk(notes.clone())).mailbox(1, bound))
        };
        let (mut next, mut seen) = (0, 0);
        let mut check = |model: &mut Model| {
            for number in notes.all().into_iter().skip(seen) {
                assert_eq!(Some(number), model.queue.pop_front());
                seen += 1;
            }
        };
        for _ in 0..300 {
            match random.below(10) {
                0..5 => {
                    model.send(next);
                    clerk.send(Work::Note(next)).unwrap();
                    next += 1;
                }
                5 => clerk.send(Work::Guard { open: random.below(2) == 0 }).unwrap(),
                _ => {
                    run.run_steps(1);
                    check(&mut model);
                }
            }
        }
        clerk.send(Work::Guard { open: true }).unwrap();
        run.run_until_idle();
        check(&mut model);
        assert!(model.queue.is_empty());
        assert_eq!(run.theater().dead_letters() as usize, model.displaced);
        assert_eq!(seen + model.displaced, next as usize);
    });
}

#[test]
fn s18_what_counts_is_also_what_a_closed_guard_keeps() {
    on_all(|_, spawn| {
        let notes = Notes::default();
        let clerk = spawn(&notes, Bound::reject(3));
        clerk.send(Work::Guard { open: false }).unwrap();
        (0..3).for_each(|number| clerk.send(Work::Note(number)).unwrap());
        drop(Busy::keep(&clerk));
        assert!(clerk.send(Work::Note(3)).unwrap_err().is_full());
        assert_eq!(notes.len(), 0);
        clerk.send(Work::Guard { open: true }).unwrap();
        until(|| notes.len() == 3);
        clerk.send(Work::Note(3)).unwrap();
    });
}

#[test]
#[should_panic(expected = "there is no mailbox 2 to be bounded: the actor has 2")]
fn s18_a_bound_for_no_mailbox_is_refused() {
    let _ = Bounded::new(Clerk(Notes::default())).mailbox(2, Bound::wait(1));
}

#[test]
#[should_panic(expected = "the capacity is at least 1")]
fn s18_a_mailbox_for_nothing_is_refused() {
    let _ = Bound::reject(0);
}
