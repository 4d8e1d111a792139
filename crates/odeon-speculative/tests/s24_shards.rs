//! S24, S25 and S42 of actors with several inboxes, each of which a shard of theirs empties.

use crate::support::account::{Account, Slip, counts, divided, does, lab_by, mix, take_a_while};
use crate::support::{Do, Lab, ask, result};
use odeon_core::extend::{Lane, as_numbered_sender};
use odeon_core::{ActorRef, Theater};
use odeon_speculative::{Access, Processing, SpawnSpeculative};
use odeon_testkit::{Deterministic, for_seeds};
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

fn theater() -> Theater {
    Theater::builder().workers(3).build().unwrap()
}

/// Another sender whose messages come to the same shard.
fn shard_mate(of: u64) -> u64 {
    let place = |number| Lane::of_number(number).place();
    (of + 1..).find(|number| place(*number) == place(of)).unwrap()
}

fn long_look() -> Do {
    Do::with(Access::Snapshot, |lab, tx, _| {
        take_a_while(2);
        (0..100).for_each(|_| std::hint::spin_loop());
        Ok(lab.vars[0].get(tx)?)
    })
}

/// A reader is told of an answer, and reads, while its shard has earlier reads.
fn a_read_sees_what_was_answered(processing: &Processing, is_own_flood: bool) {
    const ROUNDS: i64 = 60;
    const READER: u64 = 1;
    let theater = theater();
    let (lab, _) = lab_by(&theater, processing);
    let (tell, told) = mpsc::channel();
    let (confirm, confirmed) = mpsc::channel();
    thread::scope(|scope| {
        let lab = &lab;
        scope.spawn(move || {
            for n in 0..ROUNDS {
                let answer = match n % 2 {
                    0 => lab.call(|reply| Do::increment(0).answering(reply)).wait(),
                    _ => result(lab, Do::increment(0)),
                };
                tell.send(answer.unwrap()).unwrap();
                confirmed.recv().unwrap();
            }
        });
        let reader = scope.spawn(move || {
            let flood = || as_numbered_sender(READER, || lab.send(long_look()).unwrap());
            let next = || match is_own_flood {
                false => told.recv().ok(),
                true => loop {
                    flood();
                    match told.try_recv() {
                        Ok(answer) => return Some(answer),
                        Err(mpsc::TryRecvError::Empty) => {}
                        Err(mpsc::TryRecvError::Disconnected) => return None,
                    }
                },
            };
            while let Some(answer) = next() {
                let read = as_numbered_sender(READER, || ask(lab, Do::look(0)));
                assert_eq!(read.wait(), Ok(answer), "{processing:?}");
                let _ = confirm.send(());
            }
        });
        if !is_own_flood {
            scope.spawn(move || {
                as_numbered_sender(shard_mate(READER), || {
                    while !reader.is_finished() {
                        lab.send(long_look()).unwrap();
                    }
                });
            });
        }
    });
}

#[test]
fn s24_a_read_sees_what_was_answered_before_behind_reads_of_others() {
    divided().iter().for_each(|processing| a_read_sees_what_was_answered(processing, false));
}

#[test]
fn s24_a_read_sees_what_was_answered_before_behind_reads_of_its_own() {
    divided().iter().for_each(|processing| a_read_sees_what_was_answered(processing, true));
}

/// The same at every moment that a seed comes to.
#[test]
fn s24_a_read_sees_what_has_committed_before_it_is_sent() {
    for_seeds(100, |seed| {
        let run = Deterministic::new(seed);
        let processing = &divided()[seed as usize % 3];
        let (lab, _) = lab_by(run.theater(), processing);
        let committed = Arc::new(AtomicI64::new(0));
        let mut reads = Vec::new();
        for round in 0..30 {
            let committed_ = committed.clone();
            let update = Do::update(move |lab, tx, _| {
                let committed = committed_.clone();
                let sum = lab.add(tx, 0, 1)?;
                tx.on_commit(move || _ = committed.fetch_max(sum, SeqCst));
                Ok(sum)
            });
            as_numbered_sender(2 + round % 2, || lab.send(update).unwrap());
            for n in 0..4 {
                run.run_steps(1 + mix(seed ^ round << 8 ^ n) as usize % 3);
                let least = committed.load(SeqCst);
                reads.push((least, as_numbered_sender(1, || ask(&lab, Do::look(0)))));
            }
        }
        run.run_until_idle();
        for (least, read) in reads {
            let read = read.wait_timeout(Duration::ZERO).unwrap();
            assert!(read >= least, "{read} after {least} had been committed");
        }
    });
}

