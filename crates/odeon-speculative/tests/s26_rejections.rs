//! S26: who says no undoes what its message has done, answers, and has not failed.

use crate::support::{Do, Lab, Log, Note, lab, result, supervised_lab, width};
use odeon_core::extend::question;
use odeon_core::{AskError, Supervision, Theater};
use odeon_speculative::{Access, Coordinate, Processing, SpawnSpeculative};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::Duration;

const NO: i64 = -1;

/// Moves `n` from variable 0 to variable 1, which gets it first; says no if there is less.
fn take(n: i64) -> Do {
    Do::handing_on(Access::Update, move |lab, tx, ctx, reply| {
        let reply = reply.expect("it is asked");
        lab.add(tx, 1, n)?;
        let there = lab.vars[0].get(tx)?;
        if there < n {
            ctx.reject(tx, reply, NO)?;
            return Ok(0);
        }
        lab.vars[0].set(tx, there - n)?;
        ctx.reply(reply, there - n);
        Ok(0)
    })
}

#[test]
fn s26_a_rejection_undoes_the_writes_and_is_no_failure() {
    for each in [1, 2, 4] {
        let theater = Theater::builder().workers(2).build().unwrap();
        // Any failure would make the state anew, and a second one would end the actor.
        let once = Supervision::new().restarts(1, Duration::from_secs(60));
        let (lab, common) = supervised_lab(&theater, each, once);
        result(&lab, Do::update(|lab, tx, _| lab.add(tx, 0, 100))).unwrap();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let left = result(&lab, take(7)).unwrap();
                        assert!(left == NO || (0..100).contains(&left), "{left}");
                    }
                });
            }
        });
        assert_eq!(result(&lab, Do::look(0)), Ok(2), "fourteen were covered");
        assert_eq!(result(&lab, Do::look(1)), Ok(98), "nothing of the others is left");
        assert_eq!((common.lives.load(SeqCst), lab.speculation().failures), (1, 0));
    }
}

#[test]
fn s26_a_rejection_undoes_the_effects() {
    for each in [1, 3] {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (lab, _) = lab(&theater, each);
        let log = Log::new();
        let told = theater.spawn(log.clone());
        let no = Do::handing_on(Access::Update, move |lab, tx, ctx, reply| {
            told.send(Note::Of(1)).unwrap();
            ctx.stop();
            lab.add(tx, 0, 1)?;
            ctx.reject(tx, reply.expect("it is asked"), NO)?;
            told.send(Note::Of(2)).unwrap();
            Ok(0)
        });
        assert_eq!(result(&lab, no), Ok(NO));
        assert_eq!(result(&lab, Do::increment(0)), Ok(1), "it has not ended either");
        let _ = theater.shutdown(Duration::from_secs(10));
        assert_eq!(log.all(), [2], "what is asked for behind the rejection happens");
    }
}

#[test]
fn s26_a_message_that_is_rejected_fails_its_coordinated_transaction() {
    let theater = Theater::builder().workers(2).build().unwrap();
    for processing in [Processing::sequential(), width(3), Processing::concurrent().non_blocking()]
    {
        let new = || {
            let common = Arc::default();
            theater.spawn_speculative(Lab::new(&common), processing.clone())
        };
        let [one, other] = [new(), new()];
        let (reply, asked) = question();
        let outcome = theater.coordinate(|co| {
            co.send(&one, Do::increment(2));
            co.send(&other, take(7).answering(reply));
        });
        assert!(outcome.wait().is_err());
        assert!(matches!(asked.wait(), Err(AskError::NoReply | AskError::Failed(_))));
        assert_eq!(result(&one, Do::look(2)), Ok(0));
        assert_eq!(result(&other, Do::look(1)), Ok(0));
    }
}
