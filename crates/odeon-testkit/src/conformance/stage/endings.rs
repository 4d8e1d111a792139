//! Stops, panics, last references, shutdown: where messages and states go.

use std::sync::{Arc, Mutex};

use odeon_core::{Actor, Context, DeadLetterReason, Theater};

use super::probe::{Do, Event, Log, PanicIn, Probe};
use super::{StageUnderTest, for_stages};
use crate::conservation::{Ledger, Ticket};
use crate::{for_seeds, silent_panic};

/// After the stop has taken effect every send gives its message back, and the state is gone.
pub fn s4_a_stopped_actor_gives_messages_back<S: StageUnderTest>() {
    use Event::{Dropped, Handled, Started, Stopped};
    for_stages(|stage: S| {
        let log = Log::default();
        let actor = stage.spawn(Probe::new(&log));
        actor.send(Do::Note(1)).expect("the actor lives");
        stage.run_until(|| log.has(Handled(1)));
        actor.stop();
        stage.run_until(|| log.has(Dropped) && actor.is_stopped());
        assert_eq!(log.events(), [Started, Handled(1), Stopped, Dropped]);
        let back = actor.send(Do::Note(7)).expect_err("the actor has stopped").into_message();
        assert!(matches!(back, Do::Note(7)));
        let back = actor.try_send(Do::Note(8)).expect_err("the actor has stopped");
        assert!(!back.is_full() && matches!(back.into_message(), Do::Note(8)));
        actor.stop();
    });
}

/// Handles tickets until its time has come.
struct Mortal {
    left: u32,
    end: fn(&mut Context<'_, Self>),
}

impl Actor for Mortal {
    type Msg = Ticket;
    fn handle(&mut self, ticket: Ticket, ctx: &mut Context<'_, Self>) {
        ticket.handled();
        self.left -= 1;
        if self.left == 0 {
            (self.end)(ctx);
        }
    }
}

/// Sends 20 tickets to an actor that ends with its fifth, and returns why the others were not
/// handled. Accounts for all of them.
fn reasons_after_the_fifth<S: StageUnderTest>(
    seed: u64,
    end: fn(&mut Context<'_, Mortal>),
) -> Vec<DeadLetterReason> {
    let ledger = Ledger::new();
    let reasons = Arc::new(Mutex::new(Vec::new()));
    let note = ledger.dead_letter_hook::<Ticket>();
    let hook = {
        let reasons = reasons.clone();
        move |letter: odeon_core::DeadLetter| {
            reasons.lock().expect("the lock is never held in a panic").push(letter.reason);
            note(letter);
        }
    };
    let stage = S::new(Theater::builder().workers(2).on_dead_letter(hook), seed);
    let actor = stage.spawn(Mortal { left: 5, end });
    let accepted = (0..20).filter(|_| ledger.send(&actor, |ticket| ticket)).count() as u64;
    stage.run_until(|| actor.is_stopped());
    assert!(!ledger.send(&actor, |ticket| ticket));
    stage.run_until(|| ledger.account().dead_lettered == accepted - 5);
    let account = ledger.check();
    assert_eq!((account.sent, account.handled), (21, 5));
    assert_eq!(stage.theater().dead_letters(), accepted - 5);
    let reasons = reasons.lock().expect("as above").clone();
    assert_eq!(reasons.len() as u64, accepted - 5);
    reasons
}

/// An actor that stops itself leaves the rest to the dead-letter hook, with the reason.
pub fn s4_what_waits_at_the_stop_is_dead_lettered<S: StageUnderTest>() {
    for_seeds(S::SEEDS, |seed| {
        let reasons = reasons_after_the_fifth::<S>(seed, |ctx| ctx.stop());
        assert!(reasons.iter().all(|&reason| reason == DeadLetterReason::Stopped), "{reasons:?}");
    });
}

/// As after a stop, with the other reason.
pub fn s5_what_waits_behind_a_panic_is_dead_lettered_as_failed<S: StageUnderTest>() {
    for_seeds(S::SEEDS, |seed| {
        let reasons = reasons_after_the_fifth::<S>(seed, |_| silent_panic("the fifth"));
        assert!(reasons.iter().all(|&reason| reason == DeadLetterReason::Failed), "{reasons:?}");
    });
}

/// Keeps its tickets in a closed mailbox.
struct Hoarder;

enum Hoard {
    Keep(u32),
    Close,
}
impl odeon_core::Message for Hoard {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        usize::from(matches!(self, Self::Keep(_)))
    }
}

impl Actor for Hoarder {
    type Msg = Hoard;
    fn handle(&mut self, msg: Hoard, ctx: &mut Context<'_, Self>) {
        match msg {
            Hoard::Close => ctx.close(1),
            Hoard::Keep(_) => unreachable!("the mailbox is closed"),
        }
    }
}

/// Messages that no turn could handle come back in the report, in order, with the reason.
pub fn s4_shutdown_returns_what_was_not_handled<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let actor = stage.spawn(Hoarder);
        actor.send(Hoard::Close).expect("the actor lives");
        (0..100).for_each(|n| actor.send(Hoard::Keep(n)).expect("the actor lives"));
        let report = stage.drain();
        assert_eq!(report.stuck, 0);
        assert!(report.leftovers.iter().all(|letter| letter.reason == DeadLetterReason::Shutdown));
        assert!(report.leftovers.iter().all(|letter| letter.actor == actor.id()));
        let kept = |letter: odeon_core::DeadLetter| match *letter.message.downcast().unwrap() {
            Hoard::Keep(n) => n,
            Hoard::Close => panic!("this one was to be handled"),
        };
        let numbers: Vec<_> = report.leftovers.into_iter().map(kept).collect();
        assert_eq!(numbers, (0..100).collect::<Vec<_>>());
        assert!(actor.send(Hoard::Keep(0)).is_err());
    });
}

