//! Messages of timers that are kept, taken out, and begun again: by an actor that keeps them as a
//! seat does.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;
use crate::extend::{self, Awaits, TakenLetter};
use crate::messaging::actor_ref::ActorRef;
use crate::runtime::theater::Theater;
use crate::turn::behavior::{Behavior, NoInner};
use crate::turn::context::Context;

/// Tells what it hears, and has its timers begun by itself.
struct Traveller(Sender<u64>);

enum To {
    In(Duration, u64),
    Say(u64),
    /// Hands back the last timer that it has begun.
    Begin(Duration, u64, Sender<Timer>),
}

impl Message for To {}

impl Behavior for Traveller {
    type Msg = To;
    type Inner = NoInner<To>;
    const MAY_MOVE: bool = true;

    fn handle(&mut self, msg: To, ctx: &mut Context<'_, Self>) {
        match msg {
            To::In(delay, n) => drop(ctx.send_after(delay, To::Say(n))),
            To::Say(n) => self.0.send(n).unwrap(),
            To::Begin(delay, n, timer) => timer.send(ctx.send_after(delay, To::Say(n))).unwrap(),
        }
    }
}

const NEVER: Duration = Duration::from_secs(3_600);

fn traveller(theater: &Theater) -> (ActorRef<To>, Receiver<u64>) {
    let (out, heard) = channel();
    (theater.spawn(Traveller(out)), heard)
}

fn begin(actor: &ActorRef<To>, delay: Duration, n: u64) -> Timer {
    let (out, timer) = channel();
    actor.send(To::Begin(delay, n, out)).unwrap();
    timer.recv().unwrap()
}

fn numbers(taken: &[TakenLetter<To>]) -> Vec<u64> {
    let number = |timer: &TakenLetter<To>| match timer.message {
        To::Say(n) => n,
        _ => unreachable!("all of them say numbers"),
    };
    taken.iter().map(number).collect()
}

#[test]
fn what_is_taken_out_fires_only_where_it_is_begun_again() {
    let theaters = [Theater::new().unwrap(), Theater::new().unwrap()];
    let (here, heard) = traveller(&theaters[0]);
    let (there, heard_there) = traveller(&theaters[1]);
    let (other, _heard) = traveller(&theaters[0]);
    let timers = [(2 * NEVER, 3), (NEVER, 1), (NEVER, 2)].map(|(delay, n)| begin(&here, delay, n));
    begin(&other, NEVER, 9);
    let taken = extend::take_letters(&here);
    assert_eq!(numbers(&taken), [1, 2, 3], "those that are due first, and in their order");
    assert_eq!(theaters[0].shared().pending_timers(), 1, "the other actor's");
    assert!(extend::take_letters(&here).is_empty());
    let names: Vec<_> = timers.iter().map(|timer| timer.name().unwrap()).collect();
    assert_eq!(names[1..], [taken[0].name, taken[1].name]);
    for timer in timers {
        assert!(!timer.cancel(), "it is here no longer");
    }
    for mut timer in taken {
        timer.awaits = Awaits::Time(Duration::ZERO);
        assert!(extend::keep_letter(&there, timer).is_ok());
    }
    assert_eq!([(); 3].map(|()| heard_there.recv().unwrap()), [1, 2, 3]);
    assert!(heard.try_recv().is_err());
}

#[test]
fn a_name_cancels_where_the_timer_is_and_nowhere_else() {
    let theaters = [Theater::new().unwrap(), Theater::new().unwrap()];
    let (here, _heard) = traveller(&theaters[0]);
    let (there, heard_there) = traveller(&theaters[1]);
    let name = begin(&here, NEVER, 1).name().unwrap();
    let at = |theater: &Theater| extend::timer_named(&*theater.shared().pool(), name);
    assert!(!at(&theaters[1]).cancel());
    for timer in extend::take_letters(&here) {
        assert!(extend::keep_letter(&there, timer).is_ok());
    }
    assert!(!at(&theaters[0]).cancel());
    assert!(at(&theaters[1]).cancel());
    assert!(!at(&theaters[1]).cancel(), "once");
    assert_eq!(theaters[1].shared().pending_timers(), 0);
    assert!(heard_there.try_recv().is_err());
}

#[test]
fn what_was_begun_by_a_reference_or_over_and_over_stays() {
    let theater = Theater::new().unwrap();
    let (actor, heard) = traveller(&theater);
    assert_eq!(actor.send_after(NEVER, To::Say(1)).name(), None);
    assert_eq!(actor.send_every(NEVER, || To::Say(2)).name(), None);
    actor.send(To::In(Duration::ZERO, 3)).unwrap();
    assert_eq!(heard.recv(), Ok(3));
    assert!(extend::take_letters(&actor).is_empty());
    assert_eq!(theater.shared().pending_timers(), 2);
}

#[test]
fn its_theater_takes_them_along() {
    struct Dropped(Sender<()>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.send(()).unwrap();
        }
    }
    struct Keeper;
    impl Message for Option<Dropped> {}
    impl Behavior for Keeper {
        type Msg = Option<Dropped>;
        type Inner = NoInner<Self::Msg>;
        const MAY_MOVE: bool = true;
        fn handle(&mut self, msg: Option<Dropped>, ctx: &mut Context<'_, Self>) {
            ctx.send_after(NEVER, msg);
        }
    }
    let theater = Theater::new().unwrap();
    let actor = theater.spawn(Keeper);
    let (out, dropped) = channel();
    actor.send(Some(Dropped(out))).unwrap();
    let _ = theater.shutdown(NEVER);
    assert_eq!(dropped.recv(), Ok(()));
    assert!(extend::take_letters(&actor).is_empty());
}
