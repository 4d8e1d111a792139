//! S22: whatever a tracer does, messages that it follows are handled once, and what an actor fails
//! with is its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use odeon_core::extend::{Cause, Handling, Scope, Tracer, follow_sends};
use odeon_core::*;
use odeon_testkit::silent_panic;

const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mischief {
    DoesNotCall,
    CallsTwice,
    Swallows,
    PanicsBefore,
    PanicsBehind,
    PanicsInSent,
    PanicsInBegins,
    PanicsInDrop,
    HasBadCauses,
}

const ALL: [Mischief; 9] = [
    Mischief::DoesNotCall,
    Mischief::CallsTwice,
    Mischief::Swallows,
    Mischief::PanicsBefore,
    Mischief::PanicsBehind,
    Mischief::PanicsInSent,
    Mischief::PanicsInBegins,
    Mischief::PanicsInDrop,
    Mischief::HasBadCauses,
];

struct Bad(Mischief);

impl Bad {
    fn does(&self, mischief: Mischief) {
        if self.0 == mischief {
            silent_panic("a tracer");
        }
    }
}

struct BadCause;
impl Drop for BadCause {
    fn drop(&mut self) {
        silent_panic("a cause");
    }
}

impl Tracer for Bad {
    fn sent(&self) -> Option<Cause> {
        self.does(Mischief::PanicsInSent);
        Some(if self.0 == Mischief::HasBadCauses { Box::new(BadCause) } else { Box::new(()) })
    }

    fn begins(&self, cause: Cause, _: &Handling) -> Box<dyn Scope> {
        drop(cause);
        self.does(Mischief::PanicsInBegins);
        Box::new(BadScope(Bad(self.0)))
    }
}

struct BadScope(Bad);

impl Scope for BadScope {
    fn run(&mut self, work: &mut dyn FnMut()) {
        self.0.does(Mischief::PanicsBefore);
        match self.0.0 {
            Mischief::DoesNotCall => {}
            Mischief::CallsTwice => {
                work();
                work();
            }
            Mischief::Swallows => drop(catch_unwind(AssertUnwindSafe(work))),
            _ => work(),
        }
        self.0.does(Mischief::PanicsBehind);
    }
}

impl Drop for BadScope {
    fn drop(&mut self) {
        self.0.does(Mischief::PanicsInDrop);
    }
}

enum Do {
    Count,
    Fail,
    Counted(Reply<u32>),
}
impl Message for Do {}

struct Counter(u32);

impl Counter {
    fn handle(&mut self, what: Do) {
        match what {
            Do::Count => self.0 += 1,
            Do::Fail => silent_panic("the actor"),
            Do::Counted(reply) => reply.send(self.0),
        }
    }
}

impl Actor for Counter {
    type Msg = Do;
    fn handle(&mut self, what: Do, _: &mut Context<'_, Self>) {
        Counter::handle(self, what);
    }
}

struct Asynchronous(Counter);

impl AsyncActor for Asynchronous {
    type Msg = Do;
    async fn handle(&mut self, what: Do, _: &mut AsyncContext<'_, Self>) {
        odeon_testkit::yields(1).await;
        self.0.handle(what);
    }
}

#[test]
fn s22_a_tracer_that_misbehaves_changes_nothing_for_actors() {
    for mischief in ALL {
        let tracer = Arc::new(Bad(mischief));
        let theater = Theater::builder().workers(1).tracer(tracer).build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        let actors = [
            theater.spawn(Counter(0)),
            theater.actor().on(&stage).spawn(Counter(0)),
            theater.actor().dedicated("own").spawn(Counter(0)).unwrap(),
            theater.spawn(Asynchronous(Counter(0))),
            theater.actor().on(&stage).spawn(Asynchronous(Counter(0))),
        ];
        for (kind, actor) in actors.iter().enumerate() {
            let mut ended = actor.ended();
            follow_sends(true);
            for _ in 0..3 {
                actor.send(Do::Count).unwrap();
            }
            let counted = actor.ask(Do::Counted);
            actor.send(Do::Fail).unwrap();
            // Nobody handles it any more, and nobody needs its cause.
            let _ = actor.send(Do::Count);
            follow_sends(false);
            assert_eq!(counted.wait_timeout(PATIENCE), Ok(3), "{mischief:?}, actor {kind}");
            let ended = ended.wait_timeout(PATIENCE).expect("it fails");
            assert_eq!(ended.failure(), Some("the actor"), "{mischief:?}, actor {kind}");
        }
    }
}
