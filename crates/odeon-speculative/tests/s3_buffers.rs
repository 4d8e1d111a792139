//! S3 with S24 and S25: buffers with guards, many who put and many who get, in every way of
//! processing: what a guard has seen is what the handler finds.

use crate::support;
use crate::support::buffer::{Item, Use, Watched, assert_all_in_order, each_processing};
use odeon_core::Theater;
use odeon_speculative::{Access, Coordinate, Ordering, Processing};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

const SENDERS: usize = 3;
const EACH: u64 = 400;

fn access(n: u64, one_of: u64) -> Access {
    if n % one_of == one_of - 1 { Access::Exclusive } else { Access::Update }
}

/// Puts and gets by threads; `beside` runs until they are done. Answers what was taken out, in the
/// order of the commits.
fn put_and_get(processing: Processing, room: u64, beside: impl Fn(&Watched) + Sync) -> Vec<Item> {
    let theater = Theater::builder().workers(2).build().unwrap();
    let watched = Watched::new(&theater, room, processing);
    let (buffer, is_over) = (&watched.buffer, AtomicBool::new(false));
    thread::scope(|scope| {
        let getters: Vec<_> = (0..SENDERS)
            .map(|_| {
                scope.spawn(move || {
                    for n in 0..EACH / 10 {
                        // Some at once.
                        let gets: Vec<_> = (10 * n..10 * n + 10)
                            .map(|n| buffer.ask(|reply| Use::get(Some(reply)).with(access(n, 13))))
                            .collect();
                        gets.into_iter().for_each(|get| _ = get.wait().unwrap());
                    }
                })
            })
            .collect();
        for sender in 0..SENDERS {
            scope.spawn(move || {
                for n in 0..EACH {
                    buffer.send(Use::put((sender, n)).with(access(n, 11))).unwrap();
                }
            });
        }
        scope.spawn(|| {
            while !is_over.load(SeqCst) {
                beside(&watched);
                thread::yield_now();
            }
        });
        let ended: Vec<_> = getters.into_iter().map(|getter| getter.join()).collect();
        is_over.store(true, SeqCst);
        ended.into_iter().for_each(|ended| ended.unwrap());
    });
    assert_eq!(buffer.ask(Use::count).wait(), Ok(0));
    let stats = buffer.speculation();
    assert_eq!(stats.failures, 0, "a handler has found another state than its guard");
    let taken = watched.taken();
    assert_eq!(taken.len() as u64, SENDERS as u64 * EACH);
    taken
}

#[test]
fn s3_a_buffer_is_never_too_full_or_empty_and_keeps_the_order_of_each_sender() {
    for processing in each_processing() {
        for room in [1, 4] {
            let taken = put_and_get(processing.clone(), room, |_| ());
            assert_all_in_order(&taken, SENDERS, EACH);
        }
    }
}

#[test]
fn s3_guards_hold_without_an_order_of_senders() {
    let mut taken =
        put_and_get(Processing::concurrent().width(4).ordering(Ordering::Unordered), 2, |_| ());
    taken.sort_unstable();
    assert_all_in_order(&taken, SENDERS, EACH);
}

#[test]
fn s3_guards_hold_while_the_processing_changes() {
    let all = each_processing();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let taken = put_and_get(Processing::adaptive(), 2, |watched| {
        watched.buffer.set_processing(all[next.fetch_add(1, SeqCst) % all.len()].clone());
    });
    assert_all_in_order(&taken, SENDERS, EACH);
}

/// Who looks only waits for nobody.
#[test]
fn s3_questions_see_no_more_than_there_is_room_for() {
    for processing in each_processing() {
        let taken = put_and_get(processing, 2, |watched| {
            let count = watched.buffer.ask(|reply| Use::count(reply).with(Access::Snapshot));
            assert!(count.wait().unwrap() <= 2);
        });
        assert_all_in_order(&taken, SENDERS, EACH);
    }
}

/// Puts into two buffers at once, forwards from one to a third one, plain gets from both: what is
/// put into both comes out of both.
#[test]
fn s3_s28_messages_of_coordinated_transactions_wait_for_their_guards() {
    const ITEMS: u64 = 100;
    for processing in each_processing() {
        let theater = Theater::builder().workers(2).build().unwrap();
        let [a, b, c] = [1, 2, 1].map(|room| Watched::new(&theater, room, processing.clone()));
        let all = [&a, &b, &c];
        thread::scope(|scope| {
            for sender in [0, 1] {
                let (theater, a, b) = (&theater, &a.buffer, &b.buffer);
                scope.spawn(move || {
                    for n in 0..ITEMS {
                        let both = theater.coordinate(|co| {
                            co.send(a, Use::put((sender, n)));
                            co.send_in(
                                b.mailbox(support::buffer::Port::Put),
                                Use::put((sender, n)),
                            );
                        });
                        both.wait().unwrap();
                    }
                });
            }
            scope.spawn(|| {
                (0..2 * ITEMS).for_each(|_| a.buffer.send(Use::forward(&c.buffer)).unwrap());
            });
            for from in [&b, &c] {
                scope.spawn(|| {
                    for _ in 0..2 * ITEMS {
                        from.buffer.ask(|reply| Use::get(Some(reply))).wait().unwrap();
                    }
                });
            }
        });
        // Nobody waits for the answer of what forwards.
        while (a.taken().len() as u64) < 2 * ITEMS {}
        for watched in all {
            assert_all_in_order(&watched.taken(), 2, ITEMS);
            assert_eq!(watched.buffer.speculation().failures, 0);
        }
        assert_eq!(a.taken(), c.taken(), "what is forwarded stays in order");
    }
}