/// The neighbour on the same stage goes on, and so do new actors.
pub fn s5_a_panic_ends_one_actor_only<S: StageUnderTest>() {
    use Event::{Dropped, Handled, Started};
    for_stages(|stage: S| {
        let (log, neighbours) = (Log::default(), Log::default());
        let neighbour = stage.spawn(Probe::new(&neighbours));
        let actor = stage.spawn(Probe::panicking(&log, PanicIn::Handle));
        actor.send(Do::Note(0)).expect("the actor lives");
        stage.run_until(|| actor.is_stopped() && log.has(Dropped));
        // No `Stopped`: it is not called after a panic.
        assert_eq!(log.events(), [Started, Handled(0), Dropped]);
        neighbour.send(Do::Note(1)).expect("the neighbour lives");
        let newcomer = stage.spawn(Probe::new(&neighbours));
        newcomer.send(Do::Note(2)).expect("the newcomer lives");
        stage.run_until(|| neighbours.has(Handled(1)) && neighbours.has(Handled(2)));
    });
}

/// In `started`, `stopped` and the destructor of the state as well as in the handler.
pub fn s5_a_panic_anywhere_is_contained<S: StageUnderTest>() {
    for_stages(|stage: S| {
        for place in [PanicIn::Started, PanicIn::Handle, PanicIn::Stopped, PanicIn::Drop] {
            let log = Log::default();
            let actor = stage.spawn(Probe::panicking(&log, place));
            // The actor may have ended in `started` by now; then these come back.
            let _ = actor.send(Do::Note(0));
            let _ = actor.send(Do::run(|ctx| ctx.stop()));
            stage.run_until(|| actor.is_stopped() && log.has(Event::Dropped));
            let others = Log::default();
            stage.spawn(Probe::new(&others)).send(Do::Note(1)).expect("a new actor lives");
            stage.run_until(|| others.has(Event::Handled(1)));
        }
        let report = stage.drain();
        assert_eq!((report.stuck, report.leftovers.len()), (0, 0));
    });
}

/// An actor that nobody can reach handles what it has, then ends.
pub fn s11_the_last_reference_ends_an_actor_after_its_messages<S: StageUnderTest>() {
    use Event::{Dropped, Handled, Started, Stopped};
    for_stages(|stage: S| {
        let log = Log::default();
        let actor = stage.spawn(Probe::new(&log));
        let weak = actor.downgrade();
        let other = weak.upgrade().expect("a strong reference exists");
        actor.send(Do::Note(1)).expect("the actor lives");
        drop(actor);
        other.send(Do::Note(2)).expect("the actor lives");
        drop(other);
        stage.run_until(|| log.has(Dropped));
        assert_eq!(log.events(), [Started, Handled(1), Handled(2), Stopped, Dropped]);
        assert!(weak.upgrade().is_none());
        assert_eq!(stage.theater().dead_letters(), 0);
    });
}
