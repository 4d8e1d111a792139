//! S3: what a selection policy is shown, and that no message is lost when one fails.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::silent_panic;

const MAILBOXES: usize = 2;

/// Goes where its sender says.
struct Item(u32);

impl Message for Item {
    const MAILBOXES: usize = MAILBOXES;
}

/// What a policy does when it fails.
#[derive(Clone, Copy, Debug)]
enum Fails {
    Panics,
    NamesOneThatIsNotThere,
}

/// Fails as often as it is to; otherwise chooses where most is waiting, and complains where nothing
/// is.
#[derive(Clone)]
struct Longest {
    fails: Fails,
    left: Arc<AtomicU32>,
}

impl SelectionPolicy for Longest {
    fn select(&mut self, ready: Ready<'_>) -> usize {
        let takes_one = |left: u32| left.checked_sub(1);
        if self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, takes_one).is_ok() {
            match self.fails {
                Fails::Panics => silent_panic("a policy"),
                Fails::NamesOneThatIsNotThere => return 17,
            }
        }
        for mailbox in ready.iter() {
            assert_ne!(ready.waiting(mailbox), 0, "{mailbox} is ready");
        }
        ready.iter().max_by_key(|mailbox| ready.waiting(*mailbox)).expect("one is ready")
    }
}

struct Clerk {
    policy: Longest,
    seen: Arc<Mutex<Vec<u32>>>,
}

impl Actor for Clerk {
    type Msg = Item;
    fn selection(&self) -> Selection {
        Selection::by(self.policy.clone())
    }
    fn handle(&mut self, Item(n): Item, _: &mut Context<'_, Self>) {
        self.seen.lock().unwrap().push(n);
    }
}

struct AsyncClerk(Clerk);

impl AsyncActor for AsyncClerk {
    type Msg = Item;
    fn selection(&self) -> Selection {
        Actor::selection(&self.0)
    }
    async fn handle(&mut self, Item(n): Item, _: &mut AsyncContext<'_, Self>) {
        self.0.seen.lock().unwrap().push(n);
    }
}

const KINDS: [&str; 6] = ["pool", "pinned", "dedicated", "async", "async pinned", "bounded"];

fn spawn(
    theater: &Theater,
    kind: &str,
    supervision: Supervision,
    mut make: impl FnMut() -> Clerk + Send + 'static,
) -> ActorRef<Item> {
    let stage = theater.pinned("desk").unwrap();
    let make_async = |mut make: Box<dyn FnMut() -> Clerk + Send>| move || AsyncClerk(make());
    match kind {
        "pool" => theater.actor().supervised(supervision).spawn(make),
        "pinned" => theater.actor().on(&stage).supervised(supervision).spawn(make),
        // Supervision is for actors that can be made anew; this one ends.
        "dedicated" => theater.actor().dedicated("own").spawn(make()).unwrap(),
        "async" => theater.actor().supervised(supervision).spawn(make_async(Box::new(make))),
        "async pinned" => {
            theater.actor().on(&stage).supervised(supervision).spawn(make_async(Box::new(make)))
        }
        _ => theater.actor().on(&stage).supervised(supervision).spawn(move || {
            Bounded::new(make()).mailbox(0, Bound::wait(2)).mailbox(1, Bound::wait(2))
        }),
    }
}

