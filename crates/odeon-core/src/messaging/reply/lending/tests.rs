use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

use super::*;
use crate::vocabulary::oneshot::{InVain, Receiver, channel};
use std::time::Duration;

fn asked() -> (Reply<String>, Receiver<Result<String, AskError>>) {
    let (to, receiver) = channel();
    (Reply::to_waiter(to), receiver)
}

fn lend(reply: &Reply<String>) -> LentReply<String> {
    // SAFETY: nobody else is here.
    unsafe { reply.lend() }
}

#[test]
fn what_was_lent_answers_although_the_reply_has_gone() {
    let (reply, answer) = asked();
    let cell = RefCell::new(Some(reply));
    let lent = cell.borrow().as_ref().map(lend).unwrap();
    drop(cell.take());
    assert_eq!(answer.wait_timeout(Duration::ZERO), Err(InVain::Timeout));
    lent.answer("lent".into());
    assert_eq!(answer.wait().ok(), Some(Ok("lent".to_owned())));
}

#[test]
fn a_reply_that_was_lent_in_vain_is_as_before() {
    let (reply, answer) = asked();
    drop(lend(&reply));
    drop(lend(&reply));
    let moved = Box::new(reply);
    moved.send("moved".into());
    assert_eq!(answer.wait().ok(), Some(Ok("moved".to_owned())));
    let (reply, answer) = asked();
    drop((lend(&reply), reply));
    assert_eq!(answer.wait().ok(), Some(Err(AskError::NoReply)), "the last one to go tells");
}

#[test]
fn the_first_answer_counts_whoever_gives_it() {
    let (reply, answer) = asked();
    let lent = [lend(&reply), lend(&reply), lend(&reply)];
    let answers = lent.map(|lent| thread::spawn(|| lent.answer("lent".into())));
    reply.send("sent".into());
    answers.into_iter().for_each(|answer| answer.join().unwrap());
    assert!(matches!(answer.wait(), Ok(Ok(_))));

    let calls = Arc::new(AtomicUsize::new(0));
    let counts = calls.clone();
    let reply = Reply::<String>::to_function(Box::new(move |_| {
        counts.fetch_add(1, SeqCst);
    }));
    let lent = [lend(&reply), lend(&reply)];
    lent.into_iter().for_each(|lent| lent.answer(String::new()));
    drop(reply);
    assert_eq!(calls.load(SeqCst), 1);
}

#[test]
fn the_right_to_answer_is_taken_once() {
    let (reply, answer) = asked();
    let [one, two] = [lend(&reply), lend(&reply)];
    let taken = one.take().expect("nobody has answered");
    assert!(two.take().is_none());
    // SAFETY: nobody else is here.
    assert!(unsafe { reply.take_borrowed() }.is_none());
    drop(reply);
    taken.send("taken".into());
    assert_eq!(answer.wait().ok(), Some(Ok("taken".to_owned())));
    let (reply, _answer) = asked();
    drop(lend(&reply));
    // SAFETY: as above.
    assert!(unsafe { reply.take_borrowed() }.is_some(), "lent, and there still");
}