/// Calls see what their thread has sent before; some of it has come over the board.
#[test]
fn s42_s25_calls_come_behind_long_and_short_messages_of_their_thread() {
    const SENDERS: usize = 4;
    const MESSAGES: u64 = 600;
    for processing in divided() {
        let theater = theater();
        let (lab, _) = lab_by(&theater, &processing);
        thread::scope(|scope| {
            let (lab, processing) = (&lab, &processing);
            for sender in 0..SENDERS {
                scope.spawn(move || {
                    for number in 1..=MESSAGES {
                        lab.send(Do::update(move |lab, tx, _| {
                            take_a_while(number << 3 ^ sender as u64);
                            lab.add(tx, 7, 1)?;
                            lab.add(tx, sender, 1)
                        }))
                        .unwrap();
                        let is_read = number % 4 == 0;
                        if mix(number) % 3 > 0 {
                            continue;
                        }
                        let look = if is_read { Do::look(sender) } else { looking(sender) };
                        let seen = lab.call(|reply| look.answering(reply)).wait();
                        assert_eq!(seen, Ok(number as i64), "{processing:?}, read: {is_read}");
                    }
                });
            }
        });
        while result(&lab, Do::look(7)).unwrap() < SENDERS as i64 * MESSAGES as i64 {}
    }
}

/// Answers a variable, as an update.
fn looking(var: usize) -> Do {
    Do::update(move |lab, tx, _| Ok(lab.vars[var].get(tx)?))
}

/// Waits until variable 0 is that.
fn waits(least: i64, slip: Slip) -> Do {
    does(Access::Update, slip, move |lab, tx, _| {
        let value = lab.vars[0].get(tx)?;
        if value < least { Ok(tx.retry()?) } else { Ok(value) }
    })
}

fn sets(var: usize, value: i64) -> Do {
    Do::update(move |lab, tx, _| {
        lab.vars[var].set(tx, value)?;
        Ok(value)
    })
}

/// A sender's message waits; those behind it do as well, and others go on until one wakes it.
#[test]
fn s25_a_message_that_waits_holds_up_its_sender_alone() {
    const ROUNDS: i64 = 60;
    for processing in divided() {
        let theater = theater();
        let (lab, _) = lab_by(&theater, &processing);
        let account = Account::of(2);
        for round in 1..=ROUNDS {
            let waits_first = || {
                account.send(&lab, 0, |_, slip| waits(round, slip));
                for n in 0..10 {
                    let access = if n % 3 == 0 { Access::Snapshot } else { Access::Update };
                    account.send(&lab, 0, |number, slip| counts(access, 1, number, slip));
                }
            };
            let others = || {
                for _ in 0..20 {
                    account.send(&lab, 1, |number, slip| counts(Access::Update, 2, number, slip));
                }
                if round % 2 == 0 {
                    // Behind all of them.
                    assert_eq!(result(&lab, looking(2)), Ok(20 * round));
                    assert_eq!(account.handled(0).len() as i64, 11 * (round - 1));
                }
                lab.send(sets(0, round)).unwrap();
            };
            thread::scope(|scope| {
                scope.spawn(waits_first);
                scope.spawn(others);
            });
            while (account.handled(0).len() as i64) < 11 * round {
                thread::yield_now();
            }
        }
        // Behind what has been handled all messages are dropped.
        drop(lab);
        assert!(theater.shutdown(Duration::from_secs(60)).drained);
        assert_eq!(account.check(|_| false), (31 * ROUNDS as u64, 0));
    }
}

#[test]
fn s25_so_it_does_at_every_moment() {
    for_seeds(200, |seed| {
        let run = Deterministic::new(seed);
        let (lab, _) = lab_by(run.theater(), &divided()[seed as usize % 3]);
        let account = Account::of(3);
        let as_sender = |sender: u64, messages: &dyn Fn(&ActorRef<Do>)| {
            as_numbered_sender(1 + sender, || messages(&lab));
            run.run_steps(mix(seed ^ sender) as usize % 20);
        };
        as_sender(0, &|lab| {
            account.send(lab, 0, |_, slip| waits(1, slip));
            for n in 0..6 {
                let access = if n % 3 == 0 { Access::Snapshot } else { Access::Update };
                account.send(lab, 0, |number, slip| counts(access, 1, number, slip));
            }
        });
        let other = |sender, lab: &ActorRef<Do>| {
            for n in 0..10 {
                let access = if n == 5 { Access::Exclusive } else { Access::Update };
                account.send(lab, sender, |number, slip| counts(access, 1, number, slip));
            }
        };
        as_sender(1, &|lab| other(1, lab));
        if seed % 2 == 0 {
            run.run_until_idle();
            assert_eq!((account.handled(0).len(), account.handled(1).len()), (0, 10));
        }
        as_sender(2, &|lab| {
            let wakes = |_, slip| {
                does(Access::Update, slip, |lab, tx, _| {
                    lab.vars[0].set(tx, 1)?;
                    Ok(1)
                })
            };
            account.send(lab, 2, wakes);
            other(2, lab);
        });
        run.run_until_idle();
        drop(run.shutdown());
        assert_eq!(account.check(|_| false), (28, 0));
    });
}