#[test]
fn s3_a_policy_that_fails_loses_no_message() {
    const SENT: u32 = 20;
    for fails in [Fails::Panics, Fails::NamesOneThatIsNotThere] {
        for directive in [Directive::Resume, Directive::Restart, Directive::Stop] {
            for kind in KINDS {
                let what = format!("{kind}, {fails:?}, {directive:?}");
                let dead = Arc::new(Mutex::new(Vec::new()));
                let letters = dead.clone();
                let theater = Theater::builder().workers(1).on_dead_letter(move |letter| {
                    letters.lock().unwrap().push(letter.message.downcast::<Item>().unwrap().0);
                });
                let theater = theater.build().unwrap();
                let supervision =
                    Supervision::new().always(directive).pauses(Duration::ZERO, Duration::ZERO);
                let policy = Longest { fails, left: Arc::new(AtomicU32::new(2)) };
                let seen = Arc::new(Mutex::new(Vec::new()));
                let (log, of_clerk) = (seen.clone(), policy.clone());
                let make = move || Clerk { policy: of_clerk.clone(), seen: log.clone() };
                let clerk = spawn(&theater, kind, supervision, make);
                let mut accounted = Vec::new();
                for n in 0..SENT {
                    let sent = clerk.mailbox(n as usize % MAILBOXES).send(Item(n));
                    accounted.extend(sent.err().map(|returned| returned.into_message().0));
                }
                let goes_on = directive != Directive::Stop && kind != "dedicated";
                if !goes_on {
                    assert_eq!(clerk.ended().wait().reason(), EndReason::Failed, "{what}");
                }
                drop(clerk);
                let report = theater.shutdown(Duration::from_secs(30));
                assert!(report.leftovers.is_empty(), "{what}");
                let handled = std::mem::take(&mut *seen.lock().unwrap());
                if goes_on {
                    assert_eq!(policy.left.load(Ordering::SeqCst), 0, "{what}");
                    assert_eq!(handled.len(), SENT as usize, "{what}");
                }
                accounted.extend(handled);
                accounted.append(&mut dead.lock().unwrap());
                accounted.sort_unstable();
                assert_eq!(accounted, (0..SENT).collect::<Vec<_>>(), "{what}");
            }
        }
    }
}

#[test]
fn s3_a_policy_sees_the_message_it_is_asked_about_wherever_the_actor_lives() {
    for kind in KINDS {
        let theater = Theater::builder().workers(1).build().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let policy = Longest { fails: Fails::Panics, left: Arc::default() };
        let log = seen.clone();
        let make = move || Clerk { policy: policy.clone(), seen: log.clone() };
        let ends = Supervision::new().always(Directive::Stop);
        let clerk = spawn(&theater, kind, ends, make);
        for n in 0..8 {
            // It fails, and ends, if its policy is shown a ready mailbox in which nothing waits.
            clerk.mailbox(n % MAILBOXES).send(Item(n as u32)).expect(kind);
        }
        drop(clerk);
        drop(theater.shutdown(Duration::from_secs(30)));
        assert_eq!(seen.lock().unwrap().len(), 8, "{kind}");
    }
}

/// Panics when it is dropped.
struct PanicsAtItsEnd;

impl SelectionPolicy for PanicsAtItsEnd {
    fn select(&mut self, ready: Ready<'_>) -> usize {
        ready.iter().next().expect("one is ready")
    }
}

impl Drop for PanicsAtItsEnd {
    fn drop(&mut self) {
        silent_panic("a policy at its end");
    }
}

struct Short;

impl Actor for Short {
    type Msg = Item;
    fn selection(&self) -> Selection {
        Selection::by(PanicsAtItsEnd)
    }
    fn handle(&mut self, _: Item, ctx: &mut Context<'_, Self>) {
        ctx.stop();
    }
}

struct AsyncShort;

impl AsyncActor for AsyncShort {
    type Msg = Item;
    fn selection(&self) -> Selection {
        Selection::by(PanicsAtItsEnd)
    }
    async fn handle(&mut self, _: Item, ctx: &mut AsyncContext<'_, Self>) {
        ctx.stop();
    }
}

#[test]
fn s3_s5_a_policy_that_panics_when_it_is_dropped_ends_nobody_else() {
    const PATIENCE: Duration = Duration::from_secs(30);
    let theater = Theater::builder().workers(1).failures_printed(false).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    for _ in 0..3 {
        for actor in [
            theater.spawn(Short),
            theater.actor().on(&stage).spawn(Short),
            theater.spawn(AsyncShort),
            theater.actor().on(&stage).spawn(AsyncShort),
        ] {
            let mut ended = actor.ended();
            actor.mailbox(0).send(Item(1)).unwrap();
            let ended = ended.wait_timeout(PATIENCE).expect("its stage goes on");
            assert_eq!(ended.reason(), EndReason::Stopped);
        }
    }
}
