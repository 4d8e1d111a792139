//! S26: effects happen if their message commits, in the order of the commits, and vanish with it
//! otherwise.

use crate::support::{Do, Log, Note, ask, lab, result, width};
use odeon_core::{Actor, AskError, Context, Reply, Theater};
use odeon_speculative::{Access, fail};
use odeon_testkit::silent_panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

const WIDTHS: [usize; 4] = [1, 2, 4, 7];
const SENDERS: i64 = 4;
const MESSAGES: i64 = 1_500;

#[test]
fn s26_effects_leave_in_the_order_of_the_commits() {
    for each in WIDTHS {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (lab, _) = lab(&theater, each);
        let stage = theater.pinned("stage").unwrap();
        let (pooled, pinned) = (Log::new(), Log::new());
        let to_pooled = theater.spawn(pooled.clone());
        let to_pinned = theater.actor().on(&stage).spawn(pinned.clone());
        thread::scope(|scope| {
            for sender in 0..SENDERS {
                let (lab, to_pooled, to_pinned) = (&lab, &to_pooled, &to_pinned);
                scope.spawn(move || {
                    for n in 0..MESSAGES {
                        let (to_pooled, to_pinned) = (to_pooled.clone(), to_pinned.clone());
                        let numbers = Do::update(move |lab, tx, ctx| {
                            let number = lab.add(tx, 0, 1)?;
                            if n % 3 == 0 {
                                let question = move |_: Reply<u64>| Note::Of(number);
                                ctx.ask(&to_pooled, question, |_| Do::increment(2));
                            } else {
                                to_pooled.send(Note::Of(number)).unwrap();
                            }
                            to_pinned.send(Note::Of(number)).unwrap();
                            match (n + sender) % 9 {
                                7 => fail("given up"),
                                8 => silent_panic("as well"),
                                _ => Ok(number),
                            }
                        });
                        lab.send(numbers).unwrap();
                        if n % 100 == 50 {
                            lab.set_processing(width(1 + (each + n as usize) % 5));
                        }
                    }
                    result(lab, Do::increment(7)).unwrap();
                });
            }
        });
        let sent = result(&lab, Do::look(0)).unwrap();
        assert_eq!(lab.speculation().failures as i64 + sent, SENDERS * MESSAGES);
        while to_pooled.ask(Note::Count).wait().unwrap() < sent as usize
            || to_pinned.ask(Note::Count).wait().unwrap() < sent as usize
        {
            thread::yield_now();
        }
        assert!(pooled.all().into_iter().eq(1..=sent), "width {each}");
        assert!(pinned.all().into_iter().eq(1..=sent), "width {each}");
    }
}

struct Counted(Arc<AtomicU64>);
impl Actor for Counted {
    type Msg = Note<i64>;
    fn handle(&mut self, _: Note<i64>, _: &mut Context<'_, Self>) {}
    fn started(&mut self, _: &mut Context<'_, Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// One message of each three does not commit: it is given up, panics, or would have to wait for
/// ever.
#[test]
fn s26_what_does_not_commit_has_no_effects() {
    for each in WIDTHS {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (lab, _) = lab(&theater, each);
        let (other, started) = (theater.spawn(Log::<i64>::new()), Arc::new(AtomicU64::new(0)));
        let message = |n: i64| {
            let (other, started) = (other.clone(), started.clone());
            Do::update(move |lab, tx, ctx| {
                lab.add(tx, 0, 1)?;
                other.send(Note::Of(n)).unwrap();
                ctx.send_self(Do::increment(1));
                ctx.spawn(Counted(started.clone())).send(Note::Of(n)).unwrap();
                let _timer = ctx.send_after(Duration::ZERO, Do::increment(2));
                ctx.ask(&other, Note::Count, |_| Do::increment(3));
                match n % 3 {
                    0 => Ok(n),
                    1 => fail("given up"),
                    _ => silent_panic("as well"),
                }
            })
        };
        let answers: Vec<_> = (0..300).map(|n| ask(&lab, message(n))).collect();
        for (n, answer) in (0..).zip(answers) {
            let why = ["", "given up", "as well"][n as usize % 3];
            let failed = Err(AskError::Failed(why.into()));
            let expected = if why.is_empty() { Ok(n) } else { failed };
            assert_eq!(answer.wait(), expected, "width {each}");
        }
        // Parked for ever, its effects are not to be seen either.
        let waits = {
            let other = other.clone();
            Do::update(move |lab, tx, ctx| {
                other.send(Note::Of(0)).unwrap();
                ctx.send_self(Do::increment(1));
                lab.vars[6].get(tx)?;
                Ok(tx.retry()?)
            })
        };
        let parked = thread::scope(|scope| scope.spawn(|| ask(&lab, waits)).join().unwrap());
        for var in [1, 2, 3] {
            while result(&lab, Do::look(var)).unwrap() < 100 {
                thread::yield_now();
            }
        }
        while started.load(SeqCst) < 100 {
            thread::yield_now();
        }
        assert_eq!(other.ask(Note::Count).wait(), Ok(100));
        for var in 0..4 {
            let look = Do::with(Access::Exclusive, move |lab, tx, _| Ok(lab.vars[var].get(tx)?));
            assert_eq!(result(&lab, look), Ok(100), "width {each}");
        }
        let report = theater.shutdown(Duration::from_secs(60));
        assert_eq!((report.leftovers.len(), started.load(SeqCst)), (1, 100));
        drop(report);
        assert_eq!(parked.wait(), Err(AskError::NoReply));
    }
}
