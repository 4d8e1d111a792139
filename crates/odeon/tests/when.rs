//! The macro `when!`: patterns, names and numbers, arms with and without blocks, both kinds of
//! actors.
#![cfg(not(any(odeon_loom, odeon_shuttle)))]

use odeon::patterns::Joins;
use odeon::prelude::*;
use std::sync::mpsc::{Sender, channel};

#[derive(Mailboxes, Clone, Copy)]
enum Port {
    Left,
    Right,
    Alone,
}

#[derive(Message, Debug)]
enum Half {
    #[mailbox(Port::Left)]
    Left(u32),
    #[mailbox(Port::Right)]
    Right { number: u32 },
    #[mailbox(Port::Alone)]
    Alone,
}

struct Fitter {
    halves: Joins<Half>,
    fitted: Sender<(u32, u32)>,
}

impl Actor for Fitter {
    type Msg = Half;
    fn handle(&mut self, half: Half, ctx: &mut Context<'_, Self>) {
        let fired = when!(self.halves.hold(half, ctx),
            (Half::Left(left) from Port::Left, Half::Right { number } from 1) =>
                self.fitted.send((left, number)).unwrap(),
            (alone from Port::Alone) => {
                // Context and actor are free again.
                assert!(matches!(alone, Half::Alone) && ctx.is_open(Port::Alone));
                self.fitted.send((0, 0)).unwrap();
            }
        );
        assert_eq!(fired, self.halves.waiting().count() == 0);
    }
}

struct AsyncFitter(Fitter);

impl AsyncActor for AsyncFitter {
    type Msg = Half;
    async fn handle(&mut self, half: Half, ctx: &mut AsyncContext<'_, Self>) {
        let Fitter { halves, fitted } = &mut self.0;
        when!(halves.hold(half, ctx),
            (Half::Left(left) from Port::Left, Half::Right { number } from Port::Right) => {
                std::future::ready(()).await;
                fitted.send((left, number)).unwrap()
            }
            (_ from Port::Alone) => fitted.send((0, 0)).unwrap()
        );
    }
}

#[test]
fn what_belongs_together_is_taken_together() {
    let theater = Theater::new().unwrap();
    for waits in [false, true] {
        let (fitted, pairs) = channel();
        let fitter = Fitter { halves: Joins::new(), fitted };
        let fitter = if waits { theater.spawn(AsyncFitter(fitter)) } else { theater.spawn(fitter) };
        for number in 1..=3 {
            fitter.send(Half::Left(number)).unwrap();
        }
        for number in 11..=13 {
            fitter.send(Half::Right { number }).unwrap();
        }
        assert_eq!(pairs.iter().take(3).collect::<Vec<_>>(), [(1, 11), (2, 12), (3, 13)]);
        fitter.send(Half::Alone).unwrap();
        assert_eq!(pairs.recv(), Ok((0, 0)));
    }
}

#[test]
fn a_message_that_does_not_match_is_a_failure_that_says_so() {
    let theater = Theater::new().unwrap();
    let (fitted, _pairs) = channel();
    let fitter = theater.spawn(Fitter { halves: Joins::new(), fitted });
    fitter.mailbox(Port::Left).send(Half::Alone).unwrap();
    fitter.send(Half::Right { number: 1 }).unwrap();
    let ended = fitter.ended().wait();
    let text = ended.failure().unwrap();
    assert!(text.contains("Port::Left does not match the pattern"), "{text}");
}

/// Has two names for one mailbox.
struct Forgetful(Joins<Half>);

impl Actor for Forgetful {
    type Msg = Half;
    fn handle(&mut self, half: Half, ctx: &mut Context<'_, Self>) {
        when!(self.0.hold(half, ctx), (_first from Port::Left, _second from 0) => {});
    }
}

#[test]
fn one_mailbox_by_two_names_is_a_failure_that_says_so() {
    let theater = Theater::new().unwrap();
    let forgetful = theater.spawn(Forgetful(Joins::new()));
    forgetful.send(Half::Left(1)).unwrap();
    let ended = forgetful.ended().wait();
    let text = ended.failure().unwrap();
    assert!(text.contains("mailbox 0 is named twice"), "{text}");
}
