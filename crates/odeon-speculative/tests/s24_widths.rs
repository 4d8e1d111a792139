//! S24: the width may change at any time, and nothing is left lying.

use crate::support::{Common, Do, Lab, ask, lab, result, width};
use odeon_core::Theater;
use odeon_speculative::{
    Access, Ordering, Processing, Sample, SpawnSpeculative, SpeculativeRef, WidthPolicy,
};
use odeon_stm::TVar;
use odeon_testkit::Deterministic;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, LazyLock, OnceLock};
use std::thread;
use std::time::Duration;

/// The last message had been brought to the board when one at a time was enough, and the actor's
/// own turn leaves messages to others that may be long.
#[test]
fn s24_a_width_that_is_raised_while_a_message_waits_leaves_it_to_somebody() {
    static OPEN: LazyLock<TVar<i64>> = LazyLock::new(|| TVar::new(0));
    let run = Deterministic::new(1);
    let (lab, _) = lab(run.theater(), 1);
    let waiting = Do::update(|_, tx, _| match OPEN.get(tx)? {
        0 => Ok(tx.retry()?),
        n => Ok(n),
    });
    let answer = ask(&lab, waiting);
    run.run_until_idle();
    lab.set_processing(width(3));
    odeon_stm::atomically(|tx| OPEN.set(tx, 7));
    run.run_until_idle();
    assert_eq!(answer.wait_timeout(Duration::ZERO), Ok(7));
}

/// Nothing else comes that would wake anybody.
#[test]
fn s24_a_width_that_is_raised_while_others_run_is_used_at_once() {
    const LONG: Duration = Duration::from_millis(1);
    let theater = Theater::builder().workers(4).build().unwrap();
    // Two senders may share a place for lanes, and a message that shares one with another does not
    // begin.
    let processing = width(2).ordering(Ordering::Unordered);
    let lab = theater.spawn_speculative(Lab::new(&Arc::new(Common::default())), processing);
    // From now on the actor's own turn leaves messages to others.
    for _ in 0..20 {
        let long = Do::update(|_, _, _| {
            thread::sleep(LONG);
            Ok(0)
        });
        result(&lab, long).unwrap();
    }
    let (inside, give_up) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let meet = || {
        let (inside, give_up) = (inside.clone(), give_up.clone());
        let meeting = Do::with(Access::Snapshot, move |_, _, _| {
            inside.fetch_add(1, SeqCst);
            while inside.load(SeqCst) < 3 && !give_up.load(SeqCst) {
                thread::yield_now();
            }
            Ok(1)
        });
        // Of a sender of its own.
        thread::scope(|scope| scope.spawn(|| ask(&lab, meeting)).join().unwrap())
    };
    let mut answers = Vec::new();
    for number in 1..=2 {
        answers.push(meet());
        while inside.load(SeqCst) < number {
            thread::yield_now();
        }
    }
    answers.push(meet());
    thread::sleep(20 * LONG);
    lab.set_processing(width(4));
    let last = answers.pop().unwrap().wait_timeout(Duration::from_secs(20));
    give_up.store(true, SeqCst);
    assert_eq!(last, Ok(1));
}

/// What a policy does with its own actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Looks,
    Configures,
    Panics,
}

/// A policy that knows its actor.
struct Knows {
    actor: Arc<OnceLock<SpeculativeRef<Do>>>,
    asked: Arc<AtomicUsize>,
    does: Does,
}

impl Knows {
    fn look(&self) {
        if let Some(actor) = self.actor.get() {
            assert!(actor.speculation().commits < 1_000_000);
        }
    }
}

impl WidthPolicy for Knows {
    fn next(&mut self, sample: &Sample) -> usize {
        self.asked.fetch_add(1, SeqCst);
        self.look();
        match self.does {
            Does::Looks => sample.most,
            Does::Configures => {
                self.actor.get().unwrap().set_processing(width(2));
                1
            }
            Does::Panics => crate::support::explode(),
        }
    }

    fn period(&self) -> Duration {
        self.look();
        Duration::ZERO
    }

    fn goes_by(&self) -> Option<&'static str> {
        self.look();
        Some("what it knows")
    }
}

impl Drop for Knows {
    fn drop(&mut self) {
        if self.does == Does::Panics {
            crate::support::explode();
        }
    }
}

#[test]
fn s24_a_policy_may_look_at_its_actor_and_configure_it() {
    for does in [Does::Looks, Does::Configures, Does::Panics] {
        let (tell, told) = channel();
        // It would hang.
        thread::spawn(move || {
            let run = Deterministic::new(1);
            let (known, asked) = (Arc::new(OnceLock::new()), Arc::new(AtomicUsize::new(0)));
            let (actor, count) = (known.clone(), asked.clone());
            let knows = move || Knows { actor: actor.clone(), asked: count.clone(), does };
            let processing = Processing::adaptive_with(knows).width(4);
            let lab = Lab::new(&Arc::new(Common::default()));
            let lab = run.theater().spawn_speculative(lab, processing);
            assert!(known.set(lab.clone()).is_ok());
            assert_eq!(lab.speculation().width_goes_by, Some("what it knows"));
            for _ in 0..5 {
                (0..900).for_each(|_| lab.send(Do::increment(0)).unwrap());
                run.run_until_idle();
            }
            let sum = ask(&lab, Do::look(0));
            run.run_until_idle();
            let stats = lab.speculation();
            let asked = asked.load(SeqCst);
            tell.send((sum.wait_timeout(Duration::ZERO), asked, stats.width, stats.width_goes_by))
        });
        let told = told.recv_timeout(Duration::from_secs(60)).expect("it does not hang");
        let (sum, asked, width, goes_by) = told;
        assert_eq!(sum, Ok(4_500), "{does:?}");
        match does {
            Does::Looks => assert!(asked > 2 && (width, goes_by) == (4, Some("what it knows"))),
            // Its decision comes too late.
            Does::Configures => assert_eq!((asked, width, goes_by), (1, 2, None)),
            // The width stays what the seed has made it by then.
            Does::Panics => assert!((asked, goes_by) == (1, None) && width <= 4),
        }
    }
}