/// Six senders of all kinds of messages, two by two: what those of one wait for comes from the
/// other one.
#[test]
fn s24_s25_the_width_may_change_under_a_flood_of_all_kinds() {
    const SENDERS: usize = 6;
    const MESSAGES: u64 = 500;
    for start in divided() {
        let theater = theater();
        let (lab, common) = lab_by(&theater, &start);
        let account = Account::of(SENDERS);
        let senders_left = &AtomicI64::new(SENDERS as i64);
        thread::scope(|scope| {
            let (lab, account) = (&lab, &account);
            for sender in 0..SENDERS {
                scope.spawn(move || {
                    let pair = sender / 2;
                    for _ in 0..MESSAGES {
                        account.send(lab, sender, |number, slip| {
                            kind(pair, sender % 2 == 0, number, slip)
                        });
                    }
                    senders_left.fetch_sub(1, SeqCst);
                });
            }
            scope.spawn(move || {
                for n in 0_u64.. {
                    if senders_left.load(SeqCst) == 0 {
                        break;
                    }
                    lab.set_processing(match mix(n) % 5 {
                        0 => Processing::sequential(),
                        1 => Processing::adaptive().width(4),
                        width => Processing::concurrent().width(width as usize),
                    });
                    thread::sleep(Duration::from_micros(mix(n) % 300));
                }
            });
        });
        let all = SENDERS as u64 * MESSAGES;
        while account.handled_of_all() < all {
            thread::yield_now();
        }
        let report = theater.shutdown(Duration::from_secs(60));
        assert!(report.drained && report.stuck == 0);
        assert_eq!(account.check(|_| false), (all, 0));
        let changes = (1..=MESSAGES).filter(|number| access(*number) == Access::Update).count();
        let alone = (1..=MESSAGES).filter(|number| access(*number) == Access::Exclusive).count();
        let last = common.last.lock().unwrap();
        assert_eq!(last[3], (SENDERS * (changes + alone)) as i64);
    }
}

fn access(number: u64) -> Access {
    match mix(number ^ 1) % 16 {
        0 => Access::Exclusive,
        1..=4 => Access::Snapshot,
        5 | 6 => Access::Relaxed,
        _ => Access::Update,
    }
}

fn kind(pair: usize, waits: bool, number: u64, slip: Slip) -> Do {
    let access = access(number);
    if access != Access::Update {
        return counts(access, 3, number, slip);
    }
    does(access, slip, move |lab, tx, _| {
        if waits && number % 8 == 0 && lab.vars[pair].get(tx)? < number as i64 {
            tx.retry()?;
        }
        take_a_while(number);
        if !waits {
            lab.vars[pair].set(tx, number as i64)?;
        }
        lab.add(tx, 3, 1)
    })
}

/// The effects of the attempt that has spawned it are held until that commits.
#[test]
fn s25_s26_one_spawned_in_a_handler_gets_its_messages_in_order() {
    const MESSAGES: u64 = 50;
    const EACH: u64 = 30;
    for processing in divided() {
        let theater = Arc::new(theater());
        let (lab, _) = lab_by(&theater, &processing);
        let account = Account::of(2 * MESSAGES as usize);
        thread::scope(|scope| {
            for sender in 0..2 {
                let (lab, account, theater) = (&lab, &account, &theater);
                let processing = &processing;
                scope.spawn(move || {
                    for n in 0..MESSAGES {
                        let of = (sender * MESSAGES + n) as usize;
                        let (account, processing) = (account.clone(), processing.clone());
                        let theater = Arc::downgrade(theater);
                        lab.send(Do::update(move |lab, tx, _| {
                            let theater = theater.upgrade().unwrap();
                            let new = Lab::new(&lab.common);
                            let child = theater.spawn_speculative(new, processing.clone());
                            for _ in 0..EACH {
                                send_anew(&account, &child, of);
                            }
                            lab.add(tx, 0, 1)
                        }))
                        .unwrap();
                    }
                });
            }
        });
        while account.handled_of_all() < 2 * MESSAGES * EACH {
            thread::yield_now();
        }
        while result(&lab, Do::look(0)).unwrap() < 2 * MESSAGES as i64 {}
        for of in 0..2 * MESSAGES as usize {
            let handled = account.handled(of);
            assert_eq!(handled.len() as u64, EACH, "{processing:?}");
            assert!(handled.windows(2).all(|two| two[0] + 1 == two[1]), "{handled:?}");
        }
    }
}

/// A further message of a sender; it may be of an attempt that is rolled back.
fn send_anew(account: &Arc<Account>, child: &ActorRef<Do>, of: usize) {
    account.send(child, of, |number, slip| counts(Access::Update, 0, number, slip));
}
