//! Pipes under random schedules: an output on its way meets the end of its actor, a restart, and a
//! cancellation. Run by `ci/shuttle.sh`.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::*;
use odeon_sync::schedules::check;
use odeon_sync::{Condvar, Mutex};
use odeon_testkit::{DropTracker, silent_panic, yields};

const LONG: Duration = Duration::from_secs(3600);

/// What happened, in order; a model thread waits for so many entries.
#[derive(Clone, Default)]
struct Log(Arc<(Mutex<Vec<Event>>, Condvar)>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    /// The state of this number was made.
    Made(usize),
    /// A state went on with an output: which state, and which had begun the pipe.
    WentOn { with: usize, of: usize },
    /// A pipe was cancelled in time, or not.
    Cancelled(bool),
}

impl Log {
    fn push(&self, event: Event) {
        self.0.0.lock().unwrap().push(event);
        self.0.1.notify_all();
    }

    fn wait_for(&self, entries: usize) {
        let mut log = self.0.0.lock().unwrap();
        while log.len() < entries {
            log = self.0.1.wait(log).unwrap();
        }
    }

    fn all(&self) -> Vec<Event> {
        self.0.0.lock().unwrap().clone()
    }

    fn states(&self) -> usize {
        self.all().iter().filter(|event| matches!(event, Event::Made(_))).count()
    }
}

/// Begins two pipes at its start.
struct Piper {
    number: usize,
    log: Log,
    tracker: DropTracker,
    last: Option<Pipe>,
}

#[derive(Clone, Copy)]
enum To {
    Fail,
    Cancel,
    Nothing,
}
impl Message for To {}

impl Actor for Piper {
    type Msg = To;
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        for waits in 0..2 {
            let (output, captured) = (self.tracker.track(self.number), self.tracker.track(()));
            let future = async move {
                yields(waits).await;
                output
            };
            let pipe = ctx.pipe(future, move |this, of, _| {
                drop(captured);
                this.log.push(Event::WentOn { with: this.number, of: *of });
            });
            self.last = Some(pipe);
        }
    }
    fn handle(&mut self, to: To, _: &mut Context<'_, Self>) {
        match to {
            To::Fail => silent_panic("asked to"),
            To::Cancel => {
                let cancelled = self.last.take().map(Pipe::cancel);
                self.log.push(Event::Cancelled(cancelled == Some(true)));
            }
            To::Nothing => {}
        }
    }
}

struct Run {
    theater: Theater,
    tracker: DropTracker,
    log: Log,
}

impl Run {
    fn new() -> Self {
        let theater = Theater::builder().workers(2).build().unwrap();
        Self { theater, tracker: DropTracker::new(), log: Log::default() }
    }

    fn spawn(&self) -> ActorRef<To> {
        let (log, tracker) = (self.log.clone(), self.tracker.clone());
        let policy = Supervision::new().pauses(Duration::ZERO, Duration::ZERO);
        self.theater.actor().supervised(policy).spawn(move || {
            let number = log.states();
            log.push(Event::Made(number));
            Piper { number, log: log.clone(), tracker: tracker.clone(), last: None }
        })
    }

    /// Everything has ended and been dropped; what happened.
    fn close(self) -> Vec<Event> {
        let report = self.theater.shutdown(LONG);
        assert!(report.drained && report.stuck == 0);
        self.tracker.check();
        self.log.all()
    }
}

#[test]
fn outputs_keep_their_actor_and_arrive_once() {
    check(2_000, || {
        let run = Run::new();
        drop(run.spawn());
        run.log.wait_for(3);
        let went_on = Event::WentOn { with: 0, of: 0 };
        assert_eq!(run.close(), [Event::Made(0), went_on, went_on]);
    });
}

#[test]
fn a_stop_meets_outputs() {
    check(2_000, || {
        let run = Run::new();
        let actor = run.spawn();
        actor.stop();
        let _ = actor.send(To::Nothing);
        drop(actor);
        assert!(run.close().len() <= 3);
    });
}

#[test]
fn a_restart_meets_outputs() {
    check(2_000, || {
        let run = Run::new();
        let actor = run.spawn();
        actor.send(To::Fail).unwrap();
        drop(actor);
        let events = run.close();
        let of_second = |event: &&Event| **event == Event::WentOn { with: 1, of: 1 };
        assert_eq!(events.iter().filter(of_second).count(), 2, "{events:?}");
        let own = |event: &Event| !matches!(event, Event::WentOn { with, of } if with != of);
        assert!(events.iter().all(own), "{events:?}");
    });
}

#[test]
fn a_cancellation_meets_its_output() {
    check(2_000, || {
        let run = Run::new();
        let actor = run.spawn();
        actor.send(To::Cancel).unwrap();
        drop(actor);
        let events = run.close();
        let went_on = events.iter().filter(|event| matches!(event, Event::WentOn { .. })).count();
        let in_time = events.contains(&Event::Cancelled(true));
        assert_eq!(went_on, if in_time { 1 } else { 2 }, "{events:?}");
    });
}
