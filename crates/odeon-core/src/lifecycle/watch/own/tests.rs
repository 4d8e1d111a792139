//! Watches whose messages are taken out and kept again, by an actor that keeps them as a seat does.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;
use crate::extend::{self, Awaits, WrittenWatch};
use crate::runtime::theater::Theater;
use crate::turn::actor::Actor;
use crate::turn::behavior::{Behavior, NoInner};

/// Tells what it hears.
struct Traveller(Sender<u64>);

enum To {
    /// Watch this one, and hand back the watch.
    Watch(ActorRef<()>, u64, Sender<Watching<()>>),
    Say(u64),
}

impl Message for To {}

impl Behavior for Traveller {
    type Msg = To;
    type Inner = NoInner<To>;
    const MAY_MOVE: bool = true;

    fn handle(&mut self, msg: To, ctx: &mut Context<'_, Self>) {
        match msg {
            To::Watch(other, n, watching) => {
                watching.send(ctx.watch_with(&other, To::Say(n))).unwrap();
            }
            To::Say(n) => self.0.send(n).unwrap(),
        }
    }
}

struct Watched;

impl Actor for Watched {
    type Msg = ();
    fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
        ctx.stop();
    }
}

fn traveller(theater: &Theater) -> (ActorRef<To>, Receiver<u64>) {
    let (out, heard) = channel();
    (theater.spawn(Traveller(out)), heard)
}

fn watch(actor: &ActorRef<To>, other: &ActorRef<()>, n: u64) -> Watching<()> {
    let (out, watching) = channel();
    actor.send(To::Watch(other.clone(), n, out)).unwrap();
    watching.recv().unwrap()
}

#[test]
fn who_watches_is_told_once_and_one_that_has_ended_at_once() {
    let theater = Theater::new().unwrap();
    let (actor, heard) = traveller(&theater);
    let other = theater.spawn(Watched);
    let watching = watch(&actor, &other, 1);
    assert_eq!(watching.ended(), None);
    other.send(()).unwrap();
    assert_eq!(heard.recv(), Ok(1));
    assert_eq!(watching.ended(), Some(EndReason::Stopped));
    assert!(!watching.cancel(), "it has told");
    drop(watch(&actor, &other, 2));
    assert_eq!(heard.recv(), Ok(2));
    actor.send(To::Say(3)).unwrap();
    assert_eq!(heard.recv(), Ok(3), "each once");
}

#[test]
fn a_watch_that_was_cancelled_tells_nothing_and_keeps_nobody() {
    let theater = Theater::new().unwrap();
    let (actor, heard) = traveller(&theater);
    let other = theater.spawn(Watched);
    assert!(watch(&actor, &other, 1).cancel());
    let ended = actor.ended();
    drop(actor);
    assert_eq!(ended.wait().reason(), EndReason::Stopped, "nobody refers to it");
    other.send(()).unwrap();
    other.ended().wait();
    assert!(heard.try_recv().is_err());
}

#[test]
fn what_has_been_written_is_taken_along_and_waits_where_its_watch_is_read() {
    let theaters = [Theater::new().unwrap(), Theater::new().unwrap()];
    let (here, heard) = traveller(&theaters[0]);
    let (there, heard_there) = traveller(&theaters[1]);
    let others: Vec<_> = (0..4).map(|_| theaters[0].spawn(Watched)).collect();
    let watches: Vec<_> = (0..).zip(&others).map(|(n, other)| watch(&here, other, n)).collect();
    assert!(matches!(extend::write_watch(&watches[2]), WrittenWatch::InForce(..)));
    // Not the third, which was written for somebody else before.
    let written: Vec<_> =
        extend::packs(&here, || watches[..2].iter().map(extend::write_watch).collect());
    assert!(matches!(extend::write_watch(&watches[3]), WrittenWatch::InForce(..)));
    let taken = extend::take_letters(&here);
    assert_eq!(taken.len(), 2);
    assert!(taken.iter().all(|letter| letter.awaits == Awaits::End));
    assert!(extend::take_letters(&here).is_empty());
    let pool = theaters[1].shared().pool();
    let mut read: Vec<_> = written.into_iter().map(|it| extend::read_watch(&*pool, it)).collect();
    // The second one is thrown away before its message comes.
    drop(read.pop());
    let kept: Vec<bool> =
        taken.into_iter().map(|letter| extend::keep_letter(&there, letter).is_ok()).collect();
    assert_eq!(kept, [true, false]);
    others.iter().for_each(|other| other.send(()).unwrap());
    assert_eq!(heard_there.recv(), Ok(0));
    let mut stayed = [heard.recv().unwrap(), heard.recv().unwrap()];
    stayed.sort_unstable();
    assert_eq!(stayed, [2, 3]);
    assert!(!watches.into_iter().next().unwrap().cancel(), "it is here no longer");
    assert!(matches!(extend::write_watch(&read[0]), WrittenWatch::Over(Some(EndReason::Stopped))));
    assert!(heard_there.try_recv().is_err() && heard.try_recv().is_err());
}

#[test]
fn one_that_is_read_again_goes_by_the_name_of_the_first_until_it_is_dropped_too() {
    let theater = Theater::new().unwrap();
    let (actor, heard) = traveller(&theater);
    let other = theater.spawn(Watched);
    let first = watch(&actor, &other, 1);
    let written = extend::packs(&actor, || extend::write_watch(&first));
    let again = extend::read_watch(&*theater.shared().pool(), written);
    drop(first);
    let taken = extend::take_letters(&actor);
    for letter in taken {
        assert!(
            extend::keep_letter(&actor, letter).is_ok(),
            "the second one knows whom it watches"
        );
    }
    assert!(again.cancel());
    other.send(()).unwrap();
    other.ended().wait();
    assert!(heard.try_recv().is_err());
}
