//! S4: actors on a stage that their theater does not know outlive it, until they are given a turn.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::extend::{self, Origin, Submit, Task, TheaterShared, TurnLimits, TurnOutcome};
use odeon_core::*;

/// Keeps the tasks, for whoever runs them.
struct Hoard {
    shared: Arc<TheaterShared>,
    tasks: Mutex<Vec<Task>>,
}

impl Submit for Hoard {
    fn submit(&self, task: Task, _: Origin) {
        self.tasks.lock().unwrap().push(task);
    }

    fn theater(&self) -> &Arc<TheaterShared> {
        &self.shared
    }
}

struct Stopped;
impl Clock for Stopped {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl Hoard {
    fn beside(theater: &Theater) -> Arc<Self> {
        let pool = extend::pool(theater).upgrade().unwrap();
        Arc::new(Self { shared: pool.theater().clone(), tasks: Mutex::default() })
    }

    /// Runs what there is, and says what the last turn came to.
    fn run(&self) -> Option<TurnOutcome> {
        let time = Duration::from_secs(1);
        let limits = TurnLimits { messages: 100, time, clock: &Stopped, telemetry: None };
        let mut last = None;
        while let Some(task) = { self.tasks.lock().unwrap().pop() } {
            let (report, more) = task.run(&limits);
            last = Some(report.outcome);
            self.tasks.lock().unwrap().extend(more);
        }
        last
    }
}

#[derive(Default)]
struct Fate {
    handled: AtomicUsize,
    ended: AtomicUsize,
    dropped: AtomicBool,
}

struct Kept(Arc<Fate>, Option<Theater>);

enum Do {
    Count,
    DropTheater,
}
impl Message for Do {}

impl Actor for Kept {
    type Msg = Do;

    fn handle(&mut self, what: Do, _: &mut Context<'_, Self>) {
        if let Do::DropTheater = what {
            drop(self.1.take());
        }
        assert!(!self.0.dropped.load(SeqCst), "a handler works with a state that is gone");
        self.0.handled.fetch_add(1, SeqCst);
    }

    fn stopped(&mut self) {
        self.0.ended.fetch_add(1, SeqCst);
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        assert!(!self.0.dropped.swap(true, SeqCst), "dropped once");
    }
}

#[test]
fn s4_a_task_that_is_kept_ends_its_actor_after_the_theater() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let hoard = Hoard::beside(&theater);
    let stage: Arc<dyn Submit> = hoard.clone();
    let fate = Arc::new(Fate::default());
    let actor = extend::spawn_on(&stage, Kept(fate.clone(), None));
    actor.send(Do::Count).unwrap();
    let report = theater.shutdown(Duration::ZERO);
    assert_eq!(report.stuck, 1, "nobody but who has the task may end it");
    assert!(!fate.dropped.load(SeqCst));
    assert_eq!(hoard.run(), Some(TurnOutcome::Stopped));
    let fates = (fate.handled.load(SeqCst), fate.ended.load(SeqCst), fate.dropped.load(SeqCst));
    assert_eq!(fates, (0, 1, true));
    assert!(actor.is_stopped() && actor.send(Do::Count).is_err());
}

#[test]
fn s4_an_actor_of_a_foreign_stage_drops_its_theater_in_its_own_turn() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let hoard = Hoard::beside(&theater);
    let stage: Arc<dyn Submit> = hoard.clone();
    let fate = Arc::new(Fate::default());
    let actor = extend::spawn_on(&stage, Kept(fate.clone(), Some(theater)));
    actor.send(Do::DropTheater).unwrap();
    actor.send(Do::Count).unwrap();
    assert_eq!(hoard.run(), Some(TurnOutcome::Stopped));
    let fates = (fate.handled.load(SeqCst), fate.ended.load(SeqCst), fate.dropped.load(SeqCst));
    assert_eq!(fates, (1, 1, true), "it ends behind the message in which the theater ended");
}
